/**
 * Interfaces, abstract classes and protocols that a text uses as types, and the classes of other files that implement
 * them. Read without parsing, since any file of a workspace may have such a class.
 */
import type { Language } from '../syntax/language.ts';

/** A class of the workspace that implements an interface. */
export interface Implementer {
  /** Path relative to the workspace folder. */
  readonly file: string;
  readonly className: string;
}

const IMPORTED: Readonly<Record<Language, RegExp>> = {
  python: /^[ \t]*from[ \t]+(?<module>[\w.]+)[ \t]+import\b[ \t]*(?<names>\([^()]*\)|[^\n#;]*)/gmu,
  javascript:
    /\bimport\s+(?:type\s+)?(?:\w+\s*,\s*)?\{(?<names>[^{}]*)\}\s*from\s*["'](?<module>[^"'\n]+)["']/gu,
};
const DECLARED: Readonly<Record<Language, RegExp>> = {
  python: /^class[ \t]+(?<name>\w+)[ \t]*\([^()]*\b(?:ABC|ABCMeta|Protocol)\b/gmu,
  javascript: /\b(?:interface|abstract\s+class)\s+(?<name>\w+)/gu,
};
const CLASS: Readonly<Record<Language, RegExp>> = {
  python: /^class[ \t]+(?<name>\w+)[ \t]*\((?<heads>[^()]*)\)/gmu,
  javascript: /\bclass\s+(?<name>\w+)[^{]{0,300}?\b(?:implements|extends)\b(?<heads>[^{]{0,300})/gu,
};

/** The most variables of one type. */
const MAX_NAMES = 20;

/** The interfaces that a text declares itself. */
export function interfacesIn(text: string, language: Language): ReadonlySet<string> {
  return new Set([...text.matchAll(DECLARED[language])].map(({ groups }) => groups!['name']!));
}

/** Whether a method of a variable, parameter or property of this type is called. */
export function isReceiver(text: string, typeName: string): boolean {
  const typed = new RegExp(`\\b(\\w+)[?!]?\\s*:[\\w\\s.<[|"']*\\b${typeName}\\b`, 'gu');
  const names = new Set([...text.matchAll(typed)].map((match) => match[1]!));
  return [...names].slice(0, MAX_NAMES).some((name) => new RegExp(`${name}[?!]?\\.\\w+\\(`, 'u').test(text));
}

/** Imported names, and their modules, that may be types. Names that are renamed are left out. */
export function importedTypes(
  text: string,
  language: Language,
): readonly { readonly name: string; readonly module: string }[] {
  return [...text.matchAll(IMPORTED[language])].flatMap(({ groups }) =>
    groups!
      ['names']!.replaceAll(/[()]|\btype\b/gu, '')
      .split(',')
      .map((each) => each.trim())
      .filter((name) => /^\p{Lu}\w*$/u.test(name))
      .map((name) => ({ name, module: groups!['module']! })),
  );
}

export function implementersIn(text: string, interfaceName: string, language: Language): readonly string[] {
  const named = new RegExp(`\\b${interfaceName}\\b`, 'u');
  return [...text.matchAll(CLASS[language])].flatMap(({ groups }) =>
    named.test(groups!['heads']!) ? [groups!['name']!] : [],
  );
}
