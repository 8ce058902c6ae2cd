/**
 * One parsed text with its names, from one edit to the next. Nothing is indexed ahead: a name's occurrences are found in
 * the text when it is asked for, and only in the scopes where it can be bound. What is found out is remembered with what
 * it was read from, so that the cost of an edit is that of what was read where it was made.
 */
import type { Tree } from '@vscode/tree-sitter-wasm';
import { mayStand, type SeenText } from '../gate.ts';
import type { Place } from '../model.ts';
import type { Change } from '../parsing.ts';
import type { CallRule } from '../../core/call-sites/schema.ts';
import { patternOf } from '../rules/pattern.ts';
import type { Source } from '../source.ts';
import { untouchedBy } from '../text-tests.ts';
import {
  enclosing,
  isField,
  namedChildren,
  type AttributeBinding,
  type Dialect,
  type Returned,
} from '../syntax/dialect.ts';
import type { Binding, Expression, Occurrence } from '../syntax/expression.ts';
import { Node, SyntaxTree } from '../syntax/node.ts';
import { Finding, isSame, read, type Readable } from '../syntax/reading.ts';
import { Words } from './words.ts';
import { keyOf, type AskedParameter, type Callers } from '../workspace/asked-callers.ts';
import { moduleFile } from '../workspace/modules.ts';
import type { OtherFiles } from '../workspace/other-files.ts';

/** Names are followed through at most so many bindings. */
export const MAX_DEPTH = 6;

interface Placed extends Occurrence {
  readonly node: Node;
}

interface PlacedAttribute extends AttributeBinding {
  readonly node: Node;
}

/** Follows an attribute that is given a value, be it one of several: `=`, `+=`, `++`, `,`, a type. */
const GIVEN = /\s*(?:=(?![=>])|,|:|\+\+|--|;|\?|!|\)|(?:\*\*|\/\/|\|\||&&|\?\?|>>|<<|[-+*/%|&^@])=)/uy;

/**
 * The findings about something that is made of nodes, and the state that is kept of it. V8 makes an object that is written
 * out, where most such stayed before, one of the old at once, and as long as it lies about there, all of this stays too.
 */
class OfThing {
  readonly findings = new Map<string, Finding<unknown>>();
  readonly kept = new Map<string, object>();
}

