/** The results of all surfaces that evaluate, in one form. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { AgentTools } from '../../../src/features/agents/tools/agent-tools.ts';
import { CommandLineAgentHost } from '../../../src/features/agents/cli/agent-host.ts';
import { analysesView } from '../../../src/cli/commands/views/analyses.ts';
import { answersView } from '../../../src/features/papers/cli/answers-view.ts';
import { evalCommand } from '../../../src/cli/commands/eval-command.ts';
import { gateCommand } from '../../../src/features/gate/cli/gate-command.ts';
import { poolView } from '../../../src/features/papers/cli/pool-view.ts';
import { tuningView } from '../../../src/features/papers/cli/tuning-view.ts';
import type { Place } from '../../../src/core/coverage-states.ts';
import type { GateReport } from '../../../src/features/gate/core/report.ts';
import { parsePipeline, type Pipeline } from '../../../src/core/pipeline.ts';
import { createEngine, type Engine } from '../../../src/engine/engine.ts';
import { siteFigures } from '../../../src/features/lens/host/site-figures.ts';
import { measuredAt, openCount } from '../../../src/evaluation/reading.ts';
import type { AnswerReport } from '../../../src/shared/answers.ts';
import type { Evaluation } from '../../../src/evaluation/evaluation.ts';
import { configSchema, type ParallaxConfig } from '../../../src/shared/config.ts';
import type { LostReport } from '../../../src/shared/experiment.ts';
import type { PoolReport } from '../../../src/shared/pool.ts';
import { engineMethods, type Params } from '../../../src/shared/rpc.ts';
import type { SitePlan } from '../../../src/sites/plan.ts';
import { run } from '../cli/support.ts';
import { context } from '../compare/compare-support.ts';
import { PIPELINES, type House, type HouseDataset } from './house.ts';
import { engineConfig } from '../../fixtures/workspace.ts';

/** A surface's results for one pipeline on one data set. */
export interface Told {
  readonly surface: string;
  readonly dataset: string;
  readonly pipeline: string;
  /** Means by the names of measures. */
  readonly figures: Readonly<Record<string, number>>;
  /** Perspectives by where they are lost. `undefined` if the surface does not show it. */
  readonly losses: Readonly<Record<Place, number>> | undefined;
  /** What unjudged passages may still change, as far as the surface shows it. */
  readonly open?: Partial<Open>;
  /** Ids of queries that failed. */
  readonly failed: readonly string[];
}

/** What unjudged passages of the top k may still change. */
export interface Open {
  /** The number of perspectives that are not covered. */
  readonly perspectives: number;
  /** Ids of queries with at least one perspective whose coverage is unknown. */
  readonly unknown: readonly string[];
  /** Ids of queries whose MRecall may be 0 or 1. */
  readonly mRecall: readonly string[];
}

const NONE: Readonly<Record<Place, number>> = {
  covered: 0,
  'below-k': 0,
  'approximate-miss': 0,
  'not-retrieved': 0,
  unjudged: 0,
  'not-found': 0,
};

interface QueryError {
  readonly query: string;
  readonly message: string;
}

const idsOf = (errors: readonly QueryError[] = []): string[] => errors.map(({ query }) => query);

/** An engine configured as by the editor, with both corpora indexed. */
export async function openEngine(t: TestContext, house: House, change: object = {}): Promise<Engine> {
  const { folder } = house;
  const config = configOf(house, change);
  const engine = createEngine(undefined, () => undefined);
  t.after(() => engine.close());
  const rest = { keys: { openai: 'key' }, approximateAbove: 100_000 };
  await engine.configure(engineConfig(folder, config, rest));
  for (const { name } of house.datasets) await engine.index({ corpus: name, rebuild: false }, context);
  return engine;
}

function configOf({ folder }: House, change: object = {}): ParallaxConfig {
  return configSchema.parse({ ...readJson(path.join(folder, 'parallax.json')), ...change });
}

function compareParams({ datasets, k }: House, judge: string): Params<'compare'> {
  return {
    judge,
    datasets: datasets.map(({ name, queries, queriesFile }) => ({
      name,
      corpus: name,
      evalSet: queriesFile,
      queries,
    })),
    pipelines: Object.entries(PIPELINES).map(([name, input]) => ({ name, pipeline: parsePipeline(input) })),
    k,
  };
}

export async function compared(house: House, engine: Engine, judge = 'labels'): Promise<Told[]> {
  return toldByComparison('compare', await engine.compare(compareParams(house, judge), context));
}

