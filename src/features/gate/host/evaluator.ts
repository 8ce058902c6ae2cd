/** Evaluations for the Testing view and the commands. Independent of the editor. */
import * as l10n from '@vscode/l10n';
import type { GateReport } from '../core/report.ts';
import type { ParallaxConfig } from '../../../shared/config.ts';
import { plainQuery, type EvalQuery } from '../../../shared/eval-query.ts';
import { corpusOfEvalSet, gateJudge, gateOf } from '../../../shared/evaluation.ts';
import type { Params, Result } from '../../../shared/rpc.ts';
import { ParallaxError } from '../../../core/errors.ts';
import { BUILT_IN_PIPELINES } from '../../../core/pipeline.ts';
import type { EngineClient, RequestOptions } from '../../../extension/engine-process/engine-client.ts';
import type { CheckedSet } from './checked-sets-text.ts';
import { budgetOf, type CostSettings } from '../../../extension/judging/cost-settings.ts';
import { requireUsableConfig } from '../../../extension/workspace/usable-config.ts';

export interface EvaluatedWorkspace {
  readonly config: ParallaxConfig;
  readonly evalQueries: readonly EvalQuery[];
  /** Why `parallax.json` cannot be used, as a sentence; the defaults apply until it can be. */
  readonly configProblem?: string | undefined;
}

export interface EvaluateOptions extends Pick<Params<'evaluate'>, 'ask' | 'baseline' | 'evalSets'> {
  /** 0 for no limit. */
  readonly requestBudget: number;
}

export class Evaluator {
  readonly #engine: Pick<EngineClient, 'request'>;
  readonly #workspace: () => EvaluatedWorkspace;

  readonly #onKept: () => void;

  /** @param onKept called when the history has a new evaluation or a new baseline */
  constructor(
    engine: Pick<EngineClient, 'request'>,
    workspace: () => EvaluatedWorkspace,
    onKept: () => void = () => undefined,
  ) {
    this.#engine = engine;
    this.#workspace = workspace;
    this.#onKept = onKept;
  }

  /**
   * Brings the corpora up to date and evaluates, like `parallax gate`.
   *
   * @throws ParallaxError `bad-config` while `parallax.json` cannot be used, `no-eval-set`, the engine's error,
   *   `cancelled`
   */
  async evaluate(
    { requestBudget, evalSets, ...options }: EvaluateOptions,
    request: RequestOptions,
  ): Promise<GateReport> {
    const { config } = this.#workspace();
    await this.#index(request);
    const chosen = evalSets ? { evalSets } : {};
    const params = { config, ...options, ...chosen, ...budgetOf({ requestBudget }) };
    const report = await this.#engine.request('evaluate', params, request);
    this.#onKept();
    return report;
  }

