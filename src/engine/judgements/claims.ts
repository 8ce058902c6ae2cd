/**
 * Claims on requests to a model, so that two windows with the same storage do not pay for the same answer at the same
 * time. A claim lasts as long as the process that made it, according to the operating system: it needs no release,
 * does not expire, and depends on no clock.
 */
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { ParallaxError } from '../../core/errors.ts';
import { openLock, type Database, type FileLock, type Statement } from '../store/database.ts';
import { createTables } from '../store/tables.ts';

/** The name carries the version of the schema. */
const TABLE = `
  CREATE TABLE IF NOT EXISTS claims_1 (key TEXT PRIMARY KEY, owner TEXT NOT NULL) WITHOUT ROWID`;

/** Within a storage folder. Contains one file per living owner, locked by it. */
const FOLDER = 'claims';
const LOCK = '.lock';
/** How long an owner is assumed to be alive after a check. */
const SEEN_FOR_MS = 100;

export class Claims {
  readonly #owner = randomUUID();
  readonly #folder: string;
  readonly #take: Statement;
  readonly #ownerOf: Statement;
  readonly #release: Statement;
  readonly #forget: Statement;
  /** The owner last seen alive, and when. Checking a lock takes as long as ten claims. */
  #seen: { readonly owner: string; readonly at: number } | undefined;
  /** Held from the first claim on. */
  #lock: FileLock | undefined;

  /**
   * Creates its table if it is missing.
   *
   * @param storage folder that all processes with this database share
   */
  constructor(db: Database, storage: string) {
    createTables(db, TABLE);
    this.#folder = path.join(storage, FOLDER);
    this.#take = db.prepare('INSERT INTO claims_1 (key, owner) VALUES (?, ?) ON CONFLICT DO NOTHING');
    this.#ownerOf = db.prepare('SELECT owner FROM claims_1 WHERE key = ?');
    this.#release = db.prepare('DELETE FROM claims_1 WHERE key = ? AND owner = ?');
    this.#forget = db.prepare('DELETE FROM claims_1 WHERE owner = ?');
  }

  /**
   * @returns whether this process may ask; also true if claims cannot be written, since paying twice is better than
   *   not asking
   */
  take(key: string): boolean {
    try {
      this.#live();
      for (;;) {
        if (this.#take.run(key, this.#owner).changes > 0) return true;
        const owner = this.#ownerOf.get(key)?.['owner'];
        if (owner === this.#owner) return true;
        // Released just now, or left by a process that has ended.
        if (owner === undefined) continue;
        if (this.#isAlive(String(owner))) return false;
        this.#forget.run(String(owner));
      }
    } catch (error) {
      if (ParallaxError.is(error, 'store-unusable')) return true;
      throw error;
    }
  }

  /** Releases a claim. Does nothing to claims of others. */
  release(key: string): void {
    try {
      this.#release.run(key, this.#owner);
    } catch (error) {
      // The claim ends with this process.
      if (!ParallaxError.is(error, 'store-unusable')) throw error;
    }
  }

  /** Releases all claims. */
  close(): void {
    if (!this.#lock) return;
    this.#lock.close();
    this.#lock = undefined;
    this.#remove(this.#owner);
  }

  /** Shows others that this process is alive. */
  #live(): void {
    if (this.#lock) return;
    mkdirSync(this.#folder, { recursive: true });
    for (const name of readdirSync(this.#folder))
      // Removes the locks of killed processes.
      if (name.endsWith(LOCK)) this.#holdsLock(name.slice(0, -LOCK.length));
    const file = this.#fileOf(this.#owner);
    while (!this.#lock) {
      const lock = openLock(file);
      // Another process may have checked the new file before it was locked, and removed it, so this checks
      // that it still exists.
      if (takes(lock, file) && this.#holdsLock(this.#owner)) this.#lock = lock;
      else lock.close();
    }
  }

  #isAlive(owner: string): boolean {
    const { owner: lastOwner, at } = this.#seen ?? { at: 0 };
    if (lastOwner === owner && performance.now() - at < SEEN_FOR_MS) return true;
    const isAlive = this.#holdsLock(owner);
    if (isAlive) this.#seen = { owner, at: performance.now() };
    return isAlive;
  }

  /** Whether the lock of an owner is held. Removes its file if it is not. */
  #holdsLock(owner: string): boolean {
    const file = this.#fileOf(owner);
    if (!existsSync(file)) return false;
    const lock = openLock(file);
    const isGone = takes(lock, file);
    // Removed while locked here, so that no other process can take it in between.
    if (isGone) this.#remove(owner);
    lock.close();
    return !isGone;
  }

  /** A file that is open elsewhere and cannot be removed stays, and does no harm. */
  #remove(owner: string): void {
    try {
      for (const suffix of ['-journal', '']) rmSync(this.#fileOf(owner) + suffix, { force: true });
    } catch (error) {
      if (process.platform !== 'win32') throw error;
    }
  }

  #fileOf(owner: string): string {
    return path.join(this.#folder, owner + LOCK);
  }
}

/** Whether the lock is now held here. SQLite fails if another process has just removed its file. */
function takes(lock: FileLock, file: string): boolean {
  try {
    return lock.take();
  } catch (error) {
    if (existsSync(file)) throw error;
    return false;
  }
}
