/** Written by scripts/guards.ts from the schemas of src/shared/panels/history-panel.ts. */
import type { ToHistory } from '../../src/shared/panels/history-panel.ts';
import { isCorrection } from '../components/correction-guard.ts';
import {
  dictionary,
  fields,
  flag,
  guardOf,
  list,
  number,
  tagged,
  text,
  tuple,
} from '../components/message-guard.ts';

export const isToHistory = guardOf<ToHistory>(
  tagged('type', {
    state: fields({
      type: text,
      state: fields(
        {
          trusted: flag,
          demands: fields({ k: number, evalSets: list(text), pipelines: list(text) }),
          revision: number,
        },
        {
          configProblem: text,
          task: fields({ title: text }, { fraction: number, detail: text }),
          compared: fields({
            then: text,
            now: text,
            comparison: fields({
              comparisons: list(
                fields({
                  dataset: text,
                  pipeline: text,
                  queries: number,
                  configuration: list(fields({ field: text }, { then: text, now: text })),
                  differences: list(
                    fields(
                      {
                        difference: number,
                        low: number,
                        high: number,
                        wins: number,
                        losses: number,
                        ties: number,
                        metric: text,
                        then: number,
                        now: number,
                        attribution: fields(
                          { changes: list(text), noise: flag },
                          { parts: fields({ judgements: number, retrieval: number }) },
                        ),
                      },
                      { p: number },
                    ),
                  ),
                  changed: list(
                    fields({
                      id: text,
                      metrics: dictionary(tuple(number, number)),
                      gained: list(text),
                      lost: list(text),
                    }),
                  ),
                }),
              ),
              notes: list(text),
            }),
            questions: dictionary(dictionary(fields({ text: text, perspectives: dictionary(text) }))),
          }),
          error: fields({ message: text, remedies: list(text) }, { corpus: text }),
        },
      ),
    }),
    runs: fields(
      {
        type: text,
        revision: number,
        runs: list(
          fields(
            {
              id: text,
              at: text,
              k: number,
              judge: text,
              outcome: text,
              accepted: flag,
              rows: list(
                fields(
                  {
                    dataset: text,
                    evalSet: text,
                    pipeline: text,
                    queries: number,
                    figures: dictionary(fields({ value: number, low: number, high: number })),
                    corpus: text,
                    passages: number,
                    pairs: number,
                    judged: number,
                  },
                  {
                    queryErrors: list(fields({ query: text, message: text })),
                    circular: text,
                    correction: isCorrection,
                    since: fields(
                      {
                        id: text,
                        at: text,
                        changes: list(text),
                        differences: dictionary(
                          fields({ difference: number, low: number, high: number }, { p: number }),
                        ),
                      },
                      { judge: text },
                    ),
                  },
                ),
              ),
            },
            { commit: text },
          ),
        ),
      },
      { unlisted: number },
    ),
  }),
);
