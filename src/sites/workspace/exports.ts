/** The names that a text exports to files that import it, as plain data without syntax nodes. */
import * as l10n from '@vscode/l10n';
import type { Node } from '../syntax/node.ts';
import type { Field } from '../model.ts';
import { attributeOf, bindingOrigin, inheritedOrigin, originOf, returnedOrigin } from '../resolve/origin.ts';
import type { Local, Origin } from '../resolve/origin-model.ts';
import type { Program } from '../resolve/program.ts';
import { evaluate, evaluateAttribute, isKnown, unknown } from '../resolve/value.ts';
import { namedChildren } from '../syntax/dialect.ts';
import type { TextFunctions } from '../match/text-functions.ts';
import type { Wrappers } from '../match/wrappers.ts';
import type { Binding, Call, Constant } from '../syntax/expression.ts';
import type { Exported, Exports, FunctionExport, MadeRetriever } from './exported.ts';

/** More names, or more members of a class, than in hand-written code are ignored. */
const MAX_NAMES = 400;
const MEMBERS = /\b(?:self|this)\.(?<name>[\p{ID_Start}_$][\p{ID_Continue}$]*)\s*(?::[^=\n]{0,80})?=(?!=)/gu;

/** Facts about a program's calls and functions. */
export interface Known {
  /** The retriever that a call makes, if it makes one. */
  readonly madeBy: (call: Call) => MadeRetriever | undefined;
  readonly functions: TextFunctions;
  readonly wrappers: Wrappers;
}

export function exportsOf(program: Program, known: Known): Exports {
  const reader = new ExportReader(program, known);
  for (const name of namesOf(program)) reader.name(name);
  return reader.entries;
}

class ExportReader {
  readonly entries = new Map<string, Exported>();
  private readonly program: Program;
  private readonly known: Known;

  constructor(program: Program, known: Known) {
    this.program = program;
    this.known = known;
  }

  name(token: Node): void {
    const name = token.text;
    if (this.entries.has(name)) return;
    const expression = this.program.expression(token);
    const [only, second] = this.program.bindings(name, token);
    if (!only || second) return;
    const origin = bindingOrigin(this.program, only);
    if (origin?.kind === 'function') this.function([name], origin.node);
    else if (origin?.kind === 'class') this.members(name, origin.node);
    else if (origin) this.add([name], origin);
    if (origin?.kind === 'class' || origin?.kind === 'instance') this.constants(name, origin, token);
    else if (expression.kind === 'name' && mayBeConstant(only))
      this.value([name], evaluate(this.program, expression));
    if (only.kind === 'value' && !this.entries.has(name)) {
      const text = this.known.functions.textOf(only.value.node);
      this.text([name], text === undefined ? undefined : { kind: 'text', text });
    }
  }

  private function(path: readonly string[], functionNode: Node): void {
    this.text(path, this.functionAt(functionNode));
    this.returned([...path, '()'], functionNode);
  }

  private returned(path: readonly string[], functionNode: Node): void {
    this.add(path, returnedOrigin(this.program, functionNode), functionNode);
  }

  /** `undefined` if the function is unrelated to searches. */
  private functionAt(functionNode: Node): FunctionExport | undefined {
    const { takes, gives } = this.known.functions.of(functionNode);
    const finds = this.known.wrappers.linesOf(functionNode);
    const through = finds.length > 0 ? [] : this.known.wrappers.throughOf(functionNode);
    const isNothing = takes.length + finds.length + through.length === 0 && gives === undefined;
    return isNothing ? undefined : { kind: 'function', takes, gives, finds, through };
  }

  private text(path: readonly string[], entry: Exported | undefined): void {
    if (entry && this.entries.size < MAX_NAMES) this.entries.set(path.join('.'), entry);
  }

  /** `Config.TOP_K`, `settings.top_k`: the values in the object, unless the environment may change them. */
  private constants(name: string, owner: Local, token: Node): void {
    const body = namedChildren(owner.node.childForFieldName('body') ?? owner.node);
    const heads = owner.node.childForFieldName('superclasses')?.text ?? '';
    if (owner.ambiguous === true || /\bBaseSettings\b/u.test(heads)) return;
    const assigned =
      owner.kind === 'instance' ? [...owner.node.text.matchAll(MEMBERS)].map((match) => match[1] ?? '') : [];
    for (const field of new Set([...fieldsOf(body), ...assigned]))
      this.value([name, field], evaluateAttribute(this.program, owner, field, token));
  }

  private members(name: string, classNode: Node): void {
    const inherited = inheritedOrigin(this.program, classNode);
    if (inherited) this.add([name, '()'], inherited);
    else this.inherit(name, classNode);
    const owner: Local = { kind: 'instance', node: classNode };
    const body = namedChildren(classNode.childForFieldName('body') ?? classNode);
    for (const method of body.map(unwrapped)) {
      const called = method.childForFieldName('name')?.text;
      if (called === undefined || !/function|method/u.test(method.type)) continue;
      const facts = this.functionAt(method);
      this.text([name, '()', called], facts);
      const decorators = textBefore(this.program, method);
      const isGetter = /@(?:\w+\.)*(?:cached_)?property\b|^get\b/u.test(decorators);
      this.returned([name, '()', called, ...(isGetter ? [] : ['()'])], method);
      if (/@(?:classmethod|staticmethod)\b|\bstatic\b/u.test(decorators)) {
        this.text([name, called], facts);
        this.returned([name, called, '()'], method);
      }
    }
    for (const attribute of new Set([...classNode.text.matchAll(MEMBERS)].map((match) => match[1] ?? '')))
      this.attribute(name, owner, attribute);
    for (const field of fieldsOf(body)) this.attribute(name, owner, field);
  }

