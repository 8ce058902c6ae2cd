/** Something that is loaded when first needed, and given back as a whole. */
export class LoadedOnce<T> {
  readonly #load: () => Promise<T>;
  #loading: Promise<T> | undefined;

  constructor(load: () => Promise<T>) {
    this.#load = load;
  }

  /** A failed attempt is not kept: the next call tries again. */
  get(): Promise<T> {
    return (this.#loading ??= this.#load().catch((error: unknown) => {
      this.#loading = undefined;
      throw error;
    }));
  }

  /**
   * Takes out the loaded value, if there is one; a later {@link get} loads again. Of a failure hears who
   * asked for it.
   */
  async take(): Promise<T | undefined> {
    const loading = this.#loading;
    this.#loading = undefined;
    return await loading?.catch(() => undefined);
  }
}
