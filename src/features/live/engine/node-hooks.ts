/** Decides whether programs of Node get the hooks. */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { readText } from '../../../engine/files/reading.ts';
import { isTooOld } from '../contract/environment.ts';
import type { LiveEvent, ObservedText } from '../contract/requests.ts';

/** A shim of a version manager may download the version that a folder asks for. */
const LIMIT_MS = 5000;

/** Longer than any manifest of the package. */
const MAX_BYTES = 2 ** 20;

/** Old versions end at the option that loads the hooks, and Python files need none in Node. */
export async function nodeHooks({
  texts,
  base,
  program,
}: {
  readonly texts: readonly Pick<ObservedText, 'file'>[];
  readonly base: string;
  readonly program?: string | undefined;
}): Promise<Pick<Extract<LiveEvent, { readonly type: 'ready' }>, 'node' | 'oldNode'>> {
  if (texts.every(({ file }) => /\.(?:pyw?|ipynb)$/u.test(file))) return { node: false };
  const isNode = program !== undefined && /^node(?:\.exe)?$/u.test(path.basename(program));
  const versions = isNode
    ? [await versionOf(program, base)]
    : [await installedVersion(base), await versionOf('node', base)];
  const oldNode = versions.find((version) => version !== undefined && isTooOld(version));
  return oldNode === undefined ? { node: true } : { node: false, oldNode };
}

/** The version of the package `node`, which npm and npx run instead of the program on the path. It is not run here. */
async function installedVersion(folder: string): Promise<string | undefined> {
  try {
    const text = await readText(path.join(folder, 'node_modules', 'node', 'package.json'), {
      maxBytes: MAX_BYTES,
    });
    const version = /"version"\s*:\s*"(\d+\.\d+\.\d+)/u.exec(text)?.[1];
    return version && `v${version}`;
  } catch {
    const above = path.dirname(folder);
    return above === folder ? undefined : installedVersion(above);
  }
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
