import { bySlot, type Hit, type Slot, type SlotOrder } from '../types.ts';

/** Keeps the best `depth` of the offered hits, in a heap whose root is the worst of them. */
export class TopHits {
  readonly #depth: number;
  readonly #order: SlotOrder;
  readonly #heap: Hit[] = [];

  /**
   * @param depth at least 1
   * @param order of hits with equal scores
   */
  constructor(depth: number, order: SlotOrder = bySlot) {
    this.#depth = depth;
    this.#order = order;
  }

  /** A hit that scores below this need not be offered. */
  get threshold(): number {
    return this.#heap.length < this.#depth ? -Infinity : this.#heap[0]!.score;
  }

  offer(slot: Slot, score: number): void {
    const hit = { item: slot, score };
    if (this.#heap.length < this.#depth) {
      this.#heap.push(hit);
      this.#siftUp();
    } else if (this.#isBetter(hit, this.#heap[0]!)) {
      this.#heap[0] = hit;
      this.#siftDown();
    }
  }

  /** Best first. */
  sorted(): Hit[] {
    return this.#heap.toSorted((a, b) => b.score - a.score || this.#order(a.item, b.item));
  }

  #siftUp(): void {
    const heap = this.#heap;
    let at = heap.length - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#isBetter(heap[parent]!, heap[at]!)) return;
      [heap[parent], heap[at]] = [heap[at]!, heap[parent]!];
      at = parent;
    }
  }

  #siftDown(): void {
    const heap = this.#heap;
    let at = 0;
    for (;;) {
      let worst = at;
      for (const child of [2 * at + 1, 2 * at + 2])
        if (child < heap.length && this.#isBetter(heap[worst]!, heap[child]!)) worst = child;
      if (worst === at) return;
      [heap[worst], heap[at]] = [heap[at]!, heap[worst]!];
      at = worst;
    }
  }

  #isBetter(a: Hit, b: Hit): boolean {
    return a.score > b.score || (a.score === b.score && this.#order(a.item, b.item) < 0);
  }
}