function toldByComparison(surface: string, { datasets, k }: Evaluation): Told[] {
  return datasets.flatMap(({ name: dataset, pipelines, queries }) =>
    pipelines.map(({ name, measures, judged, places, open, error, queryErrors }, place) => ({
      surface,
      dataset,
      pipeline: name,
      figures: error === undefined ? { ...valuesOf(measures), [`Judged@${k}`]: judged } : {},
      losses: places,
      open: {
        perspectives: openCount({ open }),
        mRecall: queries
          .filter((query) => measuredAt(query, place, `MRecall@${k}`)?.bound === 'least')
          .map(({ id }) => id),
      },
      failed: idsOf(queryErrors),
    })),
  );
}

/** The lens beside a call shows the first of its pipelines. */
export async function lens(house: House, engine: Engine): Promise<Told[]> {
  const told: Told[] = [];
  const { datasets, pipelines, ...rest } = compareParams(house, 'labels');
  for (const dataset of datasets)
    for (const pipeline of pipelines) {
      const asked = { ...rest, datasets: [dataset], pipelines: [pipeline] };
      const plan = { origin: 'rebuilt', whatIfs: [] } as unknown as SitePlan;
      const figures = siteFigures(await engine.compare(asked, context), plan, '');
      if (typeof figures === 'string') throw new Error(figures);
      told.push({
        surface: 'lens',
        dataset: dataset.name,
        pipeline: pipeline.name,
        figures: { ...valuesOf(figures.measures), [`Judged@${house.k}`]: figures.judged },
        losses: undefined,
        failed: idsOf(figures.queryErrors),
      });
    }
  return told;
}

export async function evaluated(house: House, engine: Engine, judge = 'labels'): Promise<Told[]> {
  const config = configOf(house);
  const report = await engine.evaluate(
    engineMethods.evaluate.params.parse({
      config: { ...config, gate: { ...config.gate!, judge } },
      ask: false,
      baseline: 'none',
    }),
    context,
  );
  return toldByGate('evaluate', house, report);
}

export async function gated(house: House, judge = 'labels'): Promise<Told[]> {
  const file = path.join(house.folder, 'parallax.json');
  const { stdout, stderr } = await run(gateCommand, '--config', file, '--format', 'json', '--judge', judge);
  const report = JSON.parse(stdout) as GateReport;
  if (report.error !== undefined) throw new Error(`gate: ${report.error} ${stderr}`);
  return toldByGate('gate', house, report);
}

/** A gate lists lost perspectives; the rest is covered. */
function toldByGate(surface: string, house: House, report: GateReport): Told[] {
  return report.datasets.flatMap(({ name: dataset, pipelines }) => {
    const asked = house.datasets.find(({ name }) => name === dataset)!.queries;
    return pipelines.map(({ name, metrics, queries, queryErrors }) => {
      const losses = { ...NONE };
      for (const { id, lost } of queries) {
        for (const { where } of lost) losses[where]++;
        losses.covered += asked.find((query) => query.id === id)!.perspectives.length - lost.length;
      }
      const open = { unknown: queries.filter(({ unknown }) => unknown).map(({ id }) => id) };
      return { surface, dataset, pipeline: name, figures: metrics, losses, open, failed: idsOf(queryErrors) };
    });
  });
}

/** The qrels, or without them the labels of the folder. */
export type Source = 'qrels' | 'labels';

function dataOptions({ datasets, perQuery, folder }: House, source: Source): string[] {
  const place = (file: string): string => path.join(folder, file);
  return [
    ...datasets.flatMap(({ name, corpusPath, queriesFile, qrelsFile }) => [
      ...['--corpus', `${name}=${place(corpusPath)}`, '--queries', `${name}=${place(queriesFile)}`],
      ...(source === 'qrels' ? ['--qrels', `${name}=${place(qrelsFile)}`] : []),
    ]),
    ...(perQuery ? ['--per-query'] : []),
    ...['--config', place('parallax.json')],
  ];
}

const ALL_PIPELINES = Object.keys(PIPELINES).flatMap((name) => ['--pipeline', name]);

async function json<T>(command: Parameters<typeof run>[0], ...argv: readonly string[]): Promise<T> {
  const { stdout, stderr } = await run(command, ...argv, '--json', '-');
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout) as T;
}

/** Differences to the first pipeline and bounds of the means, by data set, pipeline and measure. */
export interface ToldAgainstFirst {
  readonly differences: Readonly<
    Record<string, { readonly value: number; readonly queries: number; readonly p?: number }>
  >;
  readonly most: Readonly<Record<string, number>>;
}

