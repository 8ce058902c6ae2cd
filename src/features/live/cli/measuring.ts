/**
 * Measures a call of a running program on the questions of eval sets: its results become a run, which is scored like
 * any other.
 */
import { counts } from '../../../core/counted.ts';
import { statSync } from 'node:fs';
import path from 'node:path';
import type { ListedSite } from '../../agents/tools/sites.ts';
import { messageOf } from '../../../core/errors.ts';
import { EvalSetReading } from '../../../core/formats/queries.ts';
import { readInputLines } from '../../../engine/files/read-input.ts';
import { readFileLines } from '../../../engine/files/reading.ts';
import { replaceText } from '../../../engine/files/output-file.ts';
import { makeTemporaryFolder, removeTemporaryFolder } from '../../../engine/store/temporary-folder.ts';
import type { LiveMeasure } from '../contract/protocol.ts';
import type { LiveEvent, SeenPassage } from '../contract/requests.ts';
import { UsageError, type Io } from '../../../cli/presentation/terminal.ts';

export interface Question {
  readonly id: string;
  readonly text: string;
}

/**
 * The questions of eval sets, without duplicates.
 *
 * @throws UsageError without a question, ParallaxError for a file that cannot be read
 */
export async function questionsOf(files: readonly string[], io: Io): Promise<Question[]> {
  const read: Question[] = [];
  for (const file of files) {
    const { queries, warnings } = await readInputLines(path.resolve(file), new EvalSetReading(file), file);
    for (const warning of warnings) io.stderr(`warning: ${warning}\n`);
    read.push(...queries);
  }
  if (read.length === 0) throw new UsageError('The eval sets have no questions.');
  return eachOnce(read);
}

/** Without duplicate texts. If two eval sets use the same id for different questions, the text becomes the id. */
export function eachOnce(questions: readonly Question[]): Question[] {
  const texts = new Map<string, Set<string>>();
  for (const { id, text } of questions) texts.set(id, (texts.get(id) ?? new Set()).add(text));
  const idOf = ({ id, text }: Question): string => (texts.get(id)!.size > 1 ? text : id);
  return [...new Map(questions.map((each) => [each.text, { id: idOf(each), text: each.text }])).values()];
}

export interface PlaceOfCall {
  /** `file`, `file:line`, or `file:name` of the callee or of the enclosing function. */
  readonly at: string;
  /** The folder that the file is relative to. */
  readonly from: string;
}

/**
 * @param base the folder that sites are relative to
 * @throws UsageError naming the existing calls
 */
export function siteToMeasure(
  { at, from }: PlaceOfCall,
  sites: readonly ListedSite[],
  base: string,
): ListedSite {
  const [, name = '', where = ''] = /^(.+?)(?::(\d+|[\p{L}_$][\w$.]*))?$/u.exec(at) ?? [];
  const file = path.relative(base, path.resolve(from, name)).replaceAll(path.sep, '/');
  const inFile = sites.filter((site) => site.file === file);
  const matches = inFile.filter((site) => isAt(site, where));
  const exact = matches.find((site) => site.line === Number(where)) ?? matches[0];
  if (exact && (matches.length === 1 || exact.line === Number(where))) {
    if (exact.live) return exact;
    throw new UsageError(`${at}: the call there is written in a form that is not observed.`);
  }
  const known = (inFile.length > 0 ? inFile : sites)
    .slice(0, 20)
    .map((each) => `${each.file}:${each.line} (${each.site.callee})`);
  throw new UsageError(
    known.length === 0
      ? `${at}: no call that retrieves was found in this folder.`
      : `${at}: ${matches.length > 1 ? `${matches.length} calls retrieve there` : 'there is no call that retrieves'}; there are calls at ${known.join(', ')}.`,
  );
}

function isAt({ line, lastLine, site }: ListedSite, where: string): boolean {
  if (where === '') return true;
  if (/^\d/u.test(where)) return line <= Number(where) && Number(where) <= lastLine;
  return site.callee === where || `.${site.within}`.endsWith(`.${where}`);
}

export interface MeasureOptions {
  /** The number of passages to ask for, if the call takes k. */
  readonly k?: number | undefined;
  /** The function to ask instead of the call. */
  readonly unit?: string | undefined;
  /** Time limit for one question, in milliseconds. */
  readonly limitMs: number;
}

/** Milliseconds without an answer after which a program is ended by default, beyond the limit of one question. */
export function defaultEndAfterMs(limitMs: number): number {
  return Math.max(600_000, 2 * limitMs);
}

export function measureOf(
  site: ListedSite,
  questions: readonly Question[],
  { k, unit, limitMs }: MeasureOptions,
): LiveMeasure {
  return {
    site: site.key,
    questions,
    limitMs,
    ...(k === undefined ? {} : { k }),
    ...(unit === undefined ? {} : { unit }),
  };
}

