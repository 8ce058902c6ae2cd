/** Makes a copy of an index in a read-only folder, for example in a container image, to work on. */
import { access, chmod, constants, cp, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { makeTemporaryFolder } from '../engine/store/temporary-folder.ts';
import { asOnlyWriter } from '../engine/store/writer-lock.ts';
import { OWNER_ONLY } from './local-engine.ts';
import type { Io } from './presentation/terminal.ts';
import { caches, digestOf } from './user-caches.ts';

/** The folder to work in. */
export interface UsableStore {
  readonly folder: string;
  /** The folder to remove afterwards, if nothing else was writable. */
  readonly temporary: string | undefined;
}

const JUDGEMENTS = /^judgements\.sqlite/u;
/** Files of processes that have the index open; a copy gets new ones. */
const NOT_COPIED = /\.lock$|-shm$/u;

/**
 * The folder itself if it is writable or can be created. Otherwise a copy in the user's caches, made once for each
 * state of the folder and reported on standard error.
 *
 * @throws errors of the file system
 */
export async function usableStore(store: string, io: Io): Promise<UsableStore> {
  const folder = path.resolve(store);
  if (await canBeWritten(folder)) return { folder, temporary: undefined };
  const { place, temporary } = await ownFolder(folder);
  const copy = path.join(place, await stateOf(folder));
  await asOnlyWriter(path.join(place, 'copying.lock'), {}, () => copyOnce(folder, copy));
  const until = temporary === undefined ? 'New judgements are kept there.' : 'It is removed afterwards.';
  io.stderr(`${store} cannot be written: this works on a copy of it, ${copy}. ${until}\n`);
  return { folder: copy, temporary };
}

/** Whether an index in a folder, which may not exist, could be updated. */
export async function canBeWritten(folder: string): Promise<boolean> {
  if (await isThere(folder)) {
    const database = path.join(folder, 'store.sqlite');
    return (await isWritable(folder)) && (!(await isThere(database)) || (await isWritable(database)));
  }
  const above = path.dirname(path.resolve(folder));
  return above === folder || canBeWritten(above);
}

/** The folder for copies of a folder. */
async function ownFolder(folder: string): Promise<{ place: string; temporary: string | undefined }> {
  const place = path.join(caches(), 'parallax', 'stores', digestOf(folder));
  // In many containers there is no writable home.
  if (await canBeWritten(place)) {
    await mkdir(place, { recursive: true, mode: OWNER_ONLY });
    return { place, temporary: undefined };
  }
  const temporary = await makeTemporaryFolder('store');
  return { place: temporary, temporary };
}

/** A fingerprint that changes with any file. */
async function stateOf(folder: string): Promise<string> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const states: (string | number)[][] = [];
  for (const name of names.sort()) {
    const { size, mtimeMs, ctimeMs } = await stat(path.join(folder, name));
    states.push([name, size, mtimeMs, ctimeMs]);
  }
  return digestOf(JSON.stringify(states));
}

/** Atomic. Keeps the paid judgements of a copy of an earlier state, and removes that copy. */
async function copyOnce(folder: string, copy: string): Promise<void> {
  if (await isThere(copy)) return;
  const former = (await readdir(path.dirname(copy))).filter((name) => !name.includes('.'));
  // A killed process may have left it.
  const unfinished = path.join(path.dirname(copy), 'unfinished.copy');
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { mode: OWNER_ONLY });
  const filter = (name: string): boolean => !NOT_COPIED.test(name);
  if (await isThere(folder))
    await cp(folder, unfinished, { recursive: true, filter, mode: constants.COPYFILE_FICLONE });
  await makeWritable(unfinished);
  for (const name of former) await takeJudgements(path.join(path.dirname(copy), name), unfinished);
  await rename(unfinished, copy);
  for (const name of former) await rm(path.join(path.dirname(copy), name), { recursive: true, force: true });
}

async function takeJudgements(former: string, target: string): Promise<void> {
  const names = (await readdir(former)).filter((name) => JUDGEMENTS.test(name) && !NOT_COPIED.test(name));
  if (names.length === 0) return;
  for (const name of await readdir(target))
    if (JUDGEMENTS.test(name)) await rm(path.join(target, name), { force: true });
  for (const name of names) await cp(path.join(former, name), path.join(target, name));
}

/** A copy would otherwise keep the permissions of the read-only store. */
async function makeWritable(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    await chmod(
      path.join(entry.parentPath, entry.name),
      entry.isDirectory() ? OWNER_ONLY : OWNER_ONLY & 0o600,
    );
}

const isThere = (file: string): Promise<boolean> => allows(file, constants.F_OK);
const isWritable = (file: string): Promise<boolean> => allows(file, constants.W_OK);

async function allows(file: string, mode: number): Promise<boolean> {
  try {
    await access(file, mode);
    return true;
  } catch {
    return false;
  }
}
