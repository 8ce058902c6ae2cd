/** Decides whether programs of Node get the hooks. */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { isTooOld } from '../contract/environment.ts';
import type { LiveEvent, ObservedText } from '../contract/requests.ts';

/** A shim of a version manager may download the version that a folder asks for. */
const LIMIT_MS = 5000;

/** Old versions end at the option that loads the hooks, and Python files need none in Node. */
export async function nodeHooks({
  texts,
  base,
  program = 'node',
}: {
  readonly texts: readonly Pick<ObservedText, 'file'>[];
  readonly base: string;
  readonly program?: string | undefined;
}): Promise<Pick<Extract<LiveEvent, { readonly type: 'ready' }>, 'node' | 'oldNode'>> {
  if (texts.every(({ file }) => /\.(?:pyw?|ipynb)$/u.test(file))) return { node: false };
  const version = await versionOf(/^node(?:\.exe)?$/u.test(path.basename(program)) ? program : 'node', base);
  return version !== undefined && isTooOld(version) ? { node: false, oldNode: version } : { node: true };
}

async function versionOf(node: string, cwd: string): Promise<string | undefined> {
  const { NODE_OPTIONS: _, ...env } = process.env;
  const asked = promisify(execFile)(node, ['--version'], { cwd, env, timeout: LIMIT_MS }).then(
    ({ stdout }) => /^v\d+\.\d+\.\d+/u.exec(stdout)?.[0],
    // It is not on this path, or no Node.
    () => undefined,
  );
  // What a shim starts may go on.
  return Promise.race([asked, delay(LIMIT_MS, undefined, { ref: false })]);
}