type EventOf<Type extends LiveEvent['type']> = Extract<LiveEvent, { readonly type: Type }>;

/** Collects answers as they arrive, so that results are kept if a program exits. */
export class Measured {
  readonly #answers = new Map<string, EventOf<'answer'>>();
  readonly #failed = new Map<string, EventOf<'failed-answer'>>();
  #end: EventOf<'measured'> | undefined;

  take(event: LiveEvent): void {
    if (event.type === 'answer') this.#answers.set(event.question, event);
    if (event.type === 'failed-answer') this.#failed.set(event.question, event);
    if (event.type === 'measured') this.#end = event;
  }

  get count(): number {
    return this.#answers.size;
  }

  /** Includes failed questions. */
  get tried(): number {
    return this.#answers.size + this.#failed.size;
  }

  /** The most passages of an answer, at least 1. */
  get k(): number {
    return Math.max(1, ...[...this.#answers.values()].map(({ passages }) => passages.length));
  }

  /** The run as JSON lines; questions without an answer have none. */
  lines(questions: readonly Question[]): string {
    return questions
      .flatMap(({ id, text }) => {
        const answer = this.#answers.get(id);
        return answer
          ? [`${JSON.stringify({ id, query: text, results: answer.passages.map(resultOf) })}\n`]
          : [];
      })
      .join('');
  }

  /** A summary of the measurement, with the reasons of failed questions. */
  text(site: ListedSite, questions: readonly Question[]): string {
    const unit = this.#end?.unit;
    const target =
      unit?.function === undefined
        ? `${site.site.callee} itself`
        : `${unit.function}(${unit.parameter ?? ''})`;
    const missing = questions.filter(({ id }) => !this.#answers.has(id) && !this.#failed.has(id));
    return [
      `parallax: measured ${this.count} of ${counts.questions(questions.length)} at ${site.file}:${site.line}${unit === undefined ? '' : `, asking ${target} in the running program`}.\n`,
      ...[...this.#failed.values()].map(
        ({ question, reason, error }) =>
          `  ${question}: ${FAILURES[reason]}${error === undefined ? '' : `: ${error.slice(0, 300)}`}\n`,
      ),
      ...(missing.length === 0
        ? []
        : [
            `  ${counts.questions(missing.length)} not asked: ${this.#end ? 'the program did not answer' : 'the program ended, or did not come to this call'}\n`,
          ]),
    ].join('');
  }
}

const FAILURES: Readonly<Record<EventOf<'failed-answer'>['reason'], string>> = {
  threw: 'the call failed',
  'time-limit': 'no answer in time',
  cancelled: 'cancelled',
  gone: 'the program ended',
  'not-reached': 'the function did not come to the call',
  'cannot-be-asked': 'the call takes a vector, and no function around it was handed the question',
  'no-passages': 'what the call returned is not read as passages',
};

/** A passage in the format of runs. */
export function resultOf({ id, text, score, metadata }: SeenPassage): Readonly<Record<string, unknown>> {
  return {
    ...(id === undefined ? {} : { id }),
    ...(text === undefined ? {} : { text }),
    ...(score === undefined ? {} : { score }),
    ...(metadata ? { metadata } : {}),
  };
}

/** @returns why a file must not be replaced by retrievals; `undefined` if it may */
export async function whyNotReplaced(file: string): Promise<string | undefined> {
  const stats = statSync(file, { throwIfNoEntry: false });
  // Pipes and devices have no content.
  if (!stats?.isFile() && !stats?.isDirectory()) return undefined;
  try {
    for await (const { text } of readFileLines(file))
      if (text.trim() !== '' && !/"(?:results|passages)" ?: ?\[/u.test(text))
        return `${file} has other content than answers. Name another file.`;
  } catch (error) {
    return `${file} cannot be written: ${messageOf(error)}. Name another file.`;
  }
  return undefined;
}

/** Writes the run to a file, or to a temporary folder that is removed after `use`. */
export async function withRun<T>(
  lines: string,
  file: string | undefined,
  use: (file: string) => Promise<T>,
): Promise<T> {
  if (file !== undefined) {
    await replaceText(file, lines);
    return use(path.resolve(file));
  }
  const folder = await makeTemporaryFolder('measured');
  try {
    const run = path.join(folder, 'measured.jsonl');
    await replaceText(run, lines);
    return await use(run);
  } finally {
    await removeTemporaryFolder(folder);
  }
}

/** The measured run as a pipeline for `--pipeline`. */
export function measuredPipeline(site: ListedSite, file: string, k: number): string {
  const name = `measured ${site.file}:${site.line}`;
  return JSON.stringify({ name, retriever: { type: 'run', file }, k });
}
