/** Small helpers for tests of call sites. */
import { createSiteDetector, type DetectOptions, type Detection } from '../../../src/sites/detector.ts';
import type { CallSite, CodeEdit } from '../../../src/sites/model.ts';
import { wasm } from './wasm-files.ts';

export const detector = createSiteDetector({ wasm });

export function inPython(text: string, options?: DetectOptions): Promise<Detection> {
  return detector.detect(text, 'python', options);
}

export function inTypeScript(text: string, options?: DetectOptions): Promise<Detection> {
  return detector.detect(text, 'typescript', options);
}

/** The text after edits of cell 0 that do not overlap. */
export function applied(text: string, edits: readonly CodeEdit[]): string {
  return edits
    .toSorted((a, b) => b.place.start - a.place.start)
    .reduce(
      (current, { place, text: inserted }) =>
        current.slice(0, place.start) + inserted + current.slice(place.end),
      text,
    );
}

/** Callee and k, e.g. `as_retriever 5`. */
export function brief(sites: readonly CallSite[]): string[] {
  return sites.map(({ callee, k }) => `${callee} ${k.value ?? '?'}`);
}

export const CHROMA = 'from langchain_chroma import Chroma\nstore = Chroma("kb")\n';
