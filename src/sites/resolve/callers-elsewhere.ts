/** How a text calls a function, or creates an object, of another file of its workspace. */
import type { Node } from '../syntax/node.ts';
import { namedChildren } from '../syntax/dialect.ts';
import type { Expression } from '../syntax/expression.ts';
import { together, type ParameterQuestion, type Callers } from '../workspace/parameter-question.ts';
import { CALLS, isHanded, isValue, MEMBERS } from './callers.ts';
import type { Imported, Origin } from './origin-model.ts';
import { originOf } from './origin.ts';
import type { Program } from './program.ts';

/** Whether a name refers to the function or class in question. */
type Whose = 'surely' | 'perhaps' | 'not';

/** Whether an imported module is the asking file; `perhaps` if it may re-export that file's names. */
export type ModuleCheck = (module: string) => Whose;

const RENAMED = /^(?:aliased_import|import_specifier)$/u;
/** A framework replaces these defaults by other values. */
const INJECTED = /^(?:Depends|Inject|Provide|Security)/u;
const BASES = /^(?:argument_list|extends_clause|class_heritage)$/u;

/** Never `unasked`. */
export function callersIn(program: Program, question: ParameterQuestion, isAsker: ModuleCheck): Callers {
  return together(...program.tokens(question.name).map((token) => seenAt(program, token, question, isAsker)));
}

function seenAt(program: Program, token: Node, question: ParameterQuestion, isAsker: ModuleCheck): Callers {
  const parent = token.parent;
  if (!parent) return 'unseen';
  // Calls under another name are not followed.
  if (isRenamed(parent)) return 'set';
  const isProperty = MEMBERS.test(parent.type) && parent.childForFieldName('object')?.id !== token.id;
  const callee = isProperty ? parent : token;
  const around = callee.parent;
  if (!around) return 'unseen';
  const whose = whoseIs(program, program.expression(callee), question, isAsker);
  if (whose === 'not') return 'unseen';
  const call = CALLS.test(around.type) ? program.expression(around) : undefined;
  if (call?.kind === 'call' && call.callee.node.id === callee.id) {
    if (isHanded(call, question.parameter, question.position)) return 'set';
    return whose === 'surely' ? 'left' : 'unseen';
  }
  return isBase(around) || isValue(program, callee, around, isProperty) ? 'set' : 'unseen';
}

/** `import search as find`, `import { search as find }` */
function isRenamed(parent: Node): boolean {
  const inner = parent.type === 'dotted_name' ? parent.parent : parent;
  return inner !== null && RENAMED.test(inner.type) && inner.childForFieldName('alias') !== null;
}

/** A subclass may be constructed differently. */
function isBase(around: Node): boolean {
  return BASES.test(around.type) && /class/u.test(`${around.type} ${around.parent?.type ?? ''}`);
}

function whoseIs(
  program: Program,
  callee: Expression,
  question: ParameterQuestion,
  isAsker: ModuleCheck,
): Whose {
  if (callee.kind === 'name') {
    const bindings = program.bindings(callee.name, callee.node);
    // A name bound in this text is a different one. A function passed on as a value counts as called with any
    // arguments.
    if (bindings.length > 0 && bindings.every(({ kind }) => kind !== 'import')) return 'not';
    if (question.owner !== undefined) return 'not';
    const origin = originOf(program, callee);
    return origin?.kind === 'imported' ? ofImport(origin, [question.name], isAsker) : 'perhaps';
  }
  if (callee.kind !== 'member') return 'perhaps';
  const object = originOf(program, callee.object);
  if (question.owner === undefined)
    return object?.kind === 'imported'
      ? ofImport({ ...object, path: [...object.path, question.name] }, [question.name], isAsker)
      : 'not';
  if (object?.kind !== 'imported') return ofLocal(object, question.name);
  const whose = ofImport(object, [question.owner, '()'], isAsker);
  return whose === 'not' && !isWhole(object) ? 'perhaps' : whose;
}

/** A module, or an object that its class creates. Attributes of foreign objects may be of any class. */
function isWhole({ path: [maker = '', called, ...more] }: Imported): boolean {
  if (maker === '') return true;
  return /^\p{Lu}/u.test(maker) && !INJECTED.test(maker) && called === '()' && more.length === 0;
}

/** The name may be in the module itself, or in one of the modules of a package. */
function ofImport(
  { module, path, ambiguous }: Imported,
  names: readonly string[],
  isAsker: ModuleCheck,
): Whose {
  const checks = path.slice(0, 3).map((_, count) => {
    const inner = [module, ...path.slice(0, count)].join(module.endsWith('.') ? '' : '.');
    const whose = isAsker(inner);
    return whose === 'surely' && path.slice(count).join('.') !== names.join('.') ? 'perhaps' : whose;
  });
  if (checks.every((each) => each === 'not')) return 'not';
  return checks.includes('surely') && !ambiguous ? 'surely' : 'perhaps';
}

/** An object of a class in this text that defines a method of this name is not an object of the other class. */
function ofLocal(object: Origin | undefined, method: string): Whose {
  if (object?.kind !== 'class' && object?.kind !== 'instance') return 'perhaps';
  const body = namedChildren(object.node.childForFieldName('body') ?? object.node);
  const names = body.map(
    (each) => (each.childForFieldName('definition') ?? each).childForFieldName('name')?.text,
  );
  return names.includes(method) ? 'not' : 'perhaps';
}
