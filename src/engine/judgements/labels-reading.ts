/** A labels file as far as it was read: line by line, so that its length is no matter, and nothing of it twice. */
import { isUtf8 } from 'node:buffer';
import * as l10n from '@vscode/l10n';
import { LabelIndex } from '../../core/formats/label-index.ts';
import {
  nameOf,
  namesPart,
  readLabelLine,
  type AttentionCheck,
  type Label,
  type LabelLine,
  type Withdrawal,
} from '../../core/formats/labels.ts';
import { ByteLines, MOST_LINE_BYTES, type ByteLine } from '../files/byte-lines.ts';
import { BlockSums } from './block-sums.ts';

/** With more, somebody has to look at the file anyway. */
const MOST_PROBLEMS = 1_000;
const LINE_FEED = 10;
/** 16 MB, so that a file of some 40,000 labels is always looked at as a whole. */
const LAST_BLOCKS = 16;
const BYTE_ORDER_MARK = '\uFEFF';

/** Labels that name parts of documents by their numbers. */
export interface NumberedParts {
  readonly labels: number;
  /** The first of those names. */
  readonly example: string;
}

export class LabelsReading {
  readonly index = new LabelIndex();
  /** Absent where there are none. */
  parts: NumberedParts | undefined;
  /** By name, so that they can be taken back; the same line may stand there twice. */
  readonly #checks = new Map<string, AttentionCheck[]>();
  /** Taken back together, once the labels are here. */
  #withdrawals: Withdrawal[] = [];
  readonly #withdrawn = new Set<string>();
  readonly #problems: string[] = [];
  #furtherProblems = 0;
  #isUtf8 = true;
  /** Of what was read: its checksums, the line feeds in it, and whether one is the last of its bytes. */
  readonly #sums = new BlockSums();
  #lines = 0;
  #endsOpen = false;

  /** The first byte of the last blocks that were read, which are small beside a large file. */
  get lastBlocks(): number {
    return this.#sums.lastBlocks(LAST_BLOCKS);
  }

  /** Those that nobody took back. */
  get checks(): readonly AttentionCheck[] {
    return [...this.#checks.values()].flat();
  }

  /** Sentences on what could not be read, in the order of the file. */
  get problems(): readonly string[] {
    if (this.#furtherProblems === 0) return this.#problems;
    return [...this.#problems, l10n.t`Further lines that cannot be read: ${this.#furtherProblems}.`];
  }

  /**
   * Reads what was added to the file. Of what was read before nothing is parsed again; it is held against its checksums.
   *
   * @param chunks of the file; nothing of them is kept
   * @param from the byte that they begin with: 0, or {@link lastBlocks}
   * @returns false where they no longer begin with what was read before: then nothing of them is taken
   * @throws whatever the chunks throw; by then a part of them was taken
   */
  async readOn(chunks: AsyncIterable<Buffer>, from = 0): Promise<boolean> {
    const known = this.#sums.end;
    const seen = this.#sums.from(from);
    const lines = new ByteLines(MOST_LINE_BYTES);
    const first = this.#lines;
    let isContinued = false;
    for await (const chunk of chunks) {
      const old = chunk.subarray(0, known - seen.end);
      const added = chunk.subarray(old.length);
      seen.pass(old);
      if (added.length === 0) continue;
      if (!isContinued && !this.#isContinued(seen, added)) return false;
      isContinued = true;
      this.#pass(added);
      // A copy, since the beginning of a line waits for its end.
      for (const line of lines.of(Buffer.from(added))) this.#take(line, first);
    }
    if (!isContinued) return seen.end === known && this.#sums.holds(seen);
    for (const line of lines.rest()) this.#take(line, first);
    this.#settle();
    return true;
  }

  /**
   * Whether the file still begins with what was read.
   *
   * @param chunks of the file, to any byte of what was read
   */
  async holds(chunks: AsyncIterable<Buffer>): Promise<boolean> {
    const seen = this.#sums.from(0);
    for await (const chunk of chunks) seen.pass(chunk);
    return this.#sums.holds(seen);
  }

  /** Takes what this process has added to the file. @param bytes whole lines, the end of the last line before them, too */
  add(bytes: Buffer): void {
    const lines = new ByteLines(MOST_LINE_BYTES);
    const first = this.#lines;
    this.#pass(bytes);
    for (const line of lines.of(bytes)) this.#take(line, first);
    this.#settle();
  }

  /** A line that was read without its end may be a longer one by now. */
  #isContinued(seen: BlockSums, added: Buffer): boolean {
    return this.#sums.holds(seen) && (!this.#endsOpen || added[0] === LINE_FEED);
  }

  #pass(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#sums.pass(bytes);
    for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1)) this.#lines++;
    this.#endsOpen = bytes.at(-1) !== LINE_FEED;
  }

  #take({ line: place, bytes }: ByteLine, first: number): void {
    const number = first + place + 1;
    if (bytes === 'too-long')
      return this.#report(l10n.t`Line ${number}: longer than ${MOST_LINE_BYTES / 2 ** 20} MB; skipped.`);
    if (this.#isUtf8 && !isUtf8(bytes)) {
      this.#isUtf8 = false;
      this.#report(l10n.t('It is not UTF-8 text. Save it as UTF-8.'));
    }
    const line = bytes.toString('utf8');
    const text = number === 1 && line.startsWith(BYTE_ORDER_MARK) ? line.slice(1) : line;
    if (text.trim() === '') return;
    const read = readLabelLine({ number, text });
    if (typeof read === 'string') this.#report(read);
    else this.#takeLine(read);
  }

  #takeLine(line: LabelLine): void {
    if ('withdraws' in line) this.#withdrawals.push(line);
    else if ('verdict' in line) this.#takeLabel(line);
    else {
      const name = nameOf(line, line.at);
      if (!this.#withdrawn.has(name)) getOrAdd(this.#checks, name).push(line);
    }
  }

  #takeLabel(label: Label): void {
    this.index.add(label);
    if (namesPart(label))
      this.parts = {
        labels: (this.parts?.labels ?? 0) + 1,
        example: this.parts?.example ?? label.document,
      };
  }

  #settle(): void {
    this.index.withdraw(this.#withdrawals);
    for (const withdrawal of this.#withdrawals) {
      const name = nameOf(withdrawal, withdrawal.withdraws);
      this.#withdrawn.add(name);
      this.#checks.delete(name);
    }
    this.#withdrawals = [];
  }

  #report(problem: string): void {
    if (this.#problems.length < MOST_PROBLEMS) this.#problems.push(problem);
    else this.#furtherProblems++;
  }
}

function getOrAdd<V>(lists: Map<string, V[]>, key: string): V[] {
  const found = lists.get(key) ?? [];
  lists.set(key, found);
  return found;
}
