import { bySlot, type Hit, type Slot, type SlotOrder } from '../types.ts';

/**
 * Keeps the `depth` best of a stream of scored slots, higher scores first. A heap whose root is the worst kept hit,
 * so that most of a stream costs one comparison each.
 */
export class BestHits {
  readonly #depth: number;
  readonly #order: SlotOrder;
  readonly #heap: Hit[] = [];

  /** @param order of hits with equal scores */
  constructor(depth: number, order: SlotOrder = bySlot) {
    this.#depth = depth;
    this.#order = order;
  }

  /** A hit that scores below this need not be offered. */
  get threshold(): number {
    return this.#heap.length < this.#depth ? -Infinity : (this.#heap[0]?.score ?? Infinity);
  }

  offer(item: Slot, score: number): void {
    const hit = { item, score };
    if (this.#heap.length < this.#depth) this.#push(hit);
    else if (this.#depth > 0 && this.#compare(hit, this.#heap[0]!) < 0) this.#replaceRoot(hit);
  }

  /** The kept hits, best first. */
  sorted(): Hit[] {
    return this.#heap.toSorted((a, b) => this.#compare(a, b));
  }

  #push(hit: Hit): void {
    const heap = this.#heap;
    let at = heap.push(hit) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.#compare(heap[parent]!, hit) >= 0) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = hit;
  }

  #replaceRoot(hit: Hit): void {
    const heap = this.#heap;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && this.#compare(heap[child + 1]!, heap[child]!) > 0) child++;
      if (this.#compare(heap[child]!, hit) <= 0) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = hit;
  }

  /** Order of a ranking: negative if `a` comes before `b`. */
  #compare(a: Hit, b: Hit): number {
    return b.score - a.score || this.#order(a.item, b.item);
  }
}
