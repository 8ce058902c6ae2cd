/** How a text calls a function, or makes an object, of another file of its workspace. */
import type { Node } from '../syntax/node.ts';
import { namedChildren } from '../syntax/dialect.ts';
import type { Expression } from '../syntax/expression.ts';
import { together, type AskedParameter, type Callers } from '../workspace/asked-callers.ts';
import { CALLS, isHanded, isValue, MEMBERS } from './callers.ts';
import type { Imported, Origin } from './origin-model.ts';
import { originOf } from './origin.ts';
import type { Program } from './program.ts';

/** Whether a name stands for what was asked about. */
type Whose = 'surely' | 'perhaps' | 'not';

/** Whether a module that a text imports is the file that asks: `perhaps`, it may hand that file's names on. */
export type ModuleCheck = (module: string) => Whose;

const RENAMED = /^(?:aliased_import|import_specifier)$/u;
/** A framework calls these with whatever it makes of them. */
const INJECTED = /^(?:Depends|Inject|Provide|Security)/u;
const BASES = /^(?:argument_list|extends_clause|class_heritage)$/u;

/** Never `unasked`. */
export function callersIn(program: Program, asked: AskedParameter, isAsker: ModuleCheck): Callers {
  return together(...program.tokens(asked.name).map((token) => seenAt(program, token, asked, isAsker)));
}

function seenAt(program: Program, token: Node, asked: AskedParameter, isAsker: ModuleCheck): Callers {
  const parent = token.parent;
  if (!parent) return 'unseen';
  // Who calls it under another name is not followed.
  if (isRenamed(parent)) return 'set';
  const isProperty = MEMBERS.test(parent.type) && parent.childForFieldName('object')?.id !== token.id;
  const callee = isProperty ? parent : token;
  const around = callee.parent;
  if (!around) return 'unseen';
  const whose = whoseIs(program, program.expression(callee), asked, isAsker);
  if (whose === 'not') return 'unseen';
  const call = CALLS.test(around.type) ? program.expression(around) : undefined;
  if (call?.kind === 'call' && call.callee.node.id === callee.id) {
    if (isHanded(call, asked.parameter, asked.position)) return 'set';
    return whose === 'surely' ? 'left' : 'unseen';
  }
  return isBase(around) || isValue(program, callee, around, isProperty) ? 'set' : 'unseen';
}

/** `import search as find`, `import { search as find }` */
function isRenamed(parent: Node): boolean {
  const inner = parent.type === 'dotted_name' ? parent.parent : parent;
  return inner !== null && RENAMED.test(inner.type) && inner.childForFieldName('alias') !== null;
}

/** A class that inherits is made in ways of its own. */
function isBase(around: Node): boolean {
  return BASES.test(around.type) && /class/u.test(`${around.type} ${around.parent?.type ?? ''}`);
}

function whoseIs(program: Program, callee: Expression, asked: AskedParameter, isAsker: ModuleCheck): Whose {
  if (callee.kind === 'name') {
    const bindings = program.bindings(callee.name, callee.node);
    // A name that is bound here is another one: a function that is handed on as a value counts as called with
    // anything.
    if (bindings.length > 0 && bindings.every(({ kind }) => kind !== 'import')) return 'not';
    if (asked.owner !== undefined) return 'not';
    const origin = originOf(program, callee);
    return origin?.kind === 'imported' ? ofImport(origin, [asked.name], isAsker) : 'perhaps';
  }
  if (callee.kind !== 'member') return 'perhaps';
  const object = originOf(program, callee.object);
  if (asked.owner === undefined)
    return object?.kind === 'imported'
      ? ofImport({ ...object, path: [...object.path, asked.name] }, [asked.name], isAsker)
      : 'not';
  if (object?.kind !== 'imported') return ofLocal(object, asked.name);
  const whose = ofImport(object, [asked.owner, '()'], isAsker);
  return whose === 'not' && !isWhole(object) ? 'perhaps' : whose;
}

/** A module, or an object that its class makes: what a foreign object was given to hold may be anybody's. */
function isWhole({ path: [made = '', called, ...more] }: Imported): boolean {
  if (made === '') return true;
  return /^\p{Lu}/u.test(made) && !INJECTED.test(made) && called === '()' && more.length === 0;
}

/** The name may stand in the module itself, or in one of the modules of a package. */
function ofImport(
  { module, path, ambiguous }: Imported,
  wanted: readonly string[],
  isAsker: ModuleCheck,
): Whose {
  const checks = path.slice(0, 3).map((_, taken) => {
    const inner = [module, ...path.slice(0, taken)].join(module.endsWith('.') ? '' : '.');
    const whose = isAsker(inner);
    return whose === 'surely' && path.slice(taken).join('.') !== wanted.join('.') ? 'perhaps' : whose;
  });
  if (checks.every((each) => each === 'not')) return 'not';
  return checks.includes('surely') && !ambiguous ? 'surely' : 'perhaps';
}

/** An object of a class of this text that has a method of its own by the name is no object of the other class. */
function ofLocal(object: Origin | undefined, method: string): Whose {
  if (object?.kind !== 'class' && object?.kind !== 'instance') return 'perhaps';
  const body = namedChildren(object.node.childForFieldName('body') ?? object.node);
  const names = body.map(
    (each) => (each.childForFieldName('definition') ?? each).childForFieldName('name')?.text,
  );
  return names.includes(method) ? 'not' : 'perhaps';
}
