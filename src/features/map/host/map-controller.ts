/**
 * The map without the editor: asks the engine about what the side panel shows, and publishes the complete new state.
 */
import { ParallaxError } from '../../../core/errors.ts';
import type { Verdict } from '../../../core/model.ts';
import { titledPipelines } from '../../../core/pipeline-label.ts';
import type { NamedPipeline } from '../../../core/pipeline.ts';
import { perspectiveMark } from '../../inspector/contract/panel.ts';
import type { FromMap, MapState } from '../contract/panel.ts';
import type { Remedy } from '../../../shared/remedies.ts';
import type { MappedPassage } from '../contract/passage-map.ts';
import type { Params } from '../../../shared/rpc.ts';
import type { EngineClient } from '../../../extension/engine-process/engine-client.ts';
import { FailureInView } from '../../../extension/platform/failure-in-view.ts';
import { saveChart, type Save } from '../../../extension/platform/save-file.ts';
import type { MappedAnswer } from '../../../extension/services/panels.ts';

export interface MapOptions {
  readonly engine: Pick<EngineClient, 'request'>;
  /** `undefined` before the first question. */
  readonly answer: () => MappedAnswer | undefined;
  /** The pipelines to choose from. */
  readonly pipelines: () => readonly NamedPipeline[];
  readonly actions: {
    publish(state: MapState): void;
    open(passageId: string): Promise<void>;
    label(slot: number, perspective: number, verdict: Verdict): Promise<void>;
    addPerspective(text: string): Promise<void>;
    supportsOf(slots: readonly number[]): Promise<MappedAnswer['supports']>;
    readonly save: Save;
    applyRemedy(remedy: Remedy): Promise<void>;
    log(message: string): void;
  };
}

/** The most sampled passages that are kept after the user has looked at them. */
const LOOKED_KEPT = 1000;

export class MapController {
  readonly #options: MapOptions;
  #sample = 0;
  /** Sampled passages that the user has looked at, by slot. */
  #looked = new Map<number, MappedPassage>();
  /** Verdicts on passages that are not candidates of the answer. */
  #beyond: MappedAnswer['supports'] = {};
  #map: MapState['map'];
  /** Names of other pipelines whose top k is outlined. */
  #chosen: readonly string[] = [];
  readonly #failure: FailureInView;
  /** The request of the map in view. */
  #mapped: Params<'passageMap'> | undefined;
  /** The request being drawn or in view, as text. */
  #drawn = '';
  #work: AbortController | undefined;

