/** A workspace, call sites and a fake engine, for tests without an editor. */
import type * as z from 'zod';
import { exactly } from '../../../src/core/measured.ts';
import { placeCounts, stateOf } from '../../fixtures/evaluation.ts';
import { parsePipeline } from '../../../src/core/pipeline.ts';
import { configSchema, type ParallaxConfig } from '../../../src/shared/config.ts';
import { evaluationSchema } from '../../../src/evaluation/evaluation.ts';
import type { PlanningWorkspace } from '../../../src/features/lens/host/site-plan.ts';
import type { CallSite } from '../../../src/sites/model.ts';
import { CHROMA, inPython } from '../sites/support.ts';

export async function siteOf(call: string): Promise<CallSite> {
  const { sites } = await inPython(CHROMA + call);
  const site = sites.at(-1);
  if (!site) throw new Error(`no call site in ${call}`);
  return site;
}

export const CALL = 'store.as_retriever(search_kwargs={"k": 5})';

export function workspaceOf(
  config: Partial<ParallaxConfig> = {},
  rest: Partial<PlanningWorkspace> = {},
): PlanningWorkspace {
  return {
    config: {
      ...configSchema.parse({ corpora: { docs: { roots: ['docs'] } }, judge: 'labels' }),
      pipelines: { prod: parsePipeline({ retriever: { type: 'command', command: ['own'] }, k: 5 }) },
      ...config,
    },
    evalQueries: ['eval/faq.parallax.jsonl', 'eval/hard.jsonl'].map((evalSet) => ({
      id: `${evalSet}-1`,
      text: 'Should the trams run at night?',
      perspectives: [
        { id: 'yes', text: 'Night trams bring workers home.' },
        { id: 'no', text: 'Night trams wake those who live beside them.' },
      ],
      evalSet,
    })),
    trusted: true,
    judge: 'auto',
    ...rest,
  };
}

/** One query whose second perspective is lost, on the requested pipelines. */
export function comparisonOf(
  names: readonly string[],
  differences: readonly { value: number; low: number; high: number }[] = [],
): z.output<typeof evaluationSchema> {
  const pipeline = parsePipeline({ retriever: { type: 'bm25' } });
  return evaluationSchema.parse({
    id: 'c1',
    judge: 'labels',
    k: 5,
    measures: ['MRecall@5', 'Precision@5'],
    pipelines: names.map((name) => ({ name, label: name, pipeline })),
    datasets: [
      {
        name: 'faq',
        corpus: 'docs',
        evalSet: 'eval/faq.parallax.jsonl',
        basis: 'open',
        sources: [{ source: 'human', judge: 'labels', count: 12, heuristic: false }],
        pipelines: names.map((name, index) => ({
          name,
          measures: {
            'MRecall@5': {
              ...exactly(0.4),
              ...(index > 0
                ? {
                    difference: {
                      ...(differences[index - 1] ?? { value: 0, low: 0, high: 0 }),
                      wins: 1,
                      losses: 0,
                      ties: 0,
                    },
                  }
                : {}),
            },
            'Precision@5': exactly(0.62),
          },
          judged: 0.8,
          places: placeCounts({ covered: 1, 'not-retrieved': 1 }),
          open: placeCounts(),
          comparedWithExact: false,
          tooLittleJudged: [],
          queryErrors: [],
          searchErrors: [],
          setSize: { coveredShare: 0.5 },
          groups: [],
          coverageCurve: [0.4],
          milliseconds: 1,
          search: 'exact',
        })),
        union: { perspectives: 0.5, queries: 0 },
        queries: [
          {
            id: 'q1',
            text: 'Should the trams run at night?',
            tags: [],
            perspectives: [
              {
                id: 'yes',
                text: 'Night trams bring workers home.',
                letter: 'A',
                color: 0,
                supportKnown: true,
                states: names.map(() => stateOf('yes', 2, 5)),
              },
              {
                id: 'no',
                text: 'Night trams [wake](command:x) people.',
                letter: 'B',
                color: 1,
                supportKnown: false,
                states: names.map(() => stateOf('no', null, 5)),
              },
            ],
            results: names.map(() => ({
              measures: { 'MRecall@5': exactly(0), 'Precision@5': exactly(0.6) },
              judged: 0.8,
            })),
          },
        ],
        leftOut: [],
      },
    ],
    at: '2026-01-01T00:00:00Z',
  });
}
