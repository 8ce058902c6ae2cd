/** Public programs, in a folder with one sub-folder for each repository. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import {
  FOREIGN_FOLDERS,
  MAX_PROGRAM_BYTES,
  programOf,
  type Program,
} from '../../src/features/agents/tools/programs.ts';

/** The files of a repository without packages and build output: relative, in alphabetical order. */
export function filesOf(repository: string): readonly string[] {
  return readdirSync(repository, { recursive: true, encoding: 'utf8' })
    .filter((file) => !file.split(path.sep).some((part) => FOREIGN_FOLDERS.includes(part)))
    .toSorted();
}

/** The files that the editor treats as programs, including notebooks. */
export function* programsAmong(repository: string, files: readonly string[]): Generator<Program> {
  for (const file of files) {
    const place = path.join(repository, file);
    const about = statSync(place, { throwIfNoEntry: false });
    if (!about?.isFile() || about.size > MAX_PROGRAM_BYTES) continue;
    const program = programOf(file, readFileSync(place, 'utf8'));
    if (program) yield program;
  }
}
