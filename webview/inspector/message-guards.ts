/** Written by scripts/guards.ts from the schemas of src/shared/panels/inspector.ts. */
import type { ToInspector } from '../../src/shared/panels/inspector.ts';
import { isLikeness } from '../components/likeness-guard.ts';
import {
  anything,
  fields,
  flag,
  guardOf,
  isRecord,
  list,
  number,
  tagged,
  text,
} from '../components/message-guard.ts';

export const isToInspector = guardOf<ToInspector>(
  tagged('type', {
    state: fields({
      type: text,
      state: fields(
        {
          trusted: flag,
          corpus: tagged('state', {
            'no-folder': fields({ state: text }),
            unknown: fields({ state: text }),
            'not-indexed': fields(
              {
                state: text,
                name: text,
                roots: list(text),
                others: list(fields({ name: text, files: number, kinds: list(text) })),
              },
              {
                survey: fields({
                  folders: list(fields({ name: text, prose: number, code: number, kinds: list(text) })),
                  withCode: flag,
                  canChoose: flag,
                }),
                store: text,
              },
            ),
            indexed: fields(
              {
                state: text,
                name: text,
                documents: number,
                passages: number,
                skipped: number,
                notices: list(text),
              },
              { store: text },
            ),
          }),
          corpora: list(text),
          tasks: list(fields({ kind: text, title: text }, { fraction: number, detail: text })),
          pipelines: list(
            fields({
              name: text,
              pipeline: fields(
                { retriever: isRecord, rerank: list(anything), k: number, candidates: number },
                { name: text, expansion: isRecord, projection: isRecord },
              ),
            }),
          ),
          embedders: list(text),
          pipeline: fields(
            { retriever: isRecord, rerank: list(anything), k: number, candidates: number },
            { name: text, expansion: isRecord, projection: isRecord },
          ),
          judge: fields(
            {
              name: text,
              label: text,
              canJudge: flag,
              choices: list(fields({ name: text, label: text, short: text, restsOn: text, sureness: text })),
              canGenerate: flag,
            },
            { generator: text },
          ),
          history: list(text),
          evalQueries: list(fields({ id: text, text: text, evalSet: text })),
          query: text,
          perspectives: list(
            fields(
              { id: text, text: text, letter: text, color: number },
              { stance: text, stanceBy: text, proposal: fields({ stance: text, by: text }) },
            ),
          ),
          perspectiveSource: text,
        },
        {
          alternative: fields({ source: text, count: number }),
          proposed: fields({
            by: text,
            from: text,
            items: list(fields({ text: text, passages: list(fields({ passageId: text, title: text })) })),
          }),
          results: fields(
            {
              items: list(
                fields(
                  {
                    rank: number,
                    passageId: text,
                    title: text,
                    fullTitle: text,
                    path: text,
                    score: number,
                    text: text,
                    judgements: list(
                      fields(
                        {
                          evidence: list(fields({ start: number, end: number })),
                          perspectiveId: text,
                          verdict: text,
                        },
                        {
                          source: text,
                          judge: text,
                          rationale: text,
                          confidence: number,
                          evidenceNotFound: flag,
                          pending: flag,
                        },
                      ),
                    ),
                  },
                  {
                    lines: fields({ first: number, last: number }),
                    movement: number,
                    raised: fields({ perspectiveId: text, supports: number, only: number }),
                  },
                ),
              ),
              metrics: fields(
                {
                  k: number,
                  covered: number,
                  judgedPairs: number,
                  unsurePairs: number,
                  pairs: number,
                  sources: list(
                    fields(
                      { source: text, judge: text, count: number },
                      { evidenceNotFound: number, ofDocuments: number },
                    ),
                  ),
                },
                { mrecall: number, precision: number },
              ),
              candidates: number,
              coverage: list(
                tagged('where', {
                  covered: fields({ where: text, perspectiveId: text, rank: number }),
                  'below-k': fields(
                    { where: text, perspectiveId: text, rank: number, passageId: text },
                    { unjudgedAbove: number },
                  ),
                  'not-retrieved': fields(
                    { where: text, perspectiveId: text, passageId: text, path: text, candidates: number },
                    {
                      unjudgedCandidates: number,
                      foundBy: list(fields({ retriever: text, asked: text, rank: number })),
                    },
                  ),
                  unjudged: fields(
                    { where: text, perspectiveId: text, unjudged: number },
                    { probed: fields({ searches: number, found: number, judged: number }) },
                  ),
                  'not-found': fields(
                    { where: text, perspectiveId: text, judged: number, unsure: number, unjudged: number },
                    { passages: number, probed: fields({ searches: number, found: number, judged: number }) },
                  ),
                }),
              ),
              lookDeeperPassages: number,
              deeper: list(
                fields({
                  perspectiveId: text,
                  found: number,
                  unjudged: number,
                  refused: number,
                  passages: list(
                    fields(
                      {
                        passageId: text,
                        title: text,
                        path: text,
                        text: text,
                        ranks: list(fields({ retriever: text, asked: text, rank: number })),
                        verdict: text,
                        evidence: list(fields({ start: number, end: number })),
                      },
                      { lines: fields({ first: number, last: number }), rank: number },
                    ),
                  ),
                }),
              ),
              search: text,
              milliseconds: number,
              stale: flag,
            },
            {
              queryId: text,
              whatIf: fields({}, { lambda: number, embedder: text, weight: number }),
              projectionSlider: fields({ method: text, untouched: number, least: number, most: number }),
              splits: list(fields({ full: text, root: text }, { perspective: text })),
              matches: fields({ id: number, text: number, fuzzy: number, foreign: number }),
              short: fields({ returned: number, asked: number }),
              certainty: fields({ certain: number, scored: number, approximate: flag }),
              validated: fields(
                { judge: text, yesOfSupport: number, yesOfNone: number, from: text },
                { labels: number, leftOut: number },
              ),
              takenErrors: fields(
                { judge: text, yesOfSupport: number, yesOfNone: number, from: text },
                { labels: number, leftOut: number },
              ),
              likeness: isLikeness,
              likenessProblem: text,
            },
          ),
          configProblem: text,
          error: fields({ message: text, remedies: list(text) }, { corpus: text }),
        },
      ),
    }),
    'focus-query': fields({ type: text }, { query: text }),
  }),
);
