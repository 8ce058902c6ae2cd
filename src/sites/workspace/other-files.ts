/** The values of names that a text imports from other files of the workspace. Bounded, and read in advance. */
import type { Language } from '../syntax/language.ts';
import type { Constant } from '../syntax/expression.ts';
import { keyOf, type ParameterQuestion, type Callers } from './parameter-question.ts';
import {
  RETRIEVAL_CHAIN,
  textIn,
  type Exported,
  type Exports,
  type FoundThere,
  type FunctionExport,
  type ImportedName,
  type RetrieverElsewhere,
} from './exported.ts';
import type { Implementer } from './implementers.ts';
import { moduleFile } from './modules.ts';

/** The final origin of a name from another file. */
export type FoundElsewhere =
  | {
      readonly kind: 'origin';
      readonly module: string;
      readonly path: readonly string[];
      readonly retriever: RetrieverElsewhere | undefined;
    }
  | { readonly kind: 'value'; readonly value: Constant; readonly file: string }
  | Extract<Exported, { kind: 'text' }>
  | (FunctionExport & { readonly file: string });

/** A statement, an address or a part of one, because constants may be any text. */
const MAY_SEARCH = /\b(?:select|match|call|order by|search)\b|\//iu;
/** The most files through which a name is followed. */
const MAX_HOPS = 8;
/** The most functions in a row that return each other's results. */
const MAX_WRAPPED = 3;

export class OtherFiles {
  readonly file: string;
  readonly language: Language;
  readonly files: ReadonlySet<string>;
  readonly exports: ReadonlyMap<string, Exports>;
  readonly called: ReadonlyMap<string, Callers>;
  readonly implementers: ReadonlyMap<string, readonly Implementer[]>;
  private modulesReached: ReadonlySet<string> | undefined;
  private makers: ReadonlySet<string> | undefined;
  private wrappersByName: ReadonlySet<string> | undefined;
  private textsByName: ReadonlyMap<string, readonly string[]> | undefined;

  /**
   * @param file that imports the names
   * @param files every source file of the workspace
   * @param exports of the files that are reached from it
   * @param called how other files call its functions, by `keyOf`
   * @param implementers the classes that implement the interfaces which it names
   */
  constructor(
    file: string,
    language: Language,
    files: ReadonlySet<string>,
    exports: ReadonlyMap<string, Exports>,
    called: ReadonlyMap<string, Callers>,
    implementers: ReadonlyMap<string, readonly Implementer[]>,
  ) {
    this.file = file;
    this.language = language;
    this.files = files;
    this.exports = exports;
    this.called = called;
    this.implementers = implementers;
  }

  /** `undefined` if the callers were not searched. */
  callers(question: ParameterQuestion): Callers | undefined {
    return this.called.get(keyOf(question));
  }

  /** `undefined` for what does not come from the workspace, and for what cannot be followed. */
  find(module: string, path: readonly string[]): FoundElsewhere | undefined {
    return this.follow(this.file, module, path, undefined, 0);
  }

  /** Modules outside of the workspace that names of the read files come from. */
  get modules(): ReadonlySet<string> {
    this.modulesReached ??= new Set(
      [...this.exports.values()].flatMap((entries) =>
        [...entries.values()].flatMap((entry) => (entry.kind === 'origin' ? [entry.module] : [])),
      ),
    );
    return this.modulesReached;
  }

  /** Names of functions of other files that return a retrieval chain. */
  get chainMakers(): ReadonlySet<string> {
    this.makers ??= new Set(
      [...this.exports.values()].flatMap((entries) =>
        [...entries].flatMap(([key, entry]) =>
          entry.kind === 'origin' && RETRIEVAL_CHAIN.test(entry.path.join('.').replaceAll('.()', '()'))
            ? calledIn(key)
            : [],
        ),
      ),
    );
    return this.makers;
  }

  /** Names of functions and methods of other files that retrieve. */
  get wrappers(): ReadonlySet<string> {
    this.wrappersByName ??= new Set(
      [...this.exports].flatMap(([file, entries]) =>
        [...entries].flatMap(([key, entry]) =>
          entry.kind === 'function' && this.retrievalsOf(file, entry, 0).length > 0
            ? [key.split('.').at(-1) ?? '']
            : [],
        ),
      ),
    );
    return this.wrappersByName;
  }

  /** Whether one of these names occurs in a text, according to `isIn`. */
  mayWrap(isIn: (name: string) => boolean): boolean {
    return [...this.wrappers].some((name) => isIn(name));
  }

  /** The retrievals of a call of the imported function. Empty if it does none. */
  foundBy({ module, path }: ImportedName): readonly FoundThere[] {
    const entry = this.find(module, path);
    return entry?.kind === 'function' ? this.retrievalsOf(entry.file, entry, 0) : [];
  }