export async function comparedWithFirst(
  house: House,
  engine: Engine,
  judge = 'labels',
): Promise<ToldAgainstFirst> {
  const { datasets } = await engine.compare(compareParams(house, judge), context);
  const measures = datasets.flatMap(({ name: dataset, pipelines }) =>
    pipelines.flatMap(({ name, measures: own }) =>
      Object.entries(own).map(([measure, value]) => [`${dataset} ${name} ${measure}`, value] as const),
    ),
  );
  return {
    differences: Object.fromEntries(
      measures.flatMap(([key, { difference }]) => {
        if (!difference) return [];
        const { value, p, wins, losses, ties } = difference;
        return [[key, { value, queries: wins + losses + ties, ...(p === undefined ? {} : { p }) }]];
      }),
    ),
    most: Object.fromEntries(
      measures.flatMap(([key, { bound, most }]) =>
        bound === 'least' && most !== undefined ? [[key, most]] : [],
      ),
    ),
  };
}

export async function evaluatedAgainstFirst(
  house: House,
  ...more: readonly string[]
): Promise<ToldAgainstFirst> {
  const { pipelines, comparisons } = await evalJson(house, 'labels', ...more);
  return {
    differences: Object.fromEntries(
      comparisons.map(({ dataset, pipeline, metric, difference, queries, p }) => [
        `${dataset} ${pipeline} ${metric}`,
        { value: difference, queries, ...(p === undefined ? {} : { p }) },
      ]),
    ),
    most: Object.fromEntries(
      pipelines.flatMap(({ dataset, name, most = {} }) =>
        Object.entries(most).map(([measure, value]) => [`${dataset} ${name} ${measure}`, value]),
      ),
    ),
  };
}

interface EvalJson {
  readonly comparisons: readonly {
    readonly dataset: string;
    readonly pipeline: string;
    readonly metric: string;
    readonly difference: number;
    readonly queries: number;
    readonly p?: number;
  }[];
  readonly pipelines: readonly {
    readonly dataset: string;
    readonly name: string;
    readonly pipeline: Pipeline;
    readonly metrics: Readonly<Record<string, number>>;
    readonly most?: Readonly<Record<string, number>>;
    readonly queries: readonly { readonly id: string; readonly metrics: Readonly<Record<string, number>> }[];
    readonly queryErrors?: readonly QueryError[];
  }[];
}

export function evalJson(house: House, source: Source, ...more: readonly string[]): Promise<EvalJson> {
  return json(evalCommand, ...dataOptions(house, source), ...ALL_PIPELINES, '--k', String(house.k), ...more);
}

export async function evalTold(house: House, source: Source, ...more: readonly string[]): Promise<Told[]> {
  const { pipelines } = await evalJson(house, source, ...more);
  return pipelines.map(({ dataset, name, metrics, queryErrors }) => ({
    surface: `eval (${source})`,
    dataset,
    pipeline: name,
    figures: metrics,
    losses: undefined,
    failed: idsOf(queryErrors),
  }));
}

interface AnalyzeJson {
  readonly datasets: readonly {
    readonly dataset: { readonly name: string };
    readonly pipelines: readonly {
      readonly name: string;
      readonly queryErrors?: readonly QueryError[];
      readonly lost: Pick<LostReport, 'perspectives' | 'perQuery'> & { readonly mrecall: number };
    }[];
  }[];
}

export async function analyzed(house: House, source: Source, ...more: readonly string[]): Promise<Told[]> {
  const { k } = house;
  const { datasets } = await json<AnalyzeJson>(
    analysesView,
    ...dataOptions(house, source),
    ...ALL_PIPELINES,
    ...['--k', String(k)],
    ...more,
  );
  return datasets.flatMap(({ dataset, pipelines }) =>
    pipelines.map(({ name, lost, queryErrors }) => ({
      surface: `analyze (${source})`,
      dataset: dataset.name,
      pipeline: name,
      figures: { [`MRecall@${k}`]: lost.mrecall },
      losses: lost.perspectives,
      open: {
        perspectives: lost.perQuery.flatMap(({ perspectives }) => perspectives.filter(({ open }) => open))
          .length,
      },
      failed: idsOf(queryErrors),
    })),
  );
}

type PoolDatasets = PoolReport['datasets'];

/** With people's judgements alone, and with the missing ones filled in by the heuristic. */
function toldByPool(surface: string, when: 'before' | 'after', datasets: PoolDatasets, k: number): Told[] {
  return datasets.flatMap(({ name: dataset, pipelines }) =>
    pipelines.map(({ name, measures, judgedBefore, judgedAfter, queryErrors }) => ({
      surface: `${surface}, ${when}`,
      dataset,
      pipeline: name,
      figures: {
        ...Object.fromEntries(
          Object.entries(measures).flatMap(([metric, found]) => {
            const value = found[when];
            return value === null ? [] : [[metric, value]];
          }),
        ),
        [`Judged@${k}`]: when === 'before' ? judgedBefore : judgedAfter,
      },
      losses: undefined,
      failed: idsOf(queryErrors),
    })),
  );
}

