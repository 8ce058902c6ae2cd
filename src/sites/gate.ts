/** Finds the imported libraries without parsing, so that texts without any are never parsed. */
import type { CallRule, LibraryRules } from '../core/call-sites/schema.ts';
import { ownsModule } from './rules/library.ts';
import { escaped, patternOf } from './rules/pattern.ts';
import type { Language } from './syntax/language.ts';

const gates: Readonly<Record<Language, WeakMap<LibraryRules, RegExp>>> = {
  python: new WeakMap(),
  javascript: new WeakMap(),
};

/** Caches which names and expressions occur in a text, because many rules test the same ones. */
export class TextTests {
  readonly text: string;
  private readonly results = new Map<string | RegExp, boolean>();

  constructor(text: string) {
    this.text = text;
  }

  /** @param pattern without `g` and `y` */
  test(pattern: RegExp): boolean {
    return this.once(pattern, () => pattern.test(this.text));
  }

  has(name: string): boolean {
    return this.once(name, () => this.text.includes(name));
  }

  private once(pattern: string | RegExp, look: () => boolean): boolean {
    let isFound = this.results.get(pattern);
    if (isFound === undefined) this.results.set(pattern, (isFound = look()));
    return isFound;
  }
}

/** A text with related data from other files. */
export interface TextFacts {
  readonly tests: TextTests;
  /** Texts of other files that names of the text refer to. */
  readonly otherTexts: string;
  /** Modules that it uses through other files of the workspace. */
  readonly reached: ReadonlySet<string>;
}

/** A text without other files. */
export function textAlone(text: string): TextFacts {
  return { tests: new TextTests(text), otherTexts: '', reached: new Set() };
}

/** The libraries whose rules may apply to the text. */
export function activeLibraries(
  textFacts: TextFacts,
  language: Language,
  libraries: readonly LibraryRules[],
): readonly LibraryRules[] {
  const { tests, reached } = textFacts;
  const imports = tests.text.match(IMPORTS[language])?.join('\n') ?? '';
  const modules = [...reached];
  return libraries.flatMap((library): readonly LibraryRules[] => {
    if (!library.languages.includes(language)) return [];
    const isImported =
      library.imports.length === 0 ||
      gateOf(library, language).test(imports) ||
      modules.some((module) => ownsModule(library, module));
    if (isImported || carriesSql(library, textFacts)) return [library];
    return isMentioned(library, tests) ? [provenOnly(library)] : [];
  });
}

/**
 * Whether the text may contain a call that retrieves. Most texts that import a store never query it.
 *
 * @param makers functions of other files that return a chain
 */
export function mayFind(
  active: readonly LibraryRules[],
  textFacts: TextFacts,
  makers: Iterable<string> = [],
): boolean {
  const { tests } = textFacts;
  const makesChain =
    [...makers].some((name) => tests.has(name)) ||
    (tests.test(RETRIEVES) && (tests.test(MAKES_CHAIN) || tests.test(IN_CHAIN)));
  return active.some(({ calls }) =>
    calls.some((call) => (makesChain && call.chains) || mayStand(call, textFacts)),
  );
}

const SELECTS = /\bselect\b/iu;
const ORDERS = /\border\s+by\b|\bmatch\b/iu;
const RETRIEVES = /[rR]etriev/u;

