/**
 * One parsed text with its names. Nothing is indexed ahead: a name's occurrences are found in the text
 * when it is asked for, and only in the scopes where it can be bound, so that the cost of an edit is that of
 * the call sites and not of the file.
 */
import type { Node } from '@vscode/tree-sitter-wasm';
import type { Span } from '../../core/model.ts';
import type { Field, Place } from '../model.ts';
import { patternOf } from '../rules/pattern.ts';
import type { Source } from '../source.ts';
import {
  enclosing,
  isField,
  namedChildren,
  parentOf,
  type AttributeBinding,
  type Dialect,
  type Returned,
} from '../syntax/dialect.ts';
import type { Binding, Constant, Expression, Occurrence } from '../syntax/expression.ts';
import type { Origin } from './origin-model.ts';
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

export class Program {
  readonly source: Source;
  readonly root: Node;
  readonly dialect: Dialect;
  /** What imports from other files of the workspace mean, where that was looked up. */
  readonly others: OtherFiles | undefined;
  /** Parameters that callers in other files may set. */
  readonly asked = new Map<string, AskedParameter>();
  /** Origins by node; see `originOf`. */
  readonly origins = new Map<number, Origin>();
  /** From how deep down at the least an origin was looked for, and not found, by node. */
  readonly originless = new Map<number, number>();
  /** What expressions are; see `evaluate`. */
  readonly values = new Map<Expression, Field<Constant>>();
  /** Parts of the text that were read whatever words are in them. */
  readonly read: Span[] = [];
  /** Arguments of calls with what their variables hold; see `argumentsText`. */
  readonly gathered = new Map<number, string>();
  /** Texts of other files that names of this one lead to. */
  private readonly carried: string;
  private readonly words: Words;
  private readonly nodes = new Map<number, Node | null>();
  private readonly bound = new Map<number, Placed | null>();
  private readonly inScope = new Map<string, readonly Placed[]>();
  private readonly expressions = new Map<number, Expression>();
  private readonly scopesAt = new Map<number, readonly Node[]>();
  private readonly attributeNodes = new Map<string, readonly PlacedAttribute[]>();
  private readonly functions = new Map<string, readonly Node[]>();
  private readonly returns = new Map<number, Returned | null>();
  private readonly patterns = new Map<string, boolean>();
  private overrun: number | undefined;

  constructor(source: Source, root: Node, dialect: Dialect, others?: OtherFiles, carried = '') {
    this.source = source;
    this.root = root;
    this.dialect = dialect;
    this.others = others;
    this.carried = carried;
    this.words = new Words(source.text);
  }

