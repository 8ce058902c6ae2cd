/** Answers of models that are kept without `--store`, so that no command pays for what another one has paid for. */
import { realpathSync } from 'node:fs';
import path from 'node:path';
import { caches, digestOf } from './user-caches.ts';

/** A folder to keep answers in, in place of the user's caches; `off` to keep none. */
const VARIABLE = 'PARALLAX_ANSWERS';
const OFF = 'off';

/** For the help of `--store`. */
export const ANSWERS_HELP = `without it, answers of models are kept among your caches
(${VARIABLE}=${OFF} keeps none, ${VARIABLE}=FOLDER keeps them there)`;

/**
 * The folder for the answers about a workspace; nothing if none are kept.
 *
 * @param base the folder of parallax.json, or the working directory; absolute
 */
export function answersFolder(base: string): string | undefined {
  const given = process.env[VARIABLE];
  if (given === OFF) return undefined;
  const all = given ? path.resolve(given) : path.join(caches(), 'parallax', 'answers');
  return path.join(all, digestOf(realpathSync(base)));
}

/** Whether the next run finds what this one pays for. */
export function keepsAnswers(store: string | undefined): boolean {
  return store !== undefined || process.env[VARIABLE] !== OFF;
}
