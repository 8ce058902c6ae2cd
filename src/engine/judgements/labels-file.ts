/** The human labels of a workspace: read again when the file changed, and appended to. */
import { readFile, stat } from 'node:fs/promises';
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
import { requireInside, type Boundary } from '../files/boundary.ts';

/** All that a labels file says, as of one moment. */
type Content = Pick<ParsedLabels, 'labels' | 'checks'> & { readonly index: LabelIndex };

const NOTHING: Content = { labels: [], checks: [], index: new LabelIndex([]) };

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
    const version = await fileVersion(this.#path);
    if (version === this.#version) return this.#content;
    const { labels, checks, warnings } = parseLabels(
      version === '' ? '' : await readFile(this.#path, 'utf8'),
    );
    for (const warning of warnings) this.#onWarning(`${this.#path}: ${warning}`);
    this.#version = version;
    this.#content = { labels, checks, index: new LabelIndex(labels) };
    return this.#content;
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
    await appendLines(this.#path, [formatLabel(line)]);
  }
}

/** Changes whenever the file does; empty while there is none. */
async function fileVersion(file: string): Promise<string> {
  try {
    const { mtimeMs, size, ino } = await stat(file);
    return `${mtimeMs} ${size} ${ino}`;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}
