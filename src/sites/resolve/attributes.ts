/** Resolves the values of an attribute: class fields, `self.x = …`, and assignments from outside. */
import * as l10n from '@vscode/l10n';
import type { Node } from '../syntax/node.ts';
import { enclosing, namedChildren } from '../syntax/dialect.ts';
import { subclasses } from './callers.ts';
import type { Local } from './origin-model.ts';
import { originOf, ownBindings, type Attribute, type Owned } from './origin.ts';
import { MAX_DEPTH, type Program } from './program.ts';

/**
 * The only possible binding of the attribute when it is read. A value in a class body counts only if no instance,
 * subclass or `setattr` sets another.
 */
export function soleAttribute(program: Program, owner: Local, name: string, depth: number): Attribute {
  const severally = { kind: 'unknown', why: l10n.t`${name} is set in several places` } as const;
  if (depth > MAX_DEPTH) return { kind: 'unknown', why: l10n.t('it is passed on too many times') };
  if (owner.ambiguous) return { kind: 'unknown', why: l10n.t('it is made in several ways') };
  if (isSetDynamically(program, name)) return severally;
  const line = lineage(program, owner.node, depth);
  const below = owner.creation || owner.kind === 'class' ? [] : descendants(program, owner.node);
  const family = [...line, ...below];
  const assigned = family
    .flatMap((each) => ownBindings(program, each, name, depth))
    .filter(({ inMethod }) => inMethod);
  const inBodies = line.map((each) => bodyBindings(program, each, name).filter(isValued));
  const nearest = inBodies.find((bindings) => bindings.length > 0);
  if (below.some((each) => bodyBindings(program, each, name).some(isValued))) return severally;
  const distinct = [...new Map(assigned.map((each) => [each.node.id, each])).values()];
  if (distinct.length === 0 && nearest?.length === 1) return { kind: 'bound', ...nearest[0]! };
  const [only] = distinct;
  if (distinct.length === 1 && only && !nearest && isAlwaysSet(program, only.node))
    return { kind: 'bound', ...only };
  if (distinct.length === 0 && !nearest)
    return { kind: 'unknown', why: l10n.t`${name} is not set in this file` };
  return severally;
}

function isValued({ binding }: Owned): boolean {
  return binding.kind !== 'declared';
}

/** Reading an attribute that is not set yet is an error in Python, but `undefined` in JavaScript. */
function isAlwaysSet(program: Program, token: Node): boolean {
  if (program.dialect.language === 'python') return true;
  const functionNode = enclosing(token, ({ type }) => /function|method/u.test(type));
  if (functionNode?.childForFieldName('name')?.text !== 'constructor') return false;
  return program.dialect.statement(token).parent?.id === functionNode.childForFieldName('body')?.id;
}

/** Occurs in every text that sets attributes by computed names. */
const ANY_SET = {
  python: String.raw`setattr|__dict__|\bvars\b`,
  javascript: String.raw`\]\s*=(?!=)|\bObject\.(?:assign|defineProperty|defineProperties)\b`,
} as const;

/** `setattr(x, "k", 1)`, `setattr(x, name, 1)`, `vars(x)[…]`, `x["k"] = 1` in JavaScript. */
function isSetDynamically(program: Program, name: string): boolean {
  const { dialect } = program;
  if (!program.isInText(ANY_SET[dialect.language])) return false;
  const quoted = `["']${name.replaceAll('$', String.raw`\$`)}["']`;
  const anySet =
    dialect.language === 'python'
      ? String.raw`\b(?:setattr|__setattr__)\s*\([^,()]+,\s*(?:${quoted}|[^"'\s])|\b__dict__\b|\bvars\s*\(`
      : String.raw`\[\s*(?:${quoted})\s*\]\s*=(?!=)|\bObject\.(?:assign|defineProperty|defineProperties)\b`;
  return program.onceInText(`any ${anySet}`, () => new RegExp(anySet, 'u').test(program.source.text));
}

/** The class and its base classes in the text. */
function lineage(program: Program, classNode: Node, depth: number): Node[] {
  if (depth > MAX_DEPTH) return [classNode];
  return [
    classNode,
    ...program.dialect.bases(classNode).flatMap((base) => {
      const origin = originOf(program, base, depth);
      return origin?.kind === 'class' ? lineage(program, origin.node, depth + 1) : [];
    }),
  ];
}

function descendants(program: Program, classNode: Node, depth = 0): Node[] {
  const name = classNode.childForFieldName('name')?.text;
  if (name === undefined || depth > MAX_DEPTH) return [];
  return subclasses(program, name).flatMap((each) => [each, ...descendants(program, each, depth + 1)]);
}

const FIELD_CLASSES =
  /\b(?:BaseModel|BaseSettings|NamedTuple|TypedDict|SQLModel|Struct|Schema|dataclass|dataclasses|define|frozen|attrs?|s)\b/u;

/** Whether the class takes its fields as arguments, as dataclasses do, because it has no constructor. */
export function isFieldsOnly(program: Program, classNode: Node): boolean {
  return lineage(program, classNode, 0).every((each) => program.constructorsOf(each).length === 0);
}

/** Whether an argument with the name of a field is known to set it. */
export function takesFields(program: Program, classNode: Node): boolean {
  return lineage(program, classNode, 0).some((each) => {
    const heads = [each.childForFieldName('superclasses'), ...namedChildren(each.parent ?? each)];
    return heads.some(
      (head) => head && /^(?:argument_list|decorator)$/u.test(head.type) && FIELD_CLASSES.test(head.text),
    );
  });
}

function bodyBindings(program: Program, classNode: Node, name: string): Owned[] {
  return ownBindings(program, classNode, name, MAX_DEPTH).filter(({ inMethod }) => !inMethod);
}