/** A chain may be called like a function, so its run has no name that a rule could contain. */
const MAKES_CHAIN = /(?:[cC]hain|QA|\bfrom_chain_type|\bfrom_llm|\bfromLLM)[ \t]*\(/u;

/** A retriever that is piped or passed to a chain runs with it. */
const IN_CHAIN = /[rR]etriever[ \t]*\||[|=:][ \t]*(?:self\.|this\.)?\w*[rR]etriever\b/u;

export function isIn(pattern: RegExp, { tests, otherTexts }: TextFacts): boolean {
  return tests.test(pattern) || (otherTexts !== '' && pattern.test(otherTexts));
}

/** Whether everything that the rule requires may occur in the text. */
export function mayStand(rule: CallRule, textFacts: TextFacts): boolean {
  const { callee, role, names, named, carries, argumentCalls, contains, beside } = rule;
  if (contains !== undefined && !isIn(patternOf(contains), textFacts)) return false;
  if (carries !== undefined && !mayMatchPart(carries, textFacts)) return false;
  if (beside !== undefined && !mayMatchPart(beside, textFacts)) return false;
  if (argumentCalls.length > 0 && !isIn(anyOf(argumentCalls), textFacts)) return false;
  if (role === 'use') return mayRun(rule, textFacts);
  if (callee === 'sql' || callee === 'url' || named !== undefined) return true;
  return isIn(callee === 'method' ? methodsOf(names) : anyOf(names), textFacts);
}

/** Anchored expressions match a part of the text, whose limits are unknown before parsing. */
const ANCHORED = /^\^|(?<!\\)\$$/u;

/** Whether a part of the text, or of its data from other files, may match. */
export function mayMatchPart(pattern: string, textFacts: TextFacts): boolean {
  return ANCHORED.test(pattern) || isIn(patternOf(pattern), textFacts);
}

/**
 * The usual ending of expressions for retrievers. The rest can be searched anywhere, unless it restricts what precedes
 * it.
 */
const END_OF_NAME = /(?:\\\(\\\))?\$$/u;
const ANYWHERE = /^(?:[\w[\]()|?:+]|\\[w[\]])+$/u;

/** Whether the text may run a retriever, or get one from another file. */
function mayRun({ receiver, receiverText }: CallRule, { tests, reached }: TextFacts): boolean {
  if (reached.size > 0) return true;
  return [receiver, receiverText].some((each) => {
    if (each === undefined) return false;
    const name = each.replace(END_OF_NAME, '');
    return !ANYWHERE.test(name) || tests.test(patternOf(name));
  });
}

const ofNames = new WeakMap<readonly string[], RegExp>();
const ofMethods = new WeakMap<readonly string[], RegExp>();

/** Functions and classes may be imported under other names. */
function anyOf(names: readonly string[]): RegExp {
  return remembered(ofNames, names, () => `(?<![\\w$])(?:${lastOf(names)})(?![\\w$])`);
}

/** Methods that are called, or passed to a function that calls them. */
function methodsOf(names: readonly string[]): RegExp {
  return remembered(ofMethods, names, () => `\\.[\\s\\\\]*(?:${lastOf(names)})[\\s\\\\]*[(<\`!?/,)]`);
}

function lastOf(names: readonly string[]): string {
  return names.map((name) => escaped(name.slice(name.lastIndexOf('.') + 1))).join('|');
}

function remembered<K extends object>(known: WeakMap<K, RegExp>, of: K, make: () => string): RegExp {
  let pattern = known.get(of);
  if (!pattern) known.set(of, (pattern = patternOf(make())));
  return pattern;
}

function isMentioned(library: LibraryRules, tests: TextTests): boolean {
  const { mentions } = library;
  if (mentions !== undefined && tests.test(patternOf(mentions))) return true;
  const pattern = unmistakableIn(library);
  return pattern !== undefined && tests.test(pattern);
}

const unmistakable = new WeakMap<LibraryRules, RegExp | null>();

/** Calls that no other library has: a client made in another file is not imported here. */
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

/** The rules that arguments of a call can prove, leaving out rules by name or receiver. */
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

/**
 * Helpers of an application may pass on SQL with a specific operator, although only another file imports the driver.
 */
function carriesSql({ calls }: LibraryRules, textFacts: TextFacts): boolean {
  return calls.some(
    ({ callee, contains }) =>
      callee === 'sql' &&
      contains !== undefined &&
      isIn(patternOf(contains), textFacts) &&
      isIn(SELECTS, textFacts) &&
      isIn(ORDERS, textFacts),
  );
}

/** Imports are extracted once, so that each library searches only these few lines. */
const IMPORTS: Readonly<Record<Language, RegExp>> = {
  python: /^[ \t>]*(?:from|import)[ \t][^\n]*|\bimport_module\([ \t]{0,2}["'][\w.]+/gmu,
  javascript: /(?:\bfrom|\bimport|\brequire)\s*(?:\(\s*)?(?:'[^'\n]*'|"[^"\n]*")/gu,
};

function gateOf(library: LibraryRules, language: Language): RegExp {
  let gate = gates[language].get(library);
  if (!gate) {
    gate = importPattern(library.imports, language);
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
