/** Small helpers for tests of call sites among several files. */
import type { Detection } from '../../../src/sites/detector.ts';
import { languageIdOf } from '../../../src/sites/syntax/language.ts';
import { detectAmong } from '../../../src/sites/workspace/detect-among.ts';
import { Neighbours } from '../../../src/sites/workspace/neighbours.ts';
import { detector } from './support.ts';

export type Files = Readonly<Record<string, string>>;

/** @param read takes the files that were read, in order */
export function neighboursOf(files: Files, read: string[] = []): Neighbours {
  return new Neighbours({
    files: () => Promise.resolve(new Set(Object.keys(files))),
    read: (file) => {
      read.push(file);
      return Promise.resolve(files[file]);
    },
    exports: (...asked) => detector.exports(...asked),
    callers: (...asked) => detector.callers(...asked),
  });
}

export function detectIn(files: Files, file: string, neighbours = neighboursOf(files)): Promise<Detection> {
  const [text, languageId] = [files[file] ?? '', languageIdOf(file) ?? ''];
  return detectAmong(detector, neighbours, { file, text, languageId });
}

/** A file of Python that is alone in its workspace. */
export function inWorkspace(text: string): Promise<Detection> {
  return detectIn({ 'main.py': text }, 'main.py');
}
