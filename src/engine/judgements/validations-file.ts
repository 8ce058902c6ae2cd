/** Validations of judges beside the labels that they were made on, one line each: read again when the file changed. */
import path from 'node:path';
import type { Line } from '../../core/formats/lines.ts';
import { validationLineSchema, type ValidationLine } from '../../core/validation/error-rates.ts';
import { appendLines } from '../files/append-lines.ts';
import { isInside, requireInside, type Boundary } from '../files/boundary.ts';
import { fileVersion } from '../files/file-version.ts';
import { readInputLines } from '../files/read-input.ts';

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
    // One that cannot be looked at is none.
    const version = await fileVersion(this.#path).catch(() => '');
    if (version !== this.#version) {
      this.#byKey = version === '' ? new Map() : await this.#read(this.#path);
      this.#version = version;
    }
    return this.#byKey.get(judgeKey);
  }

  async #read(file: string): Promise<ReadonlyMap<string, ValidationLine>> {
    if (!(await isInside(this.#boundary, file))) return new Map();
    return readInputLines(file, new NewestOfJudges(), file, { boundary: this.#boundary });
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

/** Merged branches may have the lines in any order. */
class NewestOfJudges {
  readonly #byKey = new Map<string, ValidationLine>();

  take({ text }: Line): void {
    for (const line of validationIn(text)) {
      const known = this.#byKey.get(line.key);
      if (known === undefined || known.at <= line.at) this.#byKey.set(line.key, line);
    }
  }

  end(): ReadonlyMap<string, ValidationLine> {
    return this.#byKey;
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
