/** A derived index that reflects a version of the store. */
interface Derived<T> {
  readonly opened: Promise<T>;
  /** The store's version that it reflects. */
  version: number;
  /** Updates wait for each other here. */
  turn: Promise<unknown>;
}

/** Indexes derived from one store. Each is opened once, and updated before it answers. */
export class DerivedIndexes<K, T> {
  readonly #storeVersion: () => number;
  readonly #indexes = new Map<K, Derived<T>>();

  constructor(storeVersion: () => number) {
    this.#storeVersion = storeVersion;
  }

  /**
   * The index at the present version of the store.
   *
   * @param update brings it to that version, if necessary
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

  /** The index without an update, after some work on it. The work and updates wait for each other. */
  async worked(key: K, open: () => Promise<T>, work: (index: T) => Promise<void>): Promise<T> {
    const derived = this.#derived(key, open);
    const index = await derived.opened;
    await this.#inTurn(derived, () => work(index));
    return index;
  }

  /** All opened indexes. */
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
    // A failure is not remembered: next time, the model may exist, or the disk may have room.
    derived.opened.catch(() => this.#indexes.delete(key));
    return derived;
  }
}
