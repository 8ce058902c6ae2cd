/** Whether callers set a parameter, or a field that a constructor sets, to another value than its default. */
import type { Node } from '../syntax/node.ts';
import { enclosing, isField } from '../syntax/dialect.ts';
import type { Call } from '../syntax/expression.ts';
import { together, type ParameterQuestion, type Callers } from '../workspace/parameter-question.ts';
import { originOf } from './origin.ts';
import { MAX_DEPTH, type Program } from './program.ts';

export const CALLS = /^(?:call|call_expression|new_expression)$/u;
export const MEMBERS = /^(?:attribute|member_expression)$/u;
/** Mentions of a function or class that pass it to no possible caller. */
const HARMLESS =
  /^(?:import_specifier|export_specifier|export_statement|aliased_import|dotted_name|type|type_annotation|generic_type|union_type|nested_type_identifier|type_arguments|type_parameter|expression_statement|decorator|extends_type_clause|implements_clause)$/u;
const CHECKS = /^(?:isinstance|issubclass|type|typing\.cast|cast)$/u;
const CONSTRUCTORS = ['__init__', 'constructor'] as const;

/**
 * Whether a caller may set the parameter: a call that passes it or spreads arguments, or a use of the function as a
 * value, whose calls are unknown.
 */
export function callersOf(program: Program, functionNode: Node, parameter: string): Callers {
  return program.once(functionNode, `callers that set ${parameter}`, () =>
    findCallers(program, functionNode, parameter),
  );
}

function findCallers(program: Program, functionNode: Node, parameter: string): Callers {
  const names = program.dialect.parameterNames(functionNode).map(({ text }) => text);
  const self = program.dialect.self.includes(names[0] ?? '') ? 1 : 0;
  const position = names.indexOf(parameter) - self;
  const name = program.dialect.within(functionNode.firstChild ?? functionNode).at(-1);
  const owner = program.dialect.enclosingClass(functionNode);
  const isConstructor = CONSTRUCTORS.some((each) => each === name);
  if (isConstructor && owner) return makersOf(program, owner, parameter, position);
  if (name === undefined) return 'unseen';
  if (isNameCalled(program, name, functionNode, parameter, position)) return 'set';
  if (isRegistered(functionNode)) return 'unseen';
  const question = { name, owner: owner?.childForFieldName('name')?.text, parameter, position };
  const here = isCalledHere(program, name, functionNode, owner) ? 'left' : 'unseen';
  return together(here, elsewhere(program, functionNode, question));
}

/**
 * Whether constructing an object of the class sets the field.
 *
 * @param position of the argument that sets it; Infinity if fields are set only by name, `undefined` if any positional
 *   argument may set it
 */
export function makersOf(
  program: Program,
  classNode: Node,
  field: string,
  position: number | undefined,
  depth = 0,
): Callers {
  const name = classNode.childForFieldName('name')?.text;
  if (depth > MAX_DEPTH || name === undefined) return 'set';
  if (isNameCalled(program, name, classNode, field, position)) return 'set';
  // Constructed by a class method or by a subclass.
  if (
    ['cls', '__init__', '__class__'].some((each) => isNameCalled(program, each, undefined, field, position))
  )
    return 'set';
  return together(
    isCalledHere(program, name, classNode, undefined) ? 'left' : 'unseen',
    elsewhere(program, classNode, { name, owner: undefined, parameter: field, position }),
    ...subclasses(program, name).map((each) => makersOf(program, each, field, position, depth + 1)),
  );
}

/** The callers in other files of the workspace, if they can access the function or class. */
function elsewhere(program: Program, functionNode: Node, question: ParameterQuestion): Callers {
  if (!isReachable(program, functionNode)) return 'unseen';
  const isRenamed = question.owner === undefined && program.tokens(question.name).some(isExportedOtherwise);
  return isRenamed ? 'unasked' : program.callersElsewhere(question);
}

const EXPORTS = /\bexports?\b/u;

/** Notebooks, nested functions, and JavaScript files without exports cannot be imported. */
function isReachable(program: Program, functionNode: Node): boolean {
  const { dialect } = program;
  if (program.isNotebook || (dialect.language === 'javascript' && !isExporting(program))) return false;
  // Methods are accessible wherever their object is.
  if (dialect.enclosingClass(functionNode) || /^(?:pair|object)$/u.test(functionNode.parent?.type ?? ''))
    return true;
  return enclosing(functionNode, ({ type }) => /function|lambda|method/u.test(type)) === undefined;
}

function isExporting(program: Program): boolean {
  return program.onceInText('exporting', () => EXPORTS.test(program.source.text));
}

