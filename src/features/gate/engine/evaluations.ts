/** Answers the engine's requests about evaluations: running them as `parallax gate` does, and their history. */
import type { NamedPipeline } from '../../../core/pipeline.ts';
import { randomUUID } from 'node:crypto';
import * as l10n from '@vscode/l10n';
import { messageOf, ParallaxError } from '../../../core/errors.ts';
import { baselineOf, caveatsOf, obstaclesOf } from '../core/accept.ts';
import type { EvaluatedDataset } from '../core/evaluated.ts';
import { gateReport, type GateInput } from '../core/gate.ts';
import type { GateReport } from '../core/report.ts';
import { depthOf, type GateSpec } from '../core/spec.ts';
import { compareEntries } from '../../history/core/compare-entries.ts';
import { acceptedEntry, historyEntry, type HistoryEntry } from '../../history/core/entry.ts';
import type { ParallaxConfig } from '../../../shared/config.ts';
import { gateJudge, gateOf, gatePipelines, withDefaultBaseline } from '../../../shared/evaluation.ts';
import type { EngineConfig } from '../../../shared/requests/configuration.ts';
import type { Params, Result } from '../../../shared/rpc.ts';
import type { CorpusIndex } from '../../../engine/corpora/corpus-index.ts';
import { requireAllRan, type Experiments } from '../../../engine/experiment/experiments.ts';
import { unreachedBy } from '../../../engine/experiment/unreached.ts';
import { boundaryOf } from '../../../engine/files/boundary.ts';
import { KeptEvaluations } from '../../history/engine/kept-evaluations.ts';
import { Budget } from '../../../engine/judgements/budget.ts';
import { requireJudge, type JudgementService } from '../../../engine/judgements/judgement-service.ts';
import type { LabelsFile } from '../../../engine/judgements/labels-file.ts';
import type { Judge } from '../../../engine/judges/judge.ts';
import type { Judges } from '../../../engine/judges/judges.ts';
import type { Database } from '../../../engine/store/database.ts';
import type { WorkOptions } from '../../../engine/types.ts';
import { QueryPages } from '../../web-corpus/engine/query-pages.ts';
import { shownBaseline } from './baseline-file.ts';
import { Baselines } from './baselines.ts';
import { commitOf } from './commit.ts';
import { corpusIdentity } from './corpus-identity.ts';
import { corpusOf, shortened, type GateDataset } from './eval-sets.ts';
import { evaluateDataset, type AskedDataset, type GateConditions } from './evaluate-dataset.ts';
import { planGate, type GatePlan } from './gate-plan.ts';

export interface EvaluationParts {
  readonly config: EngineConfig;
  /** The database of the engine's storage, which keeps evaluations. */
  readonly database: Database;
  readonly judges: Judges;
  readonly experiments: Experiments;
  readonly labels: LabelsFile;
  /** The judge whose stored answers count. */
  readonly judgeOf: (name: string) => Judge | undefined;
  readonly judgementService: JudgementService;
  readonly log: (message: string) => void;
}

type Evaluated = Omit<GateInput, 'baseline'>;

export class Evaluations {
  readonly #parts: EvaluationParts;
  readonly #history: KeptEvaluations;
  readonly #baselines: Baselines;
  /** Identities of corpora by the state that they were computed for. */
  readonly #identities = new WeakMap<CorpusIndex, { state: string; described: EvaluatedDataset['corpus'] }>();

  constructor(parts: EvaluationParts) {
    this.#parts = parts;
    this.#history = new KeptEvaluations(parts.database, parts.log);
    this.#baselines = new Baselines(parts.config, parts.log);
  }

