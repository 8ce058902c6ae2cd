/** The comparison that the panel shows, with later results about it, and whether it is out of date. */
import type { Pipeline } from '../../../core/pipeline.ts';
import type { Evaluation } from '../../../evaluation/evaluation.ts';
import type { CompareState, FromCompare } from '../contract/panel.ts';
import type { PoolReport } from '../../../shared/pool.ts';
import type { Params } from '../../../shared/rpc.ts';
import type { EngineClient } from '../../../extension/engine-process/engine-client.ts';
import type { CompareChoices } from './compare-choices.ts';

/** Passages of a rank-movement chart: twice the top k, so that passages just below it are visible. */
const MOVEMENT_DEPTH = { least: 10, most: 50 };

export class ComparisonInView {
  readonly #engine: Pick<EngineClient, 'request'>;
  readonly #choices: Pick<CompareChoices, 'request'>;
  #comparison: Evaluation | undefined;
  #movement: CompareState['movement'];
  #pool: PoolReport | undefined;
  /** The request that the comparison answers, as text, to compare with the current choices. `undefined` if unknown. */
  #asked: string | undefined;
  #stale = false;

  constructor(engine: Pick<EngineClient, 'request'>, choices: Pick<CompareChoices, 'request'>) {
    this.#engine = engine;
    this.#choices = choices;
  }

  get comparison(): Evaluation | undefined {
    return this.#comparison;
  }

  /** @param request the request that it answers; `undefined` if unknown, as for a stored comparison */
  show(comparison: Evaluation, request: Params<'compare'> | undefined): void {
    this.#comparison = comparison;
    this.#movement = undefined;
    this.#pool = undefined;
    this.#asked = request && JSON.stringify(request);
    this.checkChoices();
  }

  /** @throws ParallaxError the engine's error; the comparison in view then stays */
  async showKept(id: string): Promise<void> {
    this.show(await this.#engine.request('keptComparison', { id }), undefined);
  }

  /** Marks the comparison as out of date if it answers another request than the choices make now. */
  checkChoices(): void {
    this.#stale = this.#comparison !== undefined && this.#asked !== JSON.stringify(this.#choices.request);
  }

  /** Its corpora or judgements have changed, so no choice of the user makes it current again. */
  markStale(): void {
    this.#asked = undefined;
    this.checkChoices();
  }

  async showMovement({
    dataset,
    queryId,
  }: Pick<Extract<FromCompare, { type: 'show-movement' }>, 'dataset' | 'queryId'>): Promise<void> {
    const shown = this.#comparison;
    if (!shown) return;
    const { least, most } = MOVEMENT_DEPTH;
    const depth = Math.min(Math.max(2 * shown.k, least), most);
    const params = { id: shown.id, dataset, queryId, depth };
    const movement = await this.#engine.request('movement', params);
    if (shown === this.#comparison) this.#movement = movement;
  }

  get isPooled(): boolean {
    return this.#pool !== undefined;
  }

  /** @param pool `undefined` removes the one in view */
  showPool(pool: PoolReport | undefined): void {
    this.#pool = pool;
  }

  /** A query of the comparison under one of its pipelines, as the side panel can ask it. */
  find({
    dataset,
    queryId,
    pipeline,
  }: Extract<FromCompare, { type: 'inspect' }>):
    | { corpus: string; text: string; pipeline: Pipeline }
    | undefined {
    const set = this.#comparison?.datasets.find(({ name }) => name === dataset);
    const query = set?.queries.find(({ id }) => id === queryId);
    const namedPipeline = this.#comparison?.pipelines.find(({ name }) => name === pipeline);
    return (
      set &&
      query &&
      namedPipeline && { corpus: set.corpus, text: query.text, pipeline: namedPipeline.pipeline }
    );
  }

  get view(): Pick<CompareState, 'shown' | 'movement' | 'pool' | 'stale'> {
    return {
      ...(this.#comparison ? { shown: this.#comparison.id } : {}),
      ...(this.#movement ? { movement: this.#movement } : {}),
      ...(this.#pool ? { pool: this.#pool } : {}),
      stale: this.#stale,
    };
  }
}
