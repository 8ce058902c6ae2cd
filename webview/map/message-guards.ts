/** Written by scripts/guards.ts from the schemas of src/shared/panels/map-panel.ts. */
import type { ToMap } from '../../src/shared/panels/map-panel.ts';
import { isLikeness } from '../components/likeness-guard.ts';
import {
  dictionary,
  fields,
  flag,
  guardOf,
  list,
  number,
  tagged,
  text,
} from '../components/message-guard.ts';

export const isToMap = guardOf<ToMap>(
  tagged('type', {
    state: fields({
      type: text,
      state: fields(
        {
          perspectives: list(fields({ letter: text, color: number, text: text })),
          supports: dictionary(list(number)),
          looked: list(fields({ slot: number, id: text, title: text, path: text, text: text })),
          choice: fields({ layout: text, sample: number }),
          pipelines: list(text),
          chosen: list(text),
          working: flag,
        },
        {
          question: text,
          map: fields(
            {
              likeness: isLikeness,
              layout: text,
              passages: list(
                fields({ slot: number, id: text, title: text, path: text, text: text, x: number, y: number }),
              ),
              sample: fields(
                { slots: list(number), places: list(number), corpus: number },
                { problem: text },
              ),
              question: fields({ x: number, y: number }),
              perspectives: list(fields({ x: number, y: number })),
              projections: list(fields({ perspective: text, x: number, y: number })),
              tops: list(fields({ name: text, ids: list(text) }, { problem: text })),
            },
            { explained: number },
          ),
          error: fields({ message: text, remedies: list(text) }, { corpus: text }),
        },
      ),
    }),
  }),
);
