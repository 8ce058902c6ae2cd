/** The content of a labels file: labels, attention checks, and lines that could not be read. */
import { isUtf8 } from 'node:buffer';
import * as l10n from '@vscode/l10n';
import { LabelIndex } from '../../core/formats/label-index.ts';
import {
  nameOf,
  namesPart,
  readLabelLine,
  type AttentionCheck,
  type LabelLine,
  type Withdrawal,
} from '../../core/formats/labels.ts';
import { byteLines, MAX_LINE_BYTES, type ByteLine } from '../files/byte-lines.ts';

/** With more problems, the user has to look at the file anyway. */
const MAX_PROBLEMS = 1_000;
const BYTE_ORDER_MARK = '\uFEFF';

/** Labels that name parts of documents by number. */
export interface NumberedParts {
  readonly labels: number;
  /** The first of those names. */
  readonly example: string;
}

export class LabelsReading {
  readonly index = new LabelIndex();
  /** `undefined` if there are none. */
  parts: NumberedParts | undefined;
  #checks: AttentionCheck[] = [];
  readonly #withdrawn = new Set<string>();
  readonly #problems: string[] = [];
  #furtherProblems = 0;
  #isUtf8 = true;

  /** @throws what the chunks throw */
  static async of(chunks: AsyncIterable<Buffer>): Promise<LabelsReading> {
    const reading = new LabelsReading();
    const withdrawals: Withdrawal[] = [];
    for await (const line of byteLines(chunks, MAX_LINE_BYTES)) {
      const read = reading.#read(line);
      if (read && 'withdraws' in read) withdrawals.push(read);
      else if (read) reading.#take(read);
    }
    reading.#withdraw(withdrawals);
    return reading;
  }

  /** Attention checks without the withdrawn ones. */
  get checks(): readonly AttentionCheck[] {
    return this.#checks;
  }

  /** Messages about lines that could not be read, in the order of the file. */
  get problems(): readonly string[] {
    if (this.#furtherProblems === 0) return this.#problems;
    return [...this.#problems, l10n.t`Further lines that cannot be read: ${this.#furtherProblems}.`];
  }

  /** Adds a line that was appended to the file. */
  add(line: LabelLine): void {
    if ('withdraws' in line) this.#withdraw([line]);
    else this.#take(line);
  }

  #read({ line: place, bytes }: ByteLine): LabelLine | undefined {
    const number = place + 1;
    if (bytes === 'too-long') {
      this.#report(l10n.t`Line ${number}: longer than ${MAX_LINE_BYTES / 2 ** 20} MB; skipped.`);
      return undefined;
    }
    if (this.#isUtf8 && !isUtf8(bytes)) {
      this.#isUtf8 = false;
      this.#report(l10n.t('It is not UTF-8 text. Save it as UTF-8.'));
    }
    const line = bytes.toString('utf8');
    const text = number === 1 && line.startsWith(BYTE_ORDER_MARK) ? line.slice(1) : line;
    if (text.trim() === '') return undefined;
    const read = readLabelLine({ number, text });
    if (typeof read !== 'string') return read;
    this.#report(read);
    return undefined;
  }

  #take(line: Exclude<LabelLine, Withdrawal>): void {
    if ('expected' in line) {
      if (!this.#withdrawn.has(nameOf(line, line.at))) this.#checks.push(line);
      return;
    }
    this.index.add(line);
    if (namesPart(line))
      this.parts = { labels: (this.parts?.labels ?? 0) + 1, example: this.parts?.example ?? line.document };
  }

  /** All at once, since withdrawals may precede what they withdraw. */
  #withdraw(withdrawals: readonly Withdrawal[]): void {
    this.index.withdraw(withdrawals);
    for (const withdrawal of withdrawals) this.#withdrawn.add(nameOf(withdrawal, withdrawal.withdraws));
    this.#checks = this.#checks.filter((check) => !this.#withdrawn.has(nameOf(check, check.at)));
  }

  #report(problem: string): void {
    if (this.#problems.length < MAX_PROBLEMS) this.#problems.push(problem);
    else this.#furtherProblems++;
  }
}
