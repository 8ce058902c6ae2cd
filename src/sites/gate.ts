/** A look at the text alone: which libraries does it import? Nothing is parsed for a text that passes none. */
import type { LibraryRules } from '../core/call-sites/schema.ts';
import type { Language } from './syntax/language.ts';

const gates: Readonly<Record<Language, WeakMap<LibraryRules, RegExp>>> = {
  python: new WeakMap(),
  javascript: new WeakMap(),
};

/** The libraries whose rules can apply to the text. */
export function activeLibraries(
  text: string,
  language: Language,
  libraries: readonly LibraryRules[],
): readonly LibraryRules[] {
  const imports = text.match(IMPORTS[language])?.join('\n') ?? '';
  return libraries.filter(
    (library) =>
      library.languages.includes(language) &&
      (gateOf(library, language).test(library.imports.length > 0 ? imports : text) ||
        carriesSql(library, text)),
  );
}

/** SQL with an operator of its own is handed on by helpers of the application, which import the driver elsewhere. */
function carriesSql({ calls }: LibraryRules, text: string): boolean {
  return calls.some(
    ({ callee, contains }) =>
      callee === 'sql' &&
      contains !== undefined &&
      new RegExp(contains, 'u').test(text) &&
      /\border\s+by\b/iu.test(text) &&
      /\bselect\b/iu.test(text),
  );
}

/** What can import: looked for once, so that each library has only these few lines to go through. */
const IMPORTS: Readonly<Record<Language, RegExp>> = {
  python: /^[ \t>]*(?:from|import)[ \t][^\n]*|(?<=\bimport_module\([ \t]{0,2}["'])[\w.]+/gmu,
  javascript: /(?:\bfrom|\bimport|\brequire)\s*(?:\(\s*)?(?:'[^'\n]*'|"[^"\n]*")/gu,
};

function gateOf(library: LibraryRules, language: Language): RegExp {
  let gate = gates[language].get(library);
  if (!gate) {
    gate = library.imports.length > 0 ? importPattern(library.imports, language) : callPattern(library);
    gates[language].set(library, gate);
  }
  return gate;
}

function importPattern(roots: readonly string[], language: Language): RegExp {
  const modules = roots.map((root) =>
    root.endsWith('*') ? `${escaped(root.slice(0, -1))}[\\w/.-]*` : `${escaped(root)}(?![\\w-])`,
  );
  const any = `(?:${modules.join('|')})`;
  return language === 'python'
    ? new RegExp(String.raw`^(?:[ \t>]*(?:from[ \t]+|import[ \t]+(?:[^\n#]*,[ \t]*)?))?${any}`, 'mu')
    : new RegExp(
        `['"](?:npm:|jsr:|https?://[^/'"]+/(?:v\\d+/|stable/)?)?${any}(?:@[\\w.^~-]*)?(?:[/?][^'"\\n]*)?['"]`,
        'u',
      );
}

/** Rules without imports apply wherever what they call, or the text it takes, is written. */
function callPattern({ calls }: LibraryRules): RegExp {
  const texts = calls.flatMap(({ contains, names }) =>
    contains === undefined ? names.map(escaped) : [contains],
  );
  return new RegExp(texts.join('|'), 'u');
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/gu, '\\$&');
}
