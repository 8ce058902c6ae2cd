/**
 * Validations of judges, one line each, in a file beside the labels behind them. It is read again if it has
 * changed.
 */
import path from 'node:path';
import * as z from 'zod';
import type { Line } from '../../core/formats/lines.ts';
import { validationLineSchema, type ValidationLine } from '../../features/validation/core/error-rates.ts';
import { togetherLineSchema, type TogetherLine } from '../../features/validation/core/joint-errors.ts';
import { appendLines } from '../files/append-lines.ts';
import type { EngineConfig } from '../../shared/requests/configuration.ts';
import { boundaryOf, isInside, requireNoWayOut, type Boundary } from '../files/boundary.ts';
import { fileVersion } from '../files/file-version.ts';
import { readInputLines } from '../files/read-input.ts';

/** The file beside the labels. */
export function validationsBeside(labelsFile: string): string {
  return path.join(path.dirname(labelsFile), 'validations.jsonl');
}

type KeptLine = ValidationLine | TogetherLine;

export class ValidationsFile {
  readonly #path: string | undefined;
  readonly #boundary: Boundary;
  readonly #folder: string | undefined;
  #version = '';
  #newest = new NewestLines();

  /**
   * @param labelsFile undefined without a workspace, in which case nothing is stored
   * @param folder as for `LabelsFile`
   */
  constructor(labelsFile: string | undefined, folder?: Pick<EngineConfig, 'base' | 'trusted'>) {
    this.#path = labelsFile === undefined ? undefined : validationsBeside(labelsFile);
    this.#boundary = folder && boundaryOf(folder);
    this.#folder = folder?.base;
  }

  /**
   * The newest validation of a judge.
   *
   * @throws ParallaxError `bad-file` if the file cannot be read
   */
  async of(judgeKey: string): Promise<ValidationLine | undefined> {
    return (await this.#current()).validations.get(judgeKey);
  }

  /**
   * The correlation of two judges' errors, by the newest validation of both.
   *
   * @throws ParallaxError `bad-file` if the file cannot be read
   */
  async together(judgeKeys: readonly [string, string]): Promise<TogetherLine | undefined> {
    return (await this.#current()).together.get(bothOf(judgeKeys));
  }

  async #current(): Promise<NewestLines> {
    if (this.#path === undefined) return this.#newest;
    // A file whose version cannot be read counts as missing.
    const version = await fileVersion(this.#path).catch(() => '');
    if (version !== this.#version) {
      this.#newest = version === '' ? new NewestLines() : await this.#read(this.#path);
      this.#version = version;
    }
    return this.#newest;
  }

  async #read(file: string): Promise<NewestLines> {
    if (!(await isInside(this.#boundary, file))) return new NewestLines();
    return readInputLines(file, new NewestLines(), file, { boundary: this.#boundary });
  }

  /**
   * Adds lines, which branches merge one by one.
   *
   * @throws ParallaxError `untrusted` if a link leads out of the workspace, `bad-file` if it cannot be written
   */
  async append(lines: readonly KeptLine[]): Promise<void> {
    if (this.#path === undefined) return;
    await requireNoWayOut(this.#folder, this.#path);
    await appendLines(
      this.#path,
      lines.map((line) => `${JSON.stringify(line)}\n`),
    );
  }
}

/** The order of two judges does not matter. */
function bothOf(keys: readonly [string, string]): string {
  return JSON.stringify([...keys].sort());
}

/** Merged branches may have the lines in any order. */
class NewestLines {
  /** By the judge's key. */
  readonly validations = new Map<string, ValidationLine>();
  /** By the keys of both judges. */
  readonly together = new Map<string, TogetherLine>();

  take({ text }: Line): void {
    const line = keptIn(text);
    if (line?.type === 'validation') keepNewest(this.validations, line.key, line);
    if (line?.type === 'together') keepNewest(this.together, bothOf(line.keys), line);
  }

  end(): this {
    return this;
  }
}

function keepNewest<T extends KeptLine>(newest: Map<string, T>, key: string, line: T): void {
  const known = newest.get(key);
  if (known === undefined || known.at <= line.at) newest.set(key, line);
}

const keptLineSchema = z.discriminatedUnion('type', [validationLineSchema, togetherLineSchema]);

/** A line of another version, or one damaged by a merge, is ignored. */
function keptIn(line: string): KeptLine | undefined {
  try {
    return keptLineSchema.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}
