/** The numbers of an id in the table of foreign passages: one for each text that it has had. */
export class ForeignNumbers {
  /** By id, the newest number; some hundred bytes each. Rows may have been deleted since. */
  readonly #last = new Map<string, number>();
  /** The other numbers of ids that have had several texts. */
  readonly #others = new Map<string, readonly number[]>();

  has(id: string): boolean {
    return this.#last.has(id);
  }

  /** The newest first. */
  of(id: string): readonly number[] {
    const last = this.#last.get(id);
    return last === undefined ? [] : [last, ...(this.#others.get(id) ?? [])];
  }

  /** Makes a number the newest of an id. */
  note(id: string, number: number): void {
    const otherNumbers = this.of(id).filter((candidate) => candidate !== number);
    this.#last.set(id, number);
    if (otherNumbers.length > 0) this.#others.set(id, otherNumbers);
  }

  /** Adds a number behind those that an id has already, so that numbers returned here stay valid. */
  noteBehind(id: string, number: number): void {
    const known = this.of(id);
    if (known.length === 0) this.#last.set(id, number);
    else if (!known.includes(number)) this.#others.set(id, [...known.slice(1), number]);
  }
}
