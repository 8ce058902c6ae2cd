/** Whether a parameter, or a field that a constructor sets, is given another value than its default in the text. */
import type { Node } from '@vscode/tree-sitter-wasm';
import { isField, parentOf } from '../syntax/dialect.ts';
import type { Call } from '../syntax/expression.ts';
import { MAX_DEPTH, type Program } from './program.ts';

const CALLS = /^(?:call|call_expression|new_expression)$/u;
const MEMBERS = /^(?:attribute|member_expression)$/u;
/** Mentions of a function or class that hand it to nobody who could call it. */
const HARMLESS =
  /^(?:import_specifier|export_specifier|export_statement|aliased_import|dotted_name|type|type_annotation|generic_type|union_type|nested_type_identifier|type_arguments|type_parameter|expression_statement|decorator|extends_type_clause|implements_clause)$/u;
const CHECKS = /^(?:isinstance|issubclass|type|typing\.cast|cast)$/u;
const CONSTRUCTORS = ['__init__', 'constructor'] as const;

/**
 * Whether some caller may set the parameter: a call that hands it over or spreads arguments, or a use of the
 * function as a value, whose calls are not seen.
 */
export function isSetByCallers(program: Program, made: Node, parameter: string): boolean {
  const names = program.dialect.parameterNames(made).map(({ text }) => text);
  const self = program.dialect.self.includes(names[0] ?? '') ? 1 : 0;
  const position = names.indexOf(parameter) - self;
  const name = program.dialect.within(made.firstChild ?? made).at(-1);
  const owner = program.dialect.enclosingClass(made);
  const isConstructor = CONSTRUCTORS.some((each) => each === name);
  if (isConstructor && owner) return isSetByMakers(program, owner, parameter, position);
  return name !== undefined && isNameCalled(program, name, made, parameter, position);
}

/**
 * Whether making an object of the class sets the field.
 *
 * @param position of the argument that sets it; Infinity where fields are set by name only, and unknown where
 *   any argument by position may be the one
 */
export function isSetByMakers(
  program: Program,
  classNode: Node,
  field: string,
  position: number | undefined,
  depth = 0,
): boolean {
  if (depth > MAX_DEPTH) return true;
  const name = classNode.childForFieldName('name')?.text;
  if (name === undefined) return true;
  if (isNameCalled(program, name, classNode, field, position)) return true;
  // Made by a class method, or by a class that inherits from this one.
  if (
    ['cls', '__init__', '__class__'].some((each) => isNameCalled(program, each, undefined, field, position))
  )
    return true;
  return subclasses(program, name).some((each) => isSetByMakers(program, each, field, position, depth + 1));
}

/** Classes of the text that name this one among their bases. */
export function subclasses(program: Program, name: string): Node[] {
  return program.tokens(name).flatMap((token) => {
    const list = parentOf(token);
    const owner = list && parentOf(list);
    if (list?.type === 'argument_list' && owner?.type === 'class_definition') return [owner];
    if (list?.type === 'extends_clause' || list?.type === 'class_heritage') {
      const heritage = list.type === 'class_heritage' ? list : owner;
      const found = heritage && parentOf(heritage);
      return found ? [found] : [];
    }
    return [];
  });
}

function isNameCalled(
  program: Program,
  name: string,
  declaration: Node | undefined,
  parameter: string,
  position: number | undefined,
): boolean {
  return program.tokens(name).some((token) => {
    const parent = parentOf(token);
    if (!parent || (declaration && isOwnName(token, declaration))) return false;
    const isProperty = MEMBERS.test(parent.type) && !isField(parent, 'object', token);
    const callee = isProperty ? parent : token;
    const around = parentOf(callee);
    if (!around) return false;
    if (
      CALLS.test(around.type) &&
      (isField(around, 'function', callee) || isField(around, 'constructor', callee))
    ) {
      const call = program.expression(around);
      return call.kind !== 'call' || isHanded(call, parameter, position);
    }
    return declaration !== undefined && isValue(program, callee, around, isProperty);
  });
}

function isOwnName(token: Node, declaration: Node): boolean {
  const name = declaration.childForFieldName('name');
  if (name?.id === token.id) return true;
  const owner = parentOf(declaration);
  return owner !== null && ['name', 'key'].some((field) => isField(owner, field, token));
}

/** Whether the function is handed on here, to be called by who knows whom. */
function isValue(program: Program, callee: Node, around: Node, isProperty: boolean): boolean {
  if (HARMLESS.test(around.type) || /^(?:attribute|member_expression)$/u.test(around.type)) return false;
  if (/^(?:class_heritage|extends_clause)$/u.test(around.type)) return false;
  if (isExport(around)) return false;
  // `{ name: … }`, `name = …` and `name(…) {` bind the name anew.
  if (!isProperty && program.isBinding(callee)) return false;
  if (around.type === 'argument_list' || around.type === 'arguments') {
    const call = parentOf(around);
    if (call?.type === 'class_definition') return false;
    return !CHECKS.test((call?.childForFieldName('function') ?? around).text);
  }
  return (
    !/(?:_definition|_declaration|signature|parameter|keyword_argument|pair)$/u.test(around.type) ||
    isField(around, 'value', callee)
  );
}

/** `module.exports = { name }`, `export default name`: other files are not read. */
function isExport(around: Node): boolean {
  const holder = around.type === 'object' ? parentOf(around) : around;
  if (holder?.type === 'export_statement') return true;
  return (
    holder?.type === 'assignment_expression' &&
    /^(?:module\.)?exports\b/u.test(holder.childForFieldName('left')?.text ?? '')
  );
}

function isHanded({ arguments: given }: Call, parameter: string, position: number | undefined): boolean {
  const positional = given.filter(({ kind }) => kind === 'positional');
  return given.some(
    (each) =>
      each.kind === 'spread' ||
      (each.kind === 'named' && each.name === parameter) ||
      (each.kind === 'positional' && (position === undefined || positional.indexOf(each) >= position)),
  );
}
