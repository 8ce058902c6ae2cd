/**
 * A retriever behind a command that speaks JSON lines: one request per line on its standard input, one answer per
 * line on its standard output, matched by id. It starts with the first query and keeps running. Its standard error is
 * quoted if it fails.
 */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { createInterface } from 'node:readline';
import path from 'node:path';
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import type { Read } from '../../core/read.ts';
import { cancelled, ParallaxError, throwIfCancelled } from '../../core/errors.ts';
import { parseResults } from '../../core/external/results.ts';
import type { CommandRetriever, ExternalResult } from '../../core/external/spec.ts';
import { childEnvironment } from '../../core/external/child-environment.ts';
import { endTree } from '../concurrency/process-tree.ts';
import {
  tryOneSearch,
  type ExternalQuery,
  type ExternalRetriever,
  type RetrieverHealth,
} from './external-retriever.ts';

/** How long a command may take to end after its input was closed. */
const GRACE_MS = 2000;
/** The longest line of an answer. A line that does not end would fill the memory. */
const MAX_LINE_BYTES = 128 * 2 ** 20;
const LINE_END = '\n'.charCodeAt(0);
/** Enough of standard error to show what went wrong. */
const QUOTED_CHARACTERS = 400;

const answerSchema = z.object({
  id: z.union([z.string(), z.number()]).transform(String),
  results: z.unknown().optional(),
  error: z.string().optional(),
});
type Answer = Read<typeof answerSchema>;

interface Waiting {
  answer(answer: Answer): void;
  fail(error: ParallaxError): void;
}

/** A started command with its pending requests. */
interface Running {
  readonly child: ChildProcessWithoutNullStreams;
  readonly waiting: Map<string, Waiting>;
  readonly ended: Promise<void>;
}

/** @param base the folder that a relative `cwd` is relative to */
export function createCommandRetriever(spec: CommandRetriever, base: string): ExternalRetriever {
  return new CommandProcess(spec, base);
}

class CommandProcess implements ExternalRetriever {
  readonly #spec: CommandRetriever;
  readonly #base: string;
  #running: Running | undefined;
  #requests = 0;

  constructor(spec: CommandRetriever, base: string) {
    this.#spec = spec;
    this.#base = base;
  }

  async search(query: ExternalQuery, k: number, signal?: AbortSignal): Promise<readonly ExternalResult[]> {
    throwIfCancelled(signal);
    const { results, error } = await this.#ask({ query: query.text, k }, signal);
    if (error !== undefined)
      throw new ParallaxError('retriever-failed', l10n.t`${this.#name} reports: ${error}`);
    return parseResults(this.#name, results).slice(0, k);
  }

  check(signal?: AbortSignal): Promise<RetrieverHealth> {
    return tryOneSearch(this.#name, this, signal);
  }

  async close(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    if (!running) return;
    running.child.stdin.end();
    const { child, ended } = running;
    // Waits for those that it started, too: they hold its output.
    if (child.pid !== undefined) await endTree(child.pid, 'SIGTERM', GRACE_MS);
    await ended;
  }

  get #name(): string {
    return l10n.t`The command ${this.#spec.command.map((part) => JSON.stringify(part)).join(' ')}`;
  }

  /** Drops answers to requests that were given up, whose ids are no longer pending. */
  #ask(question: { query: string; k: number }, signal: AbortSignal | undefined): Promise<Answer> {
    this.#running ??= this.#start();
    const { child, waiting } = this.#running;
    const id = String(++this.#requests);
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        waiting.delete(id);
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
      };
      const fail = (error: ParallaxError): void => {
        settle();
        reject(error);
      };
      const onAbort = (): void => fail(cancelled());
      const timer = setTimeout(() => fail(this.#tooSlow()), this.#spec.timeoutMs);
      signal?.addEventListener('abort', onAbort, { once: true });
      waiting.set(id, {
        fail,
        answer: (answer) => {
          settle();
          resolve(answer);
        },
      });
      child.stdin.write(`${JSON.stringify({ id, ...question })}\n`);
    });
  }

  #start(): Running {
    const { command, cwd, env, inherit } = this.#spec;
    const child = spawn(command[0]!, command.slice(1), {
      cwd: cwd === undefined ? this.#base : path.resolve(this.#base, cwd),
      env: { ...childEnvironment(process.env, inherit), ...env },
      stdio: 'pipe',
      shell: false,
      windowsHide: true,
    });
    const waiting = new Map<string, Waiting>();
    let complaints = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      complaints = (complaints + text).slice(-QUOTED_CHARACTERS);
    });
    let lineBytes = 0;
    let isTooLong = false;
    child.stdout.on('data', (chunk: Buffer) => {
      const end = chunk.lastIndexOf(LINE_END);
      lineBytes = end < 0 ? lineBytes + chunk.length : chunk.length - end - 1;
      if (lineBytes <= MAX_LINE_BYTES || isTooLong) return;
      isTooLong = true;
      child.kill('SIGKILL');
    });
    createInterface({ input: child.stdout }).on('line', (line) => {
      const answer = readAnswer(line);
      if (answer) waiting.get(answer.id)?.answer(answer);
      // A program that prints to standard output does not answer, and its output helps if it fails.
      else if (!isTooLong) complaints = `${complaints}${line}\n`.slice(-QUOTED_CHARACTERS);
    });
    // Whatever ends it, all pending requests fail, and the next query starts it again.
    const ended = new Promise<void>((resolve) => {
      const end = (how: string): void => {
        if (this.#running?.child === child) this.#running = undefined;
        const quoted = complaints.trim();
        const error = new ParallaxError(
          'retriever-failed',
          quoted === '' ? how : l10n.t`${how} It said: ${quoted}`,
        );
        for (const { fail } of [...waiting.values()]) fail(error);
        resolve();
      };
      child.on('error', ({ message }) => end(l10n.t`${this.#name} could not be started: ${message}.`));
      child.on('close', (code, killedBy) =>
        end(
          isTooLong
            ? l10n.t`${this.#name} wrote a line of more than ${MAX_LINE_BYTES >> 20} MB, and was stopped.`
            : killedBy === null
              ? l10n.t`${this.#name} ended with exit code ${code ?? 0}.`
              : l10n.t`${this.#name} ended with ${killedBy}.`,
        ),
      );
    });
    // Writing to an ended command fails here as well, but its end is reported instead.
    child.stdin.on('error', () => undefined);
    return { child, waiting, ended };
  }

  #tooSlow(): ParallaxError {
    const { timeoutMs } = this.#spec;
    return new ParallaxError(
      'retriever-failed',
      l10n.t`${this.#name} did not answer within ${timeoutMs / 1000} s. It has to write one line of JSON for each line it reads, and to flush it.`,
    );
  }
}

function readAnswer(line: string): Answer | undefined {
  try {
    const parsed = answerSchema.safeParse(JSON.parse(line));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}
