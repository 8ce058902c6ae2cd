/** Runs programs before a gate: the results of their calls for its questions are the run that is evaluated. */
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { ParallaxError } from '../../../core/errors.ts';
import type { ProgramOfRun } from '../../../core/external/spec.ts';
import { externalParts } from '../../../core/pipeline.ts';
import { writeText } from '../../../engine/files/output-file.ts';
import { gatePipelines } from '../../../shared/evaluation.ts';
import type { LocalGate } from '../../gate/cli/gate-evaluation.ts';
import { UsageError, type Io } from '../../../cli/presentation/terminal.ts';
import { endBy } from './live-session.ts';
import { measureCall } from './measure-call.ts';
import { defaultEndAfterMs, eachOnce, whyNotReplaced, type Question } from './measuring.ts';

/**
 * Writes the run files of all pipelines of a gate that name a program.
 *
 * @throws ParallaxError `bad-config` if a program has no such call, two write one file, or a file is no run; `retriever-failed` if a question
 *   has no answer
 */
export async function measurePrograms(
  { spec, config, base, datasets }: Pick<LocalGate, 'spec' | 'config' | 'base' | 'datasets'>,
  io: Io,
): Promise<void> {
  const questions = eachOnce(datasets.flatMap(({ queries }) => queries));
  const programs = programsByFile({ spec, config, base });
  for (const [file, { pipeline }] of programs) await requireRun(file, pipeline);
  for (const [file, { pipeline, program }] of programs)
    await measureProgram(program, { pipeline, file, config, base, questions }, io);
}

interface NamedProgram {
  readonly pipeline: string;
  readonly program: ProgramOfRun;
}

/** By the run that each writes, absolute. */
function programsByFile({
  spec,
  config,
  base,
}: Pick<LocalGate, 'spec' | 'config' | 'base'>): ReadonlyMap<string, NamedProgram> {
  const programs = new Map<string, NamedProgram>();
  for (const { name, pipeline } of gatePipelines(spec, config))
    for (const part of externalParts(pipeline.retriever)) {
      if (part.type !== 'run' || !part.program) continue;
      const file = path.resolve(base, part.file);
      const known = programs.get(file);
      if (!known) programs.set(file, { pipeline: name, program: part.program });
      else if (!isDeepStrictEqual(known.program, part.program))
        throw new ParallaxError(
          'bad-config',
          `parallax.json: pipelines.${name}: "${known.pipeline}" has the answers of another program written to ${part.file}. Name another file.`,
        );
    }
  return programs;
}

/** @throws ParallaxError `bad-config` for a file that is no run, such as an eval set, because it would be lost */
async function requireRun(file: string, pipeline: string): Promise<void> {
  const reason = await whyNotReplaced(file);
  if (reason === undefined) return;
  throw new ParallaxError('bad-config', `parallax.json: pipelines.${pipeline}: ${reason}`);
}

interface Measuring extends Pick<LocalGate, 'config' | 'base'> {
  /** Name of the pipeline. */
  readonly pipeline: string;
  /** Absolute path of the run file to write. */
  readonly file: string;
  readonly questions: readonly Question[];
}

async function measureProgram(
  { at, unit, inherit, timeoutMs: limitMs, endAfterMs = defaultEndAfterMs(limitMs), command }: ProgramOfRun,
  { pipeline, file, config, base, questions }: Measuring,
  io: Io,
): Promise<void> {
  const [name = '', ...rest] = command;
  const session = {
    base,
    config,
    command: [name, ...rest] as const,
    withinReport: { inherit },
    endAfterMs,
  };
  const call = { at, from: base, unit, limitMs, questions };
  const { measured, outcome } = await measureCall(session, call, io).catch((error: unknown) => {
    if (!(error instanceof UsageError)) throw error;
    const message = `parallax.json: pipelines.${pipeline}: program: ${error.message}`;
    throw new ParallaxError('bad-config', message, { cause: error });
  });
  if (outcome.interrupted) return endBy(outcome.interrupted);
  const ended = outcome.signal ?? (outcome.code === 0 ? undefined : `code ${outcome.code}`);
  const answered = `${measured.count} of ${questions.length}`;
  if (outcome.isOverdue && measured.count < questions.length)
    throw new ParallaxError(
      'retriever-failed',
      `The program of "${pipeline}" was ended: for ${endAfterMs / 1000} seconds it neither ended nor answered a question, and ${answered} have an answer. Have it end by itself, or raise "endAfterMs".`,
    );
  if (measured.tried === 0)
    throw new ParallaxError(
      'retriever-failed',
      ended === undefined
        ? `The program of "${pipeline}" never came to the call at ${at}. Have it make that call once.`
        : `The program of "${pipeline}" ended with ${ended} before it answered a question at ${at}. Run it by itself first.`,
    );
  if (measured.count < questions.length)
    throw new ParallaxError(
      'retriever-failed',
      `The program of "${pipeline}" answered ${answered} questions at ${at}. Standard error says why.`,
    );
  if (outcome.isOverdue)
    io.stderr(
      `warning: the program of "${pipeline}" was ended, ${endAfterMs / 1000} seconds after its last answer. Have it end by itself.\n`,
    );
  else if (ended !== undefined) io.stderr(`warning: the program of "${pipeline}" ended with ${ended}.\n`);
  await writeText(file, measured.lines(questions));
}
