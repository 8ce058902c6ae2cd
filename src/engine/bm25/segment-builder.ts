import type { Slot } from '../types.ts';
import type { Pace } from '../pace.ts';
import { MAX_PASSAGES, SegmentAssembler, type Segment } from './segment.ts';
import { grown } from './term-table.ts';

const COUNTED_AT_A_TIME = 1 << 16;

/**
 * Collects passages until they are sealed into a {@link Segment}: one flat list of (term, frequency)
 * in the order of adding, which costs next to nothing per passage and is sorted by term once, at the end.
 */
export class SegmentBuilder {
  #passages = 0;
  #postings = 0;
  #slots = new Uint32Array(1024);
  #lengths = new Uint32Array(1024);
  /** Distinct terms of each passage. */
  #distinct = new Uint32Array(1024);
  #terms = new Uint32Array(1 << 16);
  #frequencies = new Uint32Array(1 << 16);
  /** Frequencies in the passage being added, per lexicon id; all 0 in between. */
  #tally = new Uint32Array(4096);

  get passages(): number {
    return this.#passages;
  }

  get isFull(): boolean {
    return this.#passages === MAX_PASSAGES;
  }

  /**
   * @param terms lexicon ids, repeats included
   * @param lexiconSize every id is below it
   */
  add(slot: Slot, terms: Uint32Array, lexiconSize: number): void {
    const { length } = terms;
    this.#reserve(length, lexiconSize);
    const first = this.#postings;
    let end = first;
    for (let i = 0; i < length; i++) {
      const id = terms[i]!;
      if (this.#tally[id]!++ === 0) this.#terms[end++] = id;
    }
    for (let i = first; i < end; i++) {
      const id = this.#terms[i]!;
      this.#frequencies[i] = this.#tally[id]!;
      this.#tally[id] = 0;
    }
    this.#postings = end;
    this.#slots[this.#passages] = slot;
    this.#lengths[this.#passages] = length;
    this.#distinct[this.#passages] = end - first;
    this.#passages++;
  }

  /** Leaves the builder as it is, so that sealing can be tried again. */
  async seal(pace: Pace): Promise<Segment> {
    const assembler = new SegmentAssembler(
      this.#slots.slice(0, this.#passages),
      this.#lengths.slice(0, this.#passages),
      await this.#countPostings(pace),
    );
    let index = 0;
    for (let passage = 0; passage < this.#passages; passage++) {
      const end = index + this.#distinct[passage]!;
      for (; index < end; index++) assembler.place(this.#terms[index]!, passage, this.#frequencies[index]!);
      if (pace.due) await pace.rest();
    }
    return assembler.finish();
  }

  /** Postings per lexicon id. */
  async #countPostings(pace: Pace): Promise<Uint32Array> {
    const counts = new Uint32Array(this.#tally.length);
    for (let index = 0; index < this.#postings; index++) {
      counts[this.#terms[index]!]!++;
      if (index % COUNTED_AT_A_TIME === 0 && pace.due) await pace.rest();
    }
    return counts;
  }

  #reserve(length: number, lexiconSize: number): void {
    if (this.#passages === this.#slots.length) {
      this.#slots = grown(this.#slots, this.#passages + 1);
      this.#lengths = grown(this.#lengths, this.#passages + 1);
      this.#distinct = grown(this.#distinct, this.#passages + 1);
    }
    if (this.#postings + length > this.#terms.length) {
      this.#terms = grown(this.#terms, this.#postings + length);
      this.#frequencies = grown(this.#frequencies, this.#postings + length);
    }
    if (lexiconSize > this.#tally.length) this.#tally = grown(this.#tally, lexiconSize);
  }
}