  /**
   * Reads and checks what a gate will evaluate, before any corpus is opened.
   *
   * @param warn called with a message about everything that is left out
   * @throws ParallaxError for a configuration with unknown names
   */
  async plan(
    { config, spec, evalSets, from }: Params<'gatePlan'>,
    warn: (warning: string) => void,
  ): Promise<Result<'gatePlan'>> {
    const { base } = this.#parts.config;
    const boundary = boundaryOf(this.#parts.config);
    const { datasets } = await planGate(spec, config, base, { from, warn, boundary }, evalSets);
    return {
      datasets: datasetsWithCorpora(datasets, spec, config),
      commit: await this.#commit(),
    };
  }

  /**
   * Evaluates eval sets of a plan, for a caller that makes the report itself.
   *
   * @throws ParallaxError `not-indexed`; what a search or a judge throws; `cancelled`
   */
  async evaluatePlanned(
    { config, datasets, budget: limits, ...options }: Params<'evaluateGate'>,
    work: WorkOptions,
  ): Promise<Result<'evaluateGate'>> {
    const budget = new Budget(limits);
    const conditions = { ...options, baseline: options.baseline, models: config, budget };
    const pipelines = gatePipelines(options.spec, config);
    const evaluated = await this.#evaluateDatasets(datasets, pipelines, conditions, work);
    return { datasets: evaluated, spent: budget.spent };
  }

  /** @throws ParallaxError `not-found`, `bad-file`, `untrusted` */
  async readBaseline({ remedy: writer, ...place }: Params<'readBaseline'>): Promise<Result<'readBaseline'>> {
    return { shown: shownBaseline(place), content: await this.#baselines.read(place, writer) };
  }

  /** @throws ParallaxError `bad-file` if it cannot be written, `untrusted` */
  async writeBaseline({ content, ...place }: Params<'writeBaseline'>): Promise<Result<'writeBaseline'>> {
    return { shown: shownBaseline(place), isNew: await this.#baselines.write(place, content) };
  }

  /**
   * Evaluates eval sets against the requirements of parallax.json, and adds the result to the history.
   *
   * @throws ParallaxError for a configuration with unknown names; `not-found` for a required baseline that is
   *   missing; `not-indexed`; what a search or a judge throws; `cancelled`
   */
  async evaluate(params: Params<'evaluate'>, work: WorkOptions): Promise<GateReport> {
    const plan = await this.#plan(params);
    const place = this.#baselines.comparedWith(plan.spec, params.baseline);
    const content = place && (await this.#baselines.read(place));
    const baseline = place && content && { file: shownBaseline(place), content };
    const spec = baseline ? withDefaultBaseline(plan.spec) : plan.spec;
    const evaluated = await this.#evaluate({ ...plan, spec }, params, content, work);
    const report = gateReport({ ...evaluated, baseline });
    this.#keep(report, evaluated.datasets);
    return report;
  }

  /**
   * Evaluates all eval sets, and writes the result as the baseline.
   *
   * @throws ParallaxError as {@link evaluate}, and `bad-file` if it cannot be written
   */
  async accept(params: Params<'acceptBaseline'>, work: WorkOptions): Promise<Result<'acceptBaseline'>> {
    const plan = await this.#plan(params);
    const place = this.#baselines.placeOf(plan.spec);
    // Checked first, so that nothing is paid for a result that cannot be written.
    await this.#baselines.requireInside(place, params.withinFolder);
    const evaluated = await this.#evaluate(plan, params, undefined, work);
    const report = gateReport(evaluated);
    requireWhole(report);
    const baseline = baselineOf(report);
    const isNew = await this.#baselines.write(place, baseline);
    this.#keep(report, evaluated.datasets, true);
    return { file: shownBaseline(place), isNew, holes: caveatsOf(baseline) };
  }

  /**
   * Writes an earlier evaluation as the baseline.
   *
   * @throws ParallaxError `not-found` if it no longer exists, `bad-argument` if it lacks something that would be
   *   evaluated now, `bad-file` if it cannot be written
   */
  async acceptKept({ config, id }: Params<'acceptEvaluation'>): Promise<Result<'acceptEvaluation'>> {
    const plan = await this.#plan({ config });
    const place = this.#baselines.placeOf(plan.spec);
    const entry = this.#history.get(id);
    requireAll(entry, plan);
    const baseline = acceptedEntry(entry);
    const isNew = await this.#baselines.write(place, baseline);
    this.#history.markAccepted(id);
    return { file: shownBaseline(place), isNew, holes: caveatsOf(baseline) };
  }

  /** Lists them. Of the accepted ones, only the one in the baseline file now counts as the baseline. */
  async list({ config }: Params<'evaluationHistory'>): Promise<Result<'evaluationHistory'>> {
    const at = await this.#baselines.moment(gateOf(config));
    const evaluations = this.#history
      .list()
      .map((entry) => ({ ...entry, accepted: entry.accepted && entry.at === at }));
    return { evaluations, unlisted: this.#history.unlisted };
  }

  compare({ then, now }: Params<'compareEvaluations'>): Result<'compareEvaluations'> {
    return compareEntries(this.#history.get(then), this.#history.get(now));
  }

  /**
   * The documents that no query reaches within the top k of any pipeline. If the corpus has separate pages per
   * question, only pages of these questions count.
   *
   * @throws ParallaxError what a search throws, `cancelled`
   */
  async unreached(
    { corpus, queries, pipelines, k }: Params<'unreached'>,
    work: WorkOptions,
  ): Promise<Result<'unreached'>> {
    const datasets = [{ name: corpus, corpus, queries }];
    const request = { datasets, pipelines, k, judge: undefined, beyond: {} };
    const [answer] = await this.#parts.experiments.run(request, work, async (ran) => {
      requireAllRan(ran.runs);
      const unreached = await unreachedBy(ran, k, work);
      return { ...unreached, leftOut: ran.leftOut.map(({ id, text }) => ({ id, text })) };
    });
    return answer!;
  }

  #plan({ config, evalSets }: Pick<Params<'evaluate'>, 'config' | 'evalSets'>): Promise<GatePlan> {
    const { base } = this.#parts.config;
    const warn = (warning: string): void => this.#parts.log(warning);
    const boundary = boundaryOf(this.#parts.config);
    return planGate(gateOf(config), config, base, { from: base, warn, boundary }, evalSets);
  }

  async #evaluate(
    { spec, datasets, pipelines }: GatePlan,
    { config, ask, budget }: Pick<Params<'evaluate'>, 'config' | 'ask' | 'budget'>,
    baseline: GateConditions['baseline'],
    work: WorkOptions,
  ): Promise<Evaluated> {
    const judge = gateJudge(spec, config);
    const evaluated = await this.#evaluateDatasets(
      datasetsWithCorpora(datasets, spec, config),
      pipelines,
      { spec, judge, ask, baseline, models: config, budget: new Budget(budget), keepsAnswers: true },
      work,
    );
    const at = new Date().toISOString();
    return { spec, judge, datasets: evaluated, at, commit: await this.#commit() };
  }

  /** Git runs programs that a repository configures, so it is not started in an untrusted folder. */
  async #commit(): Promise<string | undefined> {
    const { base, trusted } = this.#parts.config;
    return trusted ? commitOf(base) : undefined;
  }

  /**
   * @throws ParallaxError of a pipeline that failed; what a judge throws if it was asked; `not-indexed`; `cancelled`
   */
  async #evaluateDatasets(
    datasets: readonly AskedDataset[],
    pipelines: readonly NamedPipeline[],
    options: Omit<GateConditions, 'unreadableLabels' | 'service' | 'repeatOf'>,
    work: WorkOptions,
  ): Promise<EvaluatedDataset[]> {
    const { experiments, judges, judgeOf } = this.#parts;
    const unreadableLabels = shortened((await this.#parts.labels.content()).problems);
    const { spec, judge: name, ask } = options;
    const repeatOf = (repeat: number): Judge => requireJudge(judges.repeated(repeat).get(name), name);
    const conditions = { ...options, unreadableLabels, service: this.#parts.judgementService, repeatOf };
    const judge = ask ? judges.get(name) : judgeOf(name);
    const { budget } = options;
    const request = { datasets, pipelines, k: depthOf(spec), judge, beyond: { exact: true }, budget };
    return experiments.run(request, work, async (ran) => {
      const described = await this.#described(ran.dataset.corpus, ran.index, work);
      return evaluateDataset(ran, described, conditions, work);
    });
  }

  async #described(name: string, index: CorpusIndex, work: WorkOptions): Promise<EvaluatedDataset['corpus']> {
    // A store may change without notice.
    if (index.ref.config.store) return { name, ...(await corpusIdentity(index, work)) };
    const state = `${index.fingerprint} ${(await QueryPages.of(index))?.identity ?? ''}`;
    const known = this.#identities.get(index);
    if (known?.state === state) return known.described;
    const described = { name, ...(await corpusIdentity(index, work)) };
    this.#identities.set(index, { state, described });
    return described;
  }

  /** An evaluation that cannot be stored is still shown. */
  #keep(report: GateReport, datasets: readonly EvaluatedDataset[], accepted = false): void {
    try {
      this.#history.add(historyEntry(randomUUID(), report, datasets), accepted);
    } catch (error) {
      this.#parts.log(`The evaluation could not be kept: ${messageOf(error)}`);
    }
  }
}

/** Eval sets with their corpora. @throws ParallaxError `bad-config` if there is none */
function datasetsWithCorpora(
  datasets: readonly GateDataset[],
  spec: GateSpec,
  config: ParallaxConfig,
): AskedDataset[] {
  return datasets.map((dataset) => ({ ...dataset, corpus: corpusOf(dataset, spec, config).name }));
}

function requireWhole(report: GateReport): void {
  const [obstacle] = obstaclesOf(report);
  if (obstacle !== undefined)
    throw new ParallaxError('bad-file', l10n.t`Not accepted as a baseline: ${obstacle}`);
}

/** A baseline without an eval set or a pipeline would hide their losses. */
function requireAll(
  { k, datasets }: HistoryEntry,
  { spec, datasets: plannedDatasets, pipelines }: GatePlan,
): void {
  const lacks = plannedDatasets.flatMap(({ name }) =>
    pipelines
      .filter((pipeline) => {
        const pipelinesOfDataset = datasets.find((dataset) => dataset.name === name)?.pipelines ?? [];
        return !pipelinesOfDataset.some((each) => each.name === pipeline.name);
      })
      .map((pipeline) => `${name}, ${pipeline.name}`),
  );
  if (k === spec.k && lacks.length === 0) return;
  throw new ParallaxError(
    'bad-argument',
    k === spec.k
      ? l10n.t`This evaluation cannot be the baseline: it does not have ${lacks.join(', ')}. Evaluate again, and accept that.`
      : l10n.t`This evaluation cannot be the baseline: it used the top ${k}, and k is now ${spec.k}. Evaluate again, and accept that.`,
  );
}
