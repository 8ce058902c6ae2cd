/**
 * A map of what was set or read lately. It has two halves: when the younger one is full, it becomes the older, and the former
 * older one goes. Unlike putting each entry anew at the end, reading what is in the younger half moves nothing.
 */
export class RecentMap<K, V> {
  readonly #half: number;
  #younger = new Map<K, V>();
  #older = new Map<K, V>();

  /** @param most how many entries there are at most; half as many are kept in any case */
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
