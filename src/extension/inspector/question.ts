/** The question in view with its perspectives, and where these come from. */
import type { Perspective, Stance, StanceSource } from '../../core/model.ts';
import type { InspectorState } from '../../shared/panels/inspector.ts';
import { findEvalQuery, type EvalQuery } from '../../shared/eval-query.ts';

type Source = InspectorState['perspectiveSource'];

/** Perspectives of a question that the user typed, or took from what a model proposed. */
export interface OwnPerspectives {
  readonly perspectives: readonly Perspective[];
}

/** Keeps them by question, beyond the window. */
export interface OwnMemory {
  get(question: string): OwnPerspectives | undefined;
  /** @param own nothing forgets them */
  set(question: string, own: OwnPerspectives | undefined): void;
}

export class Question {
  readonly #evalQueries: () => readonly EvalQuery[];
  readonly #own: OwnMemory;
  #text = '';
  #perspectives: readonly Perspective[] = [];
  #source: Source = 'none';

  constructor(evalQueries: () => readonly EvalQuery[], own: OwnMemory) {
    this.#evalQueries = evalQueries;
    this.#own = own;
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

  /** The same question in an eval set. */
  get evalQuery(): EvalQuery | undefined {
    return findEvalQuery(this.#evalQueries(), this.#text);
  }

  /**
   * As requests carry it: with its id where its perspectives are those of an eval set. Of others the ids mean something
   * else there, and labels go by the words.
   */
  get reference(): { text: string; id?: string } {
    const id = this.#source === 'eval-set' ? this.evalQuery?.id : undefined;
    return { text: this.#text, ...(id === undefined ? {} : { id }) };
  }

  /** The other perspectives that could be chosen; nothing where there are none but those in view. */
  get alternative(): { readonly source: Source; readonly count: number } | undefined {
    const set = this.evalQuery?.perspectives ?? [];
    const own = this.#own.get(this.#text);
    if (set.length === 0 || !own || sameTexts(set, own.perspectives)) return undefined;
    return this.#source === 'eval-set'
      ? { source: 'typed', count: own.perspectives.length }
      : { source: 'eval-set', count: set.length };
  }

  /** Makes `text` the question, with the user's own perspectives, or else those that its eval set gives. */
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

  /** Turns to the perspectives that are not in view. */
  choose(source: 'own' | 'eval-set'): void {
    this.#take(source === 'own' ? this.#own.get(this.#text) : undefined);
    this.adoptEvalQuery();
  }

  #take(own: OwnPerspectives | undefined): void {
    this.#perspectives = own?.perspectives ?? [];
    this.#source = own ? 'typed' : 'none';
  }

  /** The user's own are kept; there is nothing to keep of an eval set's. */
  #remember(): void {
    if (this.#text === '' || this.#source === 'eval-set') return;
    const own = this.#source === 'none' ? undefined : { perspectives: this.#perspectives };
    this.#own.set(this.#text, own);
  }

  /** Perspectives with the same words keep their stance. */
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
    const said = { stance, stanceBy: stance && by };
    this.#perspectives = this.#perspectives.map((perspective) =>
      perspective.id === perspectiveId ? { ...perspective, ...said } : perspective,
    );
    this.#remember();
  }

  /** Takes the perspectives from the eval set, unless the user has others. */
  adoptEvalQuery(): void {
    const found = this.evalQuery;
    // The same statements are those of the set, once they are in it.
    if (this.#source === 'typed' && !(found && sameTexts(found.perspectives, this.#perspectives))) return;
    this.#perspectives = found?.perspectives ?? [];
    this.#source = found ? 'eval-set' : 'none';
  }
}

function sameTexts(one: readonly Perspective[], other: readonly Perspective[]): boolean {
  const texts = new Set(one.map(({ text }) => text));
  return texts.size === other.length && other.every(({ text }) => texts.has(text));
}