export interface Pooled {
  readonly before: readonly Told[];
  readonly after: readonly Told[];
}

export async function pooledByCommand(house: House, source: Source): Promise<Pooled> {
  const { k } = house;
  const { datasets } = await json<PoolReport>(
    poolView,
    ...dataOptions(house, source),
    ...ALL_PIPELINES,
    ...['--k', String(k), '--judge', 'lexical'],
  );
  const surface = `pool (${source})`;
  return {
    before: toldByPool(surface, 'before', datasets, k),
    after: toldByPool(surface, 'after', datasets, k),
  };
}

export async function pooled(house: House, engine: Engine): Promise<Pooled> {
  const { datasets, k } = await engine.pool(compareParams(house, 'lexical'), context);
  return {
    before: toldByPool('pool request', 'before', datasets, k),
    after: toldByPool('pool request', 'after', datasets, k),
  };
}

function toldByAnswers(surface: string, { datasets }: Pick<AnswerReport, 'datasets'>): Told[] {
  return datasets.flatMap(({ name: dataset, sources }) =>
    sources
      .filter(({ kind }) => kind === 'pipeline')
      .map(({ name, retrieval, queryErrors }) => ({
        surface,
        dataset,
        pipeline: name,
        figures: retrieval,
        losses: undefined,
        failed: idsOf(queryErrors),
      })),
  );
}

/** @param judge of `parallax.json`; its model writes and judges */
export async function answeredByCommand(house: House, source: Source, judge: object): Promise<Told[]> {
  const { k } = house;
  const report = await json<AnswerReport>(
    answersView,
    ...dataOptions(house, source),
    ...ALL_PIPELINES,
    ...['--k', String(k), '--judge', JSON.stringify(judge), '--baseline', 'no'],
  );
  return toldByAnswers(`answers (${source})`, report);
}

export async function answered(house: House, engine: Engine, judge: string): Promise<Told[]> {
  const params = { ...compareParams(house, judge), baselines: [] };
  return toldByAnswers('answers request', await engine.answers(params, context));
}

/** The tools of agents, run by the command line. */
export async function agents(t: TestContext, house: House): Promise<Told[]> {
  const options = {
    config: path.join(house.folder, 'parallax.json'),
    store: path.join(house.folder, 'agents'),
    judge: 'labels',
    budget: 0,
  };
  const host = await CommandLineAgentHost.open(options, { stdout: () => undefined, stderr: () => undefined });
  t.after(() => host[Symbol.asyncDispose]());
  const tools = new AgentTools(host);
  const told: Told[] = [];
  for (const dataset of house.datasets)
    for (const pipeline of Object.keys(PIPELINES))
      told.push(await agentTold(tools, dataset, pipeline, house.k));
  return told;
}

interface AgentAnswer {
  readonly pipelines: readonly {
    readonly figures: Readonly<Record<string, { readonly value: number }>>;
    readonly judgedShare: number;
    readonly queryErrors?: readonly QueryError[];
  }[];
}

async function agentTold(
  tools: AgentTools,
  { name, queriesFile }: HouseDataset,
  pipeline: string,
  k: number,
): Promise<Told> {
  const asked = { corpus: name, evalSet: queriesFile, pipelines: [pipeline], k };
  const answer = JSON.parse(await tools.call('evaluate_retrieval', asked, {})) as AgentAnswer;
  const [found] = answer.pipelines;
  return {
    surface: 'agents',
    dataset: name,
    pipeline,
    figures: { ...valuesOf(found!.figures), [`Judged@${k}`]: found!.judgedShare },
    losses: undefined,
    failed: idsOf(found!.queryErrors),
  };
}

export interface TuneJson {
  readonly pipeline: Pipeline;
  readonly development: { readonly scores: readonly { readonly value: number; readonly score: number }[] };
  readonly test: { readonly queries: number; readonly plain: number; readonly tuned: number };
}

/** The figures of one data set, by the λ of a pipeline. */
export function tuned(
  house: House,
  dataset: HouseDataset,
  source: Source,
  pipeline: string,
): Promise<TuneJson> {
  const { k } = house;
  return json(
    tuningView,
    ...dataOptions({ ...house, datasets: [dataset] }, source),
    ...['--pipeline', pipeline, '--values', '0.5', '--measure', `MRecall@${k}`],
  );
}

function valuesOf(
  measures: Readonly<Record<string, { readonly value: number }>>,
): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(measures).map(([name, { value }]) => [name, value]));
}

function readJson(file: string): object {
  return JSON.parse(readFileSync(file, 'utf8')) as object;
}
