/**
 * The origin of a value: the import it comes from, and the calls on the way. `store` in
 * `store = Chroma.from_documents(…)` has the dotted origin `langchain_chroma.Chroma.from_documents()`.
 */
import * as l10n from '@vscode/l10n';
import type { Node } from '../syntax/node.ts';
import type { Binding, Call, Expression } from '../syntax/expression.ts';
import { packageOf } from '../syntax/javascript-dialect.ts';
import type { Imported, Local, Origin } from './origin-model.ts';
import { MAX_DEPTH, type Program } from './program.ts';

/** `module.Name.method()`, for matching by name. */
export function dotted({ module, path }: Imported): string {
  return [module, ...path].join('.').replaceAll('.()', '()').replaceAll('.[]', '[]');
}

/** `undefined` if the origin is unknown. */
export function originOf(program: Program, expression: Expression, depth = 0): Origin | undefined {
  if (depth > MAX_DEPTH || !program.takesStep()) return undefined;
  // Cached, because a name with many reassignments, as in `html = html.replace(…)`, would be followed along every order
  // of them.
  return program.once(expression.node, `origin of ${expression.kind} ${depth}`, () =>
    beyond(program, findOrigin(program, expression, depth)),
  );
}

/** The final origin of a name from another file, as far as the workspace has been read. */
function beyond({ otherFiles }: Program, origin: Origin | undefined): Origin | undefined {
  if (!otherFiles || origin?.kind !== 'imported') return origin;
  const entry = otherFiles.find(origin.module, origin.path);
  return entry?.kind === 'origin'
    ? {
        ...origin,
        module: entry.module,
        path: entry.path,
        retriever: entry.retriever,
        ambiguous: origin.ambiguous || entry.retriever?.isOneOfSeveral === true,
        isThroughWorkspace: true,
      }
    : origin;
}

function findOrigin(program: Program, expression: Expression, depth: number): Origin | undefined {
  switch (expression.kind) {
    case 'name':
      return originOfName(program, expression.name, expression.node, depth);
    case 'member':
      return originOfMember(program, expression.object, expression.property, depth);
    case 'subscript':
      return originOfEntry(program, originOf(program, expression.object, depth), depth);
    case 'call':
      return originOfCall(program, expression, depth);
    case 'binary':
      return /^(?:or|\|\||\?\?)$/u.test(expression.operator)
        ? uncertain(originOf(program, expression.left, depth) ?? originOf(program, expression.right, depth))
        : undefined;
    case 'choice':
      return uncertain(
        originOf(program, expression.options[0], depth) ?? originOf(program, expression.options[1], depth),
      );
    case 'literal':
    case 'record':
    case 'list':
    case 'template':
    case 'opaque':
      return undefined;
  }
}

/** An entry `by_user[id]` of a `defaultdict(make)` has the origin of `make`'s result. */
function originOfEntry(program: Program, owner: Origin | undefined, depth: number): Origin | undefined {
  if (owner?.kind !== 'imported' || !/^collections\.defaultdict\(\)$/u.test(dotted(owner)))
    return extend(owner, '[]');
  return originOfMade(program, owner.calls.at(-1)?.arguments[0]?.value, depth + 1);
}

/** The origin of the result of a called function or class. */
function originOfMade(
  program: Program,
  expression: Expression | undefined,
  depth: number,
): Origin | undefined {
  const maker = expression && originOf(program, expression, depth);
  switch (maker?.kind) {
    case 'imported':
      return extend(maker, '()');
    case 'class':
      return { kind: 'instance', node: maker.node };
    case 'function':
      return originOfReturned(program, maker.node, depth);
    case 'instance':
    case undefined:
      return undefined;
  }
}

function extend(origin: Origin | undefined, ...names: readonly string[]): Origin | undefined {
  return origin?.kind === 'imported'
    ? { ...origin, path: [...origin.path, ...names], retriever: undefined }
    : undefined;
}

function uncertain(origin: Origin | undefined): Origin | undefined {
  return origin && { ...origin, ambiguous: true };
}

