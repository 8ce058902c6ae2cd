/** `parallax run`: runs an unmodified program, and captures or measures what its own calls retrieve. */
import { appendFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { messageOf, ParallaxError } from '../../../core/errors.ts';
import type { ListedSite } from '../../agents/tools/sites.ts';
import type { LiveRetrieval } from '../contract/requests.ts';
import { endBy, runLive, type LiveOutcome } from './live-session.ts';
import { measureCall, type MeasuredCall } from './measure-call.ts';
import {
  defaultEndAfterMs,
  measuredPipeline,
  questionsOf,
  resultOf,
  whyNotReplaced,
  withRun,
  type Question,
} from './measuring.ts';
import { RunSummary } from './run-summary.ts';
import { replaceText } from '../../../engine/files/output-file.ts';
import { folderOfConfig, readConfig } from '../../../cli/options/read-config.ts';
import { UsageError, type Io } from '../../../cli/presentation/terminal.ts';
import { command, type Command } from '../../../cli/commands/command.ts';

const parsedCommand = command({
  usage: `parallax run [--out <file>] -- <command> <arguments>
parallax run --measure <eval set> [--measure …] --at <file:line> [--out <file>] -- <command> <arguments>`,
  about: `Runs a command of Node or Python as it is, and observes the calls that retrieve in the programs of this folder: nothing of
the code is changed, and its output, signals and exit code are its own. With --measure, the call at --at is asked every
question of the eval sets, when the program comes to it first, and the figures of its answers are printed.
`,
  positionals: true,
  argument: ['-- <command>', 'the program, as it is started otherwise'],
  options: {
    out: {
      type: 'string',
      help: 'write a JSON line for each retrieval to this file, or with --measure for each question',
    },
    measure: {
      type: 'string',
      multiple: true,
      help: 'an eval set whose questions are asked; may be repeated',
    },
    at: {
      type: 'string',
      help: 'the call that is measured, as in app/rag.ts:46, or by the function around it, app/rag.ts:answer',
    },
    k: { type: 'string', help: 'ask for this many passages, if the call takes k' },
    unit: { type: 'string', help: 'the function that is asked instead of the call' },
    limit: { type: 'string', default: '60', help: 'seconds for one question' },
    'end-after': {
      type: 'string',
      help: `seconds in which a measured program neither ends nor answers before it is ended, with what it started
(default 600, or twice --limit)`,
    },
    config: { type: 'string', help: 'parallax.json (default: the one in this folder, if any)' },
  },

  async run({ values, positionals }, io) {
    const [name, ...rest] = positionals;
    if (name === undefined) throw new UsageError('The command is missing: parallax run -- <command>.');
    const session = {
      command: [name, ...rest] as const,
      config: await readConfig(values.config),
      base: folderOfConfig(values.config),
    };
    const { out } = values;
    const reason = out === undefined ? undefined : await whyNotReplaced(out);
    if (reason !== undefined) throw new UsageError(reason);
    if (values.measure === undefined) return capture(session, out, io);
    const canScore = Object.keys(session.config?.corpora ?? {}).length > 0;
    if (!canScore && out === undefined)
      throw new UsageError(
        'There is no corpus to score by. Name one in parallax.json, or keep what is returned with --out.',
      );
    const { site, measured, outcome, questions } = await measure(
      session,
      { ...values, measure: values.measure },
      io,
    );
    const lines = measured.lines(questions);
    if (outcome.interrupted) {
      if (out !== undefined && measured.count > 0) await replaceText(out, lines);
      endBy(outcome.interrupted);
    }
    if (measured.count === 0 || outcome.interrupted) return outcome.code || 1;
    const code = await withRun(lines, out, async (file) => {
      if (!canScore) {
        io.stderr(`Written to ${out}. Name a corpus in parallax.json to score it.\n`);
        return 0;
      }
      const { evalCommand } = await import('../../../cli/commands/eval-command.ts');
      const config = values.config === undefined ? [] : ['--config', values.config];
      const pipeline = ['--pipeline', measuredPipeline(site, file, measured.k), '--k', String(measured.k)];
      return evalCommand([...queriesOptions(values.measure!), ...config, ...pipeline], io);
    });
    return code || outcome.code || (measured.count < questions.length ? 1 : 0);
  },
});

export const runCommand: Command = (argv, io) => parsedCommand(withEachEvalSet(argv), io);

/** The eval sets as `parallax eval` takes them: several need names. */
function queriesOptions(files: readonly string[]): string[] {
  return files.flatMap((file) => [
    '--queries',
    files.length === 1 ? file : `${path.parse(file).name}=${file}`,
  ]);
}

/** Repeats `--measure` for each file, because a shell expands `--measure eval/*.jsonl` to several words. */
export function withEachEvalSet(argv: readonly string[]): string[] {
  const end = argv.indexOf('--');
  const own = argv.slice(0, end < 0 ? argv.length : end);
  let isFile = false;
  const written = own.flatMap((word, place) => {
    if (word.startsWith('-')) {
      isFile = word === '--measure';
      return [word];
    }
    return isFile && own[place - 1] !== '--measure' ? ['--measure', word] : [word];
  });
  return [...written, ...argv.slice(own.length)];
}

type Session = Pick<Parameters<typeof runLive>[0], 'base' | 'config' | 'command'>;

async function capture(session: Session, out: string | undefined, io: Io): Promise<number> {
  const summary = new RunSummary();
  // Earlier answers stay until there are others, or the command ran without any.
  if (out !== undefined) writeOut(out, () => appendFileSync(out, '', { mode: 0o600 }));
  let isBegun = false;
  let failure: unknown;
  /** Written as they arrive, because a server may run for days and may be killed. */
  const write = (text: string): void => {
    if (out === undefined || failure !== undefined) return;
    try {
      writeOut(out, () => (isBegun ? appendFileSync(out, text) : writeFileSync(out, text)));
      isBegun = true;
    } catch (error) {
      failure = error;
    }
  };
  const outcome = await runLive(
    {
      ...session,
      onEvent: (event, sites) => {
        summary.take(event);
        if (event.type === 'retrieval') write(lineOf(event, sites));
      },
    },
    io,
  );
  if (!isBegun) write('');
  io.stderr(summary.text(outcome.sites, outcome.observed, session.base));
  if (failure !== undefined) throw failure;
  if (out !== undefined && summary.retrievals > 0) io.stderr(`Written to ${out}.\n`);
  return ended(outcome);
}

function writeOut(file: string, write: () => void): void {
  try {
    write();
  } catch (error) {
    throw new ParallaxError('bad-argument', `${file} cannot be written: ${messageOf(error)}.`, {
      cause: error,
    });
  }
}

function lineOf(
  { site: key, question, k, passages, at, durationMs, request, process, more }: LiveRetrieval,
  sites: readonly ListedSite[],
): string {
  const place = sites.find((site) => site.key === key);
  return `${JSON.stringify({
    site: { file: place?.file ?? key, line: place?.line },
    query: question ?? null,
    k: k ?? passages.length + more,
    passages: passages.map(resultOf),
    at: new Date(at).toISOString(),
    durationMs: Math.round(durationMs * 1000) / 1000,
    process,
    ...(request === undefined ? {} : { request }),
  })}\n`;
}

/** The exit code of the command. */
function ended({ code, signal }: LiveOutcome): number {
  if (signal) endBy(signal);
  return code;
}

interface MeasureValues {
  readonly measure: readonly string[];
  readonly at?: string | undefined;
  readonly k?: string | undefined;
  readonly unit?: string | undefined;
  readonly limit: string;
  readonly 'end-after'?: string | undefined;
}

/** @throws UsageError, ParallaxError like the run */
async function measure(
  session: Session,
  { at, unit, ...values }: MeasureValues,
  io: Io,
): Promise<MeasuredCall & { readonly questions: readonly Question[] }> {
  if (at === undefined)
    throw new UsageError('--at is missing: the call that is measured, as in app/rag.ts:46.');
  const limitMs = positive(values.limit, '--limit') * 1000;
  const k = values.k === undefined ? undefined : Number(values.k);
  if (k !== undefined && (!Number.isInteger(k) || k < 1))
    throw new UsageError(`--k is a whole number from 1, not "${values.k}".`);
  const questions = await questionsOf(values.measure, io);
  const call = { at, from: process.cwd(), k, unit, limitMs, questions };
  const endAfter = values['end-after'];
  const endAfterMs =
    endAfter === undefined ? defaultEndAfterMs(limitMs) : positive(endAfter, '--end-after') * 1000;
  const result = await measureCall({ ...session, endAfterMs }, call, io);
  if (result.outcome.isOverdue)
    io.stderr(
      `parallax: the program was ended: for ${endAfterMs / 1000} seconds it neither ended nor answered a question. --end-after gives it longer.\n`,
    );
  return { ...result, questions };
}

function positive(text: string, option: string): number {
  const number = Number(text);
  if (!(number > 0 && number <= 1e6)) throw new UsageError(`${option} is a number above 0, not "${text}".`);
  return number;
}
