/**
 * BM25 over a segmented inverted index.
 *
 * Passages are added to a builder in memory. `flush` seals it into an immutable segment, which is searchable from
 * then on, and durable if the index has a folder. `merge` keeps the number of segments low and drops deleted
 * passages. All statistics cover the live passages only, so scores are the same, to the last bit, however the index
 * was built.
 */
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import * as l10n from '@vscode/l10n';
import { messageOf, ParallaxError } from '../../core/errors.ts';
import type { Explanation, TermContribution } from '../../features/explain/core/explanation.ts';
import type { TermFrequencies } from '../../core/likeness/terms.ts';
import { analyzer as analyzerNamed, type Analyzer, type AnalyzerName } from '../../core/text/analyzer.ts';
import { LANGUAGE_NAMES, languagesOfQuestion, type LanguageName } from './other-languages.ts';
import { SlotSet } from '../slot-set.ts';
import { textChecksum, type TextSums } from '../text-sums.ts';
import type { Hit, LiveSlots, Slot, WorkOptions } from '../types.ts';
import { Collection } from './collection.ts';
import { LiveSegment } from './live-segment.ts';
import { readManifest, writeManifest, type Manifest } from './manifest.ts';
import { mergeSegments } from './merge.ts';
import { planMerge } from './merge-policy.ts';
import { Pace } from '../concurrency/pace.ts';
import { findTerm, PassageAnalyzer } from './passage-analyzer.ts';
import { markOf, passageTerms, termOf } from './passage-terms.ts';
import { idf, lengthNorm, variantFactor, type Bm25Params } from './scoring.ts';
import { MAX_PASSAGES, segmentBytes, type Segment } from './segment.ts';
import { SegmentBuilder } from './segment-builder.ts';
import { readSegment, readSegments, writeSegment, type Damage } from './segment-file.ts';
import { TermAtATime, type WeightedTerm } from './term-at-a-time.ts';
import { TermTable } from './term-table.ts';
import { TopHits } from './top-hits.ts';

const MAX_SLOT = 2 ** 32 - 1;

export interface Bm25Work extends WorkOptions {
  /**
   * Checksums of the store that the passages come from. Segments of other passages count as damaged. Unused
   * in memory.
   */
  readonly texts?: (() => TextSums) | undefined;
}

export interface OpenedBm25Index {
  readonly index: Bm25Index;
  /** Segments that could not be read. Their passages are not covered: add them again from their text. */
  readonly damaged: readonly Damage[];
}

/** The score of a passage by terms, and its length in terms relative to the mean. */
export interface ExplainedTerms {
  readonly terms: TermContribution[];
  readonly lengths: NonNullable<Explanation['lengths']>;
}

export interface Bm25Stats {
  /** In segments, including those that are no longer live. */
  readonly passages: number;
  /** Added, but not flushed yet. */
  readonly pending: number;
  readonly segments: number;
  readonly terms: number;
  readonly postings: number;
  readonly memoryBytes: number;
  readonly diskBytes: number;
}

export class Bm25Index {
  readonly #folder: string | undefined;
  readonly #texts: (() => TextSums) | undefined;
  readonly #analyzer: Analyzer;
  readonly #lexicon = new TermTable();
  readonly #passageAnalyzer: PassageAnalyzer;
  readonly #collection = new Collection();
  readonly #scorer = new TermAtATime();
  #covered = new SlotSet();
  #builder = new SegmentBuilder();
  /** Builders that are being sealed, or whose sealing failed. */
  readonly #unsealed: SegmentBuilder[] = [];
  #nextFile = 1;
  /** Contents of the folder when it was last read or written here. */
  #published: Manifest | undefined;
  /** Flushes and merges wait for each other. */
  #turn: Promise<unknown> = Promise.resolve();

  private constructor(
    folder: string | undefined,
    analyzer: AnalyzerName,
    texts: (() => TextSums) | undefined,
  ) {
    this.#folder = folder;
    this.#texts = texts;
    this.#analyzer = analyzerNamed(analyzer);
    this.#passageAnalyzer = new PassageAnalyzer(this.#analyzer, this.#lexicon);
  }

  /**
   * Opens the index in a folder, or creates one. If `texts` is given, the checksums of the texts detect segments of
   * other passages than the present ones. Several processes may have it open; one at a time may write, after a
   * {@link refresh}.
   *
   * @param folder undefined for an index in memory only
   * @throws ParallaxError `store-unusable` if the folder cannot be created or read; `cancelled`
   */
  static async open(
    folder: string | undefined,
    analyzer: AnalyzerName,
    { texts, ...work }: Bm25Work = {},
  ): Promise<OpenedBm25Index> {
    const index = new Bm25Index(folder, analyzer, texts);
    const damaged = folder === undefined ? [] : await index.#load(folder, new Pace(work));
    return { index, damaged };
  }

