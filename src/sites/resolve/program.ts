/**
 * One parsed text with its names. Nothing is indexed ahead: a name's occurrences are found in the text when it is asked
 * for, and only in the scopes where it can be bound. Answers are remembered.
 */
import { isIn, mayMatchPart, mayStand, type SeenText } from '../gate.ts';
import type { Place } from '../model.ts';
import type { CallRule } from '../../core/call-sites/schema.ts';
import { patternOf } from '../rules/pattern.ts';
import type { Source } from '../source.ts';
import {
  enclosing,
  isField,
  namedChildren,
  type AttributeBinding,
  type Dialect,
  type Returned,
} from '../syntax/dialect.ts';
import type { Binding, Expression, Occurrence } from '../syntax/expression.ts';
import type { Node } from '../syntax/node.ts';
import { Words } from './words.ts';
import { keyOf, type AskedParameter, type Callers } from '../workspace/asked-callers.ts';
import { moduleFile } from '../workspace/modules.ts';
import type { OtherFiles } from '../workspace/other-files.ts';

/** Names are followed through at most so many bindings. */
export const MAX_DEPTH = 6;

/** Over ten times as many as the longest public programs take. */
const MOST_STEPS = 1_000_000;

interface Placed extends Occurrence {
  readonly node: Node;
}

interface PlacedAttribute extends AttributeBinding {
  readonly node: Node;
}

/** Follows an attribute that is given a value, be it one of several: `=`, `+=`, `++`, `,`, a type. */
const GIVEN = /\s*(?:=(?![=>])|,|:|\+\+|--|;|\?|!|\)|(?:\*\*|\/\/|\|\||&&|\?\?|>>|<<|[-+*/%|&^@])=)/uy;

const SETS_GLOBALS = /\bglobals\(\)\s*(?:\[|\.(?:update|setdefault|__setitem__))/u;
const IMPORTS_ALL = /^([ \t]*)from[ \t]+[\w.]+[ \t]+import[ \t]*\*/mu;

type Answer = { readonly isKnown: true; readonly value: unknown } | { readonly isKnown: false };

export class Program {
  readonly source: Source;
  readonly root: Node;
  readonly dialect: Dialect;
  /** The meaning of imports from other files of the workspace, where that was looked up. */
  readonly others: OtherFiles | undefined;
  private readonly seen: SeenText;
  private readonly words: Words;
  /** By what each answer is about, then by its question. */
  private readonly answers = new Map<object, Map<string, Answer>>();
  private steps = 0;
  private readonly nodesAt = new Map<number, Node>();
  /** Parameters that callers in other files may set. */
  private readonly askedFor = new Map<string, AskedParameter>();

  /** @param seen the text of the source */
  constructor(source: Source, root: Node, dialect: Dialect, seen: SeenText, others?: OtherFiles) {
    this.source = source;
    this.root = root;
    this.dialect = dialect;
    this.others = others;
    this.seen = seen;
    this.words = new Words(source.text);
  }

  get isNotebook(): boolean {
    return this.source.isNotebook;
  }

  /** Answers a question about a node, or about what was made of one, once. */
  once<T>(about: object, question: string, answer: () => T): T {
    let known = this.answers.get(about);
    if (!known) this.answers.set(about, (known = new Map()));
    const before = known.get(question);
    if (before?.isKnown === true) return before.value as T;
    // A question that comes up again within its own answer is followed until the limit of its depth.
    if (before) return answer();
    known.set(question, { isKnown: false });
    try {
      const value = answer();
      known.set(question, { isKnown: true, value });
      return value;
    } catch (error) {
      known.delete(question);
      throw error;
    }
  }

  /** Counts a step of following a value. Beyond the limit of a program, what a value is stays not known. */
  takesStep(): boolean {
    return ++this.steps <= MOST_STEPS;
  }

  /** Answers a question about the text as a whole, once. */
  onceInText<T>(question: string, answer: () => T): T {
    return this.once(this, question, answer);
  }

  /** How other files call a function of this text, as far as they were looked at. */
  callersElsewhere(asked: AskedParameter): Callers {
    this.askedFor.set(keyOf(asked), asked);
    return this.others?.callers(asked) ?? 'unasked';
  }

  /** The questions to other files that came up. */
  get asked(): readonly AskedParameter[] {
    return [...this.askedFor.values()];
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

  place({ startIndex, endIndex }: Node): Place {
    return this.source.place(startIndex, endIndex);
  }

  expression(node: Node): Expression {
    return this.once(node, 'expression', () => this.dialect.expression(node));
  }

  /** Whether a rule's regular expression matches the text, or what it carries from other files; looked for once. */
  isInText(pattern: string): boolean {
    return isIn(patternOf(pattern), this.seen);
  }

  /** Whether a part of the text may match, so that it has to be looked at. */
  mayBeIn(pattern: string): boolean {
    return mayMatchPart(pattern, this.seen);
  }

  /** Whether all that the rule asks for may be in the text, so that it has to be looked for. */
  mayStand(rule: CallRule): boolean {
    return this.once(rule, 'may stand', () => mayStand(rule, this.seen));
  }

  /** @param pattern without `g` and `y` */
  matchesOf(pattern: RegExp): readonly RegExpExecArray[] {
    return [...this.source.text.matchAll(patternOf(pattern.source, `g${pattern.flags}`))];
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
    return this.once(scope, `tokens of ${name}`, () =>
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
    return this.once(functionNode, 'returned', () => this.dialect.returned(functionNode));
  }

  /** Functions, methods and constructors of the text that are called by this name. */
  functionsNamed(name: string): readonly Node[] {
    return this.onceInText(`functions ${name}`, () =>
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
    return this.once(classNode, 'constructors', () =>
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
    return this.onceInText('overrun', () => {
      const { text } = this.source;
      if (this.seen.tests.test(SETS_GLOBALS)) return this.root;
      if (!this.seen.tests.test(IMPORTS_ALL)) return undefined;
      const last = [...text.matchAll(new RegExp(IMPORTS_ALL, 'gmu'))].at(-1);
      return last && this.root.descendantForIndex(last.index + (last[1]?.length ?? 0));
    });
  }

  /** Every place that gives an attribute of this name a value, in a class or on any object. */
  attributes(name: string): readonly PlacedAttribute[] {
    return this.onceInText(`attributes ${name}`, () =>
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
    return this.once(scope, `all that binds ${name}`, () =>
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
    return this.once(scope, `declares ${name}`, () => this.declaredIn(name, scope).length > 0);
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
    return this.once(node, 'scopes', () => this.dialect.scopes(node));
  }

  private occurrencesIn(name: string, scope: Node): readonly Placed[] {
    return this.once(scope, `bound ${name}`, () =>
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
    const { text } = this.source;
    return text[at - 1] === '.' && text[at - 2] !== '.';
  }

  private occurrence(node: Node): Placed | undefined {
    return this.once(node, 'occurrence', () => {
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
    if (!found) this.nodesAt.set(at, (found = this.root.descendantForIndex(at, at + name.length)));
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
