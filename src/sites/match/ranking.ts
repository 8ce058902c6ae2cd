/**
 * Decides whether a search ranks anything. Engines use the same call for filters, scans, aggregations and searches.
 * Collects the arguments through variables and functions of the text, and searches them for clauses that rank.
 */
import type { Node } from '../syntax/node.ts';
import { originOf } from '../resolve/origin.ts';
import type { Program } from '../resolve/program.ts';
import type { CallRule } from '../../core/call-sites/schema.ts';
import { isField, namedChildren } from '../syntax/dialect.ts';
import type { Call } from '../syntax/expression.ts';
import { textIn } from '../workspace/exported.ts';

type Ranks = NonNullable<CallRule['ranks']>;

const MAX_PARTS = 40;
const FUNCTIONS =
  /^(?:function_definition|function_declaration|method_definition|arrow_function|function_expression)$/u;
/** Keys whose value is a query or a part of one, instead of a value to search for. */
const QUERY_KEYS = /^(?:body|json|data|payload|query|bool|must|should|knn|retriever|queries)$/u;

/** True only if everything that could rank is in the text, and nothing does. */
export function ranksNothing(program: Program, call: Call, { by, never }: Ranks): boolean {
  const list = call.node.childForFieldName('arguments');
  if (!list) return false;
  const gathered = new Gathered(program);
  for (const each of namedChildren(list)) if (!isSelf(program, each)) gathered.add(each, true);
  const { text } = gathered;
  if (hasKey(text, never)) return true;
  // No hits are requested.
  if (/(?<![\w.])["']?size["']?\s*[:=]\s*0(?![\d.])/u.test(text)) return true;
  const isRanked = hasKey(text.replaceAll(MATCH_OF_ID, ''), by);
  // A query from elsewhere that is sorted by a field is a listing, not a ranking.
  return !isRanked && (!gathered.isOpen || SORTED.test(text));
}

/** `query["sort"] = [{ "date": "desc" }]`, sorting by a field instead of the score. */
const SORTED = /\[["']sort["']\]\s*=(?!=)(?![^\n]*_score)/u;

/** `Client.search(self, …)`: the receiver of the method. */
function isSelf({ dialect }: Program, { text }: Node): boolean {
  return dialect.self.includes(text);
}

/** `{ match: { document_id: … } }` selects records, although its clause would rank by words in a text field. */
const MATCH_OF_ID = /\bmatch(?:_phrase)?["']?\s*:\s*\{\s*["'`]?(?:[\w.]*[._])?(?:[iI]ds?|uuid)["'`]?\s*:/gu;

/** The text of a call's arguments, with the values of variables and the results of functions in the text. */
export function argumentsText(program: Program, { node }: Call): string {
  return program.once(node, 'arguments', () => {
    const gathered = new Gathered(program);
    const list = node.childForFieldName('arguments');
    if (list) gathered.add(list, true);
    return gathered.text;
  });
}

/** Whether one of the names is a key, a named argument or a class: `"knn":`, `knn=`, `knn(`. */
function hasKey(text: string, names: readonly string[]): boolean {
  return new RegExp(
    `(?<![\\w.])["'\`]?(?:${names.join('|')})["'\`]?\\s*(?:\\]\\s*=|[:=(,}])(?!=)`,
    'iu',
  ).test(text);
}

class Gathered {
  /** Whether something that may contain a query cannot be read. */
  isOpen = false;
  private readonly program: Program;
  private readonly parts: string[] = [];
  private readonly nodeIds = new Set<number>();

  constructor(program: Program) {
    this.program = program;
  }

  get text(): string {
    return this.parts.join('\n');
  }

  /** @param isQuery whether the node is a query or a part of one */
  add(node: Node, isQuery: boolean): void {
    if (this.nodeIds.has(node.id)) return;
    if (this.nodeIds.size > MAX_PARTS) {
      this.isOpen = true;
      return;
    }
    this.nodeIds.add(node.id);
    // The name and parameters of a function are no part of its result.
    this.parts.push((FUNCTIONS.test(node.type) ? (node.childForFieldName('body') ?? node) : node).text);
    this.visit(node, isQuery);
  }

  private visit(node: Node, isQuery: boolean): void {
    if (FUNCTIONS.test(node.type)) {
      for (const child of namedChildren(node.childForFieldName('body') ?? node)) this.visit(child, isQuery);
      return;
    }
    if (/assignment/u.test(node.type)) {
      const right = node.childForFieldName('right');
      const key = node.childForFieldName('left')?.text.match(/\w+/gu)?.at(-1) ?? '';
      if (right) this.visit(right, isQuery && QUERY_KEYS.test(key));
      return;
    }
    if (/^(?:pair|keyword_argument)$/u.test(node.type)) {
      const key = node.childForFieldName('key') ?? node.childForFieldName('name');
      const value = node.childForFieldName('value');
      const name = key?.text.replaceAll(/["'`]/gu, '') ?? '';
      if (value) this.visit(value, QUERY_KEYS.test(name));
      return;
    }
    // Expression statements return no query, and neither does the condition of a choice.
    if (node.type === 'expression_statement' || /^(?:ternary|conditional)_expression$/u.test(node.type)) {
      const condition = node.childForFieldName('condition') ?? node.namedChildren[1];
      for (const child of namedChildren(node))
        this.visit(child, isQuery && /_expression$/u.test(node.type) && child.id !== condition?.id);
      return;
    }
    if (/^(?:identifier|shorthand_property_identifier)$/u.test(node.type)) {
      this.name(node, isQuery && (node.type === 'identifier' || QUERY_KEYS.test(node.text)));
      return;
    }
    if (/^(?:call|call_expression|new_expression)$/u.test(node.type)) {
      this.called(node, isQuery);
      return;
    }
    if (/^(?:attribute|member_expression|subscript|subscript_expression)$/u.test(node.type)) {
      if (isQuery) this.isOpen = true;
      const object = node.childForFieldName('object') ?? node.childForFieldName('value');
      if (object?.type === 'identifier') this.visit(object, false);
      return;
    }
    for (const child of namedChildren(node)) this.visit(child, isQuery);
  }

  /** Follows a name to its bindings and to what is written into it. */
  private name(token: Node, isQuery: boolean): void {
    const same = this.program.sameVariable(token.text, token);
    const before = this.parts.length;
    this.elsewhere(token);
    const sure = this.program.bindingJustBefore(token.text, token);
    const only = sure?.kind === 'value' && sure.access.length === 0 ? sure.value.node : undefined;
    for (const each of same) {
      const value = givenAt(each);
      // Other values of the name, as in another branch, are not passed here.
      if (value && only && isPlain(each) && !isWithin(value, only)) continue;
      if (value) this.add(value, isQuery);
      else if (isQuery && this.program.isBinding(each) && !isDeclaredOnly(each)) this.isOpen = true;
    }
    if (isQuery && same.length === 0) this.isOpen = true;
    if (isQuery && this.parts.length === before && same.every((each) => !givenAt(each))) this.isOpen = true;
  }

  /** A value from another file of the workspace, or one that a function there builds. */
  private elsewhere(node: Node): void {
    const { otherFiles } = this.program;
    const last = node.childForFieldName('attribute') ?? node.childForFieldName('property') ?? node;
    if (!otherFiles?.texts.has(last.text)) return;
    const origin = originOf(this.program, this.program.expression(node));
    const entry = origin?.kind === 'imported' ? otherFiles.find(origin.module, origin.path) : undefined;
    const text = entry && textIn(entry);
    if (text !== undefined) this.parts.push(text);
  }

  private called(call: Node, isQuery: boolean): void {
    const callee = call.childForFieldName('function') ?? call.childForFieldName('constructor');
    const name =
      (callee?.childForFieldName('attribute') ?? callee?.childForFieldName('property') ?? callee)?.text ?? '';
    const functions = this.program.functionsNamed(name);
    // A single-expression function is replaced by its expression wherever it is called.
    const definitions = isQuery ? functions : functions.filter(isExpression);
    for (const each of definitions) this.add(each, isQuery);
    if (callee && isQuery && definitions.length === 0) this.elsewhere(callee);
    const list = call.childForFieldName('arguments');
    const isPassing =
      /^(?:dict|list|filter|map|concat|flatMap|append|push|stringify|dumps|Q|entries|items|deepcopy|copy)$/u.test(
        name,
      );
    if (isQuery && definitions.length === 0 && !isPassing) this.isOpen = true;
    for (const child of list ? namedChildren(list) : []) this.visit(child, isQuery && isPassing);
  }
}

/** Such as `(vector) => sql`1 - …``, without statements. */
function isExpression(functionNode: Node): boolean {
  const body = functionNode.childForFieldName('body');
  return body !== null && !/block$/u.test(body.type);
}

/** The value that is assigned to the name, put into it, or added to it at this token. */
function givenAt(token: Node): Node | undefined {
  let node = token;
  for (let up = node.parent; up; up = up.parent) {
    if (/^(?:attribute|member_expression|subscript|subscript_expression)$/u.test(up.type)) {
      if (!isField(up, 'object', node) && !isField(up, 'value', node)) return undefined;
      node = up;
      continue;
    }
    if (/^(?:call|call_expression)$/u.test(up.type) && isField(up, 'function', node))
      return node.id !== token.id &&
        /(?:append|extend|insert|update|push|unshift|setdefault)$/u.test(node.text)
        ? up
        : undefined;
    if (/assignment/u.test(up.type) && isField(up, 'left', node))
      return node.id === token.id ? (up.childForFieldName('right') ?? undefined) : up;
    if (up.type === 'variable_declarator' && isField(up, 'name', node))
      return up.childForFieldName('value') ?? undefined;
    return undefined;
  }
  return undefined;
}

function isWithin(outer: Node, inner: Node): boolean {
  return outer.startIndex <= inner.startIndex && inner.endIndex <= outer.endIndex;
}

/** `name = …`, which replaces the value. */
function isPlain(token: Node): boolean {
  const parent = token.parent;
  return parent?.type === 'assignment' || parent?.type === 'assignment_expression';
}

function isDeclaredOnly(token: Node): boolean {
  const parent = token.parent;
  return parent?.type === 'variable_declarator' && parent.childForFieldName('value') === null;
}
