/** The cache of model answers for commands without `--store`, so that no command pays twice for an answer. */
import { realpathSync } from 'node:fs';
import path from 'node:path';
import { caches, digestOf } from './user-caches.ts';

/** A folder for answers that replaces the user's caches; `off` stores none. */
const VARIABLE = 'PARALLAX_ANSWERS';
const OFF = 'off';

/** For the help of `--store`. */
export const ANSWERS_HELP = `without it, answers of models are kept among your caches
(${VARIABLE}=${OFF} keeps none, ${VARIABLE}=FOLDER keeps them there)`;

/**
 * The folder for the answers about a workspace. `undefined` if none are stored.
 *
 * @param base the folder of parallax.json, or the working directory; absolute
 */
export function answersFolder(base: string): string | undefined {
  const setting = process.env[VARIABLE];
  if (setting === OFF) return undefined;
  const all = setting ? path.resolve(setting) : path.join(caches(), 'parallax', 'answers');
  return path.join(all, digestOf(realpathSync(base)));
}

/** Whether the next run can reuse the answers of this one. */
export function keepsAnswers(store: string | undefined): boolean {
  return store !== undefined || process.env[VARIABLE] !== OFF;
}
