/** Written by scripts/guards.ts from the schemas of src/shared/likeness.ts. */
import { fields, flag, list, number, text } from './message-guard.ts';

export const isLikeness = fields(
  {
    embedder: text,
    passages: number,
    candidates: number,
    spreads: fields({
      documents: fields({ top: number, candidates: number, without: number }),
      folders: fields({ top: number, candidates: number, without: number }),
      sections: fields({ top: number, candidates: number, without: number }),
    }),
    fields: list(fields({ top: number, candidates: number, without: number, name: text })),
    foundFields: list(text),
    repeats: list(fields({ passageId: text, of: text })),
    vendi: number,
    themes: fields({
      larger: list(
        fields({
          terms: list(text),
          passages: number,
          top: number,
          members: list(text),
          nearest: fields({ passageId: text, title: text, path: text }),
        }),
      ),
      rest: fields({ passages: number, top: number }),
      clear: flag,
    }),
  },
  { similarity: number },
);