function originOfName(program: Program, name: string, at: Node, depth: number): Origin | undefined {
  if (program.dialect.self.includes(name)) {
    const owner = program.dialect.enclosingClass(at);
    if (owner) return { kind: 'instance', node: owner };
  }
  const bindings = program.likeliestBindings(name, at).filter((binding) => !isEmpty(binding));
  for (const binding of bindings) {
    const origin = originOfBinding(program, binding, depth + 1);
    if (origin) return bindings.length > 1 ? uncertain(origin) : origin;
  }
  return undefined;
}

/** `store = None` and `store: Store` do not determine the origin of the value. */
function isEmpty(binding: Binding): boolean {
  return (
    (binding.kind === 'value' && binding.value.kind === 'literal' && binding.value.value === null) ||
    (binding.kind === 'declared' && !binding.annotation)
  );
}

/** The origin of the value that a binding gives its name. */
export function bindingOrigin(program: Program, binding: Binding): Origin | undefined {
  return isEmpty(binding) ? undefined : originOfBinding(program, binding, 0);
}

/** The origin of a function's result. */
export function returnedOrigin(program: Program, functionNode: Node): Origin | undefined {
  return originOfReturned(program, functionNode, 0);
}

function originOfBinding(program: Program, binding: Binding, depth: number): Origin | undefined {
  switch (binding.kind) {
    case 'import':
      return {
        kind: 'imported',
        module: binding.module,
        path: binding.path,
        calls: [],
        ambiguous: false,
      };
    case 'value':
      return (
        (isFieldDefault(binding.value) ? originOfType(program, binding.annotation, depth) : undefined) ??
        originOfValue(program, binding, depth) ??
        originOfType(program, binding.annotation, depth)
      );
    case 'parameter':
      return (
        originOfType(program, binding.annotation, depth) ??
        (binding.default && originOf(program, binding.default, depth))
      );
    case 'declared':
      return originOfType(program, binding.annotation, depth);
    case 'class':
    case 'function':
      return { kind: binding.kind, node: binding.node };
    case 'opaque':
      return undefined;
  }
}

/** `store: Store = Field(exclude=True)` describes the field, not its value. */
function isFieldDefault(value: Expression): boolean {
  return (
    value.kind === 'call' && /(?:^|\.)(?:Field|PrivateAttr|field|attrib|ib)$/u.test(value.callee.node.text)
  );
}

function originOfValue(
  program: Program,
  { value, access }: Extract<Binding, { kind: 'value' }>,
  depth: number,
): Origin | undefined {
  const [first] = access;
  const item = value.kind === 'list' && typeof first === 'number' ? value.items()[first] : undefined;
  if (item) return originOf(program, item, depth);
  const origin = originOf(program, value, depth);
  if (access.length === 0) return origin;
  return extend(origin, ...access.map((step) => (typeof step === 'number' ? '[]' : step)));
}

const TYPING = /^typing(?:_extensions)?$/u;

/** The origin of an instance of a type. */
function originOfType(program: Program, type: Expression | undefined, depth: number): Origin | undefined {
  const origin = type && originOf(program, type, depth);
  if (origin?.kind === 'class') return { kind: 'instance', node: origin.node };
  // `Any` and similar types are no classes.
  if (origin?.kind === 'imported' && TYPING.test(origin.module)) return undefined;
  return extend(origin, '()');
}

function originOfMember(
  program: Program,
  object: Expression,
  property: string,
  depth: number,
): Origin | undefined {
  const owner = originOf(program, object, depth);
  if (!owner || owner.kind === 'imported') return extend(owner, property);
  if (owner.kind === 'function') return undefined;
  const attribute = attributeOf(program, owner, property, depth + 1);
  if (attribute.kind !== 'bound') {
    const likely = likelyAttribute(program, owner, property, depth + 1);
    const method = likely ? undefined : methodOf(program, owner.node, property, depth);
    return method && isGetter(method.node)
      ? originOfReturned(program, method.node, depth + 1)
      : (likely ?? method);
  }
  const { binding } = attribute;
  const getterOrigin =
    binding.kind === 'function' && isGetter(binding.node)
      ? originOfReturned(program, binding.node, depth + 1)
      : undefined;
  return (
    getterOrigin ??
    originOfBinding(program, binding, depth + 1) ??
    declaredOrigin(program, owner.node, property, depth + 1)
  );
}

