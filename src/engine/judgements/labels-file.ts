/** The human labels of a workspace: what somebody else adds to the file is read, and appended to it. */
import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../core/errors.ts';
import type { LabelIndex } from '../../core/formats/label-index.ts';
import { formatLabel, type AttentionCheck, type LabelLine } from '../../core/formats/labels.ts';
import { isInside, requireInside, type Boundary } from '../files/boundary.ts';
import { reasonOf } from '../files/file-reason.ts';
import { readPassingChunks } from '../files/reading.ts';
import { appendLabels } from './append-labels.ts';
import { LabelsReading, type NumberedParts } from './labels-reading.ts';

/** All that a labels file says; what is added to the file is added to it. */
interface Content {
  readonly index: LabelIndex;
  /** Those that nobody took back. */
  readonly checks: readonly AttentionCheck[];
  /** Sentences on what could not be read. */
  readonly problems: readonly string[];
  readonly parts: NumberedParts | undefined;
}

export class LabelsFile {
  readonly #path: string | undefined;
  readonly #onWarning: (warning: string) => void;
  readonly #boundary: Boundary;
  /** Reading and adding, one after the other. */
  #turn: Promise<unknown> = Promise.resolve();
  /** Of the file as it was read; `undefined` while there is none, or where it has to be read. */
  #state: FileState | undefined;
  #reading = new LabelsReading();
  /** The first bytes of the file, up to this one, are still to be held against what was read. */
  #unchecked = 0;
  #checking: Promise<void> | undefined;
  readonly #onCorrected: () => void;

  /**
   * @param file absent where there is no workspace: then there are no labels, and none can be given
   * @param boundary what a link in place of the file must not lead out of
   * @param onCorrected called where what was said of the labels is found to be another: ask again
   */
  constructor(
    file: string | undefined,
    onWarning: (warning: string) => void,
    boundary?: Boundary,
    onCorrected: () => void = () => undefined,
  ) {
    this.#path = file;
    this.#onWarning = onWarning;
    this.#boundary = boundary;
    this.#onCorrected = onCorrected;
  }

  /** The labels as the file has them now; lines that cannot be read are left out with a warning. */
  async read(): Promise<LabelIndex> {
    return (await this.content()).index;
  }

  /** Like {@link read}, with what else the file holds. */
  async content(): Promise<Content> {
    const file = this.#path;
    if (file !== undefined) await this.#inTurn(() => this.#refresh(file));
    const { index, checks, problems, parts } = this.#reading;
    const name = path.basename(file ?? '');
    return { index, checks, problems: problems.map((problem) => `${name}: ${problem}`), parts };
  }

  /** Like {@link content}, once all of the file is known to be what was read: for whoever cannot be corrected later. */
  async certain(): Promise<Content> {
    await this.content();
    await this.#checking;
    return this.content();
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.#turn.then(work);
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  async #refresh(file: string): Promise<void> {
    const state = await stateOf(file);
    if (versionOf(state) === versionOf(this.#state)) return;
    if (state === undefined) this.#reading = new LabelsReading();
    else if (!(await isInside(this.#boundary, file))) {
      // A workspace that is not trusted is searched without the labels that a link of it leads to.
      this.#onWarning(
        l10n.t`${file} leads out of this folder. Its labels count only once you trust the workspace.`,
      );
      this.#reading = new LabelsReading();
    } else {
      const known = this.#reading.problems.length;
      const isSame = await this.#readOn(file, this.#firstToRead(state));
      const { problems } = this.#reading;
      problems
        .slice(isSame ? known : 0)
        .forEach((problem) => this.#onWarning(`${path.basename(file)}: ${problem}`));
    }
    this.#state = state;
  }

  /** Of a file that grew where it stands, most is looked at afterwards: only the end is needed for what was added. */
  #firstToRead(state: FileState): number {
    const hasGrown =
      this.#state !== undefined && state.ino === this.#state.ino && state.size > this.#state.size;
    return hasGrown ? this.#reading.lastBlocks : 0;
  }

  /**
   * Reads what was added to the file; all of it where what it held is another now.
   *
   * @param from nothing before it is looked at now
   * @returns whether it only grew
   */
  async #readOn(file: string, from: number): Promise<boolean> {
    try {
      if (await this.#reading.readOn(this.#chunks(file, { from }), from)) {
        if (from > 0) this.#check(file, from);
        return true;
      }
      this.#reading = new LabelsReading();
      await this.#reading.readOn(this.#chunks(file));
      return false;
    } catch (error) {
      this.#forget();
      if (ParallaxError.is(error)) throw error;
      throw new ParallaxError('bad-file', l10n.t`Cannot read ${file}: ${reasonOf(error)}.`, { cause: error });
    }
  }

  #forget(): void {
    this.#state = undefined;
    this.#reading = new LabelsReading();
  }

  #check(file: string, to: number): void {
    this.#unchecked = to;
    this.#checking ??= this.#checkAll(file);
  }

