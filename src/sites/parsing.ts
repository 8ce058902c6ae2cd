/** Tree-sitter, loaded with the first text that needs it, from bytes that the caller reads. */
import * as l10n from '@vscode/l10n';
import type { Parser, Tree } from '@vscode/tree-sitter-wasm';
import { ParallaxError } from '../core/errors.ts';
import type { Grammar } from './syntax/language.ts';
import { copyOf, type Node } from './syntax/node.ts';

/** The source of the WebAssembly files of `@vscode/tree-sitter-wasm`. */
export interface WasmFiles {
  /** `tree-sitter.wasm` */
  readonly runtime: () => Promise<Uint8Array>;
  /** `tree-sitter-<grammar>.wasm` */
  readonly grammar: (grammar: Grammar) => Promise<Uint8Array>;
}

/** A known text is parsed after each text, to check whether the parser still works. */
const KNOWN_TEXTS: Readonly<Record<Grammar, string>> = {
  python: 'if a:\n  for b in c:\n    d(e, f"{g}", k=5)\nh()\n',
  typescript: 'if (a) { for (const b of c) d(e, `${f}`, { k: 5 }); }\ng();\n',
  tsx: 'if (a) { for (const b of c) d(<e>{f}</e>, { k: 5 }); }\ng();\n',
};

/**
 * The parser wrote past its memory, so all of its results are unreliable. Its runtime is a singleton in each thread, so
 * only another thread has a new one.
 */
export class ParserDamaged extends ParallaxError {
  constructor(cause?: unknown) {
    super('internal', l10n.t('The parser was damaged by a program'), { cause });
  }
}

interface Loaded {
  readonly parser: Parser;
  /** The serialized tree of the grammar's known text. */
  readonly known: string;
}

export class Parsers {
  private readonly wasm: WasmFiles;
  private runtime: Promise<Runtime> | undefined;
  private readonly parsers = new Map<Grammar, Promise<Loaded>>();
  private damage: ParserDamaged | undefined;

  constructor(wasm: WasmFiles) {
    this.wasm = wasm;
  }

  get isLoaded(): boolean {
    return this.runtime !== undefined;
  }

  /**
   * @returns the root of a copy of the tree
   * @throws ParallaxError `native-missing` if a WebAssembly file cannot be loaded, `too-large` for a tree that is too
   *   deep, `ParserDamaged` once a text has damaged the parser
   */
  async parse(grammar: Grammar, text: string): Promise<Node> {
    const loaded = await this.loaded(grammar);
    if (this.damage) throw this.damage;
    try {
      return treeOf(loaded.parser, text, (tree) => copyOf(tree, text));
    } catch (error) {
      if (!(error instanceof WebAssembly.RuntimeError)) throw error;
      throw (this.damage = new ParserDamaged(error));
    } finally {
      // A text whose tree is refused may also have damaged the parser.
      this.check(loaded, grammar);
    }
  }

  private check({ parser, known }: Loaded, grammar: Grammar): void {
    if (!this.damage && isKnownStill(parser, grammar, known)) return;
    throw (this.damage ??= new ParserDamaged());
  }

  private async loaded(grammar: Grammar): Promise<Loaded> {
    let loaded = this.parsers.get(grammar);
    if (!loaded) {
      loaded = this.load(grammar);
      this.parsers.set(grammar, loaded);
      // A file that could not be read may be available next time.
      loaded.catch(() => this.parsers.delete(grammar));
    }
    return loaded;
  }

  private async load(grammar: Grammar): Promise<Loaded> {
    try {
      this.runtime ??= loadRuntime(this.wasm);
      const runtime = await this.runtime;
      const language = await runtime.Language.load(await this.wasm.grammar(grammar));
      const parser = new runtime.Parser().setLanguage(language);
      return { parser, known: writtenOut(parser, grammar) };
    } catch (cause) {
      this.runtime = undefined;
      throw new ParallaxError('native-missing', l10n.t`The ${grammar} parser could not be loaded.`, {
        cause,
      });
    }
  }
}

function isKnownStill(parser: Parser, grammar: Grammar, known: string): boolean {
  try {
    return writtenOut(parser, grammar) === known;
  } catch {
    return false;
  }
}

function writtenOut(parser: Parser, grammar: Grammar): string {
  return treeOf(parser, KNOWN_TEXTS[grammar], ({ rootNode }) => rootNode.toString());
}

function treeOf<T>(parser: Parser, text: string, read: (tree: Tree) => T): T {
  const tree = parser.parse(text);
  if (!tree) throw new ParallaxError('internal', l10n.t('The parser gave no tree.'));
  try {
    return read(tree);
  } finally {
    tree.delete();
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
