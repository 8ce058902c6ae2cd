/**
 * Text with the statistics of natural language that matter to a search index: a large vocabulary with frequencies by
 * Zipf and Mandelbrot, and passages that share the words of their topic.
 */
import { between, seededRandom, type Random } from './random.ts';

const VOCABULARY = 200_000;
/** Frequency of the word of rank r ∝ (r + SHIFT)^−EXPONENT. */
const EXPONENT = 1.07;
const SHIFT = 2.7;
const TOPICS = 2_000;
const WORDS_PER_TOPIC = 40;
/** Topics exclude the most frequent words. */
const FIRST_TOPICAL_RANK = 200;
const TOPICAL_SHARE = 0.18;
const MAX_FREQUENT = 40;

export class SyntheticCorpus {
  readonly #random: Random;
  readonly #words: readonly string[];
  readonly #frequencies: AliasTable;
  readonly #topics: readonly (readonly string[])[];

  constructor(seed: number) {
    this.#random = seededRandom(seed);
    this.#words = makeWords(this.#random, VOCABULARY);
    this.#frequencies = new AliasTable(
      Float64Array.from({ length: VOCABULARY }, (_, rank) => (rank + 1 + SHIFT) ** -EXPONENT),
    );
    this.#topics = Array.from({ length: TOPICS }, () =>
      Array.from(
        { length: WORDS_PER_TOPIC },
        () => this.#words[between(this.#random, FIRST_TOPICAL_RANK, VOCABULARY - 1)]!,
      ),
    );
  }

  /** 60 to 140 lower-case words. */
  passage(): string {
    const topic = this.#topic();
    const length = between(this.#random, 60, 140);
    return Array.from({ length }, () =>
      this.#random() < TOPICAL_SHARE ? this.#pick(topic) : this.#anyWord(),
    ).join(' ');
  }

  /** Ten words: five of the most frequent, three of one topic, two at random. */
  query(): string {
    const topic = this.#topic();
    return [
      ...Array.from({ length: 5 }, () => this.#words[between(this.#random, 0, MAX_FREQUENT - 1)]!),
      ...Array.from({ length: 3 }, () => this.#pick(topic)),
      ...Array.from({ length: 2 }, () => this.#anyWord()),
    ].join(' ');
  }

  #topic(): readonly string[] {
    return this.#topics[between(this.#random, 0, TOPICS - 1)]!;
  }

  #pick(words: readonly string[]): string {
    return words[between(this.#random, 0, words.length - 1)]!;
  }

  #anyWord(): string {
    return this.#words[this.#frequencies.draw(this.#random)]!;
  }
}

/** Distinct words of one to four syllables, frequent ones short as in natural language. */
function makeWords(random: Random, count: number): string[] {
  const words = new Set<string>();
  while (words.size < count) {
    const syllables = 1 + Math.floor(Math.log(words.size + 2) / Math.log(100)) + between(random, 0, 1);
    let word = '';
    for (let i = 0; i < syllables; i++) {
      word += 'bcdfghjklmnprstvwz'.charAt(between(random, 0, 17)) + 'aeiou'.charAt(between(random, 0, 4));
      if (random() < 0.2) word += 'lnrst'.charAt(between(random, 0, 4));
    }
    words.add(word);
  }
  return [...words];
}

/** Draws from a discrete distribution in constant time (Walker 1977, Vose 1991). */
class AliasTable {
  readonly #keep: Float64Array;
  readonly #alias: Uint32Array;

  /** @param weights not normalised */
  constructor(weights: Float64Array) {
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    this.#keep = weights.map((weight) => (weight * weights.length) / total);
    this.#alias = Uint32Array.from(weights.keys());
    const small: number[] = [];
    const large: number[] = [];
    this.#keep.forEach((share, i) => (share < 1 ? small : large).push(i));
    while (small.length > 0 && large.length > 0) {
      const less = small.pop()!;
      const more = large.at(-1)!;
      this.#alias[less] = more;
      this.#keep[more]! -= 1 - this.#keep[less]!;
      if (this.#keep[more]! < 1) small.push(large.pop()!);
    }
  }

  draw(random: Random): number {
    const i = Math.floor(random() * this.#keep.length);
    return random() < this.#keep[i]! ? i : this.#alias[i]!;
  }
}
