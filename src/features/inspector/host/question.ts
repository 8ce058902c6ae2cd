/** The question in view with its perspectives and their source. */
import type { Perspective, Stance, StanceSource } from '../../../core/model.ts';
import type { InspectorState } from '../contract/panel.ts';
import { findEvalQuery, type EvalQuery } from '../../../shared/eval-query.ts';

type Source = InspectorState['perspectiveSource'];

/** Perspectives of a question that the user typed or accepted from a model. */
export interface OwnPerspectives {
  readonly perspectives: readonly Perspective[];
}

/** Stores perspectives by question. Outlives the window. */
export interface OwnMemory {
  get(question: string): OwnPerspectives | undefined;
  /** @param perspectives `undefined` deletes them */
  set(question: string, perspectives: OwnPerspectives | undefined): void;
}

export class Question {
  readonly #evalQueries: () => readonly EvalQuery[];
  readonly #own: OwnMemory;
  #text = '';
  #perspectives: readonly Perspective[] = [];
  #source: Source = 'none';

  constructor(evalQueries: () => readonly EvalQuery[], memory: OwnMemory) {
    this.#evalQueries = evalQueries;
    this.#own = memory;
  }

  /** Empty before the first question. */
  get text(): string {
    return this.#text;
  }

  get perspectives(): readonly Perspective[] {
    return this.#perspectives;
  }

  get source(): Source {
    return this.#source;
  }

  /** The query of an eval set with the same text. */
  get evalQuery(): EvalQuery | undefined {
    return findEvalQuery(this.#evalQueries(), this.#text);
  }

  /**
   * The question as requests carry it: with its id if its perspectives are from the eval set. For other perspectives
   * the ids would refer to different ones there, and labels refer to the words.
   */
  get reference(): { text: string; id?: string } {
    const id = this.#source === 'eval-set' ? this.evalQuery?.id : undefined;
    return { text: this.#text, ...(id === undefined ? {} : { id }) };
  }

  /** The other perspectives that can be chosen. `undefined` if there are none. */
  get alternative(): { readonly source: Source; readonly count: number } | undefined {
    const set = this.evalQuery?.perspectives ?? [];
    const ownPerspectives = this.#own.get(this.#text);
    if (set.length === 0 || !ownPerspectives || sameTexts(set, ownPerspectives.perspectives))
      return undefined;
    return this.#source === 'eval-set'
      ? { source: 'typed', count: ownPerspectives.perspectives.length }
      : { source: 'eval-set', count: set.length };
  }

  /** Makes `text` the question, with the user's own perspectives, else those of its eval set. */
  ask(text: string): void {
    if (text !== this.#text) {
      // Perspectives typed before the first search belong to the question being asked now.
      const typedBefore = this.#text === '' && this.#perspectives.length > 0;
      this.#text = text;
      if (typedBefore) this.#remember();
      else this.#take(this.#own.get(text));
    }
    this.adoptEvalQuery();
  }

  /** Switches to the user's own perspectives or to those of the eval set. */
  choose(source: 'own' | 'eval-set'): void {
    this.#take(source === 'own' ? this.#own.get(this.#text) : undefined);
    this.adoptEvalQuery();
  }

  #take(ownPerspectives: OwnPerspectives | undefined): void {
    this.#perspectives = ownPerspectives?.perspectives ?? [];
    this.#source = ownPerspectives ? 'typed' : 'none';
  }

  /** Stores the user's own perspectives. Those of an eval set are stored already. */
  #remember(): void {
    if (this.#text === '' || this.#source === 'eval-set') return;
    const ownPerspectives = this.#source === 'none' ? undefined : { perspectives: this.#perspectives };
    this.#own.set(this.#text, ownPerspectives);
  }

  /** Perspectives with unchanged text keep their stance. */
  setPerspectives(perspectives: readonly Perspective[]): void {
    const known = new Map(this.#perspectives.map((perspective) => [perspective.text, perspective]));
    this.#perspectives = perspectives.map((perspective) => {
      const { stance, stanceBy } = known.get(perspective.text) ?? {};
      return { ...(stance ? { stance } : {}), ...(stance && stanceBy ? { stanceBy } : {}), ...perspective };
    });
    this.#source = perspectives.length > 0 ? 'typed' : 'none';
    this.#remember();
  }

  setStance(perspectiveId: string, stance: Stance | undefined, by: StanceSource): void {
    const stanceFields = { stance, stanceBy: stance && by };
    this.#perspectives = this.#perspectives.map((perspective) =>
      perspective.id === perspectiveId ? { ...perspective, ...stanceFields } : perspective,
    );
    this.#remember();
  }

  /** Takes the perspectives from the eval set, unless the user has different ones. */
  adoptEvalQuery(): void {
    const evalQuery = this.evalQuery;
    // Perspectives with the same texts count as the eval set's.
    if (this.#source === 'typed' && !(evalQuery && sameTexts(evalQuery.perspectives, this.#perspectives)))
      return;
    this.#perspectives = evalQuery?.perspectives ?? [];
    this.#source = evalQuery ? 'eval-set' : 'none';
  }
}

function sameTexts(one: readonly Perspective[], other: readonly Perspective[]): boolean {
  const texts = new Set(one.map(({ text }) => text));
  return texts.size === other.length && other.every(({ text }) => texts.has(text));
}
