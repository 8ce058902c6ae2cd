/**
 * One run of programs whose calls are observed: the plan in a private folder, the connections of its processes, and
 * the files that they leave. Programs in a container or on another machine cannot connect, so their run stays empty.
 */
import { createHash } from 'node:crypto';
import { mkdir, readdir, realpath, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as l10n from '@vscode/l10n';
import { cancelled, messageOf, ParallaxError } from '../../../core/errors.ts';
import { aboutOf } from '../../capture/core/documents.ts';
import { liveK, livePassages, liveQuestion } from '../../capture/core/live-passages.ts';
import {
  LIVE_LIMITS,
  LIVE_PROTOCOL,
  type LiveMeasure,
  type ParallaxMessage,
  type ProgramMessage,
  type WrittenLivePlan,
} from '../contract/protocol.ts';
import type { LiveAnswer, LiveEvent, LiveRetrieval, ObservedText } from '../contract/requests.ts';
import { Pace } from '../../../engine/concurrency/pace.ts';
import { byteLines } from '../../../engine/files/byte-lines.ts';
import { readChunks } from '../../../engine/files/reading.ts';
import { makeTemporaryFolder, removeTemporaryFolder } from '../../../engine/store/temporary-folder.ts';
import {
  hear,
  isSame,
  LiveConnections,
  MAX_UNREADABLE,
  newToken,
  readMessage,
  type Hello,
  type ProcessListener,
} from './live-connections.ts';
import { nodeHooks } from './node-hooks.ts';

export interface LiveRunOptions {
  /** The folder that the files of the texts are relative to. */
  readonly base: string;
  readonly texts: readonly ObservedText[];
  readonly measure: LiveMeasure | undefined;
  /** The command that is started. `undefined` if it is not known yet. */
  readonly program?: string | undefined;
  readonly report: (event: LiveEvent) => void;
}

export interface LiveQuestion {
  readonly retrieval: string;
  readonly unit: string;
  readonly question: string;
  readonly k?: number | undefined;
  readonly limitMs: number;
}

/** Milliseconds for processes that are still connected at the end of a run. */
const GRACE_MS = 2000;
/** Milliseconds beyond the program's own limit for a question. */
const SLACK_MS = 2000;

/**
 * The most ids of retrievals and answers; the oldest are forgotten. Programs keep the last three retrievals of a
 * call.
 */
const MAX_KEPT = 100_000;

/** The most bytes of all files that the processes of a run leave. Hooks leave 64 million characters at most. */
const MAX_LEFT = 256 * 2 ** 20;

type Answer = Extract<ProgramMessage, { readonly type: 'answer' | 'failed-answer' }>;
type Refusal = Pick<Extract<LiveEvent, { readonly type: 'failed-answer' }>, 'reason' | 'error'>;

interface Process {
  readonly id: string;
  readonly tell: (message: ParallaxMessage) => void;
}

/** A pending question to a process. */
interface Waiting extends PromiseWithResolvers<Answer> {
  readonly process: Process;
}

export class LiveRun {
  readonly #options: LiveRunOptions;
  readonly #folder: string;
  readonly #token = newToken();
  /** Keys of the sites, ids of the questions and paths of the files of the plan. Messages about others are ignored. */
  readonly #sites: ReadonlySet<string>;
  #places: ReadonlySet<string> = new Set();
  #questions: ReadonlySet<string>;
  /** By the id of a retrieval, the process that can repeat its call. */
  readonly #retrievals = new Map<string, Process>();
  /** Ids of received retrievals and answers, so that one that was both sent and left in a file counts once. */
  readonly #seen = new Set<string>();
  readonly #waiting = new Map<string, Waiting>();
  #connections: LiveConnections | undefined;
  #written: Omit<WrittenLivePlan, 'measure'> | undefined;
  #processes = 0;
  #requests = 0;

  private constructor(options: LiveRunOptions, folder: string) {
    this.#options = options;
    this.#folder = folder;
    this.#sites = new Set(options.texts.flatMap(({ calls }) => calls.map(({ site }) => site)));
    this.#questions = new Set(options.measure?.questions.map(({ id }) => id));
  }

  /** Writes the plan and listens. @throws ParallaxError `bad-argument` if no port is free */
  static async open(options: LiveRunOptions): Promise<LiveRun> {
    const run = new LiveRun(options, await makeTemporaryFolder('live'));
    try {
      await run.#begin();
    } catch (error) {
      await run.close();
      throw error;
    }
    return run;
  }

  get plan(): string {
    return path.join(this.#folder, 'plan.json');
  }

  /** Whether the call of a retrieval can be repeated. */
  knows(retrieval: string): boolean {
    return this.#retrievals.has(retrieval);
  }

  /** Programs that start from now on are measured once; those that run have read the plan. */
  async measureNext(measure: LiveMeasure | undefined): Promise<void> {
    for (const id of this.#questions) this.#seen.delete(`answer ${id}`);
    this.#questions = new Set(measure?.questions.map(({ id }) => id));
    // Only one process claims to measure.
    await rm(path.join(this.#spool, 'measuring'), { force: true });
    await this.#writePlan(measure);
  }

  /**
   * Asks one question through an observed call.
   *
   * @throws ParallaxError `retriever-failed` with the program's message, or if it has ended; `cancelled`
   */
  async ask({ retrieval, limitMs, ...question }: LiveQuestion, signal: AbortSignal): Promise<LiveAnswer> {
    const process = this.#retrievals.get(retrieval);
    if (!process) throw gone();
    const request = `ask-${++this.#requests}`;
    const waiting: Waiting = { ...Promise.withResolvers<Answer>(), process };
    this.#waiting.set(request, waiting);
    const timer = setTimeout(
      () => waiting.resolve({ type: 'failed-answer', request, reason: 'time-limit' }),
      limitMs + SLACK_MS,
    );
    const cancel = (): void => {
      process.tell({ type: 'cancel', request });
      waiting.resolve({ type: 'failed-answer', request, reason: 'cancelled' });
    };
    signal.addEventListener('abort', cancel, { once: true });
    if (signal.aborted) cancel();
    process.tell({ type: 'ask', request, retrieval, limitMs, ...question });
    try {
      const answer = read(await waiting.promise);
      if ('reason' in answer) throw failure(answer);
      return answer;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', cancel);
      this.#waiting.delete(request);
    }
  }

  /** Receives the last messages, reads the files that processes left, and removes the plan. */
  async close(): Promise<void> {
    await this.#connections?.close(GRACE_MS);
    this.#giveUp(() => true);
    await this.#readSpool();
    await removeTemporaryFolder(this.#folder);
  }

  get #spool(): string {
    return path.join(this.#folder, 'spool');
  }

  async #begin(): Promise<void> {
    await mkdir(this.#spool, { mode: 0o700 });
    this.#connections = await LiveConnections.open({
      token: this.#token,
      begun: (hello, tell) => this.#begun(hello, tell),
      unreadable: (message) => this.#options.report({ type: 'unreadable', message }),
    });
    this.#written = {
      protocol: LIVE_PROTOCOL,
      port: this.#connections.port,
      token: this.#token,
      spool: this.#spool,
      owner: globalThis.process.pid,
      ...(await this.#files()),
    };
    await this.#writePlan(this.#options.measure);
    this.#options.report({ type: 'ready', plan: this.plan, ...(await nodeHooks(this.#options)) });
  }

  /** Renamed into place, because a program may read it meanwhile. */
  async #writePlan(measure: LiveMeasure | undefined): Promise<void> {
    const next = `${this.plan}.next`;
    await writeFile(next, JSON.stringify({ ...this.#written, ...(measure ? { measure } : {}) }), {
      mode: 0o600,
    });
    await rename(next, this.plan);
  }

  async #files(): Promise<Pick<WrittenLivePlan, 'files' | 'cells'>> {
    const files: Record<string, WrittenLivePlan['files'][string]> = {};
    const cells: NonNullable<WrittenLivePlan['cells']>[number][] = [];
    for (const { file, text, cell, calls } of this.#options.texts) {
      const named = path.join(this.#options.base, file);
      const place = await realpath(named).catch(() => named);
      const planned = { sha256: createHash('sha256').update(text).digest('hex'), calls };
      if (cell === undefined) files[place] = planned;
      else cells.push({ file: place, ...planned });
    }
    this.#places = new Set([...Object.keys(files), ...cells.map(({ file }) => file)]);
    return { files, cells };
  }

  #begun(hello: Hello, tell: (message: ParallaxMessage) => void): ProcessListener {
    const process = { id: String(++this.#processes), tell };
    const { language, version, pid, command } = hello;
    this.#options.report({ type: 'process', process: process.id, language, version, pid, command });
    return {
      heard: (message) => this.#heard(process, message),
      ended: () => this.#ended(process),
    };
  }

  #ended(process: Process): void {
    for (const [id, other] of this.#retrievals) if (other === process) this.#retrievals.delete(id);
    this.#giveUp((waiting) => waiting.process === process);
    this.#options.report({ type: 'process-ended', process: process.id });
  }

  #giveUp(isGone: (waiting: Waiting) => boolean): void {
    for (const [request, waiting] of this.#waiting)
      if (isGone(waiting)) waiting.resolve({ type: 'failed-answer', request, reason: 'gone' });
  }

  #heard(process: Process, message: Exclude<ProgramMessage, Hello>): void {
    const { report } = this.#options;
    if ('site' in message && !this.#sites.has(message.site)) return undefined;
    if ('file' in message && !this.#places.has(message.file)) return undefined;
    switch (message.type) {
      case 'instrumented':
        return report({ ...message, process: process.id });
      case 'skipped':
      case 'dropped':
        return report({ ...message, process: process.id });
      case 'retrieval':
        if (!this.#isNew(message.id)) return undefined;
        this.#retrievals.set(message.id, process);
        if (this.#retrievals.size > MAX_KEPT) this.#retrievals.delete(this.#retrievals.keys().next().value!);
        return report({ type: 'retrieval', ...retrievalOf(message, process.id) });
      case 'failed-call':
        return report({
          type: 'failed-call',
          process: process.id,
          site: message.site,
          at: message.startedAt,
          question: liveQuestion(message.question),
          error: `${message.error.name}: ${message.error.message}`,
        });
      case 'answer':
      case 'failed-answer':
        return this.#answered(process, message);
      case 'measured':
        return report(message);
    }
  }

  #answered(process: Process, message: Answer): void {
    const waiting = this.#waiting.get(message.request);
    if (waiting) return waiting.process === process ? waiting.resolve(message) : undefined;
    const { request: question } = message;
    if (!this.#questions.has(question) || !this.#isNew(`answer ${question}`)) return undefined;
    const answer = read(message);
    return this.#options.report(
      'reason' in answer
        ? { type: 'failed-answer', question, ...answer }
        : { type: 'answer', question, ...answer },
    );
  }

  #isNew(id: string): boolean {
    if (this.#seen.has(id)) return false;
    this.#seen.add(id);
    if (this.#seen.size > MAX_KEPT) this.#seen.delete(this.#seen.values().next().value!);
    return true;
  }

  async #readSpool(): Promise<void> {
    let left = MAX_LEFT;
    try {
      for (const name of await readdir(this.#spool).catch(() => []))
        if (name.endsWith('.jsonl')) left = await this.#readLeft(path.join(this.#spool, name), left);
    } catch (error) {
      const message = l10n.t`A file that a process left behind cannot be read: ${messageOf(error)}.`;
      this.#options.report({ type: 'unreadable', message });
    }
  }

  /**
   * Accepts only files of a process with the token, since others may write into the folder.
   *
   * @returns how much more may be read
   * @throws RefusedFile, errors of the file system
   */
  async #readLeft(file: string, maxBytes: number): Promise<number> {
    const pace = new Pace({});
    let [left, wrong] = [maxBytes, 0];
    let process: ProcessListener | undefined;
    const unreadable = (message: string): void => {
      wrong++;
      this.#options.report({ type: 'unreadable', message });
    };
    const chunks = readChunks(file, { boundary: this.#spool, maxBytes });
    for await (const { bytes } of byteLines(chunks, LIVE_LIMITS.line)) {
      left -= bytes.length;
      const message = readMessage(String(bytes), process ? unreadable : () => undefined);
      if (process && message && message.type !== 'hello') hear(message, process, unreadable);
      else if (!process && message?.type === 'hello' && isSame(message.token, this.#token))
        process = this.#begun(message, () => undefined);
      else if (!process) break;
      if (wrong > MAX_UNREADABLE) break;
      if (pace.due) await pace.rest();
    }
    process?.ended();
    return left;
  }
}

function retrievalOf(
  message: Extract<ProgramMessage, { readonly type: 'retrieval' }>,
  process: string,
): LiveRetrieval {
  // The call's argument may be derived from the question.
  const question =
    message.units[0]?.question ?? liveQuestion(message.question) ?? handedQuestion(message.units);
  return {
    id: message.id,
    process,
    site: message.site,
    at: message.startedAt,
    durationMs: message.durationMs,
    ...(message.request === undefined ? {} : { request: message.request }),
    ...(question === undefined ? {} : { question }),
    ...passagesOf(message),
    units: message.units,
    dropped: message.dropped,
  };
}

/** For a call with a vector, the question of the nearest function around it. */
function handedQuestion(units: LiveRetrieval['units']): string | undefined {
  return units.find(({ question }) => question !== undefined && question.trim() !== '')?.question;
}

function read(message: Answer): LiveAnswer | Refusal {
  if (message.type === 'failed-answer') {
    const { reason, error } = message;
    return { reason, ...(error ? { error: `${error.name}: ${error.message}` } : {}) };
  }
  const { none, ...answer } = passagesOf(message);
  return none === undefined ? { ...answer, durationMs: message.durationMs } : { reason: 'no-passages' };
}

function passagesOf({
  result,
  k: rawK,
}: {
  readonly result: unknown;
  readonly k: unknown;
}): Pick<LiveRetrieval, 'passages' | 'more' | 'none' | 'k'> {
  const read = livePassages(result);
  const k = liveK(rawK);
  if ('none' in read) return { passages: [], more: 0, none: read.none, ...(k === undefined ? {} : { k }) };
  const passages = read.passages.map(({ metadata, ...passage }) => {
    const about = aboutOf(metadata);
    return { ...passage, ...(metadata ? { metadata } : {}), ...(about ? { about } : {}) };
  });
  // A retriever that raises its k until enough is similar returns more than the k it began with.
  const isLimit = k !== undefined && passages.length + read.more <= k;
  return { passages, more: read.more, ...(isLimit ? { k } : {}) };
}

function gone(): ParallaxError {
  return new ParallaxError(
    'retriever-failed',
    l10n.t('The program that retrieved this has ended. Run it again, and let it retrieve once.'),
  );
}

function failure({ reason, error }: Refusal): ParallaxError {
  switch (reason) {
    case 'cancelled':
      return cancelled();
    case 'gone':
      return gone();
    case 'time-limit':
      return new ParallaxError('retriever-failed', l10n.t('The program did not answer in time.'));
    case 'not-reached':
      return new ParallaxError(
        'retriever-failed',
        l10n.t('The function was called, but it did not reach the call that retrieves.'),
      );
    case 'cannot-be-asked':
      return new ParallaxError(
        'retriever-failed',
        l10n.t(
          'The call takes a vector, and no function around it takes the question, so another question cannot be asked.',
        ),
      );
    case 'threw':
      return new ParallaxError(
        'retriever-failed',
        l10n.t`The program failed on this question: ${error ?? ''}`,
      );
    case 'no-passages':
      return new ParallaxError(
        'retriever-failed',
        l10n.t('What the call returned could not be read as passages.'),
      );
  }
}
