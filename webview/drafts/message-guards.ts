/** Written by scripts/guards.ts from the schemas of src/shared/panels/drafts-panel.ts. */
import type { ToDrafts } from '../../src/shared/panels/drafts-panel.ts';
import { fields, flag, guardOf, list, number, tagged, text } from '../components/message-guard.ts';

export const isToDrafts = guardOf<ToDrafts>(
  tagged('type', {
    state: fields({
      type: text,
      state: fields(
        { drafts: list(fields({ id: text, text: text, review: text })), unreadable: number, canUndo: flag },
        {
          current: fields(
            {
              id: text,
              review: text,
              text: text,
              perspectives: list(
                fields(
                  { id: text, text: text, letter: text, color: number },
                  { stance: text, from: list(text) },
                ),
              ),
              passages: list(fields({ name: text, text: text, supports: list(text) })),
              model: text,
            },
            { because: text, reason: text },
          ),
          error: fields({ message: text, remedies: list(text) }, { corpus: text }),
        },
      ),
    }),
  }),
);
