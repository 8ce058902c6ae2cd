// A folder in memory for what tests write: a store says after every step that it is to be on the disk, and most of the
// time of its tests would go by with waiting for one.
import { accessSync, chmodSync, constants, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { freemem } from 'node:os';
import { join } from 'node:path';

/** Where Linux keeps a file system in memory that everybody may write to. */
const SHARED_MEMORY = '/dev/shm';
const TMPFS = 0x01021994;

/** In bytes. All that lies in it at one time is less than a fifth of that. */
const NEEDED = 6e9;

/**
 * Makes the folder, which goes with the process.
 *
 * @returns undefined where there is no such file system, or too little memory
 */
export function memoryFolder() {
  // What a container may have of it is known from Node 20.13 on.
  const available = process.availableMemory?.() ?? freemem();
  if (process.platform !== 'linux' || available < NEEDED || !hasRoom()) return undefined;
  const folder = mkdtempSync(join(SHARED_MEMORY, 'parallax-'));
  // Tests that are run by root become somebody else where permissions are to bind them, and need a way to their files.
  chmodSync(folder, 0o711);
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function hasRoom() {
  try {
    accessSync(SHARED_MEMORY, constants.W_OK | constants.X_OK);
    const { type, bavail, bsize } = statfsSync(SHARED_MEMORY);
    return type === TMPFS && bavail * bsize >= NEEDED;
  } catch {
    return false; // such as where a container has none
  }
}
