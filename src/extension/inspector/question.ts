/** The question in view with its perspectives, and where these come from. */
import type { Perspective, Stance, StanceSource } from '../../core/model.ts';
import type { InspectorState } from '../../shared/panels/inspector.ts';
import { findEvalQuery, type EvalQuery } from '../../shared/eval-query.ts';

type Source = InspectorState['perspectiveSource'];

export class Question {
  readonly #evalQueries: () => readonly EvalQuery[];
  #text = '';
  #perspectives: readonly Perspective[] = [];
  #source: Source = 'none';

  constructor(evalQueries: () => readonly EvalQuery[]) {
    this.#evalQueries = evalQueries;
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

  /** As requests carry it: with its id where it is from an eval set. */
  get reference(): { text: string; id?: string } {
    const id = this.evalQuery?.id;
    return { text: this.#text, ...(id === undefined ? {} : { id }) };
  }

  /** Makes `text` the question, with the perspectives that its eval set gives. */
  ask(text: string): void {
    if (text !== this.#text) {
      // Perspectives typed before the first search belong to the question being asked now.
      if (this.#text !== '') this.setPerspectives([], 'none');
      this.#text = text;
    }
    this.adoptEvalQuery();
  }

  /** Perspectives with the same words keep their stance. */
  setPerspectives(perspectives: readonly Perspective[], source: Source): void {
    const known = new Map(this.#perspectives.map((perspective) => [perspective.text, perspective]));
    this.#perspectives = perspectives.map((perspective) => {
      const { stance, stanceBy } = known.get(perspective.text) ?? {};
      return { ...(stance ? { stance } : {}), ...(stance && stanceBy ? { stanceBy } : {}), ...perspective };
    });
    this.#source = perspectives.length > 0 ? source : 'none';
  }

  setStance(perspectiveId: string, stance: Stance | undefined, by: StanceSource): void {
    const said = { stance, stanceBy: stance && by };
    this.#perspectives = this.#perspectives.map((perspective) =>
      perspective.id === perspectiveId ? { ...perspective, ...said } : perspective,
    );
  }

  /** Takes the perspectives from the eval set, unless the user typed some or had them proposed. */
  adoptEvalQuery(): void {
    if (this.#source === 'typed' || this.#source === 'generated') return;
    const found = this.evalQuery;
    this.#perspectives = found?.perspectives ?? [];
    this.#source = found ? 'eval-set' : 'none';
  }
}