  constructor(options: MapOptions) {
    this.#options = options;
    this.#failure = new FailureInView(
      (message) => options.actions.log(message),
      () => this.publish(),
    );
  }

  /** Handles a message of the panel. Failures become part of the state and are never thrown. */
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
      case 'set-sample':
        this.#sample = message.sample;
        return this.refresh();
      case 'look':
        return this.#guard(() => this.#look(message.slots));
      case 'label':
        return this.#guard(async () => {
          await actions.label(message.slot, message.perspective, message.verdict);
          await this.#learnBeyond();
        });
      case 'add-perspective':
        return this.#guard(() => actions.addPerspective(message.text));
      case 'draw':
        this.#drawn = '';
        return this.refresh();
      case 'cancel':
        return this.#cancel();
      case 'save-chart':
        return saveChart(actions.save, message);
      case 'remedy':
        this.#failure.forget();
        this.publish();
        return actions.applyRemedy(message.remedy);
      case 'dismiss-error':
        this.#failure.forget();
        return this.publish();
    }
  }

  /** Draws a changed answer of the side panel. Does not repeat an equal request. */
  async refresh(): Promise<void> {
    const request = this.#asked;
    const key = JSON.stringify(request);
    if (key === this.#drawn) return this.publish();
    this.#work?.abort();
    this.#drawn = key;
    // `supports` refers to positions of perspectives, which may have changed.
    this.#beyond = {};
    if (!request || !this.#isOfMap(request)) this.#looked.clear();
    if (!request) this.#map = undefined;
    else await this.#draw(request);
    this.publish();
  }

  publish(): void {
    this.#options.actions.publish(this.state());
  }

  state(): MapState {
    const answer = this.#options.answer();
    return {
      ...(answer ? { question: answer.query.text } : {}),
      perspectives: (answer?.perspectives ?? []).map(({ text }, index) => ({
        text,
        ...perspectiveMark(index),
      })),
      ...(this.#map ? { map: this.#map } : {}),
      supports: { ...this.#beyond, ...answer?.supports },
      looked: [...this.#looked.values()],
      sample: this.#sample,
      pipelines: this.#offered.map(({ name }) => name),
      chosen: this.#others.map((each) => each.name),
      working: this.#work !== undefined,
      ...this.#failure.view,
    };
  }

  /** Keeps the map in view and its sample, unless the map belongs to another question. */
  #cancel(): void {
    this.#work?.abort();
    this.#work = undefined;
    const [request, mapped] = [this.#asked, this.#mapped];
    if (!mapped || !request || !this.#isOfMap(request)) this.#map = undefined;
    else this.#sample = mapped.sample;
    this.#drawn = JSON.stringify(this.#asked);
    this.publish();
  }

  /** Whether the map in view belongs to the same question. */
  #isOfMap({ corpus, query }: Params<'passageMap'>): boolean {
    return this.#mapped?.corpus === corpus && this.#mapped.query.text === query.text;
  }

  async #look(slots: readonly number[]): Promise<void> {
    const answer = this.#options.answer();
    const missing = slots.filter((slot) => !this.#looked.has(slot));
    if (!answer || missing.length === 0) return;
    const { corpus } = answer;
    const { passages } = await this.#options.engine.request('mappedPassages', { corpus, slots: missing });
    for (const passage of passages) this.#looked.set(passage.slot, passage);
    for (const slot of [...this.#looked.keys()].slice(0, -LOOKED_KEPT)) this.#looked.delete(slot);
    await this.#learnBeyond();
  }

  /** Loads verdicts on passages that are not candidates, so that they are not shown as unjudged. */
  async #learnBeyond(): Promise<void> {
    const drawn = this.#drawn;
    const candidateSlots = new Set(this.#options.answer()?.candidates);
    const beyond = [...(this.#map?.passages ?? []), ...this.#looked.values()].filter(
      ({ slot }) => !candidateSlots.has(slot),
    );
    const supports = await this.#options.actions.supportsOf(beyond.map(({ slot }) => slot));
    if (drawn !== this.#drawn) return;
    this.#beyond = supports;
  }

  async #guard(work: () => Promise<void>): Promise<void> {
    await this.#failure.guard(work);
    this.publish();
  }

  dispose(): void {
    this.#work?.abort();
  }

  /** The pipelines of the workspace other than the answer's, which may have no name. */
  get #offered(): readonly NamedPipeline[] {
    const answer = this.#options.answer();
    const shown = answer && JSON.stringify({ ...answer.pipeline, name: undefined });
    return titledPipelines(this.#options.pipelines()).filter(
      ({ name, pipeline }) =>
        name !== answer?.name && JSON.stringify({ ...pipeline, name: undefined }) !== shown,
    );
  }

  get #others(): Params<'passageMap'>['others'] {
    return this.#offered.filter(({ name }) => this.#chosen.includes(name));
  }

  get #asked(): Params<'passageMap'> | undefined {
    const answer = this.#options.answer();
    if (!answer) return undefined;
    const { corpus, query, perspectives, pipeline, name, candidates } = answer;
    return {
      corpus,
      query,
      perspectives,
      pipeline,
      name,
      candidates,
      others: this.#others,
      sample: this.#sample,
    };
  }

  async #draw(request: Params<'passageMap'>): Promise<void> {
    const work = new AbortController();
    this.#work = work;
    this.publish();
    try {
      const map = await this.#options.engine.request('passageMap', request, { signal: work.signal });
      if (this.#work !== work) return;
      this.#map = map;
      this.#mapped = request;
      this.#failure.forget();
      await this.#learnBeyond();
    } catch (error) {
      if (this.#work !== work || ParallaxError.is(error, 'cancelled')) return;
      this.#failure.show(error);
      // Requested again when the panel is shown again.
      this.#drawn = '';
    } finally {
      if (this.#work === work) this.#work = undefined;
    }
  }
}
