/**
 * The classes that an object may be of, if its program decides when it runs: those of a registry, the implementations
 * of an interface, those passed to a constructor.
 */
import type { Program } from '../resolve/program.ts';
import { ancestors, enclosing } from '../syntax/dialect.ts';
import type { Node } from '../syntax/node.ts';
import type { ImportedName } from '../workspace/exported.ts';

export interface PossibleClasses {
  /** Class nodes of the text, by id. */
  readonly here: ReadonlySet<number>;
  readonly elsewhere: readonly ImportedName[];
  /** The names of its types, which classes of other files may implement. */
  readonly types: ReadonlySet<string>;
}

const MAX_DEPTH = 5;
const MAX_NAMES = 60;
const CLASSES = /^(?:class_definition|class_declaration|abstract_class_declaration|class)$/u;
const FUNCTIONS =
  /^(?:function_definition|function_declaration|method_definition|arrow_function|function_expression)$/u;

export function possibleClasses(program: Program, receiver: Node): PossibleClasses {
  const reader = new Reader(program);
  reader.visit(receiver, 0);
  return reader;
}

class Reader implements PossibleClasses {
  readonly here = new Set<number>();
  readonly elsewhere: ImportedName[] = [];
  readonly types = new Set<string>();
  private readonly program: Program;
  private readonly nodeIds = new Set<number>();

  constructor(program: Program) {
    this.program = program;
  }

  visit(node: Node, depth: number): void {
    if (depth > MAX_DEPTH || this.nodeIds.size > MAX_NAMES) return;
    const self = this.program.dialect.self;
    const object = node.childForFieldName('object');
    if (object && self.includes(object.text)) this.attribute(node, depth);
    else if (/identifier$/u.test(node.type) && node.type !== 'property_identifier') this.name(node, depth);
    else for (const child of node.namedChildren) this.visit(child, depth);
  }

  private attribute(member: Node, depth: number): void {
    const token = member.childForFieldName('attribute') ?? member.childForFieldName('property');
    const owner = token && this.program.dialect.enclosingClass(member);
    if (!owner) return;
    for (const { binding, node } of this.program.attributes(token.text)) {
      if (this.program.dialect.enclosingClass(node)?.id !== owner.id) continue;
      if (binding.kind === 'value') this.visit(binding.value.node, depth + 1);
      if ('annotation' in binding && binding.annotation) this.implementations(binding.annotation.node, depth);
    }
  }

  private name(name: Node, depth: number): void {
    if (this.nodeIds.has(name.id)) return;
    this.nodeIds.add(name.id);
    for (const binding of this.program.bindings(name.text, name)) {
      if (binding.kind === 'class') this.here.add(binding.node.id);
      else if (binding.kind === 'import') this.elsewhere.push(binding);
      else if (binding.kind === 'value') this.visit(binding.value.node, depth + 1);
      else if (binding.kind === 'function')
        for (const each of binding.node.descendantsOfType('return_statement')) this.visit(each, depth + 1);
      else if (binding.kind === 'parameter' && !binding.annotation) this.argumentsFor(name, depth);
      if ('annotation' in binding && binding.annotation) this.implementations(binding.annotation.node, depth);
    }
  }

  /** What the calls of the function in this text hand to it. */
  private argumentsFor(parameter: Node, depth: number): void {
    const functionNode = ancestors(parameter).find(({ type }) => FUNCTIONS.test(type));
    const name = functionNode?.childForFieldName('name')?.text;
    const isConstructor = name === '__init__' || name === 'constructor';
    const owner =
      functionNode && isConstructor ? this.program.dialect.enclosingClass(functionNode) : undefined;
    const called = owner ? owner.childForFieldName('name')?.text : name;
    for (const token of called === undefined ? [] : this.program.tokens(called)) {
      const call = token.parent?.childForFieldName('arguments') ? token.parent : token.parent?.parent;
      const args = call?.childForFieldName('arguments');
      if (args && args.startIndex >= token.endIndex) this.visit(args, depth + 1);
    }
  }

  /** The class of a type, and the classes of the text that extend or implement it. */
  private implementations(type: Node, depth: number): void {
    this.visit(type, depth + 1);
    const names = /identifier$/u.test(type.type)
      ? [type]
      : type.descendantsOfType(['identifier', 'type_identifier']);
    for (const { text } of names) {
      this.types.add(text);
      for (const token of this.program.tokens(text)) {
        const owner = enclosing(token, (up) => CLASSES.test(up.type));
        if (owner && isInHead(token, owner)) this.here.add(owner.id);
      }
    }
  }
}

/** After the name of the class, and before its body. */
function isInHead(token: Node, owner: Node): boolean {
  const body = owner.childForFieldName('body');
  const name = owner.childForFieldName('name');
  return (
    body !== null && name !== null && name.endIndex <= token.startIndex && token.endIndex <= body.startIndex
  );
}
