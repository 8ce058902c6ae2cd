/** Finds the calls that rules speak of: by name in the text first, by what is called then. */
import type { Node } from '@vscode/tree-sitter-wasm';
import { calleeName } from '../resolve/chain.ts';
import type { Imported, Origin } from '../resolve/origin-model.ts';
import { dotted, inheritedOrigin, originOf } from '../resolve/origin.ts';
import type { Program } from '../resolve/program.ts';
import { isWritten } from '../resolve/path.ts';
import { hasWord } from '../resolve/words.ts';
import { argumentsText, ranksNothing } from './ranking.ts';
import { ownsModule, type Rule } from '../rules/library.ts';
import { patternOf } from '../rules/pattern.ts';
import type { LibraryRules } from '../../core/call-sites/schema.ts';
import type { Call } from '../syntax/expression.ts';
import type { Turns } from '../turns.ts';

/** A call that a rule applies to. */
export interface Match {
  readonly rule: Rule;
  readonly call: Call;
  /** The callee's last name. */
  readonly token: Node;
  /** Several libraries could be meant, so that no library's defaults are assumed. */
  readonly ambiguous: boolean;
}

/** Follows a name that is given another one. */
const ALIAS = /(?:[ \t]+as[ \t]+|[ \t]*:[ \t]*)([\p{ID_Start}_$][\p{ID_Continue}$]*)/uy;

const CALLS = /^(?:call|call_expression|new_expression)$/u;

/**
 * @param active The libraries that the text imports.
 * @param all Every known library: what comes from another one is not a match.
 */
export async function findMatches(
  program: Program,
  active: readonly LibraryRules[],
  all: readonly LibraryRules[],
  turns?: Turns,
): Promise<Match[]> {
  const rules = active.flatMap((library) =>
    library.calls
      .filter(({ callee }) => callee === 'method' || callee === 'function')
      .map((call) => ({ library, call })),
  );
  if (rules.length === 0) return [];
  const matches = new Map<number, Match>();
  for (const [word, named] of rulesByName(rules))
    for (const written of [word, ...aliases(program, word)])
      for (const token of program.tokens(written)) {
        if (turns?.isDue()) await turns.give();
        const call = calledAt(program, token);
        const match = call && bestMatch(program, call, token, named, all);
        if (match && isSearch(program, match)) matches.set(call.node.id, match);
      }
  return withoutInner([...matches.values()]);
}

function isSearch(program: Program, { call, rule: { call: rule } }: Match): boolean {
  if (rule.ranks && ranksNothing(program, call, rule.ranks)) return false;
  if (rule.beside !== undefined && !patternOf(rule.beside).test(textBeside(program, call))) return false;
  return rule.unless === undefined || !patternOf(rule.unless, 'iu').test(argumentsText(program, call));
}

/** At the top level, so many lines before and after the call are beside it. */
const LINES_BESIDE = 15;

/** The function around the call, or the lines around it at the top level. */
function textBeside({ dialect, source: { text } }: Program, { node }: Call): string {
  const [scope] = dialect.scopes(node).filter(({ type }) => /function|method|lambda/u.test(type));
  if (scope) return scope.text;
  let [start, end] = [node.startIndex, node.endIndex];
  for (let line = 0; line <= LINES_BESIDE; line++) {
    start = Math.max(0, text.lastIndexOf('\n', start - 1));
    end = text.includes('\n', end + 1) ? text.indexOf('\n', end + 1) : text.length;
  }
  return text.slice(start, end);
}

/** Of several calls of one chain that search together, the last one stands for all. */
function withoutInner(matches: readonly Match[]): Match[] {
  const inner = new Set<number>();
  const byCall = new Map(matches.map((match) => [match.call.node.id, match]));
  for (const { call, rule } of matches) {
    if (rule.call.role !== 'search') continue;
    let object = call.callee.kind === 'member' ? call.callee.object : undefined;
    while (object?.kind === 'call') {
      const before = byCall.get(object.node.id);
      if (before?.rule.library === rule.library && before.rule.call.role === 'search')
        inner.add(object.node.id);
      object = object.callee.kind === 'member' ? object.callee.object : undefined;
    }
  }
  return matches.filter(({ call }) => !inner.has(call.node.id));
}

function rulesByName(rules: readonly Rule[]): ReadonlyMap<string, readonly Rule[]> {
  const byName = new Map<string, Set<Rule>>();
  for (const rule of rules)
    for (const name of rule.call.names.map(lastName))
      byName.set(name, (byName.get(name) ?? new Set()).add(rule));
  return new Map([...byName].map(([name, named]) => [name, [...named]]));
}

function lastName(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}

/** Other names that imports give to this one: `X as Y` and `{ X: Y }`. */
function aliases(program: Program, name: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (const at of program.positionsOf(name)) {
    ALIAS.lastIndex = at + name.length;
    const alias = ALIAS.exec(program.source.text)?.[1];
    if (alias !== undefined && alias !== name) found.add(alias);
  }
  return found;
}

