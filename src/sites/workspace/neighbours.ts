/**
 * Reads the files of the workspace that a program imports, the files that these import, and those that call its
 * functions, before it is analysed.
 */
import { MAX_PROGRAMS } from '../limits.ts';
import { languageIdOf, spokenBy, type Language } from '../syntax/language.ts';
import type { Asking } from './module-check.ts';
import { keyOf, together, type ParameterQuestion, type Callers } from './parameter-question.ts';
import type { Exports } from './exported.ts';
import { implementersIn, importedTypes, interfacesIn, isReceiver, type Implementer } from './implementers.ts';
import { moduleFile } from './modules.ts';
import { OtherFiles } from './other-files.ts';

/** The words of a file in a compact form that can be kept for every file of a workspace. */
const WORD = /[\w$\u0080-\uffff]+/gu;
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

class WordsOfFile {
  /** Ascending; 32 bits of each word (FNV-1a). */
  private readonly hashes: Uint32Array;

  constructor(text: string) {
    const words = new Set(text.match(WORD));
    this.hashes = new Uint32Array(new Set([...words].map(hash))).sort();
  }

  /** Never false for a word of the file; true for a given other word in about one of a million files. */
  has(word: string): boolean {
    const wordHash = hash(word);
    let low = 0;
    let high = this.hashes.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.hashes[middle]! < wordHash) low = middle + 1;
      else high = middle;
    }
    return this.hashes[low] === wordHash;
  }
}

function hash(word: string): number {
  let value = FNV_OFFSET;
  for (let at = 0; at < word.length; at++) value = Math.imul(value ^ word.charCodeAt(at), FNV_PRIME);
  return value >>> 0;
}

/** Access to the workspace. */
export interface WorkspaceSources {
  /** Paths of its source files, relative to its folder. */
  readonly files: () => Promise<ReadonlySet<string>>;
  /** `undefined` for a file that cannot be read. */
  readonly read: (file: string) => Promise<string | undefined>;
  /** The names that a text exports; see `SiteDetector.exports`. */
  readonly exports: (
    text: string,
    languageId: string,
    options: { readonly file: string },
  ) => Promise<Exports>;
  /** The calls in a text of functions of another file; see `SiteDetector.callers`. */
  readonly callers: (
    text: string,
    languageId: string,
    questions: readonly ParameterQuestion[],
    asking: Asking,
  ) => Promise<readonly Callers[]>;
}

/** More files, or more distant ones, are ignored. */
const MAX_FILES = 40;
const MAX_AWAY = 3;
/** Longer files take too long to be read while the user types. */
const MAX_CHARACTERS = 100_000;
/** The largest number of files whose results are cached. */
const MAX_KEPT = 400;
/** A name that occurs in more files than this counts as called with any arguments. */
const MAX_CALLERS = 40;

