/**
 * A map of the entries that were set or read last. It has two halves: when the younger one is full, it becomes the
 * older one, and the former older one is dropped. Unlike moving each entry to the end, reading from the younger half
 * moves nothing.
 */
export class RecentMap<K, V> {
  readonly #half: number;
  #younger = new Map<K, V>();
  #older = new Map<K, V>();

  /** @param most the most entries; at least half as many are kept */
  constructor(most: number) {
    this.#half = Math.ceil(most / 2);
  }

  get(key: K): V | undefined {
    const young = this.#younger.get(key);
    if (young !== undefined) return young;
    const old = this.#older.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: K, value: V): void {
    this.#younger.set(key, value);
    if (this.#younger.size < this.#half) return;
    this.#older = this.#younger;
    this.#younger = new Map();
  }

  clear(): void {
    this.#younger.clear();
    this.#older.clear();
  }
}
