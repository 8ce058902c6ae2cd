/** Written by scripts/guards.ts from the schemas of src/shared/panels/compare.ts. */
import type { ToCompare } from '../../src/shared/panels/compare.ts';
import { isCorrection } from '../components/correction-guard.ts';
import {
  anything,
  dictionary,
  fields,
  flag,
  guardOf,
  isRecord,
  list,
  nothing,
  number,
  oneOf,
  tagged,
  text,
} from '../components/message-guard.ts';

export const isToCompare = guardOf<ToCompare>(
  tagged('type', {
    state: fields({
      type: text,
      state: fields(
        {
          trusted: flag,
          corpora: list(fields({ name: text, indexed: flag })),
          evalSets: list(fields({ path: text, queries: number })),
          chosenSets: list(fields({ evalSet: text, corpus: text })),
          pipelines: list(
            fields(
              {
                name: text,
                pipeline: fields(
                  { retriever: isRecord, rerank: list(anything), k: number, candidates: number },
                  { name: text, expansion: isRecord, projection: isRecord },
                ),
              },
              { label: text },
            ),
          ),
          chosen: list(text),
          k: number,
          judge: fields({
            name: text,
            label: text,
            choices: list(fields({ name: text, label: text, short: text, restsOn: text, sureness: text })),
          }),
          kept: list(
            fields({
              id: text,
              at: text,
              datasets: list(text),
              pipelines: list(text),
              queries: number,
              k: number,
            }),
          ),
          stale: flag,
        },
        {
          configProblem: text,
          task: fields({ title: text }, { fraction: number, detail: text }),
          shown: text,
          movement: fields({
            dataset: text,
            queryId: text,
            depth: number,
            passages: list(
              fields({ id: text, title: text, ranks: list(oneOf(number, nothing)), supports: list(text) }),
            ),
          }),
          judging: fields(
            {},
            {
              counted: fields({ pairs: number, known: number }),
              blocked: text,
              report: fields(
                {
                  asked: number,
                  answered: number,
                  failed: number,
                  unreadable: number,
                  saved: number,
                  settled: number,
                  queries: number,
                  stopped: flag,
                },
                { unreadableReason: text, error: text },
              ),
            },
          ),
          pool: fields({
            k: number,
            judge: text,
            heuristic: flag,
            orders: number,
            datasets: list(
              fields(
                {
                  name: text,
                  corpus: text,
                  evalSet: text,
                  queries: number,
                  pairs: number,
                  judgedBefore: number,
                  judgedAfter: number,
                  holes: number,
                  basis: fields({ before: text, after: text }),
                  pipelines: list(
                    fields(
                      {
                        name: text,
                        hole: number,
                        judgedBefore: number,
                        judgedAfter: number,
                        measures: dictionary(
                          fields({
                            before: oneOf(number, nothing),
                            after: oneOf(number, nothing),
                            mayRise: fields({ before: flag, after: flag }),
                            rankBefore: oneOf(number, nothing),
                            rankAfter: oneOf(number, nothing),
                          }),
                        ),
                      },
                      { queryErrors: list(fields({ query: text, message: text })) },
                    ),
                  ),
                  failed: list(fields({ name: text, error: text })),
                  growth: fields({ holes: list(number), rate: list(oneOf(number, nothing)) }),
                  marginal: fields({
                    MRecall: list(number),
                    Precision: list(number),
                    Hit: list(number),
                    Recall: list(number),
                    nDCG: list(number),
                  }),
                  saturation: fields({ saturated: oneOf(flag, nothing), sentence: text }),
                },
                { leftOut: list(text) },
              ),
              1,
            ),
          }),
          error: fields({ message: text, remedies: list(text) }, { corpus: text }),
        },
      ),
    }),
    comparison: fields({
      type: text,
      comparison: fields(
        {
          id: text,
          judge: text,
          k: number,
          measures: list(text),
          pipelines: list(
            fields({
              name: text,
              label: text,
              pipeline: fields(
                { retriever: isRecord, rerank: list(anything), k: number, candidates: number },
                { name: text, expansion: isRecord, projection: isRecord },
              ),
            }),
          ),
          datasets: list(
            fields(
              {
                name: text,
                corpus: text,
                evalSet: text,
                sources: list(
                  fields(
                    { source: text, judge: text, count: number, heuristic: flag },
                    { evidenceNotFound: number, ofDocuments: number },
                  ),
                ),
                pipelines: list(
                  fields(
                    {
                      name: text,
                      measures: dictionary(
                        fields(
                          { value: number },
                          {
                            ifAllSupport: number,
                            difference: fields(
                              {
                                value: number,
                                low: number,
                                high: number,
                                wins: number,
                                losses: number,
                                ties: number,
                              },
                              { p: number },
                            ),
                          },
                        ),
                      ),
                      judged: number,
                      losses: fields(
                        {
                          covered: number,
                          belowK: number,
                          notRetrieved: number,
                          unjudged: number,
                          notInCorpus: number,
                        },
                        {
                          approximateMiss: number,
                          open: fields(
                            {},
                            {
                              covered: number,
                              belowK: number,
                              approximateMiss: number,
                              notRetrieved: number,
                              unjudged: number,
                              notInCorpus: number,
                            },
                          ),
                        },
                      ),
                      groups: list(fields({ group: text, share: number })),
                      coverageCurve: list(number),
                      milliseconds: number,
                      search: text,
                    },
                    {
                      circular: text,
                      correction: isCorrection,
                      setSize: fields({ coveredShare: number }, { mean: number }),
                      leaning: fields({
                        queries: number,
                        onlySupport: number,
                        onlyOppose: number,
                        both: number,
                        neither: number,
                      }),
                      sycophancy: fields(
                        { queries: number },
                        { question: number, support: number, oppose: number },
                      ),
                      heatMap: fields({ rows: list(text), columns: list(text), shares: list(list(number)) }),
                      perspectiveRecall: fields({
                        pRecall: number,
                        byGroup: list(fields({ group: text, recall: number, perspectives: number })),
                        rootRecall: number,
                      }),
                      tooLittleJudged: list(fields({ view: text, judged: number })),
                      error: text,
                      queryErrors: list(fields({ query: text, message: text })),
                      searchErrors: list(fields({ query: text, message: text, search: text })),
                      short: fields({ returned: number, asked: number, queries: number }),
                      certainty: fields({
                        certain: number,
                        queries: number,
                        k: number,
                        least: number,
                        approximate: flag,
                      }),
                    },
                  ),
                ),
                union: fields({ perspectives: number, queries: number }),
                queries: list(
                  fields(
                    {
                      id: text,
                      text: text,
                      tags: list(text),
                      perspectives: list(
                        fields(
                          {
                            id: text,
                            text: text,
                            letter: text,
                            color: number,
                            ranks: list(oneOf(number, nothing)),
                          },
                          { where: list(oneOf(text, nothing)), supportKnown: flag },
                        ),
                      ),
                      mrecall: list(number),
                      precision: list(number),
                      judged: list(number),
                    },
                    { mayRise: list(flag) },
                  ),
                ),
              },
              { basis: text, leftOut: list(text) },
            ),
          ),
          at: text,
        },
        { macro: list(dictionary(number)) },
      ),
    }),
  }),
);
