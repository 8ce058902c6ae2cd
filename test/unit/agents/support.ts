/** A workspace and a fake engine for tests. */
import type * as z from 'zod';
import type { AgentHost, AgentWorkspace } from '../../../src/features/agents/tools/host.ts';
import { CallBudget, type CallBudgetOptions } from '../../../src/features/agents/tools/call-budget.ts';
import type { Program } from '../../../src/features/agents/tools/programs.ts';
import { exactly } from '../../../src/core/measured.ts';
import { placeCounts, statesOf, type Missing } from '../../fixtures/evaluation.ts';
import { parsePipeline } from '../../../src/core/pipeline.ts';
import { configSchema } from '../../../src/shared/config.ts';
import { judgeSchema, type JudgeConfig } from '../../../src/shared/judge-config.ts';
import { evaluationSchema } from '../../../src/evaluation/evaluation.ts';
import type { Allowance } from '../../../src/shared/requests/spending.ts';
import type { EngineMethod, Params, Result } from '../../../src/shared/rpc.ts';
import { builtInRules } from '../../../src/sites/rules/library.ts';
import { Neighbours } from '../../../src/sites/workspace/neighbours.ts';
import { detector } from '../sites/support.ts';

export const QUESTION = 'Should the trams run at night?';

export const MODEL = judgeSchema.parse({ type: 'openai', model: 'm' });

const JUDGES: Readonly<Record<string, JudgeConfig>> = {
  labels: { type: 'labels' },
  lexical: { type: 'lexical' },
  model: MODEL,
};

export function workspaceOf(change: Partial<AgentWorkspace> = {}): AgentWorkspace {
  return {
    config: {
      ...configSchema.parse({ corpora: { docs: { roots: ['docs'] } } }),
      pipelines: {
        plain: parsePipeline({ retriever: { type: 'bm25' }, k: 3 }),
        own: parsePipeline({ retriever: { type: 'command', command: ['python', 'own.py'] } }),
      },
    },
    evalQueries: ['eval/faq.jsonl', 'eval/hard.jsonl'].map((evalSet) => ({
      id: 'q1',
      text: QUESTION,
      perspectives: [
        { id: 'yes', text: 'Night trams bring workers home.' },
        { id: 'no', text: 'Night trams wake those who live beside them.' },
      ],
      evalSet,
    })),
    trusted: true,
    judge: 'labels',
    judges: JUDGES,
    prices: { m: { input: 1, output: 2 } },
    rules: builtInRules(),
    configured: true,
    ...change,
  };
}

type Answers = { readonly [M in EngineMethod]?: (params: Params<M>) => Result<M> };

export interface ScriptedHost extends AgentHost {
  /** The engine methods in the order of their calls. */
  readonly asked: EngineMethod[];
  /** What each of them may ask of models. */
  readonly allowances: (Allowance | undefined)[];
}

export function hostOf(
  answers: Answers = {},
  {
    workspace = workspaceOf(),
    programs = [],
    budget = { limit: 0, setBy: '--budget', beyond: 'refuse' },
  }: {
    readonly workspace?: AgentWorkspace;
    readonly programs?: readonly Program[];
    readonly budget?: CallBudgetOptions;
  } = {},
): ScriptedHost {
  const asked: EngineMethod[] = [];
  const allowances: (Allowance | undefined)[] = [];
  const files = new Map<string, string>();
  const shared = new CallBudget(budget);
  return {
    configFile: 'parallax.json',
    asked,
    allowances,
    detector,
    workspace: () => Promise.resolve(workspace),
    requireAgreed: () => Promise.resolve(),
    request: (method, params, { allowance }) => {
      asked.push(method);
      allowances.push(allowance);
      const answer = answers[method];
      if (!answer) throw new Error(`The engine was not to be asked for ${method}.`);
      return Promise.resolve(answer(params));
    },
    prepareCorpus: () => Promise.resolve(),
    neighbours: () => neighboursOf(programs),
    async *programs() {
      yield* await Promise.resolve(programs);
    },
    readText: (file) => Promise.resolve(files.get(file) ?? ''),
    writeText: (file, text) => Promise.resolve(void files.set(file, text)),
    figuresOf: () => undefined,
    budget: () => shared,
  };
}

