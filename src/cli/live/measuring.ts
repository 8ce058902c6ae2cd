/** Measures a call of a running program on the questions of eval sets: what it returned becomes a run, which is scored as any other. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ListedSite } from '../../agents/sites.ts';
import { EvalSetReading } from '../../core/formats/queries.ts';
import { readInputLines } from '../../engine/files/read-input.ts';
import { replaceText } from '../../engine/files/output-file.ts';
import type { LiveMeasure } from '../../shared/live/protocol.ts';
import type { LiveEvent, SeenPassage } from '../../shared/live/requests.ts';
import { counted } from '../presentation/counted.ts';
import { UsageError, type Io } from '../presentation/terminal.ts';

/** Milliseconds for one question. */
export const DEFAULT_LIMIT_MS = 60_000;

export interface Question {
  readonly id: string;
  readonly text: string;
}

/**
 * The questions of eval sets, each once.
 *
 * @throws UsageError without a question, ParallaxError for a file that cannot be read
 */
export async function questionsOf(files: readonly string[], io: Io): Promise<Question[]> {
  const questions = new Map<string, Question>();
  for (const file of files) {
    const { queries, warnings } = await readInputLines(path.resolve(file), new EvalSetReading(file), file);
    for (const warning of warnings) io.stderr(`warning: ${warning}\n`);
    for (const { id, text } of queries) questions.set(id, { id, text });
  }
  if (questions.size === 0) throw new UsageError('The eval sets have no questions.');
  return [...questions.values()];
}

/** @param at `file:line`, as the call is found there. @throws UsageError naming the calls that there are */
export function siteToMeasure(at: string, sites: readonly ListedSite[], base: string): ListedSite {
  const [, name = '', line = ''] = /^(.+?)(?::(\d+))?$/u.exec(at) ?? [];
  const file = path.relative(base, path.resolve(name)).replaceAll(path.sep, '/');
  const inFile = sites.filter((site) => site.file === file);
  const onLine = inFile.filter(
    (site) =>
      line === '' ||
      site.line === Number(line) ||
      (site.line <= Number(line) && Number(line) <= site.lastLine),
  );
  const [site, second] = onLine;
  if (site && (!second || onLine.some((each) => each.line === Number(line)))) {
    const exact = onLine.find((each) => each.line === Number(line)) ?? site;
    if (exact.live) return exact;
    throw new UsageError(`--at ${at}: the call there is written in a form that is not observed.`);
  }
  const known = (inFile.length > 0 ? inFile : sites).slice(0, 20).map((each) => `${each.file}:${each.line}`);
  throw new UsageError(
    known.length === 0
      ? `--at ${at}: no call that retrieves was found in this folder.`
      : `--at ${at}: there is no call that retrieves; there are calls at ${known.join(', ')}.`,
  );
}

export function measureOf(
  site: ListedSite,
  questions: readonly Question[],
  {
    k,
    unit,
    limitMs = DEFAULT_LIMIT_MS,
  }: {
    readonly k?: number | undefined;
    readonly unit?: string | undefined;
    readonly limitMs?: number | undefined;
  },
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

/** Answers as they come; what was measured before a program ended stays. */
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

  /** The most passages that an answer has, at least 1. */
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

  /** How the measuring went, and for questions that failed why. */
  text(site: ListedSite, questions: readonly Question[]): string {
    const unit = this.#end?.unit;
    const asked =
      unit?.function === undefined
        ? `${site.site.callee} itself`
        : `${unit.function}(${unit.parameter ?? ''})`;
    const missing = questions.filter(({ id }) => !this.#answers.has(id) && !this.#failed.has(id));
    return [
      `parallax: measured ${counted(this.count, 'question')} of ${questions.length} at ${site.file}:${site.line}, asking ${asked} in the running program.\n`,
      ...[...this.#failed.values()].map(
        ({ question, reason, error }) =>
          `  ${question}: ${FAILURES[reason]}${error === undefined ? '' : `: ${error.slice(0, 300)}`}\n`,
      ),
      ...(missing.length === 0
        ? []
        : [
            `  ${counted(missing.length, 'question')} not asked: ${this.#end ? 'the program did not answer' : 'the program ended, or did not come to this call'}\n`,
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
  'cannot-be-asked': 'the call was handed no text, and no function around it was',
};

/** A passage as runs have it. */
export function resultOf({ id, text, score, metadata }: SeenPassage): Readonly<Record<string, unknown>> {
  return {
    ...(id === undefined ? {} : { id }),
    ...(text === undefined ? {} : { text }),
    ...(score === undefined ? {} : { score }),
    ...(metadata ? { metadata } : {}),
  };
}

/** Writes the run where it is wanted, or into a folder that goes when `use` has ended. */
export async function withRun<T>(
  lines: string,
  file: string | undefined,
  use: (file: string) => Promise<T>,
): Promise<T> {
  if (file !== undefined) {
    await replaceText(file, lines);
    return use(path.resolve(file));
  }
  const folder = await mkdtemp(path.join(tmpdir(), 'parallax-measured-'));
  try {
    const run = path.join(folder, 'measured.jsonl');
    await replaceText(run, lines);
    return await use(run);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The measured run as a pipeline, as `--pipeline` takes it. */
export function measuredPipeline(site: ListedSite, file: string, k: number): string {
  const name = `measured ${site.file}:${site.line}`;
  return JSON.stringify({ name, retriever: { type: 'run', file }, k });
}
