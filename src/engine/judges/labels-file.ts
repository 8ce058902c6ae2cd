/** The human labels of a workspace: read again when the file changed, and appended to. */
import { appendFile, mkdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { formatLabel, LabelIndex, parseLabels, type Label } from '../../core/formats/labels.ts';

const NONE = new LabelIndex([]);

export class LabelsFile {
  readonly #path: string | undefined;
  readonly #onWarning: (warning: string) => void;
  #version = '';
  #index = NONE;

  /** @param file absent where there is no workspace: then there are no labels, and none can be given */
  constructor(file: string | undefined, onWarning: (warning: string) => void) {
    this.#path = file;
    this.#onWarning = onWarning;
  }

  /** The labels as the file has them now; lines that cannot be read are left out with a warning. */
  async read(): Promise<LabelIndex> {
    if (this.#path === undefined) return NONE;
    const version = await fileVersion(this.#path);
    if (version === this.#version) return this.#index;
    const { labels, warnings } = parseLabels(version === '' ? '' : await readFile(this.#path, 'utf8'));
    for (const warning of warnings) this.#onWarning(`${this.#path}: ${warning}`);
    this.#version = version;
    this.#index = new LabelIndex(labels);
    return this.#index;
  }

  /** Adds one line; the file is append-only so that labels of several people merge. */
  async append(label: Label): Promise<void> {
    if (this.#path === undefined) throw new Error('Labels need a workspace folder.');
    await mkdir(path.dirname(this.#path), { recursive: true });
    await appendFile(this.#path, formatLabel(label));
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
