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
import { LabelsReading } from './labels-reading.ts';

/** All that a labels file says; what is added to the file is added to it. */
interface Content {
  readonly index: LabelIndex;
  /** Those that nobody took back. */
  readonly checks: readonly AttentionCheck[];
  /** Sentences on what could not be read. */
  readonly problems: readonly string[];
}

export class LabelsFile {
  readonly #path: string | undefined;
  readonly #onWarning: (warning: string) => void;
  readonly #boundary: Boundary;
  /** Reading and adding, one after the other. */
  #turn: Promise<unknown> = Promise.resolve();
  #version = '';
  #reading = new LabelsReading();

  /**
   * @param file absent where there is no workspace: then there are no labels, and none can be given
   * @param boundary what a link in place of the file must not lead out of
   */
  constructor(file: string | undefined, onWarning: (warning: string) => void, boundary?: Boundary) {
    this.#path = file;
    this.#onWarning = onWarning;
    this.#boundary = boundary;
  }

  /** The labels as the file has them now; lines that cannot be read are left out with a warning. */
  async read(): Promise<LabelIndex> {
    return (await this.content()).index;
  }

  /** Like {@link read}, with what else the file holds. */
  async content(): Promise<Content> {
    const file = this.#path;
    if (file !== undefined) await this.#inTurn(() => this.#refresh(file));
    const { index, checks, problems } = this.#reading;
    const name = path.basename(file ?? '');
    return { index, checks, problems: problems.map((problem) => `${name}: ${problem}`) };
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.#turn.then(work);
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  async #refresh(file: string): Promise<void> {
    const state = await stateOf(file);
    const version = versionOf(state);
    if (version === this.#version) return;
    if (state === undefined) this.#reading = new LabelsReading();
    else if (!(await isInside(this.#boundary, file))) {
      // A workspace that is not trusted is searched without the labels that a link of it leads to.
      this.#onWarning(
        l10n.t`${file} leads out of this folder. Its labels count only once you trust the workspace.`,
      );
      this.#reading = new LabelsReading();
    } else {
      const known = this.#reading.problems.length;
      const isSame = await this.#readOn(file);
      const { problems } = this.#reading;
      problems
        .slice(isSame ? known : 0)
        .forEach((problem) => this.#onWarning(`${path.basename(file)}: ${problem}`));
    }
    this.#version = version;
  }

  /**
   * Reads what was added to the file; all of it where what it held is another now.
   *
   * @returns whether it only grew
   */
  async #readOn(file: string): Promise<boolean> {
    try {
      if (await this.#reading.readOn(this.#chunks(file))) return true;
      this.#reading = new LabelsReading();
      await this.#reading.readOn(this.#chunks(file));
      return false;
    } catch (error) {
      this.#version = '';
      this.#reading = new LabelsReading();
      if (ParallaxError.is(error)) throw error;
      throw new ParallaxError('bad-file', l10n.t`Cannot read ${file}: ${reasonOf(error)}.`, { cause: error });
    }
  }

  #chunks(file: string): AsyncIterable<Buffer> {
    return readPassingChunks(file, { boundary: this.#boundary });
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
    // What somebody else wrote meanwhile is found when the labels are read next.
    if (versionOf(before) !== this.#version || after === undefined) return;
    if (before && (after.ino !== before.ino || after.size !== before.size + written.length)) return;
    if (!before && after.size !== written.length) return;
    this.#reading.add(written);
    this.#version = versionOf(after);
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