export const STATUS: Result<'status'> = {
  indexed: true,
  documents: 1,
  passages: 10,
  skipped: 0,
  notices: [],
};

export interface ScriptedQuery {
  readonly text: string;
  /** The rank of the first supporting passage, by perspective and pipeline. */
  readonly ranks: readonly (readonly (number | null)[])[];
  readonly supportKnown?: boolean;
  readonly judged?: number;
  /** Whether unjudged passages may cover a perspective in every pipeline. */
  readonly isOpen?: boolean;
}

/** The stage of a perspective without a supporting candidate. */
function missingOf({ ranks, supportKnown, judged = 1 }: ScriptedQuery): Missing {
  if (supportKnown ?? ranks.flat().some((rank) => rank !== null)) return 'not-retrieved';
  return judged < 1 ? 'unjudged' : 'not-found';
}

/** A comparison of these pipelines at k. */
export function comparisonOf(
  names: readonly string[],
  queries: readonly ScriptedQuery[],
  k = 5,
): z.output<typeof evaluationSchema> {
  const pipeline = parsePipeline({ retriever: { type: 'bm25' } });
  const covered = ({ ranks }: ScriptedQuery, place: number): number =>
    ranks.filter((own) => (own[place] ?? Number.POSITIVE_INFINITY) <= k).length;
  const mrecall = (query: ScriptedQuery, place: number): number =>
    covered(query, place) >= Math.min(k, query.ranks.length) ? 1 : 0;
  const meanOf = (place: number): number =>
    queries.reduce((sum, query) => sum + mrecall(query, place), 0) / queries.length;
  const difference = { low: -0.1, high: 0.3, p: 0.4, wins: 1, losses: 0, ties: 0 };
  return evaluationSchema.parse({
    id: 'c1',
    judge: 'labels',
    k,
    measures: [`MRecall@${k}`, `Precision@${k}`],
    pipelines: names.map((name) => ({ name, label: name, pipeline })),
    datasets: [
      {
        name: 'faq',
        corpus: 'docs',
        evalSet: 'eval/faq.jsonl',
        basis: 'open',
        sources: [{ source: 'human', judge: 'ann', count: 12, heuristic: false }],
        pipelines: names.map((name, place) => ({
          name,
          measures: {
            [`MRecall@${k}`]: {
              ...exactly(meanOf(place)),
              ...(place > 0 ? { difference: { value: meanOf(place) - meanOf(0), ...difference } } : {}),
            },
            [`Precision@${k}`]: exactly(0.5),
          },
          judged: 0.8,
          places: placeCounts(),
          open: placeCounts(queries.some(({ isOpen }) => isOpen) ? { unjudged: 1 } : {}),
          comparedWithExact: false,
          tooLittleJudged: [],
          queryErrors: [],
          searchErrors: [],
          setSize: { coveredShare: 0.5 },
          groups: [],
          coverageCurve: [],
          milliseconds: 1,
          search: 'exact',
        })),
        union: { perspectives: 0.5, queries: 0 },
        queries: queries.map((query, at) => ({
          id: `q${at}`,
          text: query.text,
          tags: [],
          perspectives: query.ranks.map((ranks, place) => ({
            id: `p${place}`,
            text: `Perspective ${place} of ${query.text}`,
            letter: 'A',
            color: 0,
            states: statesOf(`p${place}`, ranks, k, missingOf(query)),
            supportKnown: query.supportKnown ?? ranks.some((rank) => rank !== null),
          })),
          results: names.map((_, place) => ({
            measures: {
              [`MRecall@${k}`]: exactly(mrecall(query, place)),
              [`Precision@${k}`]: exactly(0.5),
            },
            judged: query.judged ?? 1,
          })),
        })),
        leftOut: [],
      },
    ],
    at: '2026-01-01T00:00:00Z',
  });
}

function neighboursOf(programs: readonly Program[]): Neighbours {
  const texts = new Map(programs.map(({ file, cells }) => [file, cells[0]?.text]));
  return new Neighbours({
    files: () => Promise.resolve(new Set(texts.keys())),
    read: (file) => Promise.resolve(texts.get(file)),
    exports: (...asked) => detector.exports(...asked),
    callers: (...asked) => detector.callers(...asked),
  });
}
