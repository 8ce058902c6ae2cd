import { analyzer as analyzerNamed, type AnalyzerName } from '../../core/text/analyzer.ts';
import type { Pace } from '../pace.ts';
import type { Slot } from '../types.ts';
import { PassageAnalyzer } from './passage-analyzer.ts';
import { SegmentBuilder } from './segment-builder.ts';
import { writeSegment } from './segment-file.ts';
import { TermTable } from './term-table.ts';

/**
 * Writes files of segments without an index: whoever has that takes them over (`Bm25Index.adopt`). What it learnt
 * about the words of one segment serves the next.
 */
export class SegmentFiles {
  readonly #analyzer: AnalyzerName;
  readonly #lexicon = new TermTable();
  readonly #passages: PassageAnalyzer;

  constructor(analyzer: AnalyzerName) {
    this.#analyzer = analyzer;
    this.#passages = new PassageAnalyzer(analyzerNamed(analyzer), this.#lexicon);
  }

  /**
   * @param texts not more than a segment holds (`MAX_PASSAGES`), every slot once
   * @throws ParallaxError `cancelled`; errors of the file system
   */
  async write(
    texts: Iterable<{ readonly slot: Slot; readonly text: string }>,
    file: string,
    pace: Pace,
  ): Promise<void> {
    const builder = new SegmentBuilder();
    for (const { slot, text } of texts) {
      this.#passages.analyze(text);
      builder.add(slot, this.#passages.terms, this.#passages.length, this.#lexicon.size);
      if (pace.due) await pace.rest();
    }
    await writeSegment(file, await builder.seal(pace), this.#lexicon, this.#analyzer, pace);
  }
}