/** `export default name`, `export { name as other }`, `exports.other = name`: callers need not use its name. */
function isExportedOtherwise(token: Node): boolean {
  const parent = token.parent;
  if (parent?.type === 'export_specifier') return parent.childForFieldName('alias') !== null;
  if (parent?.type === 'assignment_expression' && isField(parent, 'right', token)) {
    const left = parent.childForFieldName('left')?.text ?? '';
    return EXPORTS.test(left) && !left.endsWith(`.${token.text}`);
  }
  const statement = parent?.type === 'export_statement' ? parent : parent && parent.parent;
  return (
    statement?.type === 'export_statement' && statement.children.some((each) => each?.type === 'default')
  );
}

/** Decorators after which a function is only called by name; any other may pass it to a framework. */
const PLAIN_DECORATOR = /^@(?:\w+\.)*(?:staticmethod|classmethod|override|cache|lru_cache)\b/u;

function isRegistered(functionNode: Node): boolean {
  const siblings = functionNode.parent?.children ?? [];
  return siblings.some((each) => each?.type === 'decorator' && !PLAIN_DECORATOR.test(each.text));
}

/** Whether a call outside of the function is known to be of it. */
function isCalledHere(program: Program, name: string, functionNode: Node, owner: Node | undefined): boolean {
  const tokens = program.tokens(name);
  const declaration = tokens.find((token) => isOwnName(token, functionNode));
  const scope = declaration && program.scopeNode(name, declaration);
  return tokens.some((token) => {
    if (functionNode.startIndex <= token.startIndex && token.endIndex <= functionNode.endIndex) return false;
    const member = token.parent;
    const isProperty = member !== null && MEMBERS.test(member.type) && !isField(member, 'object', token);
    const around = (isProperty ? member : token).parent;
    if (!around || !CALLS.test(around.type)) return false;
    const call = program.expression(around);
    if (call.kind !== 'call' || call.callee.node.id !== (isProperty ? member : token).id) return false;
    if (call.callee.kind !== 'member')
      return owner === undefined && scope !== undefined && program.scopeNode(name, token)?.id === scope.id;
    const object = owner && originOf(program, call.callee.object);
    return object !== undefined && object.kind !== 'imported' && object.node.id === owner?.id;
  });
}

/** Classes in the text that have this one among their bases. */
export function subclasses(program: Program, name: string): Node[] {
  return program.tokens(name).flatMap((token) => {
    const list = token.parent;
    const owner = list && list.parent;
    if (list?.type === 'argument_list' && owner?.type === 'class_definition') return [owner];
    if (list?.type === 'extends_clause' || list?.type === 'class_heritage') {
      const heritage = list.type === 'class_heritage' ? list : owner;
      const classNode = heritage && heritage.parent;
      return classNode ? [classNode] : [];
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
    const parent = token.parent;
    if (!parent || (declaration && isOwnName(token, declaration))) return false;
    const isProperty = MEMBERS.test(parent.type) && !isField(parent, 'object', token);
    const callee = isProperty ? parent : token;
    const around = callee.parent;
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
  const owner = declaration.parent;
  return owner !== null && ['name', 'key'].some((field) => isField(owner, field, token));
}

/** Whether the function is passed on here, to unknown callers. */
export function isValue(program: Program, callee: Node, around: Node, isProperty: boolean): boolean {
  if (HARMLESS.test(around.type) || /^(?:attribute|member_expression)$/u.test(around.type)) return false;
  if (/^(?:class_heritage|extends_clause)$/u.test(around.type)) return false;
  if (isExport(around)) return false;
  // `{ name: … }`, `name = …` and `name(…) {` bind another value to the name.
  if (!isProperty && program.isBinding(callee)) return false;
  if (around.type === 'argument_list' || around.type === 'arguments') {
    const call = around.parent;
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
  const owner = around.type === 'object' ? around.parent : around;
  if (owner?.type === 'export_statement') return true;
  return (
    owner?.type === 'assignment_expression' &&
    /^(?:module\.)?exports\b/u.test(owner.childForFieldName('left')?.text ?? '')
  );
}

export function isHanded(
  { arguments: args }: Call,
  parameter: string,
  position: number | undefined,
): boolean {
  const positional = args.filter(({ kind }) => kind === 'positional');
  return args.some(
    (each) =>
      each.kind === 'spread' ||
      (each.kind === 'named' && each.name === parameter) ||
      (each.kind === 'positional' && (position === undefined || positional.indexOf(each) >= position)),
  );
}
