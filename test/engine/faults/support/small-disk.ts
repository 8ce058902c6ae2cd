/** An in-memory file system of a chosen size. Mounting one needs root. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmdirSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

export class SmallDisk {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** @returns undefined if mounting is not permitted */
  static mount(bytes: number): SmallDisk | undefined {
    const folder = mkdtempSync(path.join(tmpdir(), 'parallax-disk-'));
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'parallax-test', folder], {
        stdio: 'ignore',
      });
      return new SmallDisk(folder);
    } catch {
      rmdirSync(folder);
      return undefined;
    }
  }

  /** Leaves about this many bytes free. */
  leave(bytes: number): void {
    const { blocks, bfree, bsize } = statfsSync(this.folder);
    this.#remount(`size=${(blocks - bfree) * bsize + bytes}`);
  }

  makeReadOnly(): void {
    this.#remount('ro');
  }

  unmount(): void {
    execFileSync('umount', [this.folder]);
    rmdirSync(this.folder);
  }

  #remount(options: string): void {
    execFileSync('mount', ['-o', `remount,${options}`, this.folder]);
  }
}
