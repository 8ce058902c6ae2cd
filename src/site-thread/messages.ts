/** Messages between the extension host and its thread that looks for calls. Both come from one build. */
import type { LibraryRules } from '../core/call-sites/schema.ts';
import type { ErrorId } from '../core/errors.ts';
import type { Detection } from '../sites/detector.ts';
import type { LintId } from '../sites/model.ts';
import type { Cell } from '../sites/source.ts';
import type { AskedParameter, Callers } from '../sites/workspace/asked-callers.ts';
import type { Exports } from '../sites/workspace/exported.ts';
import type { Language } from '../sites/syntax/language.ts';

/** With what a thread begins. */
export interface ThreadBeginnings {
  /** Where the parser's WebAssembly files stand. */
  readonly wasmFolder: string;
  /** Texts in the editor's language. */
  readonly texts: Readonly<Record<string, string>> | undefined;
}

/** A part that many requests share; sent once, and spoken of by its number until it is dropped. */
export type Kept =
  | { readonly kind: 'rules'; readonly rules: readonly LibraryRules[] }
  | { readonly kind: 'files'; readonly files: ReadonlySet<string> }
  | {
      readonly kind: 'others';
      readonly file: string;
      readonly language: Language;
      /** Number of kept files. */
      readonly files: number;
      readonly exports: ReadonlyMap<string, Exports>;
      readonly called: ReadonlyMap<string, Callers>;
    };

export type Request =
  | {
      readonly kind: 'detect';
      /** A file is given by its text and language, a notebook by its cells. */
      readonly program: Cell | readonly Cell[];
      /** Number of kept rules, of kept other files, and of the detection before. */
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
      readonly asked: readonly AskedParameter[];
      readonly file: string;
      readonly asker: string;
      /** Number of kept files. */
      readonly files: number;
    };

export type ToThread =
  | { readonly kind: 'request'; readonly id: number; readonly request: Request }
  | { readonly kind: 'keep'; readonly id: number; readonly kept: Kept }
  /** For what was kept, and for a detection, whose number is that of its request. */
  | { readonly kind: 'drop'; readonly id: number };

export type Found =
  | { readonly kind: 'detect'; readonly detection: Detection }
  | { readonly kind: 'exports'; readonly exports: Exports }
  | { readonly kind: 'callers'; readonly callers: readonly Callers[] };

/** First that it has begun; then requests are answered in their order. */
export type FromThread =
  | { readonly hasBegun: true }
  | { readonly id: number; readonly found: Found }
  | { readonly id: number; readonly error: { readonly id: ErrorId; readonly message: string } };
