/** The human labels of a workspace: read again when somebody else changed the file, and appended to. */
import { isUtf8 } from 'node:buffer';
import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../core/errors.ts';
import {
  formatLabel,
  LabelIndex,
  parseLabels,
  type LabelLine,
  type ParsedLabels,
} from '../../core/formats/labels.ts';
import { appendLines } from '../files/append-lines.ts';
import { isInside, requireInside, type Boundary } from '../files/boundary.ts';
import { reasonOf } from '../files/file-reason.ts';
import { MOST_TEXT_BYTES, readBytes } from '../files/reading.ts';

/** All that a labels file says, as of one moment. */
type Content = Pick<ParsedLabels, 'labels' | 'checks'> & {
  readonly index: LabelIndex;
  /** Sentences on what could not be read. */
  readonly problems: readonly string[];
};

const NOTHING: Content = { labels: [], checks: [], index: new LabelIndex([]), problems: [] };

export class LabelsFile {
  readonly #path: string | undefined;
  readonly #onWarning: (warning: string) => void;
  readonly #boundary: Boundary;
  #version = '';
  #content = NOTHING;

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

  /** Like {@link read}, with the lines themselves. */
  async content(): Promise<Content> {
    if (this.#path === undefined) return NOTHING;
    const version = versionOf(await stateOf(this.#path));
    if (version === this.#version) return this.#content;
    const bytes = version === '' ? Buffer.alloc(0) : await this.#bytes(this.#path);
    const { labels, checks, warnings } = parseLabels(bytes.toString('utf8'));
    const name = path.basename(this.#path);
    const undecoded = isUtf8(bytes) ? [] : [l10n.t('It is not UTF-8 text. Save it as UTF-8.')];
    const problems = [...undecoded, ...warnings].map((problem) => `${name}: ${problem}`);
    problems.forEach(this.#onWarning);
    this.#version = version;
    this.#content = { labels, checks, index: new LabelIndex(labels), problems };
    return this.#content;
  }

  /** A workspace that is not trusted is searched without the labels that a link of it leads to. */
  async #bytes(file: string): Promise<Buffer> {
    if (!(await isInside(this.#boundary, file))) {
      this.#onWarning(
        l10n.t`${file} leads out of this folder. Its labels count only once you trust the workspace.`,
      );
      return Buffer.alloc(0);
    }
    try {
      return await readBytes(file, { boundary: this.#boundary, maxBytes: MOST_TEXT_BYTES });
    } catch (error) {
      if (ParallaxError.is(error)) throw error;
      throw new ParallaxError('bad-file', l10n.t`Cannot read ${file}: ${reasonOf(error)}.`, { cause: error });
    }
  }

  /**
   * Adds one line; the file is append-only so that labels of several people merge.
   *
   * @throws ParallaxError `not-found` where there is no workspace, `untrusted` where a link leads out of it,
   *   `bad-file` when it cannot be written
   */
  async append(line: LabelLine): Promise<void> {
    if (this.#path === undefined)
      throw new ParallaxError('not-found', l10n.t('Labels need a workspace folder.'));
    await requireInside(this.#boundary, this.#path);
    const [before, content] = [await stateOf(this.#path), this.#content];
    const isCurrent = versionOf(before) === this.#version;
    const written = formatLabel(line);
    await appendLines(this.#path, [written]);
    const after = await stateOf(this.#path);
    const isOurs =
      before !== undefined &&
      after?.ino === before.ino &&
      after.size === before.size + Buffer.byteLength(written);
    // Somebody else wrote, or reads: then everything is read again.
    if (!isCurrent || !isOurs || this.#content !== content) return;
    const extended = extendedBy(content, written);
    if (!extended) return;
    this.#content = extended;
    this.#version = versionOf(after);
  }
}

/** @returns undefined where the other lines have to be looked at: a withdrawal, or a clock that was set back */
function extendedBy(content: Content, written: string): Content | undefined {
  const { labels, checks } = parseLabels(written);
  const [label] = labels;
  if (label) return content.index.add(label) ? { ...content, labels: [...content.labels, label] } : undefined;
  return checks[0] ? { ...content, checks: [...content.checks, checks[0]] } : undefined;
}

type FileState = Pick<Stats, 'mtimeMs' | 'size' | 'ino'>;

/** Changes whenever the file does; empty while there is none. */
function versionOf(state: FileState | undefined): string {
  return state === undefined ? '' : `${state.mtimeMs} ${state.size} ${state.ino}`;
}

async function stateOf(file: string): Promise<FileState | undefined> {
  try {
    return await stat(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