  /**
   * Reads the folder again if another process has written to it. Passages added here and not flushed are then no
   * longer covered.
   *
   * @returns what could not be read, as {@link open} does
   * @throws ParallaxError as {@link open}
   */
  async refresh(work: WorkOptions = {}): Promise<readonly Damage[]> {
    const folder = this.#folder;
    if (folder === undefined) return [];
    let damaged: readonly Damage[] = [];
    await this.#inTurn(async () => {
      const manifest = await usable(() => readManifest(folder));
      if (JSON.stringify(manifest) === JSON.stringify(this.#published)) return;
      this.#builder = new SegmentBuilder();
      this.#unsealed.length = 0;
      damaged = await this.#load(folder, new Pace(work));
    });
    return damaged;
  }

  get analyzer(): AnalyzerName {
    return this.#analyzer.name;
  }

  /** The slots that were added, flushed or not, and that {@link merge} has not dropped since. */
  get covered(): Pick<SlotSet, 'has' | 'word'> {
    return this.#covered;
  }

  /**
   * Adds a passage. It is searchable after the next {@link flush}; flush about every 100,000 passages. Synchronous
   * and fast: a caller with many passages yields to others in between.
   *
   * @param slot 0 to 2^32 − 1, in any order and with any gaps; a covered slot is ignored
   * @throws ParallaxError `bad-argument`
   */
  add(slot: Slot, text: string): void {
    if (!Number.isInteger(slot) || slot < 0 || slot > MAX_SLOT)
      throw new ParallaxError(
        'bad-argument',
        l10n.t`${slot} cannot be the number of a passage in the search index.`,
      );
    if (this.#covered.has(slot)) return;
    if (this.#builder.isFull) this.#setAside();
    const terms = this.#passageAnalyzer.analyze(text);
    this.#builder.add(slot, textChecksum(text), terms, this.#lexicon.size);
    this.#covered.add(slot);
  }

  /**
   * Makes all added passages searchable, and durable if the index has a folder. Nothing is lost if it fails or is
   * cancelled: the next flush tries again.
   *
   * @throws ParallaxError `store-unusable`, `cancelled`
   */
  async flush(work: WorkOptions = {}): Promise<void> {
    await this.#inTurn(async () => {
      const pace = new Pace(work);
      if (this.#builder.passages > 0) this.#setAside();
      for (let builder = this.#unsealed[0]; builder; builder = this.#unsealed[0]) {
        const segment = await builder.seal(pace);
        await this.#commit(segment, [], pace);
        this.#unsealed.shift();
        pace.report(builder.passages, builder.passages);
      }
    });
  }

  /**
   * Moves the file of a segment that another thread has built (`SegmentFiles`) into the index, instead of adding its
   * passages. They are searchable at once.
   *
   * @param file on the disk of the index; gone afterwards
   * @returns false, without any change, if one of its passages is covered already
   * @throws ParallaxError `store-unusable`, `cancelled`
   */
  async adopt(file: string, work: WorkOptions = {}): Promise<boolean> {
    let adopted = false;
    await this.#inTurn(async () => {
      const folder = this.#folder;
      const read = await readSegment(file, this.#lexicon, this.#analyzer.name, new Pace(work));
      if ('reason' in read || folder === undefined)
        throw new ParallaxError(
          'store-unusable',
          l10n.t`The new part of the index, ${file}, cannot be used. Try again.`,
        );
      if (read.segment.slots.some((slot) => this.#covered.has(slot))) return;
      const name = `segment-${this.#nextFile++}.bm25`;
      await usable(() => rename(file, path.join(folder, name)));
      const segment = new LiveSegment(read.segment, this.#lexicon.size, name, read.bytes);
      const segments = [...this.#collection.segments, segment];
      await this.#publish(segments);
      this.#collection.replaceSegments(segments);
      this.#covered.addAll(read.segment.slots);
      adopted = true;
    });
    return adopted;
  }

  /**
   * Merges segments if many have the same size or many of their passages are dead, else does nothing. Drops passages
   * that are not live: one that becomes live later has to be added again.
   *
   * @throws ParallaxError `store-unusable`, `cancelled`; what was merged until then stays
   */
  async merge(live: LiveSlots, work: WorkOptions = {}): Promise<void> {
    await this.#inTurn(async () => {
      const pace = new Pace(work);
      for (let group = this.#planMerge(live); group.length > 0; group = this.#planMerge(live)) {
        const { segment, dropped } = await mergeSegments(group, this.#lexicon.size, pace);
        await this.#commit(segment, group, pace);
        for (const slot of dropped) this.#covered.delete(slot);
      }
    });
  }

  /**
   * The live passages with a term of the query, best first; ties follow the order of `live`. Repeated query terms
   * count repeatedly. Scores of `okapi` can be 0 or below.
   *
   * @param depth the most hits; no hits for less than 1
   */
  search(query: string, params: Bm25Params, depth: number, live: LiveSlots): Hit[] {
    if (depth < 1) return [];
    this.#collection.refresh(live);
    const terms = this.#queryTerms(query, params);
    const best = new TopHits(depth, live.compare);
    for (const segment of this.#collection.segments)
      this.#scorer.search(segment, terms, params, this.#collection.statistics, best);
    return best.sorted();
  }

  /**
   * What each distinct term of a query adds to the score of a passage, in the order of the query. The sum of the
   * contributions is the score that {@link search} returns.
   *
   * @param text of the passage
   */
  explain(query: string, params: Bm25Params, text: string, live: LiveSlots): ExplainedTerms {
    this.#collection.refresh(live);
    const { passages, averageLength } = this.#collection.statistics;
    const textTerms = passageTerms(this.#analyzer, text);
    const counts = Map.groupBy(textTerms, (term) => term);
    const { length } = textTerms;
    const norm = lengthNorm(params, length, averageLength);
    const queryTerms = Map.groupBy(this.#termsOfQuery(query), ({ term }) => term);
    const terms = [...queryTerms].map(([term, words]): TermContribution => {
      const df = this.#passageFrequency(term);
      const termIdf = df === 0 ? 0 : idf(params, passages, df, () => this.#collection.meanIdf());
      const frequency = counts.get(term)?.length ?? 0;
      const weight = words.length * termIdf * variantFactor(params);
      const contribution = frequency === 0 ? 0 : (weight * frequency) / (frequency + norm);
      return { term, word: words[0]!.word, idf: termIdf, passages: df, frequency, contribution };
    });
    return { terms, lengths: { passage: length, mean: averageLength } };
  }

  /** How frequent terms are among the live passages. The result is valid until passages are added. */
  frequencies(live: LiveSlots): TermFrequencies {
    this.#collection.refresh(live);
    const { passages } = this.#collection.statistics;
    return {
      passages,
      having: (word) =>
        this.#termsOfQuery(word).reduce((sum, { term }) => sum + this.#passageFrequency(term), 0),
    };
  }

  get stats(): Bm25Stats {
    const { segments } = this.#collection;
    const sum = (of: (segment: LiveSegment) => number): number =>
      segments.reduce((total, segment) => total + of(segment), 0);
    return {
      passages: sum(({ segment }) => segment.slots.length),
      pending: [this.#builder, ...this.#unsealed].reduce((total, builder) => total + builder.passages, 0),
      segments: segments.length,
      terms: this.#lexicon.size,
      postings: sum(({ segment }) => segment.postings.length),
      memoryBytes: this.#lexicon.bytes + sum(({ segment }) => segmentBytes(segment)),
      diskBytes: sum(({ diskBytes }) => diskBytes),
    };
  }

  /** The distinct terms of a query that occur in a live passage, in the order of the query. */
  #queryTerms(query: string, params: Bm25Params): WeightedTerm[] {
    const frequencies = new Map<string, number>();
    for (const { term } of this.#termsOfQuery(query)) frequencies.set(term, (frequencies.get(term) ?? 0) + 1);
    const { passages } = this.#collection.statistics;
    return [...frequencies].flatMap(([text, queryFrequency]) => {
      const df = this.#passageFrequency(text);
      if (df === 0) return [];
      const termIdf = idf(params, passages, df, () => this.#collection.meanIdf());
      // Adding 0 turns a −0 (epsilon 0) into 0, which the scorer distinguishes from an untouched score.
      const weight = queryFrequency * termIdf * variantFactor(params) + 0;
      return [{ id: findTerm(this.#lexicon, text), weight }];
    });
  }

  /**
   * The terms of a query with the word of each, in order, with repeats. If its language is not certain, a word has the
   * stems of several that occur in the corpus, or one that does not.
   */
  #termsOfQuery(query: string): { readonly word: string; readonly term: string }[] {
    const words = this.#analyzer.words(query);
    const languages = languagesOfQuestion(words, this.#languages());
    return words.flatMap((word) => {
      const stems = new Set(languages.flatMap((language) => termOf(this.#analyzer, word, language) ?? []));
      const terms = [...stems].filter((term) => stems.size === 1 || this.#passageFrequency(term) > 0);
      return (terms.length > 0 ? terms : [...stems].slice(0, 1)).map((term) => ({ word, term }));
    });
  }

  /** The languages of the live passages. `undefined` is the analyzer's own. */
  #languages(): readonly (LanguageName | undefined)[] {
    if (this.#analyzer.name !== 'auto') return [undefined];
    const counts = LANGUAGE_NAMES.map((name) => this.#passageFrequency(markOf(name)));
    const rest = this.#collection.statistics.passages - counts.reduce((sum, count) => sum + count, 0);
    const languages = LANGUAGE_NAMES.filter((_, place) => counts[place]! > 0);
    return rest > 0 || languages.length === 0 ? [undefined, ...languages] : languages;
  }

  /** The number of live passages with a term. */
  #passageFrequency(term: string): number {
    const id = findTerm(this.#lexicon, term);
    return id < 0 ? 0 : this.#collection.passageFrequency(id);
  }

  #planMerge(live: LiveSlots): LiveSegment[] {
    this.#collection.refresh(live);
    const { segments } = this.#collection;
    const sizes = segments.map(({ alive, passages }) => ({ passages: alive.length, live: passages }));
    return planMerge(sizes, MAX_PASSAGES).map((position) => segments[position]!);
  }

  #setAside(): void {
    this.#unsealed.push(this.#builder);
    this.#builder = new SegmentBuilder();
  }

  async #inTurn(work: () => Promise<void>): Promise<void> {
    const result = this.#turn.then(work);
    this.#turn = result.catch(() => undefined);
    await result;
  }

  /** Replaces the given segments by a new one, unless it is empty: first on disk, then in memory. */
  async #commit(segment: Segment, replaced: readonly LiveSegment[], pace: Pace): Promise<void> {
    const added = segment.slots.length === 0 ? [] : [await this.#store(segment, pace)];
    const segments = [...this.#collection.segments.filter((one) => !replaced.includes(one)), ...added];
    await this.#publish(segments);
    this.#collection.replaceSegments(segments);
  }

  async #store(segment: Segment, pace: Pace): Promise<LiveSegment> {
    const folder = this.#folder;
    if (folder === undefined) return new LiveSegment(segment, this.#lexicon.size);
    const file = `segment-${this.#nextFile++}.bm25`;
    const bytes = await usable(() =>
      writeSegment(path.join(folder, file), segment, this.#lexicon, this.#analyzer.name, pace),
    );
    return new LiveSegment(segment, this.#lexicon.size, file, bytes);
  }

  /** Makes these segments the content of the folder. */
  async #publish(segments: readonly LiveSegment[]): Promise<void> {
    const folder = this.#folder;
    if (folder === undefined) return;
    const manifest: Manifest = { next: this.#nextFile, segments: segments.flatMap(({ file }) => file ?? []) };
    await usable(async () => {
      await writeManifest(folder, manifest);
      this.#published = manifest;
      await removeUnlisted(folder, manifest);
    });
  }

  async #load(folder: string, pace: Pace): Promise<Damage[]> {
    const manifest = await usable(async () => {
      await mkdir(folder, { recursive: true });
      return readManifest(folder);
    });
    this.#published = manifest;
    this.#covered = new SlotSet();
    this.#collection.replaceSegments([]);
    if (!manifest) return [{ file: folder, reason: 'the list of its segments does not match its checksum' }];
    this.#nextFile = manifest.next;
    const segments: LiveSegment[] = [];
    const damaged: Damage[] = [];
    const files = manifest.segments.map((file) => path.join(folder, file));
    const texts = files.length > 0 ? this.#texts?.() : undefined;
    for await (const read of readSegments(files, this.#lexicon, this.#analyzer.name, pace)) {
      const file = manifest.segments[segments.length + damaged.length];
      const reason = 'reason' in read ? read.reason : this.#mismatch(read.segment, texts);
      if ('reason' in read || reason !== undefined)
        damaged.push({ file: path.join(folder, file!), reason: reason! });
      else {
        segments.push(new LiveSegment(read.segment, this.#lexicon.size, file, read.bytes));
        this.#covered.addAll(read.segment.slots);
      }
      pace.report(segments.length + damaged.length, manifest.segments.length);
    }
    this.#collection.replaceSegments(segments);
    return damaged;
  }

  /** Why an intact segment does not match the passages that the slots have now, or the other segments. */
  #mismatch({ slots, texts: sums }: Segment, texts: TextSums | undefined): string | undefined {
    if (texts && !texts.fit(slots, sums)) return 'it was made of other passages than this store has';
    if (slots.some((slot) => this.#covered.has(slot))) return 'it holds passages that another part holds';
    return undefined;
  }
}

/** Removes what a crash or a merge has left behind. */
async function removeUnlisted(folder: string, { segments }: Manifest): Promise<void> {
  for (const file of await readdir(folder))
    if (/^segment-\d+\.bm25(\.tmp)?$/.test(file) && !segments.includes(file))
      await rm(path.join(folder, file), { force: true });
}

/** @throws ParallaxError `store-unusable` for an error of the file system */
async function usable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (ParallaxError.is(error)) throw error;
    throw new ParallaxError(
      'store-unusable',
      l10n.t`The search index cannot be kept on disk: ${messageOf(error)}`,
      {
        cause: error,
      },
    );
  }
}