  /** The retrievals of a method of the classes that implement an interface. */
  foundByImplementers(interfaceName: string, method: string): readonly FoundThere[] {
    return (this.implementers.get(interfaceName) ?? []).flatMap(({ file, className }) => {
      const entries = this.exports.get(file);
      const entry = entries && this.inFile(file, entries, [className, '()', method], undefined, 0);
      return entry?.kind === 'function' ? this.retrievalsOf(entry.file, entry, 0) : [];
    });
  }

  private retrievalsOf(file: string, functionExport: FunctionExport, hops: number): readonly FoundThere[] {
    if (functionExport.finds.length > 0) return functionExport.finds.map((line) => ({ file, line }));
    if (hops >= MAX_WRAPPED) return [];
    const all = functionExport.through.flatMap(({ module, path }) => {
      const entry = this.follow(file, module, path, undefined, 0);
      return entry?.kind === 'function' ? this.retrievalsOf(entry.file, entry, hops + 1) : [];
    });
    return [...new Map(all.map((each) => [`${each.file}:${each.line}`, each])).values()];
  }

  /** Texts of other files that may search, by the last name of their variable or function. */
  get texts(): ReadonlyMap<string, readonly string[]> {
    if (this.textsByName) return this.textsByName;
    const texts = new Map<string, string[]>();
    for (const entries of this.exports.values())
      for (const [key, entry] of entries) {
        const text = textIn(entry);
        const name = key.split('.').at(-1) ?? '';
        if (text !== undefined && (entry.kind !== 'value' || MAY_SEARCH.test(text)))
          texts.set(name, [...(texts.get(name) ?? []), text]);
      }
    this.textsByName = texts;
    return texts;
  }

  /** The texts whose names occur in a program, according to `isIn`, joined by line breaks. */
  textsNamedIn(isIn: (name: string) => boolean): string {
    return [...this.texts].flatMap(([name, texts]) => (isIn(name) ? texts : [])).join('\n');
  }

  private follow(
    from: string,
    module: string,
    path: readonly string[],
    retriever: RetrieverElsewhere | undefined,
    hops: number,
  ): FoundElsewhere | undefined {
    if (hops > MAX_HOPS) return undefined;
    const file = moduleFile(from, module, this.language, this.files);
    const entries = file === undefined ? undefined : this.exports.get(file);
    // `from app import store` may refer to a file of the package.
    const [first, ...rest] = path;
    if (first !== undefined && this.language === 'python' && !entries?.has(first)) {
      const inner = this.follow(
        from,
        `${module}${module.endsWith('.') ? '' : '.'}${first}`,
        rest,
        retriever,
        hops + 1,
      );
      if (inner) return inner;
    }
    return file === undefined || !entries ? undefined : this.inFile(file, entries, path, retriever, hops);
  }

  private inFile(
    file: string,
    entries: Exports,
    path: readonly string[],
    retriever: RetrieverElsewhere | undefined,
    hops: number,
  ): FoundElsewhere | undefined {
    if (hops > MAX_HOPS) return undefined;
    const { entry, rest } = longest(entries, path) ?? {};
    if (!entry || !rest) return undefined;
    if (entry.kind === 'text') return rest.length === 0 ? entry : undefined;
    if (entry.kind === 'function') return rest.length === 0 ? { ...entry, file } : undefined;
    if (entry.kind === 'value')
      return rest.length === 0 ? { kind: 'value', value: entry.value, file } : undefined;
    const next = [...entry.path, ...rest];
    if (entry.kind === 'own')
      return this.inFile(file, entries, next, rest.length === 0 ? retriever : undefined, hops + 1);
    // An alias for the use of a retriever is no retriever.
    const ownRetriever = entry.retriever ? { ...entry.retriever, file } : retriever;
    const maker = rest.length === 0 ? ownRetriever : undefined;
    return moduleFile(file, entry.module, this.language, this.files) === undefined
      ? { kind: 'origin', module: entry.module, path: next, retriever: maker }
      : this.follow(file, entry.module, next, maker, hops + 1);
  }
}

function longest(
  entries: Exports,
  path: readonly string[],
): { readonly entry: Exported; readonly rest: readonly string[] } | undefined {
  for (let length = path.length; length > 0; length--) {
    const entry = entries.get(path.slice(0, length).join('.'));
    if (entry) return { entry, rest: path.slice(length) };
  }
  return undefined;
}

const CALL = '.()';

function calledIn(key: string): string[] {
  const name = key.endsWith(CALL) ? key.slice(0, -CALL.length).split('.').at(-1) : undefined;
  return name ? [name] : [];
}
