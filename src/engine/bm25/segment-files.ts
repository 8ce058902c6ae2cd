import { analyzer as analyzerNamed, type AnalyzerName } from '../../core/text/analyzer.ts';
import type { Pace } from '../concurrency/pace.ts';
import { textChecksum } from '../text-sums.ts';
import type { Slot } from '../types.ts';
import { PassageAnalyzer } from './passage-analyzer.ts';
import { SegmentBuilder } from './segment-builder.ts';
import { writeSegment } from './segment-file.ts';
import { TermTable } from './term-table.ts';

/**
 * Writes files of segments without an index, for `Bm25Index.adopt`. Words learnt for one segment are reused
 * for the next.
 */
export class SegmentFiles {
  readonly #analyzer: AnalyzerName;
  readonly #lexicon = new TermTable();
  readonly #passages: PassageAnalyzer;

  constructor(analyzer: AnalyzerName) {
    this.#analyzer = analyzer;
    this.#passages = new PassageAnalyzer(analyzerNamed(analyzer), this.#lexicon);
  }

  begin(): SegmentFile {
    return new SegmentFile(this.#analyzer, this.#passages, this.#lexicon);
  }
}

/** A segment to which passages are added until it is written. */
export class SegmentFile {
  readonly #analyzer: AnalyzerName;
  readonly #passages: PassageAnalyzer;
  readonly #lexicon: TermTable;
  readonly #builder = new SegmentBuilder();

  constructor(analyzer: AnalyzerName, passages: PassageAnalyzer, lexicon: TermTable) {
    this.#analyzer = analyzer;
    this.#passages = passages;
    this.#lexicon = lexicon;
  }

  /** To be called once for each slot, at most `MAX_PASSAGES` times. */
  add(slot: Slot, text: string): void {
    const terms = this.#passages.analyze(text);
    this.#builder.add(slot, textChecksum(text), terms, this.#lexicon.size);
  }

  /** @throws ParallaxError `cancelled`; errors of the file system */
  async write(file: string, pace: Pace): Promise<void> {
    await writeSegment(file, await this.#builder.seal(pace), this.#lexicon, this.#analyzer, pace);
  }
}
