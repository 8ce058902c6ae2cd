/** Temporary folders that do not outlive their process for long, also if it is killed. */
import { lstatSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openLock, type FileLock } from './database.ts';

/** Its lock is held as long as the process that made the folder runs. */
const LOCK = 'in-use.lock';
/** Contains the folder's own inode, which the author of a repository that is cloned to such a name cannot have put there. */
const MARK = 'in-use.inode';
const PREFIX = 'parallax-';

/** `undefined` where files cannot be locked. Such a folder stays if its process is killed. */
const locks = new Map<string, FileLock | undefined>();
let isWatching = false;

/**
 * Makes a folder, and removes those of processes that were killed. It goes at the end of the process at the latest.
 *
 * @param name what it contains, for people who look
 * @returns an absolute path, for {@link removeTemporaryFolder}
 * @throws ParallaxError `store-unusable`, errors of the file system
 */
export async function makeTemporaryFolder(name: string): Promise<string> {
  await removeAbandoned();
  const folder = await mkdtemp(path.join(tmpdir(), `${PREFIX}${name}-`));
  const lock = lockIn(folder);
  // Without a mark no other process takes it for an abandoned one.
  if (lock) writeFileSync(path.join(folder, MARK), inodeOf(folder) ?? '');
  if (!isWatching) process.once('exit', removeAll);
  isWatching = true;
  locks.set(folder, lock);
  return folder;
}

/** While it is locked, if the system allows it, so that no other process removes it at the same time. */
export async function removeTemporaryFolder(folder: string): Promise<void> {
  if (process.platform !== 'win32') await rm(folder, { recursive: true, force: true });
  release(folder);
  await rm(folder, { recursive: true, force: true });
}

/** @returns `undefined` if files cannot be locked there */
function lockIn(folder: string): FileLock | undefined {
  let lock: FileLock | undefined;
  try {
    lock = openLock(path.join(folder, LOCK));
    if (lock.take()) return lock;
    lock.close();
    return undefined;
  } catch {
    // A file system without locks.
    lock?.close();
    return undefined;
  }
}

/** Windows removes no file that is open. */
function release(folder: string): void {
  locks.get(folder)?.close();
  locks.delete(folder);
}

function removeAll(): void {
  for (const folder of locks.keys()) {
    release(folder);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function removeAbandoned(): Promise<void> {
  for (const name of await readdir(tmpdir()).catch(() => [])) {
    const folder = path.join(tmpdir(), name);
    if (!name.startsWith(PREFIX) || locks.has(folder) || !isOwn(folder)) continue;
    // It stays if another process removes it at the same time, or the disk refuses.
    await removeIfAbandoned(folder).catch(() => undefined);
  }
}

async function removeIfAbandoned(folder: string): Promise<void> {
  const lock = openLock(path.join(folder, LOCK));
  try {
    if (!lock.take()) return;
    // While it is locked, so that its name is not used meanwhile.
    if (process.platform !== 'win32') await rm(folder, { recursive: true, force: true });
  } finally {
    lock.close();
  }
  await rm(folder, { recursive: true, force: true });
}

/** Whether {@link makeTemporaryFolder} made it. */
function isOwn(folder: string): boolean {
  const lock = lstatSync(path.join(folder, LOCK), { throwIfNoEntry: false });
  const inode = inodeOf(folder);
  return inode !== undefined && lock?.isFile() === true && markOf(folder) === inode;
}

function markOf(folder: string): string | undefined {
  try {
    return readFileSync(path.join(folder, MARK), 'utf8');
  } catch {
    return undefined;
  }
}

/** `undefined` if it is no folder of this user. */
function inodeOf(folder: string): string | undefined {
  const stats = lstatSync(folder, { throwIfNoEntry: false, bigint: true });
  const isUsers = stats?.uid === BigInt(process.getuid?.() ?? stats?.uid ?? 0);
  return stats?.isDirectory() && isUsers ? String(stats.ino) : undefined;
}