  /** A class has all members of its base in the same file. */
  private inherit(name: string, classNode: Node): void {
    for (const base of this.program.dialect.bases(classNode)) {
      const origin = originOf(this.program, base);
      if (origin?.kind === 'class' && origin.node.id !== classNode.id)
        this.add([name, '()'], { kind: 'instance', node: origin.node });
    }
  }

  private attribute(name: string, owner: Local, attribute: string): void {
    const definition = attributeOf(this.program, owner, attribute, 0);
    if (definition.kind === 'bound' && definition.binding.kind !== 'function')
      this.add([name, '()', attribute], bindingOrigin(this.program, definition.binding));
  }

  /** @param giver the function that returns it, if any */
  private add(path: readonly string[], origin: Origin | undefined, giver?: Node): void {
    if (!origin || this.entries.size >= MAX_NAMES) return;
    if (origin.kind === 'imported') {
      const one = origin.calls.map((call) => this.known.madeBy(call)).findLast((each) => each !== undefined);
      const retriever = one && giver && origin.ambiguous ? oneOfSeveral(one, giver) : one;
      if (!origin.ambiguous || retriever?.isOneOfSeveral === true)
        this.entries.set(path.join('.'), {
          kind: 'origin',
          module: origin.module,
          path: origin.path,
          retriever,
        });
      return;
    }
    const className = origin.node.childForFieldName('name')?.text;
    if (className === undefined || origin.kind === 'function' || origin.ambiguous === true) return;
    const target = origin.kind === 'instance' ? [className, '()'] : [className];
    if (target.join('.') !== path.join('.')) this.entries.set(path.join('.'), { kind: 'own', path: target });
  }

  private value(path: readonly string[], field: Field<Constant>): void {
    if (isKnown(field) && field.provenance !== 'env-default' && this.entries.size < MAX_NAMES)
      this.entries.set(path.join('.'), { kind: 'value', value: field.value });
  }
}

/** The retriever of a function that makes several and returns one. */
function oneOfSeveral({ library, callee }: MadeRetriever, giver: Node): MadeRetriever {
  const why = l10n.t('the function that makes it may give another retriever');
  const line = (giver.childForFieldName('name') ?? giver).row + 1;
  return { line, library, callee, k: unknown(why), isOneOfSeveral: true };
}

/** Exports only numbers and texts, so tables of data are not searched. */
function mayBeConstant(binding: Binding): boolean {
  return (
    binding.kind === 'value' && /^(?:literal|binary|call|name|member|subscript)$/u.test(binding.value.kind)
  );
}

/** One token for each name that the top level of the text binds. */
function namesOf({ root }: Program): readonly Node[] {
  return namedChildren(root)
    .flatMap((statement) => namesIn(statement))
    .slice(0, MAX_NAMES);
}

function namesIn(statement: Node): readonly Node[] {
  switch (statement.type) {
    case 'decorated_definition':
    case 'export_statement':
      return namedChildren(statement).flatMap((each) => namesIn(each));
    case 'expression_statement':
    case 'lexical_declaration':
    case 'variable_declaration':
      return namedChildren(statement).flatMap((each) =>
        tokens(each.childForFieldName('left') ?? each.childForFieldName('name')),
      );
    case 'function_definition':
    case 'class_definition':
    case 'function_declaration':
    case 'generator_function_declaration':
    case 'class_declaration':
    case 'abstract_class_declaration':
      return tokens(statement.childForFieldName('name'));
    case 'import_from_statement':
      return statement
        .childrenForFieldName('name')
        .flatMap((each) => tokens(each?.childForFieldName('alias') ?? each?.lastNamedChild ?? null));
    default:
      return [];
  }
}

function tokens(node: Node | null): readonly Node[] {
  return node && /identifier$/u.test(node.type) ? [node] : [];
}

function unwrapped(node: Node): Node {
  return node.type === 'decorated_definition' ? (node.childForFieldName('definition') ?? node) : node;
}

/** The text before the name of a method: decorators, `static`, `get`. */
function textBefore({ source }: Program, method: Node): string {
  const start = method.parent?.type === 'decorated_definition' ? method.parent.startIndex : method.startIndex;
  const name = method.childForFieldName('name');
  return source.text.slice(start, name?.startIndex ?? start);
}

/** Names with a type or a value in the body of a class. */
function fieldsOf(body: readonly Node[]): readonly string[] {
  return body.flatMap((each) => {
    const statement = each.type === 'expression_statement' ? each.firstNamedChild : each;
    const name =
      statement?.childForFieldName('left') ??
      (/field/u.test(each.type)
        ? (each.childForFieldName('name') ?? each.childForFieldName('property'))
        : null);
    return name && /identifier$/u.test(name.type) ? [name.text] : [];
  });
}
