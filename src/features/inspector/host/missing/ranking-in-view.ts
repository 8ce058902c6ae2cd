/** The visible part of the list of all passages for the question in view, fetched from the engine. */
import type { FromInspector, InspectorState } from '../../contract/panel.ts';
import type { PanelContext } from '../panel-context.ts';
import type { Question } from '../question.ts';

type RankingSelection = Omit<Extract<FromInspector, { type: 'list-ranking' }>, 'type'>;

/** Number of rows in a request: several screens. */
const PART = 150;

export class RankingInView {
  readonly #context: PanelContext;
  readonly #question: Question;
  #wanted: RankingSelection | undefined;
  #shown: InspectorState['ranking'];

  constructor(context: PanelContext, question: Question) {
    this.#context = context;
    this.#question = question;
  }

  /** @throws ParallaxError as a search with the pipeline does */
  async show(selection: RankingSelection): Promise<void> {
    const { engine, choices } = this.#context;
    const { reference: query, perspectives } = this.#question;
    this.#wanted = selection;
    const { corpus, pipeline } = choices;
    const params = { corpus, query, perspectives: [...perspectives], pipeline, atOnce: true };
    const slice = await engine.request('ranking', { ...params, ...selection, most: PART });
    // The user may have scrolled or typed since.
    if (this.#wanted === selection) this.#shown = { ...selection, ...slice };
  }

  /** Fetches the list again for another answer. */
  async again(): Promise<void> {
    if (this.#wanted) await this.show({ ...this.#wanted, from: 0 });
  }

  end(): void {
    this.#wanted = undefined;
    this.#shown = undefined;
  }

  get view(): Pick<InspectorState, 'ranking'> {
    return this.#shown ? { ranking: this.#shown } : {};
  }
}
