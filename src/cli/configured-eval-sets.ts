/** The eval sets that parallax.json names, as files. */
import { glob } from 'node:fs/promises';
import path from 'node:path';
import { evalSetPattern } from '../core/formats/eval-set-pattern.ts';
import { globProblem } from '../core/text/glob-limits.ts';
import { evalSetNames } from '../features/gate/core/names.ts';
import { CONFIG_FILE, type ParallaxConfig } from '../shared/config.ts';
import { folderOfConfig } from './options/read-config.ts';
import { UsageError, type Io } from './presentation/terminal.ts';

/**
 * @param base the folder that the patterns are relative to
 * @param warn called for a pattern that is invalid or matches no file
 * @returns sorted paths relative to the base, with slashes, without duplicates
 */
export async function configuredEvalSets(
  { evalSets }: Pick<ParallaxConfig, 'evalSets'>,
  base: string,
  warn: (message: string) => void,
): Promise<string[]> {
  const files = new Set<string>();
  for (const pattern of evalSets) {
    const before = files.size;
    const problem = globProblem(pattern);
    if (problem !== undefined) {
      warn(problem);
      continue;
    }
    for await (const file of glob(evalSetPattern(pattern), { cwd: base }))
      files.add(file.replaceAll(path.sep, '/'));
    if (files.size === before) warn(`No eval set matches "${pattern}".`);
  }
  return [...files].sort();
}

/**
 * The eval sets of `--queries`, or else those of parallax.json under the names that the gate uses.
 *
 * @param file of `--config`
 * @throws UsageError if there are none
 */
export async function queriesOrConfigured(
  queryFiles: readonly string[] | undefined,
  config: Pick<ParallaxConfig, 'evalSets'>,
  file: string | undefined,
  io: Io,
): Promise<readonly string[]> {
  if (queryFiles !== undefined) return queryFiles;
  const base = folderOfConfig(file);
  const files = await configuredEvalSets(config, base, (message) => io.stderr(`warning: ${message}\n`));
  const names = evalSetNames(files);
  const paths = files.map((each) => path.relative(process.cwd(), path.resolve(base, each)));
  if (paths.length === 0)
    throw new UsageError(`--queries is missing, and no ${CONFIG_FILE} here names an eval set.`);
  return paths.length === 1 ? paths : paths.map((each, place) => `${names[place]}=${each}`);
}
