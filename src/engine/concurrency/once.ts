/** A value that is created when it is first needed, and kept, unless creating it fails. */
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

  /** `undefined` if it was never needed. */
  get ifMade(): Promise<T> | undefined {
    return this.#made;
  }

  /**
   * Removes the value and returns it if there is one. A later {@link get} creates another. A failure is reported only
   * to callers of `get`.
   */
  async take(): Promise<T | undefined> {
    const pending = this.#made;
    this.#made = undefined;
    return await pending?.catch(() => undefined);
  }
}
