/**
 * `parallax capture`: writes the retrievals of running programs, or of OpenTelemetry files, to a file that can be
 * evaluated.
 */
import { counted, counts } from '../../../core/counted.ts';
import { constants, existsSync } from 'node:fs';
import { access, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { ToolsByName } from '../core/own-tools.ts';
import { messageOf, ParallaxError } from '../../../core/errors.ts';
import { endTree } from '../../../engine/concurrency/process-tree.ts';
import { withQuery } from '../../../core/formats/eval-set-add.ts';
import { readText } from '../../../engine/files/reading.ts';
import { replaceText, writeText } from '../../../engine/files/output-file.ts';
import { capturedLine } from './captured-line.ts';
import { captureEnvironment, environmentLines } from '../contract/environment.ts';
import { unusedReason } from '../contract/unused-reasons.ts';
import type { Result } from '../../../shared/rpc.ts';
import { whyNotReplaced } from '../../live/cli/measuring.ts';
import { LocalEngine } from '../../../cli/local-engine.ts';
import { listenOption, type Listening } from '../../../cli/options/listen-option.ts';
import { readConfig } from '../../../cli/options/read-config.ts';
import { tableText, UsageError, writeJson, type Io } from '../../../cli/presentation/terminal.ts';
import { untilInterrupted } from '../../../cli/until-interrupted.ts';
import { command } from '../../../cli/commands/command.ts';

/** The environment variable with the token that programs on other machines must send. */
const TOKEN_VARIABLE = 'PARALLAX_CAPTURE_TOKEN';

type Capture = Result<'takeCaptured'>;

export const captureCommand = command({
  usage: `parallax capture [--to <file>] [--for <seconds>] [--listen <address:port>] [-- <program> <arguments>]
parallax capture --from <OTLP file> [--from …] [--to <file>]`,
  about: `Receives the OpenTelemetry spans of instrumented programs over HTTP or gRPC until the program after -- ends, the time is over,
or Ctrl+C is pressed; or reads them from files. The retrievals among them are written as JSON lines, which
--pipeline '{"retriever":{"type":"run","file":"<file>"}}' of eval and gate scores. Exits with 1 when there is none, or
when a request could not be read.
`,
  positionals: true,
  argument: ['-- <program>', 'runs it, and tells it by its environment where to send its spans'],
  options: {
    to: {
      type: 'string',
      help: 'the file for the retrievals; of a question that is asked again, the last one counts in eval and gate',
    },
    questions: {
      type: 'string',
      help: 'also add each question to this eval set, once: of a run with several searches, that of the run',
    },
    from: { type: 'string', multiple: true, help: 'a file of spans, in JSON, JSON lines or protobuf' },
    for: { type: 'string', help: 'how many seconds to listen' },
    listen: {
      type: 'string',
      default: '127.0.0.1:0',
      help: `where to listen (port 0: any). Other addresses than this machine's own need a token in ${TOKEN_VARIABLE}`,
    },
    config: {
      type: 'string',
      help: 'parallax.json with "capture" (default: the one in this folder, if any)',
    },
    json: { type: 'boolean', default: false, help: 'write everything that came as JSON' },
  },

  async run({ values, positionals }, io) {
    const listening = listenOption(values.listen, process.env[TOKEN_VARIABLE]);
    const seconds = values.for === undefined ? undefined : readSeconds(values.for);
    const files = values.from ?? [];
    if (values.to !== undefined) await requireReplaceable(values.to);
    const { tools } = (await readConfig(values.config)).capture;
    if (files.length > 0 && (positionals.length > 0 || seconds !== undefined))
      throw new UsageError('--from reads files: leave out the program and --for.');
    await using engine = await LocalEngine.open(
      { base: process.cwd(), models: { embedders: {}, judges: {} }, labelsFile: null },
      io,
    );
    for (const file of files) await engine.request('importSpans', { file, keep: 'all', tools });
    const code =
      files.length > 0 ? 0 : await listen(engine, { listening, tools, seconds, program: positionals }, io);
    const capture = await engine.request('takeCaptured', {});
    if (values.to !== undefined) await replaceText(values.to, capture.retrievals.map(capturedLine).join(''));
    if (values.questions !== undefined) await addQuestions(values.questions, capture, io);
    if (values.json) await writeJson('-', capture, io);
    else report(capture, values.to, io);
    if (files.length === 0 && isSilent(capture)) io.stderr(NO_SPAN);
    return code === 0 && capture.retrievals.length > 0 && capture.refused === 0 ? 0 : 1;
  },
});

/** Before anything is captured, which would be lost otherwise. @throws UsageError */
async function requireReplaceable(file: string): Promise<void> {
  const reason = await whyNotReplaced(file);
  if (reason !== undefined) throw new UsageError(reason);
  if (existsSync(file)) return;
  try {
    const folder = path.dirname(path.resolve(file));
    await mkdir(folder, { recursive: true });
    await access(folder, constants.W_OK);
  } catch (error) {
    throw new UsageError(`${file} cannot be written: ${messageOf(error)}. Name another file.`);
  }
}

interface Run {
  readonly listening: Listening;
  readonly tools: ToolsByName;
  readonly seconds: number | undefined;
  readonly program: readonly string[];
}

/** @returns the exit code of the program, 0 without one */
function listen(engine: LocalEngine, run: Run, io: Io): Promise<number> {
  return untilInterrupted(async (interrupted) => {
    const ended = new AbortController();
    const signal = AbortSignal.any([interrupted, ended.signal]);
    const started = Promise.withResolvers<string>();
    const receiving = engine
      .request(
        'capture',
        { ...run.listening, keep: 'all', tools: run.tools },
        { signal, onNote: (note) => note.type === 'capturing' && started.resolve(note.url) },
      )
      .catch((error: unknown) => {
        started.reject(error);
        // Cancelling is the normal end.
        if (!ParallaxError.is(error, 'cancelled')) throw error;
      });
    // Handled below, if the receiver started.
    receiving.catch(() => undefined);
    const url = await started.promise;
    try {
      return await until(url, run, signal, io);
    } finally {
      ended.abort();
      await receiving;
    }
  });
}

/** Waits until the program exits, the time is over, or the signal fires. */
async function until(url: string, { listening, seconds, program }: Run, signal: AbortSignal, io: Io) {
  const isEnough = seconds === undefined ? undefined : AbortSignal.timeout(seconds * 1000);
  const end = isEnough ? AbortSignal.any([signal, isEnough]) : signal;
  const [name, ...rest] = program;
  if (name !== undefined) return runProgram([name, ...rest], captureEnvironment(url, process.env), end, io);
  sayWhere(url, listening, io);
  if (!end.aborted) await once(end, 'abort');
  return 0;
}

/** Time that a stopped program has for its last spans. */
const GRACE_MS = 5000;

async function runProgram(
  [name, ...rest]: readonly [string, ...string[]],
  environment: Readonly<Record<string, string>>,
  signal: AbortSignal,
  io: Io,
): Promise<number> {
  const child = spawn(name, rest, {
    env: { ...process.env, ...environment },
    // Standard output is reserved for this command.
    stdio: ['inherit', process.stderr, 'inherit'],
  });
  const closed = once(child, 'close') as Promise<[number | null, string | null]>;
  let ending = Promise.resolve();
  const end = (): void => {
    if (child.pid !== undefined) ending = endTree(child.pid, 'SIGTERM', GRACE_MS);
  };
  signal.addEventListener('abort', end, { once: true });
  try {
    const [code, killedBy] = await closed;
    // A program stopped from here did not fail.
    if (signal.aborted) return 0;
    if (killedBy !== null) io.stderr(`${name} was killed by ${killedBy}.\n`);
    else if (code !== 0) io.stderr(`${name} ended with exit code ${code}.\n`);
    return code ?? 1;
  } catch (error) {
    throw new ParallaxError('not-found', `${name} cannot be run: ${(error as Error).message}.`, {
      cause: error,
    });
  } finally {
    signal.removeEventListener('abort', end);
    await ending;
  }
}

function sayWhere(url: string, { listen: place }: Listening, io: Io): void {
  if (place.token === undefined) {
    io.stderr('Start an instrumented program with this environment; Ctrl+C ends.\n');
    io.stderr(environmentLines(captureEnvironment(url)));
    return;
  }
  const { port } = new URL(url);
  io.stderr(
    `warning: everybody who can reach port ${port} at ${place.host} can try the token, and spans, with your questions and ` +
      'passages, travel unencrypted. Listen only in a network that you trust.\n',
  );
  io.stderr(
    `Programs send to http://<this machine>:${port}/v1/traces with the header x-parallax-token, by ` +
      `OTEL_EXPORTER_OTLP_HEADERS=x-parallax-token=<${TOKEN_VARIABLE}>; Ctrl+C ends.\n`,
  );
}

async function addQuestions(file: string, { retrievals }: Capture, io: Io): Promise<void> {
  let text = existsSync(file) ? await readText(file) : '';
  const before = text;
  const questions = retrievals.map(({ question, query }) => question ?? query);
  for (const question of questions) text = withQuery(text, file, { text: question, perspectives: [] }).text;
  if (text === before) return;
  await writeText(file, text);
  io.stderr(
    `The questions are in ${file}. Give them perspectives: parallax build --from questions --input ${file}, or in the panel.\n`,
  );
}

const isSilent = ({ retrievals, unused }: Capture): boolean => retrievals.length + unused.length === 0;

/** Advice for the most common reason for missing spans. */
const NO_SPAN =
  'Nor did any other span: is the program instrumented (docs/your-code.md, "How do I instrument my program?"), and has it ' +
  'sent its spans before it ends?\n';

function report({ retrievals, unused, forgotten, refused }: Capture, file: string | undefined, io: Io): void {
  const passages = retrievals.reduce((sum, { results }) => sum + results.length, 0);
  const questions = new Set(retrievals.map(({ query }) => query)).size;
  io.stdout(
    retrievals.length === 0
      ? 'No retrieval came.\n'
      : `${counted('{0} [0:retrieval|retrievals]', retrievals.length)} of ${counts.questions(questions)}, ${counts.passages(passages)}.\n`,
  );
  if (refused > 0)
    io.stderr(
      `warning: ${counts.requests(refused)} with spans could not be read, and what they held is lost. Smaller batches ` +
        '(OTEL_BSP_MAX_EXPORT_BATCH_SIZE=64) help where they are too large.\n',
    );
  if (forgotten > 0)
    io.stderr(counted('warning: {0} older [0:retrieval|retrievals] had to be left out.\n', forgotten));
  if (retrievals.length > 0 && file !== undefined)
    io.stdout(
      `Score them: parallax eval … --pipeline '${JSON.stringify({ retriever: { type: 'run', file } })}'\n`,
    );
  if (unused.length > 0) io.stdout(`\n${unusedTable(unused)}`);
}

function unusedTable(unused: Capture['unused']): string {
  return tableText({
    header: ['spans that are not shown', 'why', 'spans'],
    rows: unused.map(({ kind, reason, count }) => [
      kind === '' ? 'other kinds' : kind,
      unusedReason(reason).short,
      String(count),
    ]),
    names: 2,
  });
}

function readSeconds(text: string): number {
  const seconds = Number(text);
  if (!(seconds > 0 && seconds <= 1e6)) throw new UsageError(`--for is a number of seconds, not "${text}".`);
  return seconds;
}
