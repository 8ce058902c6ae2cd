/** Something that is made once, when it is first needed, and kept, unless making it failed. */
export class Once<T> {
  readonly #make: () => Promise<T>;
  #made: Promise<T> | undefined;

  constructor(make: () => Promise<T>) {
    this.#make = make;
  }

  get(): Promise<T> {
    this.#made ??= this.#make().catch((error: unknown) => {
      this.#made = undefined;
      throw error;
    });
    return this.#made;
  }

  /** Undefined where it was never needed. */
  get ifMade(): Promise<T> | undefined {
    return this.#made;
  }

  /** Takes it out, if it is there; a later {@link get} makes another. Of a failure hears who asked for it. */
  async take(): Promise<T | undefined> {
    const made = this.#made;
    this.#made = undefined;
    return await made?.catch(() => undefined);
  }
}
