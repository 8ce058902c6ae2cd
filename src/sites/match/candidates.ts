/** Finds the calls that rules apply to: first by name in the text, then by the callee. */
import type { Node } from '../syntax/node.ts';
import { calleeName } from '../resolve/chain.ts';
import type { Imported, Origin } from '../resolve/origin-model.ts';
import { dotted, inheritedOrigin, originOf, ownBindings } from '../resolve/origin.ts';
import type { Program } from '../resolve/program.ts';
import { isWritten } from '../resolve/path.ts';
import { hasWord } from '../resolve/words.ts';
import { textBeside } from './surrounding-text.ts';
import { calledAt, factoryAt, mayHandOn } from './call-of-token.ts';
import { retrieverIn } from './chain-parts.ts';
import { chainRuns } from './chain-runs.ts';
import { givenRetrievers } from './retriever-arguments.ts';
import { definesMethod, heirsOf, makesItself, saysNothing } from './own-class.ts';
import { functionAround, ranksByHand } from './hand-rankings.ts';
import { byCall, type Match } from './match.ts';
import { argumentsText, ranksNothing } from './ranking.ts';
import { ownsModule, type Rule } from '../rules/library.ts';
import { patternOf } from '../rules/pattern.ts';
import type { LibraryRules } from '../../core/call-sites/schema.ts';
import type { Call, Expression } from '../syntax/expression.ts';

/** Matches an alias after a name. In Python a colon precedes a type, in JavaScript also a value. */
const ALIAS = {
  python: /[ \t]+as[ \t]+([\p{ID_Start}_][\p{ID_Continue}]*)/uy,
  javascript: /(?:[ \t]+as[ \t]+|[ \t]*:[ \t]*)([\p{ID_Start}_$][\p{ID_Continue}$]*)(?=\s*(?:[,}]|=[^=>]))/uy,
} as const;

/**
 * @param active the libraries that the text imports
 * @param all every known library; calls of another library do not match
 */
export function findMatches(
  program: Program,
  active: readonly LibraryRules[],
  all: readonly LibraryRules[],
): Match[] {
  const rules = rulesOf(active);
  if (rules.length === 0) return [];
  const matches = byCall(matchesByName(program, rules, all));
  const isMatch = ({ node }: Call): boolean => matches.has(node.id);
  for (const rule of rules)
    for (const run of chainRuns(program, rule, isMatch)) matches.set(run.call.node.id, run);
  // If the text makes a retriever, its uses are linked to it.
  const known = [...matches.values()];
  const isMade = known.some(({ rule }) => /^(?:retriever|wrapper)$/u.test(rule.call.role));
  const injections = isMade ? [] : rules.flatMap((rule) => givenRetrievers(program, rule, known));
  return withoutInner(withoutRanked([...known, ...injections]));
}

/** Whatever else retrieves in the function of a ranking by hand retrieves for it. */
function withoutRanked(matches: readonly Match[]): readonly Match[] {
  const otherMatches = matches.filter(({ rule }) => !rule.call.byHand);
  return matches.filter(
    (match) =>
      !match.rule.call.byHand ||
      !otherMatches.some(({ call }) => isWithin(call.node, functionAround(match.call.node))),
  );
}

function isWithin({ startIndex, endIndex }: Node, around: Node | undefined): boolean {
  return around !== undefined && around.startIndex <= startIndex && endIndex <= around.endIndex;
}

const ofLibraries = new WeakMap<readonly LibraryRules[], readonly Rule[]>();

/** The rules by callee name. */
function rulesOf(active: readonly LibraryRules[]): readonly Rule[] {
  let rules = ofLibraries.get(active);
  if (!rules) {
    rules = active.flatMap((library) =>
      library.calls
        .filter(({ callee }) => callee === 'method' || callee === 'function')
        .map((call) => ({ library, call })),
    );
    ofLibraries.set(active, rules);
  }
  return rules;
}

function matchesByName(
  program: Program,
  rules: readonly Rule[],
  all: readonly LibraryRules[],
): readonly Match[] {
  // Most words of rules do not occur in the text.
  return [...rulesByName(program, rules)]
    .filter(([word]) => program.positionsOf(word).length > 0)
    .flatMap(([word, named]) => matchesOf(program, word, named, all));
}

