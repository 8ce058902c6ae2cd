/** Messages between the extension host and its thread that detects calls. Both are from the same build. */
import type { LibraryRules } from '../core/call-sites/schema.ts';
import type { ErrorId } from '../core/errors.ts';
import type { Detection } from '../sites/detector.ts';
import type { LintId } from '../sites/model.ts';
import type { Cell } from '../sites/source.ts';
import type { ParameterQuestion, Callers } from '../sites/workspace/parameter-question.ts';
import type { Implementer } from '../sites/workspace/implementers.ts';
import type { Exports } from '../sites/workspace/exported.ts';
import type { Language } from '../sites/syntax/language.ts';

/** The initial data of a thread. */
export interface ThreadBeginnings {
  /** The folder of the parser's WebAssembly files. */
  readonly wasmFolder: string;
  /** Texts in the editor's language. */
  readonly texts: Readonly<Record<string, string>> | undefined;
}

/** Data that many requests share. Sent once, and referred to by number until it is dropped. */
export type Kept =
  | { readonly kind: 'rules'; readonly rules: readonly LibraryRules[] }
  | { readonly kind: 'files'; readonly files: ReadonlySet<string> }
  | {
      readonly kind: 'others';
      readonly file: string;
      readonly language: Language;
      /** Number of the kept files. */
      readonly files: number;
      readonly exports: ReadonlyMap<string, Exports>;
      readonly called: ReadonlyMap<string, Callers>;
      readonly implementers: ReadonlyMap<string, readonly Implementer[]>;
    };

export type Request =
  | {
      readonly kind: 'detect';
      /** A file is a single cell, a notebook a list of cells. */
      readonly program: Cell | readonly Cell[];
      /** Numbers of the kept rules, of the kept other files, and of the previous detection. */
      readonly rules: number | undefined;
      readonly others: number | undefined;
      readonly previous: number | undefined;
      readonly without: ReadonlySet<LintId> | undefined;
      readonly live: boolean | undefined;
    }
  | { readonly kind: 'exports'; readonly file: Cell; readonly rules: number | undefined }
  | {
      readonly kind: 'callers';
      readonly text: Cell;
      readonly asked: readonly ParameterQuestion[];
      readonly file: string;
      readonly asker: string;
      /** Number of the kept files. */
      readonly files: number;
    };

export type ToThread =
  | { readonly kind: 'request'; readonly id: number; readonly request: Request }
  | { readonly kind: 'keep'; readonly id: number; readonly kept: Kept }
  /** Drops kept data, or a detection, which has the number of its request. */
  | { readonly kind: 'drop'; readonly id: number };

export type Found =
  | { readonly kind: 'detect'; readonly detection: Detection }
  | { readonly kind: 'exports'; readonly exports: Exports }
  | { readonly kind: 'callers'; readonly callers: readonly Callers[] };

/** First reports that it has started; then answers requests in order. */
export type FromThread =
  | { readonly hasBegun: true }
  | { readonly id: number; readonly found: Found }
  | { readonly id: number; readonly error: { readonly id: ErrorId; readonly message: string } };