const SETS_GLOBALS = /\bglobals\(\)\s*(?:\[|\.(?:update|setdefault|__setitem__))/u;
const IMPORTS_ALL = /^([ \t]*)from[ \t]+[\w.]+[ \t]+import[ \t]*\*/mu;

export class Program {
  readonly dialect: Dialect;
  /** The meaning of imports from other files of the workspace, where that was looked up. */
  readonly others: OtherFiles | undefined;
  private readonly syntax: SyntaxTree;
  private current: Source;
  private readonly seen: SeenText;
  private readonly words: Words;
  /** About the text as a whole. */
  private readonly findings = new Map<string, Finding<unknown>>();
  /**
   * About things that are made of nodes, as long as they are asked for. No `WeakMap`, and no `Map` from which things
   * are taken out: by these the collector holds on to findings about things long gone, and to the text of each edit.
   */
  private ofThings = new Map<object, OfThing>();
  /** The same after the edit before. */
  private ofThingsBefore: ReadonlyMap<object, OfThing> = new Map();
  /** Read by whoever asked for all matches of an expression. */
  private readonly matches = new Map<RegExp, Readable>();
  /** The nodes of words by where they stand, until the next edit. */
  private nodesAt = new Map<number, Node>();
  /** Parameters that callers in other files may set. */
  private readonly askedFor = new Map<string, AskedParameter>();

  /** @param seen the text, which whoever edits it takes from one edit to the next */
  constructor(source: Source, tree: Tree, dialect: Dialect, seen: SeenText, others?: OtherFiles) {
    this.current = source;
    this.syntax = new SyntaxTree(tree, source.text);
    this.dialect = dialect;
    this.others = others;
    this.seen = seen;
    this.words = new Words(source.text, this.syntax.edits, seen.tests.positions);
  }

  /** The text as a whole: whoever looks through it has to look again after every edit. */
  get source(): Source {
    read(this.syntax.wholeText);
    return this.current;
  }

  get isNotebook(): boolean {
    return this.current.isNotebook;
  }

  get root(): Node {
    return this.syntax.root;
  }

  /**
   * Takes over the text after a change, with its tree; the one before, which has to be edited, can be freed then.
   *
   * @returns false where the text has to be read anew
   */
  edit(source: Source, tree: Tree, change: Change | undefined): boolean {
    this.ofThingsBefore = this.ofThings;
    this.ofThings = new Map();
    if (change) {
      if (!this.syntax.edit(tree, source.text, change)) return false;
      this.words.edit(source.text, change);
      this.changeMatches(source.text, change);
      this.nodesAt = new Map();
    }
    this.current = source;
    return true;
  }

  private changeMatches(text: string, change: Change): void {
    const isUntouched = untouchedBy(this.current.text, text, change);
    for (const [pattern, matches] of this.matches)
      if (!isUntouched(pattern)) matches.changedAt = this.syntax.edits.now;
  }

  /** Finds something out of a node, or of what was made of one, and remembers it with what it was read from. */
  found<T>(of: object, what: string, make: () => T): T {
    return this.foundIn(of instanceof Node ? of.findings : this.ofThing(of).findings, what, make);
  }

  /** Finds something out of the text as a whole. */
  foundInText<T>(what: string, make: () => T): T {
    return this.foundIn(this.findings, what, make);
  }

  /** The object as it was kept before, where it is the same as this: findings are kept with it. */
  kept<T extends object>(of: object, what: string, now: T): T {
    const { kept } = this.ofThing(of);
    const before = kept.get(what) as T | undefined;
    if (before && isSame(before, now)) return before;
    kept.set(what, now);
    return now;
  }

  private ofThing(thing: object): OfThing {
    let known = this.ofThings.get(thing);
    if (!known) {
      known = this.ofThingsBefore.get(thing) ?? new OfThing();
      this.ofThings.set(thing, known);
    }
    return known;
  }

  private foundIn<T>(known: Map<string, Finding<unknown>>, what: string, make: () => T): T {
    let finding = known.get(what) as Finding<T> | undefined;
    if (!finding) known.set(what, (finding = new Finding(this.syntax.edits, make)));
    return finding.get();
  }

  /** How other files are seen to call a function of this text. */
  callersElsewhere(asked: AskedParameter): Callers {
    const key = keyOf(asked);
    return this.foundInText(`callers ${key}`, () => {
      this.askedFor.set(key, asked);
      return this.others?.callers(asked) ?? 'unasked';
    });
  }

  /** The questions to other files that the findings about the text as it is now rest on. */
  get asked(): readonly AskedParameter[] {
    const { now } = this.syntax.edits;
    return [...this.askedFor]
      .filter(([key]) => this.findings.get(`callers ${key}`)?.checkedAt === now)
      .map(([, asked]) => asked);
  }

  /** Whether a module is a file of the workspace, as far as its name and the files that were looked at say. */
  isOfWorkspace(module: string): boolean {
    if (/^(?:\.|[@~]\/|#)/u.test(module)) return true;
    const { file, files } = this.others ?? {};
    return (
      file !== undefined &&
      files !== undefined &&
      moduleFile(file, module, this.dialect.language, files) !== undefined
    );
  }

  /** Where the node stands, which edits elsewhere move. */
  place(node: Node): Place {
    return (node.place ??= this.placeBetween(
      () => node.startIndex,
      () => node.endIndex,
    )) as Place;
  }

  /** A place whose ends are those of nodes. */
  placeBetween(start: () => number, end: () => number): Place {
    return new MovingPlace(() => this.current.place(start(), end()));
  }

  expression(node: Node): Expression {
    read(node.statement);
    return (node.expression ??= this.dialect.expression(node)) as Expression;
  }

  /** Whether a rule's regular expression matches the text, or what it carries from other files; looked for once. */
  isInText(pattern: string): boolean {
    return this.foundInText(`pattern ${pattern}`, () => {
      read(this.syntax.wholeText);
      const { tests, carried } = this.seen;
      return tests.test(patternOf(pattern)) || patternOf(pattern).test(carried);
    });
  }

  /** Whether a part of the text may match, so that it has to be looked at; what a part begins with is not seen here. */
  mayBeIn(pattern: string): boolean {
    return this.foundInText(`part ${pattern}`, () => {
      read(this.syntax.wholeText);
      return this.seen.tests.mayHold(patternOf(pattern), this.seen.carried);
    });
  }

  /** Whether all that the rule asks for may stand in the text, so that it has to be looked for. */
  mayStand(rule: CallRule): boolean {
    return this.found(rule, 'may stand', () => {
      read(this.syntax.wholeText);
      return mayStand(rule, this.seen);
    });
  }

  /**
   * All that an expression matches in the text as it is now. Whoever asks has to ask again after an edit of a line that
   * holds a match, or did: places elsewhere only move.
   *
   * @param pattern without `g` and `y`
   */
  matchesOf(pattern: RegExp): readonly RegExpExecArray[] {
    let matches = this.matches.get(pattern);
    if (!matches) this.matches.set(pattern, (matches = { changedAt: 0 }));
    read(matches);
    return [...this.current.text.matchAll(patternOf(pattern.source, `g${pattern.flags}`))];
  }

  /** Where a word stands in the text, whatever it means there. */
  positionsOf(word: string): readonly number[] {
    return this.words.of(word);
  }

  /** Each name that stands before a parenthesis, once. */
  get calledNames(): readonly string[] {
    return this.words.called;
  }

  /**
   * Identifier tokens with this text inside a node; comments and strings are left out.
   *
   * @param before sticky, without words: what has to stand behind
   */
  tokens(name: string, within: Node = this.root, before?: RegExp): readonly Node[] {
    const positions = before ? this.words.followedBy(name, before) : this.words.of(name);
    return this.tokensAt(name, positions, within);
  }

  private tokensAt(name: string, positions: readonly number[], within: Node): readonly Node[] {
    const { startIndex, endIndex } = within;
    const found: Node[] = [];
    for (const at of positions) {
      const token = at >= startIndex && at < endIndex ? this.token(name, at) : undefined;
      if (token) found.push(token);
    }
    return found;
  }

  /** All bindings of a name in the innermost scope, from where it is used, that has one. */
  bindings(name: string, at: Node): readonly Binding[] {
    const scope = this.scopeOf(name, at);
    return scope ? this.boundIn(name, scope).map(({ binding }) => binding) : [];
  }

  /**
   * The same bindings, the likeliest first: where the name is used in the scope that binds it, the last one
   * before the use; elsewhere the last one of all.
   */
  likeliestBindings(name: string, at: Node): readonly Binding[] {
    const scope = this.scopeOf(name, at);
    if (!scope) return [];
    const all = this.boundIn(name, scope);
    const isOwnScope = this.scopes(at)[0]?.id === scope.id;
    const before = isOwnScope ? all.filter(({ node }) => node.startIndex < at.startIndex) : all;
    const after = all.filter((each) => !before.includes(each));
    return [...before.toReversed(), ...after].map(({ binding }) => binding);
  }

  /**
   * Of several bindings, the one that the name surely has at the node: set by a statement beside the one that uses it,
   * with no other binding in between, and none in another function, which may run at any time.
   */
  bindingJustBefore(name: string, at: Node): Binding | undefined {
    const scope = this.scopeOf(name, at);
    if (!scope || this.scopes(at)[0]?.id !== scope.id) return undefined;
    const all = this.boundIn(name, scope);
    const later = all.filter(({ binding }) => binding.kind !== 'parameter');
    if (later.some(({ node }) => this.scopes(node)[0]?.id !== scope.id)) return undefined;
    const used = this.dialect.statement(at);
    const last = all
      .filter(({ node }) => node.startIndex < used.startIndex)
      .toSorted((a, b) => a.node.startIndex - b.node.startIndex)
      .at(-1);
    if (!last || all.some(({ node }) => node.id !== last.node.id && isWithin(used, node))) return undefined;
    const set = this.dialect.statement(last.node);
    const isBeside = set.parent?.id === used.parent?.id && set.id !== used.id;
    return isBeside && isPlain(set, last.node) ? last.binding : undefined;
  }

  /** Tokens of the same variable as the name used at the node. */
  sameVariable(name: string, at: Node): readonly Node[] {
    const scope = this.scopeOf(name, at);
    return scope ? this.variable(name, scope) : [];
  }

  /** Tokens of the variable that belongs to the scope. */
  variable(name: string, scope: Node): readonly Node[] {
    return this.found(scope, `tokens of ${name}`, () =>
      this.variableTokens(name, scope).filter((token) => this.scopeOf(name, token)?.id === scope.id),
    );
  }

  /** The node whose body is the scope that the name, as it is used at the node, belongs to. */
  scopeNode(name: string, at: Node): Node | undefined {
    return this.scopeOf(name, at);
  }

  /** Whether the identifier binds its name here. */
  isBinding(identifier: Node): boolean {
    return this.occurrence(identifier) !== undefined;
  }

  /** A function's body is gone through once. */
  returned(functionNode: Node): Returned | undefined {
    return this.found(functionNode, 'returned', () => this.dialect.returned(functionNode));
  }

  /** Functions, methods and constructors of the text that are called by this name. */
  functionsNamed(name: string): readonly Node[] {
    return this.foundInText(`functions ${name}`, () =>
      this.tokens(name).flatMap((token): Node[] => {
        const binding = this.occurrence(token)?.binding;
        if (binding?.kind === 'function') return [binding.node];
        if (binding?.kind === 'class') return [...this.constructorsOf(binding.node)];
        const parent = token.parent;
        return parent?.type === 'method_definition' && isField(parent, 'name', token) ? [parent] : [];
      }),
    );
  }

  /** The constructors that a class declares itself. */
  constructorsOf(classNode: Node): readonly Node[] {
    return this.found(classNode, 'constructors', () =>
      namedChildren(classNode.childForFieldName('body') ?? classNode).filter((each) =>
        /^(?:__init__|constructor)$/u.test(each.childForFieldName('name')?.text ?? ''),
      ),
    );
  }

  /** Whether names at the top of the text may be bound by something that names none of them, behind the node if any. */
  isOverrun(after?: Node): boolean {
    const by = this.dialect.language === 'python' ? this.overrunBy() : undefined;
    return by !== undefined && (!after || by === this.root || by.endIndex > after.startIndex);
  }

  /** The last `from x import *`; the root where names are set through `globals()`. */
  private overrunBy(): Node | undefined {
    return this.foundInText('overrun', () => {
      const { text } = this.source;
      if (this.seen.tests.test(SETS_GLOBALS)) return this.root;
      if (!this.seen.tests.test(IMPORTS_ALL)) return undefined;
      const last = [...text.matchAll(new RegExp(IMPORTS_ALL, 'gmu'))].at(-1);
      return last && this.root.descendantForIndex(last.index + (last[1]?.length ?? 0));
    });
  }

  /** Every place that gives an attribute of this name a value, in a class or on any object. */
  attributes(name: string): readonly PlacedAttribute[] {
    return this.foundInText(`attributes ${name}`, () =>
      this.words.followedBy(name, GIVEN).flatMap((at) => {
        const node = this.token(name, at);
        const found = node && this.dialect.attribute(node);
        return found ? [{ ...found, node }] : [];
      }),
    );
  }

  /** Bindings in the body of the class itself. */
  classBindings(classNode: Node, name: string): readonly Binding[] {
    return this.declaredIn(name, classNode).map(({ binding }) => binding);
  }

  /** All that binds the name in the scope, assignments from scopes within included. */
  private boundIn(name: string, scope: Node): readonly Placed[] {
    return this.found(scope, `all that binds ${name}`, () =>
      this.occurrencesIn(name, scope).filter(({ scope: own, assigns, node }) =>
        assigns ? this.scopeOf(name, node)?.id === scope.id : own.id === scope.id,
      ),
    );
  }

  private declaredIn(name: string, scope: Node): readonly Placed[] {
    return this.occurrencesIn(name, scope).filter(
      (occurrence) => !occurrence.assigns && occurrence.scope.id === scope.id,
    );
  }

  private isDeclaredIn(name: string, scope: Node): boolean {
    return this.found(scope, `declares ${name}`, () => this.declaredIn(name, scope).length > 0);
  }

  /** The innermost scope around the node that declares the name. */
  private scopeOf(name: string, at: Node): Node | undefined {
    const own = this.occurrence(at);
    if (own && !own.assigns) return own.scope;
    const redirected = this.redirected(name, at);
    if (redirected) return redirected;
    return this.scopes(at).find((scope) => this.isDeclaredIn(name, scope));
  }

  private redirected(name: string, at: Node): Node | undefined {
    if (this.dialect.language !== 'python') return undefined;
    if (this.words.of('global').length === 0 && this.words.of('nonlocal').length === 0) return undefined;
    const around = this.functionAround(at);
    return around && this.outerScope(name, around);
  }

  private scopes(node: Node): readonly Node[] {
    return this.found(node, 'scopes', () => this.dialect.scopes(node));
  }

  private occurrencesIn(name: string, scope: Node): readonly Placed[] {
    return this.found(scope, `bound ${name}`, () =>
      this.variableTokens(name, scope).flatMap((node) => this.occurrence(node) ?? []),
    );
  }

  /** Variables do not stand behind a dot; most names mostly do, and no nodes are made for these. */
  private variableTokens(name: string, scope: Node): readonly Node[] {
    const { startIndex, endIndex } = scope;
    return this.words
      .of(name)
      .filter((at) => at >= startIndex && at < endIndex && !this.isBehindDot(at))
      .flatMap((at) => this.token(name, at) ?? []);
  }

  /** After a dot, but not after the three of a spread. */
  private isBehindDot(at: number): boolean {
    const { text } = this.current;
    return text[at - 1] === '.' && text[at - 2] !== '.';
  }

  private occurrence(node: Node): Placed | undefined {
    return this.found(node, 'occurrence', () => {
      const occurrence = this.dialect.occurrence(node);
      if (!occurrence) return undefined;
      const scope = this.outerScope(node.text, occurrence.scope);
      return scope ? { ...occurrence, scope, node } : { ...occurrence, node };
    });
  }

  /** The scope that `global` or `nonlocal` gives to a name of a function. */
  private outerScope(name: string, scope: Node): Node | undefined {
    if (this.dialect.language !== 'python') return undefined;
    for (const word of ['global', 'nonlocal'] as const)
      for (const at of this.words.of(word)) {
        if (at < scope.startIndex || at >= scope.endIndex) continue;
        const statement = this.root.descendantForIndex(at)?.parent;
        if (statement?.type !== `${word}_statement`) continue;
        if (!namedChildren(statement).some(({ text }) => text === name)) continue;
        if (this.functionAround(statement)?.id !== scope.id) continue;
        if (word === 'global') return this.root;
        const around = this.scopes(scope).find(
          (each) => each.id !== scope.id && this.declaresItself(name, each),
        );
        if (around) return around;
      }
    return undefined;
  }

  /** Read off the syntax alone: whoever asks is about to find out where names of `nonlocal` belong. */
  private declaresItself(name: string, scope: Node): boolean {
    const isPassedOn = (['global', 'nonlocal'] as const).some((word) =>
      this.words.of(word).some((at) => {
        if (at < scope.startIndex || at >= scope.endIndex) return false;
        const statement = this.root.descendantForIndex(at)?.parent;
        return (
          statement?.type === `${word}_statement` &&
          namedChildren(statement).some(({ text }) => text === name) &&
          this.functionAround(statement)?.id === scope.id
        );
      }),
    );
    if (isPassedOn) return false;
    return this.variableTokens(name, scope).some((token) => {
      const found = this.dialect.occurrence(token);
      return found !== undefined && found.assigns !== true && found.scope.id === scope.id;
    });
  }

  private functionAround(node: Node): Node | undefined {
    return enclosing(node, ({ type }) => type === 'function_definition' || type === 'lambda');
  }

  private token(name: string, at: number): Node | undefined {
    let found = this.nodesAt.get(at);
    if (found) read(found.statement);
    else this.nodesAt.set(at, (found = this.root.descendantForIndex(at, at + name.length)));
    return /identifier/u.test(found.type) && found.startIndex === at ? found : undefined;
  }
}

function isWithin(outer: Node, inner: Node): boolean {
  return outer.startIndex <= inner.startIndex && inner.endIndex <= outer.endIndex;
}

/** Whether running the statement always sets the name: `name = …`, and not `if (name = …)` or `a and (name := 1)`. */
function isPlain(statement: Node, name: Node): boolean {
  const holder = /^(?:expression_statement|lexical_declaration|variable_declaration)$/u.test(statement.type)
    ? namedChildren(statement)
    : [statement];
  return holder.some(
    (each) =>
      /^(?:assignment|assignment_expression|variable_declarator)$/u.test(each.type) &&
      (isField(each, 'left', name) || isField(each, 'name', name)),
  );
}

/** Reads its offsets off the text as it is now. */
class MovingPlace implements Place {
  private readonly now: () => Place;

  constructor(now: () => Place) {
    this.now = now;
  }

  get cell(): number {
    return this.now().cell;
  }

  get start(): number {
    return this.now().start;
  }

  get end(): number {
    return this.now().end;
  }

  get settled(): Place {
    return this.now();
  }
}

/**
 * A finding with all places as they are now: once handed out it does not change later. Only values that hold a place
 * are copied, since this is done for all of a text with every keystroke.
 */
export function settled<T>(found: T): T {
  if (typeof found !== 'object' || found === null) return found;
  if (found instanceof MovingPlace) return found.settled as T;
  const parts = found as Record<string, unknown>;
  let copy: Record<string, unknown> | undefined;
  for (const key in parts) {
    const now = settled(parts[key]);
    if (now === parts[key]) continue;
    copy ??= (Array.isArray(found) ? [...(found as unknown[])] : { ...found }) as Record<string, unknown>;
    copy[key] = now;
  }
  return (copy ?? found) as T;
}
