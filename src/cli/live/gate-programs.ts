/** Runs programs before a gate: the results of their calls for its questions are the run that is evaluated. */
import path from 'node:path';
import { ParallaxError } from '../../core/errors.ts';
import type { ProgramOfRun } from '../../core/external/spec.ts';
import { externalParts } from '../../core/pipeline.ts';
import { writeText } from '../../engine/files/output-file.ts';
import { gatePipelines } from '../../shared/evaluation.ts';
import type { LocalGate } from '../gate-evaluation.ts';
import { UsageError, type Io } from '../presentation/terminal.ts';
import { measureCall } from './measure-call.ts';
import { eachOnce, type Question } from './measuring.ts';

/**
 * Writes the run files of all pipelines of a gate that name a program.
 *
 * @throws ParallaxError `bad-config` if a program has no such call, `retriever-failed` if it answered nothing
 */
export async function measurePrograms(
  { spec, config, base, datasets }: Pick<LocalGate, 'spec' | 'config' | 'base' | 'datasets'>,
  io: Io,
): Promise<void> {
  const questions = eachOnce(datasets.flatMap(({ queries }) => queries));
  for (const { name, pipeline } of gatePipelines(spec, config))
    for (const part of externalParts(pipeline.retriever))
      if (part.type === 'run' && part.program)
        await measureProgram(part.program, { pipeline: name, file: part.file, config, base, questions }, io);
}

interface Measuring extends Pick<LocalGate, 'config' | 'base'> {
  /** Name of the pipeline. */
  readonly pipeline: string;
  /** The run file to write. */
  readonly file: string;
  readonly questions: readonly Question[];
}

async function measureProgram(
  { at, unit, inherit, timeoutMs: limitMs, command: [name = '', ...rest] }: ProgramOfRun,
  { pipeline, file, config, base, questions }: Measuring,
  io: Io,
): Promise<void> {
  const session = { base, config, command: [name, ...rest] as const, withinReport: { inherit } };
  const call = { at, from: base, unit, limitMs, questions };
  const { measured, outcome } = await measureCall(session, call, io).catch((error: unknown) => {
    if (!(error instanceof UsageError)) throw error;
    const message = `parallax.json: pipelines.${pipeline}: program: ${error.message}`;
    throw new ParallaxError('bad-config', message, { cause: error });
  });
  const ended = outcome.signal ?? (outcome.code === 0 ? undefined : `code ${outcome.code}`);
  if (measured.count === 0)
    throw new ParallaxError(
      'retriever-failed',
      ended === undefined
        ? `The program of "${pipeline}" never came to the call at ${at}. Have it make that call once.`
        : `The program of "${pipeline}" ended with ${ended} before it answered a question at ${at}. Run it by itself first.`,
    );
  if (ended !== undefined) io.stderr(`warning: the program of "${pipeline}" ended with ${ended}.\n`);
  await writeText(path.resolve(base, file), measured.lines(questions));
}
