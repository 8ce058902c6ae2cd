/** Tree-sitter, loaded with the first text that needs it, from bytes that the caller reads. */
import * as l10n from '@vscode/l10n';
import type { Edit, Language as TreeSitterLanguage, Parser, Tree } from '@vscode/tree-sitter-wasm';
import { ParallaxError } from '../core/errors.ts';
import type { Place } from './model.ts';
import type { Source } from './source.ts';
import type { Grammar } from './syntax/language.ts';

/** Where the WebAssembly files of `@vscode/tree-sitter-wasm` come from. */
export interface WasmFiles {
  /** `tree-sitter.wasm` */
  readonly runtime: () => Promise<Uint8Array>;
  /** `tree-sitter-<grammar>.wasm` */
  readonly grammar: (grammar: Grammar) => Promise<Uint8Array>;
}

/** The difference of two texts as one replaced stretch; offsets are UTF-16 code units. */
export interface Change {
  readonly start: number;
  readonly oldEnd: number;
  readonly newEnd: number;
}

/** The parser has room for so many characters. */
const PARSED_AT_ONCE = 5000;

export class Parsers {
  private readonly wasm: WasmFiles;
  private runtime: Promise<Runtime> | undefined;
  private readonly parsers = new Map<Grammar, Promise<Parser>>();
  /** Being parsed at the moment. */
  private text = '';
  /** Every tree keeps what it was read with: it must not be the text, or each node keeps the text of some edit. */
  private readonly read = (at: number): string => this.text.slice(at, at + PARSED_AT_ONCE);

  constructor(wasm: WasmFiles) {
    this.wasm = wasm;
  }

  /** Whether anything has been loaded. */
  get isLoaded(): boolean {
    return this.runtime !== undefined;
  }

  /** @throws ParallaxError `native-missing` when a WebAssembly file cannot be loaded, `internal` where there is no tree */
  async parse(grammar: Grammar, text: string, old: Tree | undefined): Promise<Tree> {
    const parser = await this.parser(grammar);
    this.text = text;
    try {
      const tree = parser.parse(this.read, old);
      if (tree) return tree;
    } finally {
      this.text = '';
    }
    throw new ParallaxError('internal', l10n.t('The parser gave no tree.'));
  }

  private async parser(grammar: Grammar): Promise<Parser> {
    let parser = this.parsers.get(grammar);
    if (!parser) {
      parser = this.load(grammar);
      this.parsers.set(grammar, parser);
      // A file that could not be read may be there next time.
      parser.catch(() => this.parsers.delete(grammar));
    }
    return parser;
  }

  private async load(grammar: Grammar): Promise<Parser> {
    try {
      this.runtime ??= loadRuntime(this.wasm);
      const runtime = await this.runtime;
      const language: TreeSitterLanguage = await runtime.Language.load(await this.wasm.grammar(grammar));
      return new runtime.Parser().setLanguage(language);
    } catch (cause) {
      this.runtime = undefined;
      throw new ParallaxError('native-missing', l10n.t`The ${grammar} parser could not be loaded.`, {
        cause,
      });
    }
  }
}

type Runtime = Awaited<ReturnType<typeof importRuntime>>;

async function importRuntime() {
  const { default: runtime } = await import('@vscode/tree-sitter-wasm');
  return runtime;
}

async function loadRuntime(wasm: WasmFiles): Promise<Runtime> {
  const runtime = await importRuntime();
  const options = { wasmBinary: await wasm.runtime(), locateFile: (file: string) => file };
  await runtime.Parser.init(options);
  return runtime;
}

/** The text between the first and the last difference; undefined for equal texts. */
export function changeBetween(before: string, after: string): Change | undefined {
  if (before === after) return undefined;
  const shorter = Math.min(before.length, after.length);
  let start = equalStart(before, after, shorter);
  while (start < shorter && before.charCodeAt(start) === after.charCodeAt(start)) start++;
  let tail = equalTail(before, after, shorter - start);
  while (
    tail < shorter - start &&
    before.charCodeAt(before.length - 1 - tail) === after.charCodeAt(after.length - 1 - tail)
  )
    tail++;
  return { start, oldEnd: before.length - tail, newEnd: after.length - tail };
}

/** Texts are compared in pieces of so many characters first. */
const PIECE = 1024;

/** A length at which the texts are equal from the start; the first difference is less than a piece away. */
function equalStart(a: string, b: string, most: number): number {
  let length = 0;
  while (length + PIECE <= most && a.slice(length, length + PIECE) === b.slice(length, length + PIECE))
    length += PIECE;
  return length;
}

function equalTail(a: string, b: string, most: number): number {
  let length = 0;
  const piece = (text: string): string => text.slice(text.length - length - PIECE, text.length - length);
  while (length + PIECE <= most && piece(a) === piece(b)) length += PIECE;
  return length;
}

/** The edit that a change was to the text of a tree, so that a parser can reuse the rest of it. */
export function editOf(before: string, after: string, { start, oldEnd, newEnd }: Change): Edit {
  return {
    startIndex: start,
    oldEndIndex: oldEnd,
    newEndIndex: newEnd,
    startPosition: pointAt(before, start),
    oldEndPosition: pointAt(before, oldEnd),
    newEndPosition: pointAt(after, newEnd),
  };
}

function pointAt(text: string, offset: number): { row: number; column: number } {
  let row = 0;
  let lineStart = 0;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) {
    row++;
    lineStart = at + 1;
  }
  return { row, column: offset - lineStart };
}

/** Where a place of the text before is now; undefined where the change touched it. */
export function shiftedPlace(
  place: Place,
  before: Source,
  after: Source,
  change: Change | undefined,
): Place | undefined {
  const start = before.offset(place);
  if (start === undefined) return undefined;
  const end = start + place.end - place.start;
  if (!change || end <= change.start) return after.place(start, end);
  const by = change.newEnd - change.oldEnd;
  if (start >= change.oldEnd) return after.place(start + by, end + by);
  // The change lies within: the place grows or shrinks with it.
  if (start <= change.start && end >= change.oldEnd) return after.place(start, end + by);
  return undefined;
}