  /** What those who call a function of this text from other files are seen to do. */
  callersElsewhere(asked: AskedParameter): Callers {
    this.asked.set(keyOf(asked), asked);
    return this.others?.callers(asked) ?? 'unasked';
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

  /** Words that were asked for, whose every change counts. */
  get asksFor(): ReadonlySet<string> {
    return this.words.asked;
  }

  place(node: Node): Place {
    return this.source.place(node.startIndex, node.endIndex);
  }

  expression(node: Node): Expression {
    return remembered(this.expressions, node.id, () => this.dialect.expression(node));
  }

  /** Whether a rule's regular expression matches the text, or what it carries from other files; looked for once. */
  isInText(pattern: string): boolean {
    return remembered(
      this.patterns,
      pattern,
      () => patternOf(pattern).test(this.source.text) || patternOf(pattern).test(this.carried),
    );
  }

  /** Where a word stands in the text, whatever it means there. */
  positionsOf(word: string): readonly number[] {
    return this.words.of(word);
  }

  /** Identifier tokens with this text inside a node; comments and strings are left out. */
  tokens(name: string, within: Node = this.root): readonly Node[] {
    const { startIndex, endIndex } = within;
    return this.words
      .of(name)
      .filter((at) => at >= startIndex && at < endIndex)
      .flatMap((at) => this.token(name, at) ?? []);
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
    const isBeside = parentOf(set)?.id === parentOf(used)?.id && set.id !== used.id;
    return isBeside && isPlain(set, last.node) ? last.binding : undefined;
  }

  /** Tokens of the same variable as the name used at the node. */
  sameVariable(name: string, at: Node): readonly Node[] {
    const scope = this.scopeOf(name, at);
    if (!scope) return [];
    return this.variableTokens(name, scope).filter((token) => this.scopeOf(name, token)?.id === scope.id);
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
    const found = remembered(
      this.returns,
      functionNode.id,
      () => this.dialect.returned(functionNode) ?? null,
    );
    return found ?? undefined;
  }

  /** Functions, methods and constructors of the text that are called by this name. */
  functionsNamed(name: string): readonly Node[] {
    return remembered(this.functions, name, () =>
      this.tokens(name).flatMap((token): Node[] => {
        const binding = this.occurrence(token)?.binding;
        if (binding?.kind === 'function') return [binding.node];
        if (binding?.kind === 'class') return [...this.constructorsOf(binding.node)];
        const parent = parentOf(token);
        return parent?.type === 'method_definition' && isField(parent, 'name', token) ? [parent] : [];
      }),
    );
  }

  /** The constructors that a class declares itself. */
  constructorsOf(classNode: Node): readonly Node[] {
    return namedChildren(classNode.childForFieldName('body') ?? classNode).filter((each) =>
      /^(?:__init__|constructor)$/u.test(each.childForFieldName('name')?.text ?? ''),
    );
  }

  /** Whether names of the scope may be bound by something that names none of them. */
  isOverrun({ parent }: Node, after: Node): boolean {
    if (this.dialect.language !== 'python' || parent !== null) return false;
    return this.overrunAt() > after.startIndex;
  }

  /** Where the last `from x import *` stands; Infinity where names are set through `globals()`. */
  private overrunAt(): number {
    this.overrun ??= /\bglobals\(\)\s*(?:\[|\.(?:update|setdefault|__setitem__))/u.test(this.source.text)
      ? Infinity
      : Math.max(
          -1,
          ...[...this.source.text.matchAll(/^[ \t]*from[ \t]+[\w.]+[ \t]+import[ \t]*\*/gmu)].map(
            ({ index }) => index,
          ),
        );
    return this.overrun;
  }

  /** Every place that gives an attribute of this name a value, in a class or on any object. */
  attributes(name: string): readonly PlacedAttribute[] {
    return remembered(this.attributeNodes, name, () =>
      this.words.of(name).flatMap((at) => {
        if (!this.isGiven(at + name.length)) return [];
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

  private isGiven(end: number): boolean {
    GIVEN.lastIndex = end;
    return GIVEN.test(this.source.text);
  }

  /** All that binds the name in the scope, assignments from scopes within included. */
  private boundIn(name: string, scope: Node): readonly Placed[] {
    return this.occurrencesIn(name, scope).filter(({ scope: own, assigns, node }) =>
      assigns ? this.scopeOf(name, node)?.id === scope.id : own.id === scope.id,
    );
  }

  private declaredIn(name: string, scope: Node): readonly Placed[] {
    return this.occurrencesIn(name, scope).filter(
      (occurrence) => !occurrence.assigns && occurrence.scope.id === scope.id,
    );
  }

  /** The innermost scope around the node that declares the name. */
  private scopeOf(name: string, at: Node): Node | undefined {
    const own = this.occurrence(at);
    if (own && !own.assigns) return own.scope;
    const redirected = this.redirected(name, at);
    if (redirected) return redirected;
    return this.scopes(at).find((scope) => this.declaredIn(name, scope).length > 0);
  }

  private redirected(name: string, at: Node): Node | undefined {
    if (this.words.of('global').length === 0 && this.words.of('nonlocal').length === 0) return undefined;
    const around = this.functionAround(at);
    return around && this.outerScope(name, around);
  }

  private scopes(node: Node): readonly Node[] {
    return remembered(this.scopesAt, node.id, () => this.dialect.scopes(node));
  }

  private occurrencesIn(name: string, scope: Node): readonly Placed[] {
    return remembered(this.inScope, `${scope.id} ${name}`, () =>
      this.variableTokens(name, scope).flatMap((node) => this.occurrence(node) ?? []),
    );
  }

  private variableTokens(name: string, scope: Node): readonly Node[] {
    const { startIndex, endIndex } = scope;
    return this.words
      .of(name)
      .filter((at) => at >= startIndex && at < endIndex && !this.isProperty(at))
      .flatMap((at) => this.token(name, at) ?? []);
  }

  /** After a dot, but not after the three of a spread. */
  private isProperty(at: number): boolean {
    const { text } = this.source;
    return text[at - 1] === '.' && text[at - 2] !== '.';
  }

  private occurrence(node: Node): Placed | undefined {
    const found = remembered(this.bound, node.id, () => {
      const occurrence = this.dialect.occurrence(node);
      if (!occurrence) return null;
      const scope = this.outerScope(node.text, occurrence.scope);
      return scope ? { ...occurrence, scope, node } : { ...occurrence, node };
    });
    return found ?? undefined;
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
    const node = remembered(this.nodes, at, () => {
      const found = this.root.descendantForIndex(at, at + name.length);
      return found && /identifier/u.test(found.type) && found.startIndex === at ? found : null;
    });
    return node ?? undefined;
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

function remembered<K, V>(known: Map<K, V>, key: K, make: () => V): V {
  let value = known.get(key);
  if (value === undefined) {
    value = make();
    known.set(key, value);
  }
  return value;
}
