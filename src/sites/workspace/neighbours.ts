/** Reads the files of the workspace that a program imports, and those that they import, ahead of its detection. */
import { languageIdOf, spokenBy, type Language } from '../syntax/language.ts';
import type { Exports } from './exported.ts';
import { moduleFile } from './modules.ts';
import { OtherFiles } from './other-files.ts';

/** What is read of the workspace, by whoever can. */
export interface WorkspaceSources {
  /** Paths of its source files, relative to its folder. */
  readonly files: () => Promise<ReadonlySet<string>>;
  /** Undefined for a file that cannot be read. */
  readonly read: (file: string) => Promise<string | undefined>;
  /** What a text makes known; see `SiteDetector.exports`. */
  readonly exports: (text: string, languageId: string) => Promise<Exports>;
}

/** More files, or files further away, are not looked at. */
const MAX_FILES = 40;
const MAX_AWAY = 3;
/** Longer files take too long to be read beside the user's typing. */
const MAX_CHARACTERS = 100_000;
/** What was read of so many files is kept. */
const MAX_KEPT = 400;

const IMPORTS: Readonly<Record<Language, RegExp>> = {
  python:
    /^[ \t]*(?:from[ \t]+(?<from>[\w.]+)[ \t]+import\b[ \t]*(?<names>\([^)]*\)|[^\n#;]*)|import[ \t]+(?<plain>[\w., \t]+))/gmu,
  javascript: /(?:\bfrom|\bimport|\brequire)\s*(?:\(\s*)?["'](?<from>[^"'\n]+)["']/gu,
};

export class Neighbours {
  private readonly sources: WorkspaceSources;
  private readonly kept = new Map<string, Promise<Exports>>();

  constructor(sources: WorkspaceSources) {
    this.sources = sources;
  }

  /** A file was changed, made or deleted. */
  forget(file: string): void {
    this.kept.delete(file);
  }

  /** Undefined where the text imports no file of the workspace. */
  async around(file: string, text: string, languageId: string): Promise<OtherFiles | undefined> {
    const language = spokenBy(languageId)?.language;
    if (!language) return undefined;
    const files = await this.sources.files();
    const read = new Map<string, Exports>();
    let next = filesOf(file, importsOf(text, language), language, files);
    for (let away = 0; away < MAX_AWAY && next.length > 0; away++) {
      const found: string[] = [];
      for (const each of next) {
        if (read.size >= MAX_FILES || read.has(each) || each === file) continue;
        const exports = await this.exportsOf(each);
        read.set(each, exports);
        found.push(...filesOf(each, modulesOf(exports), language, files));
      }
      next = found;
    }
    return read.size === 0 ? undefined : new OtherFiles(file, language, files, read);
  }

  private exportsOf(file: string): Promise<Exports> {
    let exports = this.kept.get(file);
    if (!exports) {
      const [oldest] = this.kept.keys();
      if (oldest !== undefined && this.kept.size >= MAX_KEPT) this.kept.delete(oldest);
      exports = this.readExports(file);
      this.kept.set(file, exports);
    }
    return exports;
  }

  private async readExports(file: string): Promise<Exports> {
    const languageId = languageIdOf(file);
    const text = await this.sources.read(file);
    return text === undefined || languageId === undefined || text.length > MAX_CHARACTERS
      ? new Map()
      : this.sources.exports(text, languageId);
  }
}

function filesOf(
  importer: string,
  modules: readonly string[],
  language: Language,
  files: ReadonlySet<string>,
): readonly string[] {
  return [...new Set(modules)].flatMap((module) => moduleFile(importer, module, language, files) ?? []);
}

/** Modules that a text imports, as far as they may be files; a look at the text alone. */
export function importedModules(text: string, languageId: string): readonly string[] {
  const language = spokenBy(languageId)?.language;
  return language ? importsOf(text, language) : [];
}

/** What may be a module among the names of `from x import y` is one of them. */
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

/** Modules that what a file makes known comes from. */
function modulesOf(exports: Exports): readonly string[] {
  return [...exports.values()].flatMap((each) =>
    each.kind === 'origin' ? [each.module, ...(each.path[0] ? [below(each.module, each.path[0])] : [])] : [],
  );
}

function below(module: string, name: string): string {
  return `${module}${module.endsWith('.') ? '' : '.'}${name}`;
}