/** The origin that the class body declares for an attribute whose value is unknown. */
function declaredOrigin(program: Program, classNode: Node, name: string, depth: number): Origin | undefined {
  for (const { binding, inMethod } of ownBindings(program, classNode, name, depth)) {
    if (inMethod) continue;
    const type = binding.kind === 'value' || binding.kind === 'declared' ? binding.annotation : undefined;
    const origin = originOfType(program, type, depth);
    if (origin) return origin;
  }
  return undefined;
}

/** A method of a JavaScript class, whose name is no binding. */
function methodOf(program: Program, classNode: Node, name: string, depth: number): Local | undefined {
  if (program.dialect.language !== 'javascript' || depth > MAX_DEPTH) return undefined;
  const method = program
    .functionsNamed(name)
    .find((each) => program.dialect.enclosingClass(each.firstChild ?? each)?.id === classNode.id);
  if (method) return { kind: 'function', node: method };
  for (const base of program.dialect.bases(classNode)) {
    const origin = originOf(program, base, depth + 1);
    const inherited = origin?.kind === 'class' && methodOf(program, origin.node, name, depth + 1);
    if (inherited) return inherited;
  }
  return undefined;
}

/** The most values of an attribute whose class is resolved. */
const MAX_LIKELY = 8;

/** The first value of an attribute whose class is known. */
function likelyAttribute(program: Program, owner: Local, name: string, depth: number): Origin | undefined {
  if (depth > MAX_DEPTH) return undefined;
  const bindings = ownBindings(program, owner.node, name, depth)
    .map(({ binding }) => binding)
    .filter((binding) => !isEmpty(binding))
    .slice(0, MAX_LIKELY);
  // Each may lead to another such attribute, so the effort grows with the depth.
  const origins = bindings.map((binding) => originOfBinding(program, binding, depth + 2));
  const first = origins.find((origin) => origin?.kind === 'imported');
  if (first?.kind !== 'imported') return undefined;
  const isOneOfSeveral = origins.some(
    (origin) => origin?.kind !== 'imported' || dotted(origin) !== dotted(first),
  );
  return { ...first, ambiguous: true, isOneOfSeveral };
}

function originOfCall(program: Program, call: Call, depth: number): Origin | undefined {
  const required = requiredModule(program, call);
  if (required !== undefined)
    return { kind: 'imported', module: required, path: [], calls: [], ambiguous: false };
  const callee = originOf(program, call.callee, depth);
  switch (callee?.kind) {
    case 'imported':
      if (isCast(callee)) return originOfCast(program, call, depth);
      if (PROVIDES.test(dotted(callee))) return originOfMade(program, call.arguments[0]?.value, depth + 1);
      return {
        ...callee,
        path: [...callee.path, '()'],
        calls: [...callee.calls, call],
        retriever: undefined,
      };
    case 'class':
      return { kind: 'instance', node: callee.node, creation: call };
    case 'function':
      return originOfReturned(program, callee.node, depth + 1);
    case 'instance':
    case undefined:
      return undefined;
  }
}

/** `service=Depends(get_service)`: the framework calls the function and passes its result. */
const PROVIDES = /^fastapi(?:\.\w+)?\.(?:Depends|Security)$/u;

/** `typing.cast` */
function isCast({ module, path }: Imported): boolean {
  return TYPING.test(module) && path.length === 1 && path[0] === 'cast';
}

/**
 * `cast(Store, x)` and `cast("Store", x)` are an instance of Store; if the type is unknown, the origin of x applies.
 */
function originOfCast(
  program: Program,
  { arguments: [type, value] }: Call,
  depth: number,
): Origin | undefined {
  const written = type && program.dialect.type(type.value.node);
  const origin = originOfType(program, written, depth + 1);
  return origin ?? (value && originOf(program, value.value, depth + 1));
}

function originOfReturned(program: Program, functionNode: Node, depth: number): Origin | undefined {
  const returned = program.returned(functionNode);
  if (returned?.isType) return originOfType(program, returned.expression, depth);
  const origin = returned && originOf(program, returned.expression, depth);
  const declared = functionNode.childForFieldName('return_type');
  return origin ?? (declared ? originOfType(program, program.dialect.type(declared), depth) : undefined);
}

