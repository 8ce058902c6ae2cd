/** A derived index that is as new as a version of the store. */
interface Derived<T> {
  readonly opened: Promise<T>;
  /** Version of the store that it reflects. */
  version: number;
  /** Updates wait for each other here. */
  turn: Promise<unknown>;
}

/** Indexes derived from one store: each is opened once, and brought up to date before it answers. */
export class DerivedIndexes<K, T> {
  readonly #storeVersion: () => number;
  readonly #indexes = new Map<K, Derived<T>>();

  constructor(storeVersion: () => number) {
    this.#storeVersion = storeVersion;
  }

  /**
   * The index, up to the version of the store.
   *
   * @param update brings it there, where it is not
   */
  async ready(key: K, open: () => Promise<T>, update: (index: T) => Promise<void>): Promise<T> {
    const derived = this.#derived(key, open);
    const index = await derived.opened;
    await this.#inTurn(derived, async () => {
      const version = this.#storeVersion();
      if (derived.version === version) return;
      await update(index);
      derived.version = version;
    });
    return index;
  }

  /** The index as it is, after some work on it that waits for other updates, as they wait for it. */
  async worked(key: K, open: () => Promise<T>, work: (index: T) => Promise<void>): Promise<T> {
    const derived = this.#derived(key, open);
    const index = await derived.opened;
    await this.#inTurn(derived, () => work(index));
    return index;
  }

  /** All that were opened. */
  async all(): Promise<T[]> {
    return Promise.all([...this.#indexes.values()].map(({ opened }) => opened));
  }

  async #inTurn(derived: Derived<T>, work: () => Promise<void>): Promise<void> {
    const turn = derived.turn.then(work);
    derived.turn = turn.catch(() => undefined);
    await turn;
  }

  #derived(key: K, open: () => Promise<T>): Derived<T> {
    const known = this.#indexes.get(key);
    if (known) return known;
    const derived = { opened: open(), version: -1, turn: Promise.resolve() };
    this.#indexes.set(key, derived);
    // A failure must not be remembered: next time the model may be there, or the disk have room.
    derived.opened.catch(() => this.#indexes.delete(key));
    return derived;
  }
}