  /**
   * An editor that saves a large file writes all of it, so that a line may be another one although the file only seems to
   * have grown. Where it moved what follows, its end has told; the rest is found here.
   */
  async #checkAll(file: string): Promise<void> {
    while (this.#unchecked > 0) {
      const to = this.#unchecked;
      const reading = this.#reading;
      this.#unchecked = 0;
      // An unreadable file is read anew, and whoever asks for it is told why that fails.
      const isSame = await reading.holds(this.#chunks(file, { to })).catch(() => false);
      if (isSame || reading !== this.#reading) continue;
      await this.#inTurn(() => Promise.resolve(this.#forget()));
      this.#onCorrected();
    }
    this.#checking = undefined;
  }

  #chunks(file: string, stretch: { from?: number; to?: number } = {}): AsyncIterable<Buffer> {
    return readPassingChunks(file, { boundary: this.#boundary }, stretch);
  }

  /**
   * Adds one line; the file is append-only so that labels of several people merge.
   *
   * @throws ParallaxError `not-found` where there is no workspace, `untrusted` where a link leads out of it,
   *   `bad-file` when it cannot be written
   */
  async append(line: LabelLine): Promise<void> {
    const file = this.#path;
    if (file === undefined) throw new ParallaxError('not-found', l10n.t('Labels need a workspace folder.'));
    await requireInside(this.#boundary, file);
    await this.#inTurn(() => this.#append(file, formatLabel(line)));
  }

  async #append(file: string, line: string): Promise<void> {
    const before = await stateOf(file);
    const written = await appendLabels(file, [line]);
    const after = await stateOf(file);
    // Lines that somebody else wrote meanwhile are found when the labels are read next.
    if (versionOf(before) !== versionOf(this.#state) || after === undefined) return;
    if (before && (after.ino !== before.ino || after.size !== before.size + written.length)) return;
    if (!before && after.size !== written.length) return;
    this.#reading.add(written);
    this.#state = after;
  }
}

type FileState = Pick<Stats, 'mtimeMs' | 'ctimeMs' | 'size' | 'ino'>;

/** Changes whenever the file does; empty while there is none. */
function versionOf(state: FileState | undefined): string {
  return state === undefined ? '' : `${state.mtimeMs} ${state.ctimeMs} ${state.size} ${state.ino}`;
}

async function stateOf(file: string): Promise<FileState | undefined> {
  try {
    return await stat(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * A sentence on labels that name parts of documents by their numbers, in a corpus that has no documents of such names.
 */
export function partsText({ labels, example }: NumberedParts): string {
  return labels === 1
    ? l10n.t`1 label names a passage by its number ("${example}") and counts for nothing: a number means another passage once the documents or their split change. Bring it in again with its corpus: parallax import --qrels … --corpus ….`
    : l10n.t`${labels} labels name passages by their numbers, such as "${example}", and count for nothing: a number means another passage once the documents or their split change. Bring them in again with their corpus: parallax import --qrels … --corpus ….`;
}
