/** A workspace, call sites and an engine that answers as the real one does, for tests without an editor. */
import type * as z from 'zod';
import { parsePipeline } from '../../../src/core/pipeline.ts';
import { configSchema, type ParallaxConfig } from '../../../src/shared/config.ts';
import { comparisonSchema } from '../../../src/shared/panels/compare.ts';
import type { PlanningWorkspace } from '../../../src/extension/inline/site-plan.ts';
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

const LOSSES = { covered: 1, belowK: 0, notRetrieved: 1, unjudged: 0, notInCorpus: 0 };

/** One query whose second perspective is lost, on the pipelines that were asked for. */
export function comparisonOf(
  names: readonly string[],
  differences: readonly { value: number; low: number; high: number }[] = [],
): z.output<typeof comparisonSchema> {
  const pipeline = parsePipeline({ retriever: { type: 'bm25' } });
  const per = names.map(() => 0);
  return comparisonSchema.parse({
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
        sources: [{ source: 'human', judge: 'labels', count: 12, heuristic: false }],
        pipelines: names.map((name, index) => ({
          name,
          measures: {
            'MRecall@5': {
              value: 0.4,
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
            'Precision@5': { value: 0.62 },
          },
          judged: 0.8,
          losses: LOSSES,
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
                ranks: names.map(() => 2),
              },
              {
                id: 'no',
                text: 'Night trams [wake](command:x) people.',
                letter: 'B',
                color: 1,
                ranks: names.map(() => null),
              },
            ],
            mrecall: per,
            precision: per.map(() => 0.6),
            judged: per.map(() => 0.8),
          },
        ],
      },
    ],
    at: '2026-01-01T00:00:00Z',
  });
}