/** The calls of callees with this name. */
function matchesOf(
  program: Program,
  word: string,
  rules: readonly Rule[],
  all: readonly LibraryRules[],
): readonly Match[] {
  return [...namesFor(program, word)].flatMap((written) =>
    candidatesFor(program, written, written !== word).flatMap((token) => {
      const call = calledAt(program, token) ?? (written === word ? undefined : factoryAt(program, token));
      return (call && bestMatch(program, call, token, rules, all)) ?? [];
    }),
  );
}

/** Matches after a name that is called, or passed to a function that calls it. */
const CALLED = { python: /[\s\\]*\(/uy, javascript: /\s*[(<`!?/]/uy } as const;
const CALLED_OR_HANDED = /[\s\\]*[(,)]/uy;

/**
 * The places where the name may be called. A word of a rule often has another meaning, and then no syntax nodes are
 * made around it.
 *
 * @param isClass whether it may be a class whose methods are called
 */
function candidatesFor(program: Program, name: string, isClass: boolean): readonly Node[] {
  const { language } = program.dialect;
  // JavaScript can create an object without parentheses.
  if (isClass || (language === 'javascript' && /^\p{Lu}/u.test(name))) return program.tokens(name);
  return program.tokens(name, program.root, mayHandOn(program) ? CALLED_OR_HANDED : CALLED[language]);
}

/** `store.as_retriever().invoke.return_value = …` sets the result of a mock. */
const STANDS_IN = /^(?:return_value|side_effect)$/u;

function isStandIn({ node }: Call): boolean {
  let outer = node;
  for (
    let up = node.parent;
    up?.childForFieldName('object')?.id === outer.id || up?.type === 'call';
    up = up.parent
  )
    outer = up;
  const isSet =
    outer.parent?.type === 'assignment' && outer.parent.childForFieldName('left')?.id === outer.id;
  return isSet && STANDS_IN.test(outer.childForFieldName('attribute')?.text ?? '');
}

/** Whether the surroundings of the call match the rule; if not, another rule may apply. */
function isAmong(program: Program, call: Call, { call: { beside, byHand } }: Rule): boolean {
  if (byHand && !ranksByHand(program, call)) return false;
  return beside === undefined || patternOf(beside).test(textBeside(program, call.node));
}

/**
 * Whether the arguments make the call a search. If the library's own rule says it is none, it is none for any other
 * rule.
 */
function isSearch(program: Program, call: Call, { call: rule }: Rule): boolean {
  if (rule.ranks && ranksNothing(program, call, rule.ranks)) return false;
  return rule.unless === undefined || !patternOf(rule.unless, 'iu').test(argumentsText(program, call));
}

/** If several calls of a chain search together, the last one represents them. */
function withoutInner(matches: readonly Match[]): Match[] {
  const inner = new Set<number>();
  const known = byCall(matches);
  for (const { call, rule } of matches) {
    if (rule.call.role !== 'search') continue;
    let object = call.callee.kind === 'member' ? call.callee.object : undefined;
    while (object?.kind === 'call') {
      const before = known.get(object.node.id);
      if (before?.rule.library === rule.library && before.rule.call.role === 'search')
        inner.add(object.node.id);
      object = object.callee.kind === 'member' ? object.callee.object : undefined;
    }
  }
  return matches.filter(({ call }) => !inner.has(call.node.id));
}

function rulesByName(program: Program, rules: readonly Rule[]): ReadonlyMap<string, readonly Rule[]> {
  const byName = new Map<string, Set<Rule>>();
  const standing = rules.filter(({ call }) => program.mayStand(call));
  const called = standing.some(({ call }) => call.named !== undefined) ? program.calledNames : [];
  for (const rule of standing)
    for (const name of [...rule.call.names.map(lastName), ...furtherNames(called, rule)])
      byName.set(name, (byName.get(name) ?? new Set()).add(rule));
  return new Map([...byName].map(([name, named]) => [name, [...named]]));
}

/** Called names in the text that match the rule's pattern. */
function furtherNames(called: readonly string[], { call: { named } }: Rule): readonly string[] {
  if (named === undefined) return [];
  const pattern = patternOf(named);
  return called.filter((name) => pattern.test(name));
}

function lastName(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}

/** The names under which the text may use the name: as imported, and as subclasses. */
function namesFor(program: Program, word: string): ReadonlySet<string> {
  const written = [word, ...aliases(program, word)];
  if (!/^\p{Lu}/u.test(word)) return new Set(written);
  return new Set([...written, ...written.flatMap((name) => heirsOf(program, name))]);
}

/** Aliases that imports give to this name: `X as Y` and `{ X: Y }`. */
export function aliases(program: Program, name: string): readonly string[] {
  if (program.positionsOf(name).length === 0) return [];
  return program.onceInText(`aliases of ${name}`, () => {
    const names = new Set<string>();
    const pattern = ALIAS[program.dialect.language];
    for (const at of program.positionsOf(name)) {
      pattern.lastIndex = at + name.length;
      const alias = pattern.exec(program.source.text)?.[1];
      if (alias !== undefined && alias !== name) names.add(alias);
    }
    return [...names];
  });
}

/** On the library's own object, with arguments that only this one of its services takes. */
const BOTH = 4;
const TRACED = 3;
const EVIDENT = 2;
const NAMED = 1;
/** By its arguments alone, on an unknown object; any library's own rule takes precedence. */
const LIKELY = 0.5;

function bestMatch(
  program: Program,
  call: Call,
  token: Node,
  rules: readonly Rule[],
  all: readonly LibraryRules[],
): Match | undefined {
  let best: { readonly rule: Rule; readonly proof: number } | undefined;
  let ambiguous = false;
  if (isStandIn(call)) return undefined;
  const candidate = candidateOf(program, call, all);
  for (const rule of rules) {
    if (!isAmong(program, call, rule)) continue;
    const proof =
      rule.call.callee === 'function' ? proofOfFunction(candidate, rule) : proofOfMethod(candidate, rule);
    if (proof === 0) continue;
    if (best && proof === best.proof && best.rule.library !== rule.library) ambiguous = true;
    if (best && proof <= best.proof) continue;
    best = { rule, proof };
    ambiguous = false;
  }
  if (!best || !isSearch(program, call, best.rule)) return undefined;
  const isFunction = best.rule.call.callee === 'function';
  // A distinctive name also matches on an unknown object.
  const isUncertain = candidate.isOneOfSeveral || isOfApplication(candidate);
  const isOneOfSeveral = isUncertain && !best.rule.call.distinctive;
  return {
    rule: best.rule,
    call,
    token,
    ambiguous: ambiguous || isOneOfSeveral,
    isOwnClass: isFunction && candidate.isOwnClass,
    calledAs: isFunction ? candidate.callee?.full : undefined,
    part: partOf(program, call, best.rule),
  };
}

/** The most imports that are cached. */
const MAX_OWNERS = 2000;

interface Candidate {
  readonly program: Program;
  readonly call: Call;
  readonly callee: Named | undefined;
  /** Whether the callee is a class in the text that inherits from the class of `callee` and changes it. */
  readonly isOwnClass: boolean;
  /** Whether a class in the text defines the method itself. */
  readonly isOwnMethod: boolean;
  /** Whether methods of the class set the callee as an attribute: `self.model(…)`. */
  readonly isAttribute: boolean;
  /** Whether the receiver may also be another value that is not known to be of the same class. */
  readonly isOneOfSeveral: boolean;
  /** The object that a method is called on. `undefined` if unknown. */
  readonly receiver: Named | 'own-class' | undefined;
  /** Whether the receiver comes from another known library, or is a module itself, as in `re.search(…)`. */
  readonly foreignTo: (library: LibraryRules) => boolean;
  /** Whether the receiver is a retriever that another file of the workspace makes. */
  readonly isRetriever: boolean;
  /** Whether the method is from another file of the workspace, which contains the retrieval. */
  readonly isWrapper: boolean;
  /** Whether the object is of a class from elsewhere whose name does not contain the library. */
  readonly isOfOtherClass: (library: LibraryRules) => boolean;
}

/** An import and its dotted name. */
interface Named {
  readonly module: string;
  readonly full: string;
}

function candidateOf(program: Program, call: Call, all: readonly LibraryRules[]): Candidate {
  const origin = call.callee.kind === 'member' ? originOf(program, call.callee.object) : undefined;
  const from = origin && origin.kind !== 'imported' ? inherited(program, origin) : origin;
  const receiver = from && named(from);
  const isMade = receiver !== undefined && /(?:^|\.)_*\p{Lu}\w*\(\)$/u.test(receiver.full);
  const owners = receiver ? ownersOf(program, receiver, all) : [];
  const { callee } = call;
  return {
    program,
    call,
    ...calleeOf(program, callee),
    isOwnMethod:
      callee.kind === 'member' &&
      (origin?.kind === 'instance' || origin?.kind === 'class') &&
      definesMethod(program, origin.node, callee.property),
    isAttribute:
      callee.kind === 'member' &&
      origin?.kind === 'instance' &&
      ownBindings(program, origin.node, callee.property, 0).some(({ inMethod }) => inMethod),
    isOneOfSeveral: from?.isOneOfSeveral ?? false,
    receiver: receiver ?? (origin && 'own-class'),
    isRetriever: from?.retriever !== undefined,
    isWrapper:
      callee.kind === 'member' &&
      from !== undefined &&
      (program.otherFiles?.foundBy({ module: from.module, path: [...from.path, callee.property] }).length ??
        0) > 0,
    foreignTo: (library) =>
      from?.path.length === 0 ||
      (owners.length > 0 && owners.every(({ library: owner }) => owner !== library.library)),
    isOfOtherClass: (library) =>
      isMade &&
      library.imports.length > 0 &&
      !owns(library, receiver) &&
      !receiver.full.toLowerCase().includes(library.library.split('-')[0] ?? ''),
  };
}

const owning = new WeakMap<readonly LibraryRules[], Map<string, readonly LibraryRules[]>>();

/** The libraries of an import. Cached, because every keystroke needs the same few. */
function ownersOf(
  { dialect: { language } }: Program,
  receiver: Named,
  all: readonly LibraryRules[],
): readonly LibraryRules[] {
  const known = owning.get(all) ?? new Map<string, readonly LibraryRules[]>();
  owning.set(all, known);
  const key = `${language}\n${receiver.module}\n${receiver.full}`;
  const owners =
    known.get(key) ??
    all.filter(
      (library) =>
        library.imports.length > 0 && library.languages.includes(language) && owns(library, receiver),
    );
  if (known.size < MAX_OWNERS) known.set(key, owners);
  return owners;
}

/** The callee: a function or class; for a class in the text, its base class. */
function calleeOf(program: Program, callee: Expression): Pick<Candidate, 'callee' | 'isOwnClass'> {
  const origin = originOf(program, callee);
  if (origin?.kind === 'imported') return { callee: named(origin), isOwnClass: false };
  const [owner, method] =
    callee.kind === 'member' && origin?.kind !== 'class'
      ? [originOf(program, callee.object), callee.property]
      : [origin, undefined];
  const base = owner?.kind === 'class' ? inheritedOrigin(program, owner.node) : undefined;
  if (owner?.kind !== 'class' || !base) return { callee: undefined, isOwnClass: false };
  const isPlain = method === undefined || makesItself(program, owner.node, method);
  const path = [...base.path.slice(0, -1), ...(isPlain ? [] : [method])];
  return { callee: named({ ...base, path }), isOwnClass: !saysNothing(program, owner.node) };
}

function named(origin: Imported): Named {
  return { module: origin.module, full: dotted(origin) };
}

function owns(library: LibraryRules, { module, full }: Named): boolean {
  return ownsModule(library, module) || ownsModule(library, full);
}

function inherited(program: Program, receiver: Exclude<Origin, Imported>): Imported | undefined {
  return receiver.kind === 'function' ? undefined : inheritedOrigin(program, receiver.node);
}

function proofOfFunction({ program, call, callee }: Candidate, { library, call: rule }: Rule): number {
  if (rule.argumentCalls.length > 0 && !callsInArguments(program, call, rule.argumentCalls)) return 0;
  if (rule.carries !== undefined && !carries(program, call, rule.carries)) return 0;
  if (library.imports.length === 0) return isCalled(rule, calleeName(call)) ? NAMED : 0;
  if (!callee || !owns(library, callee)) return 0;
  return rule.names.some((name) => callee.full === name || callee.full.endsWith(`.${name}`)) ? TRACED : 0;
}

function isCalled({ names, named }: Rule['call'], name: string): boolean {
  return names.includes(name) || (named !== undefined && patternOf(named).test(name));
}

function proofOfMethod(candidate: Candidate, { library, call: rule }: Rule): number {
  const { program, call, receiver } = candidate;
  if (call.callee.kind !== 'member' || !rule.names.includes(call.callee.property)) return 0;
  if (candidate.isWrapper) return 0;
  // A function of the workspace, called on any object or module.
  if (library.imports.length === 0 && rule.distinctive)
    return rule.carries === undefined || carries(program, call, rule.carries) ? NAMED : 0;
  if (rule.carries !== undefined && library.imports.length === 0)
    return !isOwn(candidate) && carries(program, call, rule.carries) ? LIKELY : 0;
  if (rule.carries !== undefined) {
    if (candidate.foreignTo(library) || !isMeantReceiver(candidate, rule)) return 0;
    if (!carries(program, call, rule.carries)) return 0;
    return receiver && receiver !== 'own-class' && owns(library, receiver) ? BOTH : EVIDENT;
  }
  if (rule.argumentCalls.length > 0 && !callsInArguments(program, call, rule.argumentCalls)) return 0;
  if (
    receiver === 'own-class' ||
    candidate.isOwnMethod ||
    (rule.needsArgument && call.arguments.length === 0)
  )
    return 0;
  const isWritten = isReceiver(rule, call.callee.object);
  if (rule.role === 'use') {
    const isRetriever =
      isWritten ||
      candidate.isRetriever ||
      isOfClass(rule, receiver) ||
      partOf(program, call, { library, call: rule });
    return isRetriever && !candidate.foreignTo(library) ? NAMED : 0;
  }
  if (receiver && owns(library, receiver))
    return rule.receiver === undefined || isOfClass(rule, receiver) || isDefault(receiver) ? TRACED : 0;
  if (candidate.foreignTo(library)) return 0;
  if (candidate.isOfOtherClass(library)) return rule.distinctive ? NAMED : 0;
  if (hasEvidence(program, call, rule.evidence, rule.options)) return EVIDENT;
  if (rule.unpacksTo !== undefined && !receiver && unpacksTo(call) === rule.unpacksTo) return EVIDENT;
  return rule.distinctive || isWritten ? NAMED : 0;
}

/** Whether the call is made on the receiver that the rule requires, if any. */
function isMeantReceiver({ call: { callee }, receiver }: Candidate, rule: Rule['call']): boolean {
  if (rule.receiver === undefined && rule.receiverText === undefined) return true;
  return isOfClass(rule, receiver) || (callee.kind === 'member' && isReceiver(rule, callee.object));
}

/** Whether the method is the program's own, in this file or another. Its search is inside of it. */
function isOwn({ program, receiver, isOwnMethod, isAttribute }: Candidate): boolean {
  if ((receiver === 'own-class' && !isAttribute) || isOwnMethod) return true;
  if (receiver === 'own-class') return false;
  return receiver !== undefined && program.isOfWorkspace(receiver.module);
}

/** Whether the receiver comes from another file of the workspace, which may define its class. */
function isOfApplication({ program, receiver }: Candidate): boolean {
  return typeof receiver === 'object' && program.isOfWorkspace(receiver.module);
}

function isReceiver({ receiverText }: Rule['call'], { node }: Expression): boolean {
  return receiverText !== undefined && patternOf(receiverText).test(node.text);
}

function isOfClass({ receiver: pattern }: Rule['call'], receiver: Candidate['receiver']): boolean {
  return pattern !== undefined && typeof receiver === 'object' && patternOf(pattern).test(receiver.full);
}

/** An object of a module's default export, which has no name that a rule could contain. */
function isDefault({ module, full }: Named): boolean {
  return full === `${module}()` || full === `${module}.default()`;
}

/** The retriever of a chain that is run. `undefined` for a call of the retriever itself. */
function partOf(program: Program, { callee }: Call, { call: rule }: Rule): Expression | undefined {
  if (!rule.chains || rule.receiverText === undefined || callee.kind !== 'member') return undefined;
  if (callee.property === 'pipe') return undefined;
  return isReceiver(rule, callee.object) ? undefined : retrieverIn(program, callee.object, rule.receiverText);
}

function hasEvidence(program: Program, call: Call, evidence: readonly string[], options: number): boolean {
  return evidence.some((path) => isWritten({ program, call, options }, path));
}

/** Tests the whole text first, because its arguments cannot contain anything else. */
function carries(program: Program, call: Call, pattern: string): boolean {
  return program.mayBeIn(pattern) && patternOf(pattern).test(argumentsText(program, call));
}

function callsInArguments(program: Program, call: Call, names: readonly string[]): boolean {
  if (!names.some((name) => program.positionsOf(name).length > 0)) return false;
  if (hasWord(argumentsText(program, call), names)) return true;
  return call.arguments.some(({ value, node }) => {
    if (hasWord(node.text, names)) return true;
    const origin = originOf(program, value);
    return origin?.kind === 'imported' && origin.calls.some((each) => names.includes(calleeName(each)));
  });
}

/** The number of names that the result is assigned to: 2 for `D, I = index.search(…)`. */
function unpacksTo({ node }: Call): number {
  const target = node.parent;
  const left = target?.type === 'assignment' ? target.childForFieldName('left') : undefined;
  return left?.type === 'pattern_list' || left?.type === 'tuple_pattern' ? left.namedChildren.length : 1;
}