/** The call whose callee ends in this token. */
export function calledAt(program: Program, token: Node): Call | undefined {
  const parent = token.parent;
  if (!parent) return undefined;
  const isProperty = ['attribute', 'property'].some(
    (name) => parent.childForFieldName(name)?.id === token.id,
  );
  const callee = isProperty ? parent : token;
  const node = callee.parent;
  if (!node || !CALLS.test(node.type)) return undefined;
  const called = node.childForFieldName('function') ?? node.childForFieldName('constructor');
  if (called?.id !== callee.id) return undefined;
  const expression = program.expression(node);
  return expression.kind === 'call' ? expression : undefined;
}

const TRACED = 3;
const EVIDENT = 2;
const NAMED = 1;

function bestMatch(
  program: Program,
  call: Call,
  token: Node,
  rules: readonly Rule[],
  all: readonly LibraryRules[],
): Match | undefined {
  let best: { readonly rule: Rule; readonly proof: number } | undefined;
  let ambiguous = false;
  const candidate = candidateOf(program, call, all);
  for (const rule of rules) {
    const proof =
      rule.call.callee === 'function' ? proofOfFunction(candidate, rule) : proofOfMethod(candidate, rule);
    if (proof === 0) continue;
    if (best && proof === best.proof && best.rule.library !== rule.library) ambiguous = true;
    if (best && proof <= best.proof) continue;
    best = { rule, proof };
    ambiguous = false;
  }
  return best && { rule: best.rule, call, token, ambiguous };
}

interface Candidate {
  readonly program: Program;
  readonly call: Call;
  readonly callee: Named | undefined;
  /** The object that a method is called on: undefined where it is not known. */
  readonly receiver: Named | 'own-class' | undefined;
  /** The receiver comes from another known library, or is a module itself, as in `re.search(…)`. */
  readonly foreignTo: (library: LibraryRules) => boolean;
  /** The receiver is a retriever that another file of the workspace makes. */
  readonly isRetriever: boolean;
  /** An object of a class that comes from elsewhere and does not have the library in its name. */
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
  const owners = receiver
    ? all.filter(
        (library) =>
          library.imports.length > 0 &&
          library.languages.includes(program.dialect.language) &&
          owns(library, receiver),
      )
    : [];
  const callee = originOf(program, call.callee);
  return {
    program,
    call,
    callee: callee?.kind === 'imported' ? named(callee) : undefined,
    receiver: receiver ?? (origin && 'own-class'),
    isRetriever: from?.made !== undefined,
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
  if (library.imports.length === 0) return rule.names.includes(calleeName(call)) ? NAMED : 0;
  if (!callee || !owns(library, callee)) return 0;
  return rule.names.some((name) => callee.full === name || callee.full.endsWith(`.${name}`)) ? TRACED : 0;
}

function proofOfMethod(candidate: Candidate, { library, call: rule }: Rule): number {
  const { program, call, receiver } = candidate;
  if (call.callee.kind !== 'member' || !rule.names.includes(call.callee.property)) return 0;
  // A function of the workspace, by whatever object or module it is called.
  if (library.imports.length === 0 && rule.distinctive) return NAMED;
  if (rule.carries !== undefined)
    return candidate.foreignTo(library) || !carries(program, call, rule.carries) ? 0 : EVIDENT;
  if (rule.argumentCalls.length > 0 && !callsInArguments(program, call, rule.argumentCalls)) return 0;
  if (receiver === 'own-class' || (rule.needsArgument && call.arguments.length === 0)) return 0;
  const isWritten =
    rule.receiverText !== undefined && patternOf(rule.receiverText).test(call.callee.object.node.text);
  if (rule.role === 'use')
    return (isWritten || candidate.isRetriever) && !candidate.foreignTo(library) ? NAMED : 0;
  if (receiver && owns(library, receiver))
    return rule.receiver === undefined || patternOf(rule.receiver).test(receiver.full) ? TRACED : 0;
  if (candidate.foreignTo(library)) return 0;
  if (candidate.isOfOtherClass(library)) return rule.distinctive ? NAMED : 0;
  if (hasEvidence(program, call, rule.evidence, rule.options)) return EVIDENT;
  if (rule.unpacksTo !== undefined && !receiver && unpacksTo(call) === rule.unpacksTo) return EVIDENT;
  return rule.distinctive || isWritten ? NAMED : 0;
}

function hasEvidence(program: Program, call: Call, evidence: readonly string[], options: number): boolean {
  return evidence.some((path) => isWritten({ program, call, options }, path));
}

/** The whole text is looked at first: what is not in it is not in the arguments. */
function carries(program: Program, call: Call, pattern: string): boolean {
  if (!pattern.startsWith('^') && !program.isInText(pattern)) return false;
  return patternOf(pattern).test(argumentsText(program, call));
}

function callsInArguments(program: Program, call: Call, names: readonly string[]): boolean {
  if (!names.some((name) => program.positionsOf(name).length > 0)) return false;
  if (hasWord(argumentsText(program, call), names)) return true;
  return call.arguments.some(({ value, node }) => {
    if (hasWord(node.text, names)) return true;
    const origin = originOf(program, value);
    return origin?.kind === 'imported' && origin.calls.some((made) => names.includes(calleeName(made)));
  });
}

/** To how many names the result is assigned: 2 for `D, I = index.search(…)`. */
function unpacksTo({ node }: Call): number {
  const target = node.parent;
  const left = target?.type === 'assignment' ? target.childForFieldName('left') : undefined;
  return left?.type === 'pattern_list' || left?.type === 'tuple_pattern' ? left.namedChildCount : 1;
}
