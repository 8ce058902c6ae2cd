/** The map without the editor: asks the engine for what the side panel shows, and publishes the newest whole state. */
import { asParallaxError, ParallaxError } from '../../core/errors.ts';
import type { Pipeline } from '../../core/pipeline.ts';
import { failureOf } from '../../shared/panels/failure.ts';
import { perspectiveMark } from '../../shared/panels/inspector.ts';
import type { FromMap, MapState } from '../../shared/panels/map-panel.ts';
import type { Remedy } from '../../shared/remedies.ts';
import type { Params } from '../../shared/rpc.ts';
import type { EngineClient } from '../engine-process/engine-client.ts';
import { saveChart, type Save } from '../platform/save-file.ts';
import type { MappedAnswer } from '../services/panels.ts';

export interface MapOptions {
  readonly engine: Pick<EngineClient, 'request'>;
  /** Nothing while nothing was asked. */
  readonly answer: () => MappedAnswer | undefined;
  /** Pipelines to choose from. */
  readonly pipelines: () => readonly { readonly name: string; readonly pipeline: Pipeline }[];
  readonly actions: {
    publish(state: MapState): void;
    open(passageId: string): Promise<void>;
    readonly save: Save;
    applyRemedy(remedy: Remedy): Promise<void>;
    log(message: string): void;
  };
}

export class MapController {
  readonly #options: MapOptions;
  #map: MapState['map'];
  /** Names of others whose top k is outlined. */
  #chosen: readonly string[] = [];
  #error: MapState['error'];
  /** What the map in view was asked for, as text. */
  #drawn = '';
  #work: AbortController | undefined;

  constructor(options: MapOptions) {
    this.#options = options;
  }

  /** Runs what the panel asked for. Failures end in the state, never as an exception. */
  async handle(message: FromMap): Promise<void> {
    const { actions } = this.#options;
    switch (message.type) {
      case 'ready':
        return this.refresh();
      case 'open':
        return actions.open(message.passageId);
      case 'set-pipelines':
        this.#chosen = message.names;
        return this.refresh();
      case 'save-chart':
        return saveChart(actions.save, message);
      case 'remedy':
        this.#error = undefined;
        this.publish();
        return actions.applyRemedy(message.remedy);
      case 'dismiss-error':
        this.#error = undefined;
        return this.publish();
    }
  }

  /** The side panel shows another answer, or more is known of it: draws what is new, and nothing twice. */
  async refresh(): Promise<void> {
    const asked = this.#asked;
    const key = JSON.stringify(asked);
    if (key === this.#drawn) return this.publish();
    this.#work?.abort();
    this.#drawn = key;
    if (!asked) this.#map = undefined;
    else await this.#draw(asked);
    this.publish();
  }

  publish(): void {
    this.#options.actions.publish(this.state());
  }

  state(): MapState {
    const answer = this.#options.answer();
    const { name } = answer ?? { name: '' };
    return {
      ...(answer ? { question: answer.query.text } : {}),
      perspectives: (answer?.perspectives ?? []).map(({ text }, index) => ({
        text,
        ...perspectiveMark(index),
      })),
      ...(this.#map ? { map: this.#map } : {}),
      supports: { ...answer?.supports },
      pipelines: this.#options
        .pipelines()
        .map((each) => each.name)
        .filter((each) => each !== name),
      chosen: this.#others.map((each) => each.name),
      working: this.#work !== undefined,
      ...(this.#error ? { error: this.#error } : {}),
    };
  }

  dispose(): void {
    this.#work?.abort();
  }

  get #others(): Params<'passageMap'>['others'] {
    const own = this.#options.answer()?.name;
    return this.#options
      .pipelines()
      .filter(({ name }) => name !== own && this.#chosen.includes(name))
      .map(({ name, pipeline }) => ({ name, pipeline }));
  }

  get #asked(): Params<'passageMap'> | undefined {
    const answer = this.#options.answer();
    if (!answer) return undefined;
    const { corpus, query, perspectives, pipeline, name, candidates } = answer;
    return { corpus, query, perspectives, pipeline, name, candidates, others: this.#others };
  }

  async #draw(asked: Params<'passageMap'>): Promise<void> {
    const work = new AbortController();
    this.#work = work;
    this.publish();
    try {
      const map = await this.#options.engine.request('passageMap', asked, { signal: work.signal });
      if (this.#work !== work) return;
      this.#map = map;
      this.#error = undefined;
    } catch (error) {
      if (this.#work !== work || ParallaxError.is(error, 'cancelled')) return;
      const failure = asParallaxError(error);
      this.#options.actions.log(`${failure.id}: ${failure.message}`);
      this.#error = failureOf(failure);
      // It is asked for again when the panel is shown again.
      this.#drawn = '';
    } finally {
      if (this.#work === work) this.#work = undefined;
    }
  }
}