const IMPORTS: Readonly<Record<Language, RegExp>> = {
  python:
    /^[ \t]*(?:from[ \t]+(?<from>[\w.]+)[ \t]+import\b[ \t]*(?<names>\([^()]*\)|[^\n#;]*)|import[ \t]+(?<plain>[\w., \t]+))/gmu,
  javascript: /(?:\bfrom|\bimport|\brequire)\s*(?:\(\s*)?["'](?<from>[^"'\n]+)["']/gu,
};

export class Neighbours {
  private readonly sources: WorkspaceSources;
  private readonly exportsByFile = new Map<string, Promise<Exports>>();
  private readonly words = new Map<string, Promise<WordsOfFile>>();

  constructor(sources: WorkspaceSources) {
    this.sources = sources;
  }

  /** Called when a file was changed, created or deleted. */
  forget(file: string): void {
    this.exportsByFile.delete(file);
    this.words.delete(file);
  }

  /**
   * `undefined` if the text imports no file of the workspace and has no questions.
   *
   * @param questions parameters that callers in other files set; see `Detection.questions`
   */
  async around(
    file: string,
    text: string,
    languageId: string,
    questions: readonly ParameterQuestion[] = [],
  ): Promise<OtherFiles | undefined> {
    const language = spokenBy(languageId)?.language;
    if (!language) return undefined;
    const files = await this.sources.files();
    const read = new Map<string, Exports>();
    let next = filesOf(file, importsOf(text, language), language, files);
    for (let away = 0; away < MAX_AWAY && next.length > 0; away++) {
      const furtherFiles: string[] = [];
      for (const each of next) {
        if (read.size >= MAX_FILES || read.has(each) || each === file) continue;
        const exports = await this.exportsOf(each);
        read.set(each, exports);
        furtherFiles.push(...filesOf(each, modulesOf(exports), language, files));
      }
      next = furtherFiles;
    }
    const implementers = await this.implementersOf({ file, text, language, files });
    for (const each of new Set([...implementers.values()].flat().map((found) => found.file)))
      if (read.size < MAX_FILES && !read.has(each)) read.set(each, await this.exportsOf(each));
    if (read.size === 0 && questions.length === 0) return undefined;
    const callers = await this.callersOf(file, language, questions, files);
    return new OtherFiles(file, language, files, read, callers, implementers);
  }

  /** By the name of each interface that the text declares, or imports from a file of the workspace. */
  private async implementersOf({
    file,
    text,
    language,
    files,
  }: {
    readonly file: string;
    readonly text: string;
    readonly language: Language;
    readonly files: ReadonlySet<string>;
  }): Promise<ReadonlyMap<string, readonly Implementer[]>> {
    const isCalled = (name: string): boolean => isReceiver(text, name);
    const names = new Set([...interfacesIn(text, language)].filter(isCalled));
    for (const { name, module } of importedTypes(text, language)) {
      if (!isCalled(name)) continue;
      const declaring = moduleFile(file, module, language, files);
      const declared = declaring === undefined ? undefined : await this.sources.read(declaring);
      if (declared !== undefined && interfacesIn(declared, language).has(name)) names.add(name);
    }
    const implementers = new Map<string, readonly Implementer[]>();
    for (const name of files.size < MAX_PROGRAMS ? names : []) {
      const naming: string[] = [];
      for (const each of files)
        if (each !== file && mayCall(each, language) && (await this.wordsOf(each)).has(name))
          naming.push(each);
      if (naming.length > MAX_CALLERS) continue;
      const found: Implementer[] = [];
      for (const each of naming) {
        const other = (await this.sources.read(each)) ?? '';
        if (other.length > MAX_CHARACTERS) continue;
        for (const className of implementersIn(other, name, language)) found.push({ file: each, className });
      }
      implementers.set(name, found);
    }
    return implementers;
  }

  /** Reads files one after the other, so that the provider can do other work in between. */
  private async callersOf(
    asker: string,
    language: Language,
    questions: readonly ParameterQuestion[],
    files: ReadonlySet<string>,
  ): Promise<ReadonlyMap<string, Callers>> {
    // There may be more files than are listed.
    if (files.size >= MAX_PROGRAMS) return new Map();
    const callersByKey = new Map(questions.map((each) => [keyOf(each), ['unseen' as Callers]]));
    const where = new Map<string, ParameterQuestion[]>();
    for (const file of questions.length > 0 ? files : []) {
      if (file === asker || !mayCall(file, language)) continue;
      const words = await this.wordsOf(file);
      const named = questions.filter(({ name }) => words.has(name));
      if (named.length > 0) where.set(file, named);
    }
    for (const [file, named] of where) {
      const callers = where.size > MAX_CALLERS ? [] : await this.callersIn(named, { file, asker, files });
      named.forEach((each, at) => callersByKey.get(keyOf(each))?.push(callers[at] ?? 'set'));
    }
    return new Map([...callersByKey].map(([key, all]) => [key, together(...all)]));
  }

  private async callersIn(
    questions: readonly ParameterQuestion[],
    asking: Asking,
  ): Promise<readonly Callers[]> {
    const languageId = languageIdOf(asking.file);
    const text = await this.sources.read(asking.file);
    // Calls in notebooks are not searched.
    if (text === undefined || languageId === undefined || text.length > MAX_CHARACTERS) return [];
    return this.sources.callers(text, languageId, questions, asking);
  }

  private wordsOf(file: string): Promise<WordsOfFile> {
    let words = this.words.get(file);
    if (!words) {
      words = this.sources.read(file).then((text = '') => new WordsOfFile(text));
      this.words.set(file, words);
    }
    return words;
  }

  private exportsOf(file: string): Promise<Exports> {
    let exports = this.exportsByFile.get(file);
    if (!exports) {
      const [oldest] = this.exportsByFile.keys();
      if (oldest !== undefined && this.exportsByFile.size >= MAX_KEPT) this.exportsByFile.delete(oldest);
      exports = this.readExports(file);
      this.exportsByFile.set(file, exports);
    }
    return exports;
  }

  private async readExports(file: string): Promise<Exports> {
    const languageId = languageIdOf(file);
    const text = await this.sources.read(file);
    return text === undefined || languageId === undefined || text.length > MAX_CHARACTERS
      ? new Map()
      : this.sources.exports(text, languageId, { file });
  }
}

/** Notebooks of either language, and files of the language. */
function mayCall(file: string, language: Language): boolean {
  const languageId = languageIdOf(file);
  return languageId === undefined || spokenBy(languageId)?.language === language;
}

function filesOf(
  importer: string,
  modules: readonly string[],
  language: Language,
  files: ReadonlySet<string>,
): readonly string[] {
  return [...new Set(modules)].flatMap((module) => moduleFile(importer, module, language, files) ?? []);
}

/** Imported modules that may be files, found without parsing. */
export function importedModules(text: string, languageId: string): readonly string[] {
  const language = spokenBy(languageId)?.language;
  return language ? importsOf(text, language) : [];
}

/** Includes names of `from x import y`, which may be modules. */
function importsOf(text: string, language: Language): readonly string[] {
  return [...text.matchAll(IMPORTS[language])].flatMap(({ groups }) => {
    const { from, names = '', plain = '' } = groups ?? {};
    if (from === undefined) return plain.split(',').flatMap((each) => /[\w.]+/u.exec(each)?.[0] ?? []);
    const inner = names
      .replaceAll(/[()]/gu, '')
      .split(',')
      .flatMap((each) => /\w+/u.exec(each)?.[0] ?? []);
    return [from, ...inner.map((name) => below(from, name))];
  });
}

/** Modules that a file's exports come from. */
function modulesOf(exports: Exports): readonly string[] {
  return [...exports.values()].flatMap((each) => {
    const led = each.kind === 'origin' ? [each] : each.kind === 'function' ? each.through : [];
    return led.flatMap(({ module, path: [first] }) => [module, ...(first ? [below(module, first)] : [])]);
  });
}

function below(module: string, name: string): string {
  return `${module}${module.endsWith('.') ? '' : '.'}${name}`;
}
