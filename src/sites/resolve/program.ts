/**
 * A parsed text with its names. Nothing is indexed in advance: occurrences of a name are searched on demand, and only
 * in the scopes that can bind it. Answers are cached.
 */
import { isIn, mayMatchPart, mayStand, type TextFacts } from '../gate.ts';
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
import { keyOf, type ParameterQuestion, type Callers } from '../workspace/parameter-question.ts';
import { moduleFile } from '../workspace/modules.ts';
import type { OtherFiles } from '../workspace/other-files.ts';

/** The most bindings through which a name is followed. */
export const MAX_DEPTH = 6;

/** More than ten times the steps of the longest public programs. */
const MAX_STEPS = 1_000_000;

interface Placed extends Occurrence {
  readonly node: Node;
}

interface PlacedAttribute extends AttributeBinding {
  readonly node: Node;
}

/** Matches after an attribute that gets a value, alone or in a pattern: `=`, `+=`, `++`, `,`, a type. */
const GIVEN = /\s*(?:=(?![=>])|,|:|\+\+|--|;|\?|!|\)|(?:\*\*|\/\/|\|\||&&|\?\?|>>|<<|[-+*/%|&^@])=)/uy;

const SETS_GLOBALS = /\bglobals\(\)\s*(?:\[|\.(?:update|setdefault|__setitem__))/u;
const IMPORTS_ALL = /^([ \t]*)from[ \t]+[\w.]+[ \t]+import[ \t]*\*/mu;

type Answer = { readonly isKnown: true; readonly value: unknown } | { readonly isKnown: false };

export class Program {
  readonly source: Source;
  readonly root: Node;
  readonly dialect: Dialect;
  /** Facts about imports from other files of the workspace, if they have been read. */
  readonly otherFiles: OtherFiles | undefined;
  private readonly textFacts: TextFacts;
  private readonly words: Words;
  /** By the subject of each answer, then by its question. */
  private readonly answers = new Map<object, Map<string, Answer>>();
  private steps = 0;
  private readonly nodesAt = new Map<number, Node>();
  /** Parameters that callers in other files may set. */
  private readonly askedFor = new Map<string, ParameterQuestion>();

  /** @param textFacts the text of the source */
  constructor(source: Source, root: Node, dialect: Dialect, textFacts: TextFacts, otherFiles?: OtherFiles) {
    this.source = source;
    this.root = root;
    this.dialect = dialect;
    this.otherFiles = otherFiles;
    this.textFacts = textFacts;
    this.words = new Words(source.text);
  }

  get isNotebook(): boolean {
    return this.source.isNotebook;
  }

  /** Caches the answer to a question about a node or a derived object. */
  once<T>(about: object, question: string, answer: () => T): T {
    let known = this.answers.get(about);
    if (!known) this.answers.set(about, (known = new Map()));
    const before = known.get(question);
    if (before?.isKnown === true) return before.value as T;
    // A question that recurs within its own answer is followed up to the depth limit.
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

  /** Counts a step of following a value. Beyond a program's limit, values remain unknown. */
  takesStep(): boolean {
    return ++this.steps <= MAX_STEPS;
  }

  /** Caches the answer to a question about the whole text. */
  onceInText<T>(question: string, answer: () => T): T {
    return this.once(this, question, answer);
  }

  /** How other files call a function of this text, as far as they have been read. */
  callersElsewhere(question: ParameterQuestion): Callers {
    this.askedFor.set(keyOf(question), question);
    return this.otherFiles?.callers(question) ?? 'unasked';
  }

  /** The questions to other files that came up. */
  get questions(): readonly ParameterQuestion[] {
    return [...this.askedFor.values()];
  }

  /** Whether a module is a file of the workspace, according to its name and the files read so far. */
  isOfWorkspace(module: string): boolean {
    if (/^(?:\.|[@~]\/|#)/u.test(module)) return true;
    const { file, files } = this.otherFiles ?? {};
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

  /** Whether a rule's regular expression matches the text or its data from other files. Cached. */
  isInText(pattern: string): boolean {
    return isIn(patternOf(pattern), this.textFacts);
  }

  /** Whether a part of the text may match and needs to be checked. */
  mayBeIn(pattern: string): boolean {
    return mayMatchPart(pattern, this.textFacts);
  }

  /** Whether the text may contain everything that the rule requires. */
  mayStand(rule: CallRule): boolean {
    return this.once(rule, 'may stand', () => mayStand(rule, this.textFacts));
  }

  /** @param pattern without `g` and `y` */
  matchesOf(pattern: RegExp): readonly RegExpExecArray[] {
    return [...this.source.text.matchAll(patternOf(pattern.source, `g${pattern.flags}`))];
  }

  /** The positions of a word in the text, with any meaning. */
  positionsOf(word: string): readonly number[] {
    return this.words.of(word);
  }

  /** Each name that precedes a parenthesis, without duplicates. */
  get calledNames(): readonly string[] {
    return this.words.called;
  }

  /**
   * Identifier tokens with this text inside a node; leaves out comments and strings.
   *
   * @param before sticky, without word characters: must match after the name
   */
  tokens(name: string, within: Node = this.root, before?: RegExp): readonly Node[] {
    const positions = before ? this.words.followedBy(name, before) : this.words.of(name);
    return this.tokensAt(name, positions, within);
  }

  private tokensAt(name: string, positions: readonly number[], within: Node): readonly Node[] {
    const { startIndex, endIndex } = within;
    const tokens: Node[] = [];
    for (const at of positions) {
      const token = at >= startIndex && at < endIndex ? this.token(name, at) : undefined;
      if (token) tokens.push(token);
    }
    return tokens;
  }

  /** All bindings of a name in the innermost scope around its use that has any. */
  bindings(name: string, at: Node): readonly Binding[] {
    const scope = this.scopeOf(name, at);
    return scope ? this.boundIn(name, scope).map(({ binding }) => binding) : [];
  }

  /**
   * The same bindings, likeliest first: if the name is used in the scope that binds it, the last one before the use;
   * otherwise the last of all.
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
   * The binding that the name certainly has at the node: by a statement in the same block, with no other binding in
   * between, and none in another function, which may run at any time.
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

  /** Tokens of the variable that the name refers to at the node. */
  sameVariable(name: string, at: Node): readonly Node[] {
    const scope = this.scopeOf(name, at);
    return scope ? this.variable(name, scope) : [];
  }

  /** Tokens of the variable in the scope. */
  variable(name: string, scope: Node): readonly Node[] {
    return this.once(scope, `tokens of ${name}`, () =>
      this.variableTokens(name, scope).filter((token) => this.scopeOf(name, token)?.id === scope.id),
    );
  }

  /** The node whose body is the scope of the name, as used at the node. */
  scopeNode(name: string, at: Node): Node | undefined {
    return this.scopeOf(name, at);
  }

  /** Whether the identifier binds its name here. */
  isBinding(identifier: Node): boolean {
    return this.occurrence(identifier) !== undefined;
  }

  /** Cached, so that a function's body is searched once. */
  returned(functionNode: Node): Returned | undefined {
    return this.once(functionNode, 'returned', () => this.dialect.returned(functionNode));
  }

  /** Functions, methods and constructors of the text with this name. */
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

  /** The constructors that a class itself declares. */
  constructorsOf(classNode: Node): readonly Node[] {
    return this.once(classNode, 'constructors', () =>
      namedChildren(classNode.childForFieldName('body') ?? classNode).filter((each) =>
        /^(?:__init__|constructor)$/u.test(each.childForFieldName('name')?.text ?? ''),
      ),
    );
  }

  /** Whether code may bind top-level names without naming them, after the node if given. */
  isOverrun(after?: Node): boolean {
    const by = this.dialect.language === 'python' ? this.overrunBy() : undefined;
    return by !== undefined && (!after || by === this.root || by.endIndex > after.startIndex);
  }

  /** The last `from x import *`; the root if names are set through `globals()`. */
  private overrunBy(): Node | undefined {
    return this.onceInText('overrun', () => {
      const { text } = this.source;
      if (this.textFacts.tests.test(SETS_GLOBALS)) return this.root;
      if (!this.textFacts.tests.test(IMPORTS_ALL)) return undefined;
      const last = [...text.matchAll(new RegExp(IMPORTS_ALL, 'gmu'))].at(-1);
      return last && this.root.descendantForIndex(last.index + (last[1]?.length ?? 0));
    });
  }

  /** Every place that sets an attribute of this name, in a class or on any object. */
  attributes(name: string): readonly PlacedAttribute[] {
    return this.onceInText(`attributes ${name}`, () =>
      this.words.followedBy(name, GIVEN).flatMap((at) => {
        const node = this.token(name, at);
        const attribute = node && this.dialect.attribute(node);
        return attribute ? [{ ...attribute, node }] : [];
      }),
    );
  }

  /** Bindings in the body of the class itself. */
  classBindings(classNode: Node, name: string): readonly Binding[] {
    return this.declaredIn(name, classNode).map(({ binding }) => binding);
  }

  /** All bindings of the name in the scope, including assignments in nested scopes. */
  private boundIn(name: string, scope: Node): readonly Placed[] {
    return this.once(scope, `all that binds ${name}`, () =>
      this.occurrencesIn(name, scope).filter(({ scope: ownScope, assigns, node }) =>
        assigns ? this.scopeOf(name, node)?.id === scope.id : ownScope.id === scope.id,
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
    const occurrence = this.occurrence(at);
    if (occurrence && !occurrence.assigns) return occurrence.scope;
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

  /** Variables never follow a dot, but most occurrences of most names do, so no nodes are made for those. */
  private variableTokens(name: string, scope: Node): readonly Node[] {
    const { startIndex, endIndex } = scope;
    return this.words
      .of(name)
      .filter((at) => at >= startIndex && at < endIndex && !this.isBehindDot(at))
      .flatMap((at) => this.token(name, at) ?? []);
  }

  /** After a dot, but not after the three dots of a spread. */
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

  /** The scope that `global` or `nonlocal` gives a name in a function. */
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

  /** Uses only the syntax, because callers are still resolving `nonlocal` names. */
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
      const occurrence = this.dialect.occurrence(token);
      return occurrence !== undefined && occurrence.assigns !== true && occurrence.scope.id === scope.id;
    });
  }

  private functionAround(node: Node): Node | undefined {
    return enclosing(node, ({ type }) => type === 'function_definition' || type === 'lambda');
  }

  private token(name: string, at: number): Node | undefined {
    let node = this.nodesAt.get(at);
    if (!node) this.nodesAt.set(at, (node = this.root.descendantForIndex(at, at + name.length)));
    return /identifier/u.test(node.type) && node.startIndex === at ? node : undefined;
  }
}

function isWithin(outer: Node, inner: Node): boolean {
  return outer.startIndex <= inner.startIndex && inner.endIndex <= outer.endIndex;
}

/** Whether the statement always sets the name: `name = …`, but not `if (name = …)` or `a and (name := 1)`. */
function isPlain(statement: Node, name: Node): boolean {
  const statements = /^(?:expression_statement|lexical_declaration|variable_declaration)$/u.test(
    statement.type,
  )
    ? namedChildren(statement)
    : [statement];
  return statements.some(
    (each) =>
      /^(?:assignment|assignment_expression|variable_declarator)$/u.test(each.type) &&
      (isField(each, 'left', name) || isField(each, 'name', name)),
  );
}
