/** A look at the text alone: which libraries does it import? Nothing is parsed for a text that passes none. */
import type { CallRule, LibraryRules } from '../core/call-sites/schema.ts';
import { ownsModule } from './rules/library.ts';
import { escaped, literal, patternOf } from './rules/pattern.ts';
import type { Change } from './parsing.ts';
import type { Language } from './syntax/language.ts';
import { isUntouched, TextTests } from './text-tests.ts';

const gates: Readonly<Record<Language, WeakMap<LibraryRules, RegExp>>> = {
  python: new WeakMap(),
  javascript: new WeakMap(),
};

/**
 * The libraries whose rules can apply to the text. They stay the same while what `tests` was asked and the imports do.
 *
 * @param reached modules that it reaches through other files of the workspace
 * @param makers functions of other files that give back a chain
 * @param carried texts of other files that names of the text lead to
 * @param tests of the text, as far as they are known
 */
export function activeLibraries(
  text: string,
  language: Language,
  libraries: readonly LibraryRules[],
  reached: Iterable<string> = [],
  makers: Iterable<string> = [],
  carried = '',
  tests = new TextTests(text),
): readonly LibraryRules[] {
  const modules = [...reached];
  const isIn: IsIn = (pattern) => tests.test(pattern) || (carried !== '' && pattern.test(carried));
  const makesChain =
    [...makers].some((name) => tests.test(literal(name))) ||
    (tests.test(RETRIEVES) && (tests.test(MAKES_CHAIN) || tests.test(IN_CHAIN)));
  const imports = text.match(IMPORTS[language])?.join('\n') ?? '';
  return libraries.flatMap((library): readonly LibraryRules[] => {
    if (!library.languages.includes(language)) return [];
    const gate = gateOf(library, language);
    const isImported =
      (library.imports.length > 0 ? gate.test(imports) : isIn(gate)) ||
      modules.some((module) => ownsModule(library, module));
    if (carriesSql(library, isIn)) return [library];
    if (!isImported && !isMentioned(library, tests)) return [];
    const rules = isImported ? library : provenOnly(library);
    return rules.calls.some((call) => mayStand(call, isIn) || (makesChain && call.chains)) ? [rules] : [];
  });
}

/** Whether the text, or one that it carries from another file, matches. */
type IsIn = (pattern: RegExp) => boolean;

const SELECTS = /\bselect\b/iu;
const ORDERS = /\border\s+by\b|\bmatch\b/iu;
const RETRIEVES = /[rR]etriev/u;

/** A chain may be called like a function, so that its run has no name that a rule could know. */
const MAKES_CHAIN = /(?:[cC]hain|QA|\bfrom_chain_type|\bfrom_llm|\bfromLLM)[ \t]*\(/u;

/** A retriever that is piped, or handed over, runs with the chain. */
const IN_CHAIN = /[rR]etriever[ \t]*\||[|=:][ \t]*(?:self\.|this\.)?\w*[rR]etriever\b/u;

/** Whether what the rule asks for stands in the text at all: most files that import a store never ask it. */
function mayStand({ callee, names, named, carries, argumentCalls, contains }: CallRule, isIn: IsIn): boolean {
  if (contains !== undefined && !isIn(patternOf(contains))) return false;
  if (carries !== undefined && !carries.startsWith('^') && !isIn(patternOf(carries))) return false;
  if (argumentCalls.length > 0 && !isIn(anyOf(argumentCalls))) return false;
  return callee === 'sql' || callee === 'url' || named !== undefined || isIn(anyOf(names));
}

const ofNames = new WeakMap<readonly string[], RegExp>();

function anyOf(names: readonly string[]): RegExp {
  let pattern = ofNames.get(names);
  if (!pattern) {
    pattern = patternOf(names.map((name) => escaped(name.slice(name.lastIndexOf('.') + 1))).join('|'));
    ofNames.set(names, pattern);
  }
  return pattern;
}

function isMentioned(library: LibraryRules, tests: TextTests): boolean {
  const { mentions } = library;
  if (mentions !== undefined && tests.test(patternOf(mentions))) return true;
  const pattern = unmistakableIn(library);
  return pattern !== undefined && tests.test(pattern);
}

const unmistakable = new WeakMap<LibraryRules, RegExp | null>();

/** Calls that nobody else has the like of: a client that another file makes is not imported here. */
function unmistakableIn(library: LibraryRules): RegExp | undefined {
  let pattern = unmistakable.get(library);
  if (pattern === undefined) {
    const names = library.calls.flatMap((call) => (call.unmistakable ? call.names : []));
    pattern = names.length > 0 ? new RegExp(`\\.(?:${names.map(escaped).join('|')})\\(`, 'u') : null;
    unmistakable.set(library, pattern);
  }
  return pattern ?? undefined;
}

const proven = new WeakMap<LibraryRules, LibraryRules>();

/** The rules that the arguments of a call can prove, without what a name or a receiver's name would do. */
function provenOnly(library: LibraryRules): LibraryRules {
  let only = proven.get(library);
  if (!only) {
    const calls = library.calls
      .filter(
        ({ evidence, carries, role, unmistakable, argumentCalls }) =>
          unmistakable ||
          argumentCalls.length > 0 ||
          (role !== 'use' && (evidence.length > 0 || carries !== undefined)),
      )
      .map((call) =>
        call.unmistakable || call.argumentCalls.length > 0
          ? call
          : { ...call, distinctive: false, receiverText: undefined, unpacksTo: undefined },
      );
    only = { ...library, calls };
    proven.set(library, only);
  }
  return only;
}

/** SQL with an operator of its own is handed on by helpers of the application, which import the driver elsewhere. */
function carriesSql({ calls }: LibraryRules, isIn: IsIn): boolean {
  return calls.some(
    ({ callee, contains }) =>
      callee === 'sql' &&
      contains !== undefined &&
      isIn(patternOf(contains)) &&
      isIn(SELECTS) &&
      isIn(ORDERS),
  );
}

/** Imports are looked for once, so that each library has only these few lines to go through. */
const IMPORTS: Readonly<Record<Language, RegExp>> = {
  python: /^[ \t>]*(?:from|import)[ \t][^\n]*|\bimport_module\([ \t]{0,2}["'][\w.]+/gmu,
  javascript: /(?:\bfrom|\bimport|\brequire)\s*(?:\(\s*)?(?:'[^'\n]*'|"[^"\n]*")/gu,
};

const importOf: Readonly<Record<Language, RegExp>> = {
  python: new RegExp(IMPORTS.python, 'mu'),
  javascript: new RegExp(IMPORTS.javascript, 'u'),
};

/** Whether a change of the text surely leaves what it imports. */
export function leavesImports(language: Language, before: string, after: string, change: Change): boolean {
  return isUntouched(importOf[language], before, after, change);
}

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
    ? new RegExp(
        String.raw`^(?:[ \t>]*(?:from[ \t]+|import[ \t]+(?:[^\n#]*,[ \t]*)?)|import_module\([ \t]{0,2}["'])?${any}`,
        'mu',
      )
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
