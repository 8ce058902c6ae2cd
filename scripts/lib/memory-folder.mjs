// A folder in memory for test output. A store syncs after every step, and its tests would spend most of their time
// waiting for the disk.
import { accessSync, chmodSync, constants, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { freemem } from 'node:os';
import { join } from 'node:path';

/** Linux's world-writable file system in memory. */
const SHARED_MEMORY = '/dev/shm';
const TMPFS = 0x01021994;

/** In bytes. Tests use less than a fifth of it at a time. */
const NEEDED = 6e9;

/**
 * Creates the folder, which is removed when the process exits.
 *
 * @returns `undefined` if there is no such file system, or too little memory
 */
export function memoryFolder() {
  // Node 20.13 and later respect the memory limit of a container.
  const available = process.availableMemory?.() ?? freemem();
  if (process.platform !== 'linux' || available < NEEDED || !hasRoom()) return undefined;
  const folder = mkdtempSync(join(SHARED_MEMORY, 'parallax-'));
  // Tests run by root switch to another user to test permissions, and need access to their files.
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