/** Methods that are read like an attribute: `@property`, `@cached_property` and `get store()`. */
function isGetter(method: Node): boolean {
  if (method.type === 'method_definition') return method.children.some((child) => child?.type === 'get');
  return (
    method.parent?.children.some(
      (child) => child?.type === 'decorator' && /^@(?:[\w.]*[._])?property\b/u.test(child.text),
    ) ?? false
  );
}

/** `require("x")` and `import("x")`. */
function requiredModule(program: Program, { callee, arguments: [argument] }: Call): string | undefined {
  if (program.dialect.language !== 'javascript' || callee.kind !== 'name') return undefined;
  if (callee.name !== 'require' && callee.name !== 'import') return undefined;
  const module = argument?.value;
  return module?.kind === 'literal' && typeof module.value === 'string' ? packageOf(module.value) : undefined;
}

/** The import that a class of the file inherits from, directly or through classes of the file. */
export function inheritedOrigin(program: Program, classNode: Node, depth = 0): Imported | undefined {
  if (depth > MAX_DEPTH) return undefined;
  for (const base of program.dialect.bases(classNode)) {
    const origin = originOf(program, base, depth);
    if (origin?.kind === 'imported') return { ...origin, path: [...origin.path, '()'] };
    const inherited = origin?.kind === 'class' && inheritedOrigin(program, origin.node, depth + 1);
    if (inherited) return inherited;
  }
  return undefined;
}

/** The values of an attribute, or the reason why they are unknown. */
export type Attribute =
  | { readonly kind: 'bound'; readonly binding: Binding; readonly inMethod: boolean }
  | { readonly kind: 'unknown'; readonly why: string };

/** A binding of an attribute, and whether it is in a method. */
export interface Owned {
  readonly binding: Binding;
  readonly inMethod: boolean;
  readonly node: Node;
}

/**
 * The only binding of the attribute. Two possible values make it unknown, except that an assignment in a method
 * replaces a declaration without a value.
 */
export function attributeOf(program: Program, owner: Local, name: string, depth: number): Attribute {
  if (depth > MAX_DEPTH) return { kind: 'unknown', why: l10n.t('it is passed on too many times') };
  const bindings = ownBindings(program, owner.node, name, depth);
  const valued = bindings.filter(({ binding }) => binding.kind !== 'declared');
  const assigned = valued.filter(({ inMethod }) => inMethod);
  const likely = assigned.length === 1 ? assigned : valued;
  const [only, second] = likely.length > 0 ? likely : bindings;
  if (second) return { kind: 'unknown', why: l10n.t`${name} is set in several places` };
  if (only) return { kind: 'bound', ...only };
  for (const base of program.dialect.bases(owner.node)) {
    const origin = originOf(program, base, depth);
    if (origin?.kind === 'class') return attributeOf(program, origin, name, depth + 1);
  }
  return { kind: 'unknown', why: l10n.t`${name} is not set in this file` };
}

/** Every place of the class, including its methods, that binds the attribute. */
export function ownBindings(program: Program, classNode: Node, name: string, depth: number): Owned[] {
  const inBody = program
    .classBindings(classNode, name)
    .map((binding) => ({ binding, inMethod: false, node: classNode }));
  const assigned = program.attributes(name).flatMap(({ object, binding, node }): Owned[] => {
    const owner = program.dialect.enclosingClass(node);
    if (object === undefined) return owner?.id === classNode.id ? [{ binding, inMethod: false, node }] : [];
    return isOf(program, object, classNode, depth) ? [{ binding, inMethod: true, node }] : [];
  });
  return [...inBody, ...assigned];
}

/** Whether the object may be an instance of the class, or the class itself. */
function isOf(program: Program, object: Expression, classNode: Node, depth: number): boolean {
  if (object.kind === 'name' && program.dialect.self.includes(object.name))
    return program.dialect.enclosingClass(object.node)?.id === classNode.id;
  const origin = originOf(program, object, depth + 1);
  return origin === undefined || (origin.kind !== 'imported' && origin.node.id === classNode.id);
}
