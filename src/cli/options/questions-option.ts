/** Reads the questions of a command: typed, or those of an eval set. */
import { EvalSetReading } from '../../core/formats/queries.ts';
import { readArgumentLines } from '../../engine/files/read-input.ts';
import { UsageError } from '../presentation/terminal.ts';

/**
 * @param most the largest number of questions; typed ones come first
 * @throws UsageError if there are none, ParallaxError for the file
 */
export async function readQuestions(
  typed: readonly string[] = [],
  file: string | undefined,
  most: number,
): Promise<string[]> {
  const read = file === undefined ? [] : (await readArgumentLines(file, new EvalSetReading(file))).queries;
  const questions = [...typed, ...read.map(({ text }) => text)].filter((text) => text.trim() !== '');
  if (questions.length === 0)
    throw new UsageError('Give a --question to ask, or --queries with an eval set.');
  return [...new Set(questions)].slice(0, most);
}