  /** @throws ParallaxError like {@link evaluate} */
  async accept(request: RequestOptions): Promise<Result<'acceptBaseline'>> {
    await this.#index(request);
    const params = { config: this.#workspace().config, ask: false };
    const accepted = await this.#engine.request('acceptBaseline', params, request);
    this.#onKept();
    return accepted;
  }

  /** Makes an evaluation of the history the baseline. */
  async acceptKept(id: string): Promise<Result<'acceptEvaluation'>> {
    const { config } = this.#workspace();
    const accepted = await this.#engine.request('acceptEvaluation', { config, id });
    this.#onKept();
    return accepted;
  }

  /** The highest cost of judging the pairs behind the figures. */
  async cost(
    { prices, requestBudget }: Pick<CostSettings, 'prices' | 'requestBudget'>,
    request: RequestOptions,
  ): Promise<Result<'figuresCost'> & { readonly judge: string }> {
    await this.#index(request);
    const { config } = this.#workspace();
    const gate = gateOf(config);
    const judge = judgeOf(config);
    const params = {
      judge,
      datasets: this.#datasets(),
      pipelines: gatePipelines(config),
      k: gate.k,
      scope: 'everything' as const,
    };
    // Steps of pipelines may ask a model already.
    const limited = { ...params, prices, ...budgetOf({ requestBudget }) };
    return { judge, ...(await this.#engine.request('figuresCost', limited, request)) };
  }

  /** Newest first. */
  history(): Promise<Result<'evaluationHistory'>> {
    return this.#engine.request('evaluationHistory', { config: this.#workspace().config });
  }

  compare(then: string, now: string): Promise<Result<'compareEvaluations'>> {
    return this.#engine.request('compareEvaluations', { then, now });
  }

  /** Documents of the corpus in use that no query of the eval sets reaches under the gate's pipelines. */
  async unreached(
    request: RequestOptions,
  ): Promise<Result<'unreached'> & Pick<Params<'unreached'>, 'corpus' | 'k'> & { readonly queries: number }> {
    await this.#index(request);
    const { config, evalQueries } = this.#workspace();
    const corpus = corpusInUse(config);
    const { k } = gateOf(config);
    const queries = evalQueries
      .filter(({ evalSet }) => corpusOfEvalSet(config, evalSet) === corpus)
      .map(plainQuery);
    if (queries.length === 0) throw noEvalSets();
    const params = { corpus, queries, pipelines: gatePipelines(config), k };
    const report = await this.#engine.request('unreached', params, request);
    return { ...report, corpus, k, queries: queries.length };
  }

  /** What each eval set can show under the gate's pipelines, and its problems. Asks no judge. */
  async checkEvalSets(request: RequestOptions): Promise<CheckedSet[]> {
    await this.#index(request);
    const { config } = this.#workspace();
    const shared = { judge: judgeOf(config), pipelines: gatePipelines(config), k: gateOf(config).k };
    const checked: CheckedSet[] = [];
    for (const dataset of this.#datasets()) {
      const report = await this.#engine.request('checkEvalSet', { ...shared, dataset }, request);
      checked.push({ evalSet: dataset.evalSet, report });
    }
    return checked;
  }

  /** Eval sets with their queries that have perspectives. */
  #datasets(): Params<'figuresCost'>['datasets'] {
    const { config, evalQueries } = this.#workspace();
    const bySet = Map.groupBy(
      evalQueries.filter(({ perspectives }) => perspectives.length > 0),
      ({ evalSet }) => evalSet,
    );
    return [...bySet].map(([evalSet, queries]) => ({
      name: evalSet,
      evalSet,
      corpus: corpusOfEvalSet(config, evalSet),
      queries: queries.map(plainQuery),
    }));
  }

  async #index(request: RequestOptions): Promise<void> {
    const { config, evalQueries, configProblem } = this.#workspace();
    // The defaults find no eval sets, so a broken file would look like a missing eval set.
    requireUsableConfig(configProblem);
    const sets = new Set(evalQueries.map(({ evalSet }) => evalSet));
    if (sets.size === 0) throw noEvalSets();
    for (const corpus of new Set([...sets].map((evalSet) => corpusOfEvalSet(config, evalSet))))
      await this.#engine.request('index', { corpus, rebuild: false }, request);
  }
}

/** The judge whose judgements count beside human labels. */
export function judgeOf(config: ParallaxConfig): string {
  return gateJudge(gateOf(config), config);
}

function corpusInUse({ corpus, corpora }: ParallaxConfig): string {
  return corpus ?? Object.keys(corpora)[0] ?? '';
}

function gatePipelines(config: ParallaxConfig): Params<'unreached'>['pipelines'] {
  const known: ParallaxConfig['pipelines'] = { ...BUILT_IN_PIPELINES, ...config.pipelines };
  return gateOf(config).pipelines.flatMap((name) => {
    const pipeline = known[name];
    return pipeline ? [{ name, pipeline }] : [];
  });
}

export function noEvalSets(): ParallaxError {
  return new ParallaxError(
    'no-eval-set',
    l10n.t('There is no eval set. Name one in parallax.json, as in "evalSets": ["eval/*.parallax.jsonl"].'),
  );
}
