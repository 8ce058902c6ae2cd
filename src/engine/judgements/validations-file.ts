/** Validations of judges beside the labels that they were made on, one line each: read again when the file changed. */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { validationLineSchema, type ValidationLine } from '../../core/validation/error-rates.ts';
import { appendLines } from '../files/append-lines.ts';
import { isInside, requireInside, type Boundary } from '../files/boundary.ts';
import { MOST_TEXT_BYTES, readBytes } from '../files/reading.ts';

/** The file beside the labels. */
export function validationsBeside(labelsFile: string): string {
  return path.join(path.dirname(labelsFile), 'validations.jsonl');
}

export class ValidationsFile {
  readonly #path: string | undefined;
  readonly #boundary: Boundary;
  #version = '';
  #byKey: ReadonlyMap<string, ValidationLine> = new Map();

  /**
   * @param labelsFile absent where there is no workspace: then nothing is kept
   * @param boundary what a link in place of the file must not lead out of
   */
  constructor(labelsFile: string | undefined, boundary?: Boundary) {
    this.#path = labelsFile === undefined ? undefined : validationsBeside(labelsFile);
    this.#boundary = boundary;
  }

  /**
   * The newest validation of a judge.
   *
   * @throws ParallaxError `bad-file` when the file cannot be read
   */
  async of(judgeKey: string): Promise<ValidationLine | undefined> {
    if (this.#path === undefined) return undefined;
    const version = await versionOf(this.#path);
    if (version !== this.#version) {
      this.#byKey = version === '' ? new Map() : await this.#read(this.#path);
      this.#version = version;
    }
    return this.#byKey.get(judgeKey);
  }

  async #read(file: string): Promise<ReadonlyMap<string, ValidationLine>> {
    if (!(await isInside(this.#boundary, file))) return new Map();
    const bytes = await readBytes(file, { boundary: this.#boundary, maxBytes: MOST_TEXT_BYTES });
    const lines = bytes.toString('utf8').split('\n').flatMap(validationIn);
    // Merged branches may have them in any order.
    lines.sort((a, b) => (a.at < b.at ? -1 : 1));
    return new Map(lines.map((line) => [line.key, line]));
  }

  /**
   * Adds lines, which branches merge one by one.
   *
   * @throws ParallaxError `untrusted` where a link leads out of the workspace, `bad-file` when it cannot be written
   */
  async append(lines: readonly ValidationLine[]): Promise<void> {
    if (this.#path === undefined) return;
    await requireInside(this.#boundary, this.#path);
    await appendLines(
      this.#path,
      lines.map((line) => `${JSON.stringify(line)}\n`),
    );
  }
}

/** A line of another build, or damaged by a merge, is none. */
function validationIn(line: string): ValidationLine[] {
  try {
    const parsed = validationLineSchema.safeParse(JSON.parse(line));
    return parsed.success ? [parsed.data] : [];
  } catch {
    return [];
  }
}

/** Changes whenever the file does; empty while there is none. */
async function versionOf(file: string): Promise<string> {
  const found = await stat(file).catch(() => undefined);
  return found ? `${found.mtimeMs} ${found.size} ${found.ino}` : '';
}
