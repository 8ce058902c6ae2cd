import type { Slot } from '../types.ts';
import type { Pace } from '../concurrency/pace.ts';
import { MAX_PASSAGES, SegmentAssembler, type Segment } from './segment.ts';
import { grown } from './term-table.ts';

/**
 * Collects passages until they are sealed into a {@link Segment}: one flat list of (term, frequency) in the order of
 * adding, which costs next to nothing per passage and is sorted by term once, at the end.
 */
export class SegmentBuilder {
  #passages = 0;
  #postings = 0;
  #slots = new Uint32Array(1024);
  /** Checksums of texts. */
  #texts = new Uint32Array(1024);
  #lengths = new Uint32Array(1024);
  /** Distinct terms of each passage. */
  #distinct = new Uint32Array(1024);
  #terms = new Uint32Array(1 << 16);
  #frequencies = new Uint32Array(1 << 16);
  /**
   * Two values per lexicon id, adjacent because they are looked up together: the frequency in the passage being added
   * (0 in between), and the number of passages with the term.
   */
  #tally = new Uint32Array(4096);

  get passages(): number {
    return this.#passages;
  }

  get isFull(): boolean {
    return this.#passages === MAX_PASSAGES;
  }

  /**
   * @param sum checksum of the passage's text
   * @param terms lexicon ids, including repeats
   * @param lexiconSize every id is below it
   */
  add(slot: Slot, sum: number, terms: readonly number[], lexiconSize: number): void {
    const { length } = terms;
    this.#reserve(length, lexiconSize);
    const first = this.#postings;
    let end = first;
    for (let i = 0; i < length; i++) {
      const id = terms[i]!;
      if (this.#tally[2 * id]!++ === 0) this.#terms[end++] = id;
    }
    for (let i = first; i < end; i++) {
      const frequency = 2 * this.#terms[i]!;
      this.#frequencies[i] = this.#tally[frequency]!;
      this.#tally[frequency] = 0;
      this.#tally[frequency + 1]!++;
    }
    this.#postings = end;
    this.#slots[this.#passages] = slot;
    this.#texts[this.#passages] = sum;
    this.#lengths[this.#passages] = length;
    this.#distinct[this.#passages] = end - first;
    this.#passages++;
  }

  /** Does not change the builder, so that sealing can be tried again. */
  async seal(pace: Pace): Promise<Segment> {
    const assembler = new SegmentAssembler(
      {
        slots: this.#slots.slice(0, this.#passages),
        texts: this.#texts.slice(0, this.#passages),
        lengths: this.#lengths.slice(0, this.#passages),
      },
      this.#postingsOfTerms(),
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
  #postingsOfTerms(): Uint32Array {
    const counts = new Uint32Array(this.#tally.length / 2);
    for (let id = 0; id < counts.length; id++) counts[id] = this.#tally[2 * id + 1]!;
    return counts;
  }

  #reserve(length: number, lexiconSize: number): void {
    if (this.#passages === this.#slots.length) {
      this.#slots = grown(this.#slots, this.#passages + 1);
      this.#texts = grown(this.#texts, this.#passages + 1);
      this.#lengths = grown(this.#lengths, this.#passages + 1);
      this.#distinct = grown(this.#distinct, this.#passages + 1);
    }
    if (this.#postings + length > this.#terms.length) {
      this.#terms = grown(this.#terms, this.#postings + length);
      this.#frequencies = grown(this.#frequencies, this.#postings + length);
    }
    if (2 * lexiconSize > this.#tally.length) this.#tally = grown(this.#tally, 2 * lexiconSize);
  }
}
