/**
 * Edits one value of a JSON text and keeps every other character: number formats, spaces, escapes, comments and unknown
 * fields. Parsing and serializing would lose these.
 *
 * This is also the only access to the trees of jsonc-parser. It recurses and overflows the stack on deep nesting, so
 * levels are counted first.
 */
import * as l10n from '@vscode/l10n';
import {
  applyEdits,
  createScanner,
  getLocation,
  modify,
  parseTree,
  type Location,
  type ModificationOptions,
  type Node,
  type ParseError,
  type ParseOptions,
} from 'jsonc-parser';
import { ParallaxError } from '../errors.ts';

export type JsonPath = readonly (string | number)[];

/** Replaces the text between two offsets. */
export interface TextEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Half-open offsets into the JSON text. */
export interface Extent {
  readonly start: number;
  readonly end: number;
}

/**
 * The range of a value. If a key occurs twice, the last one counts, as in `JSON.parse`.
 *
 * @param json may have comments and trailing commas; broken text is read as far as possible
 * @param path object keys and list indices, outermost first
 * @returns `undefined` if there is no such value
 */
export function findValue(json: string, path: JsonPath): Extent | undefined {
  return extentOf(nodeAt(treeOf(json), path));
}

/** The range of a key with its quotes, see {@link findValue}. */
export function findKey(json: string, path: JsonPath): Extent | undefined {
  return extentOf(nodeAt(treeOf(json), path)?.parent?.children?.[0]);
}

/** The node of a value, see {@link findValue}. */
export function nodeAt(root: Node | undefined, path: JsonPath): Node | undefined {
  return path.reduce<Node | undefined>(
    (node, step) =>
      typeof step === 'number' ? elementsOf(node)[step] : propertyOf(node, step)?.children?.[1],
    root,
  );
}

function elementsOf(node: Node | undefined): readonly Node[] {
  return node?.type === 'array' ? (node.children ?? []) : [];
}

function propertyOf(node: Node | undefined, key: string): Node | undefined {
  if (node?.type !== 'object') return undefined;
  return node.children?.findLast(({ children }) => children?.[0]?.value === key);
}

function extentOf(node: Node | undefined): Extent | undefined {
  return node && { start: node.offset, end: node.offset + node.length };
}

/**
 * Sets or removes members of an object on one line.
 *
 * @param json valid JSON
 * @param at offset of the object's opening brace
 * @param members JSON values to write; `undefined` removes the member
 * @returns one edit that covers the change, in offsets of `json`
 * @throws ParallaxError `bad-file` if the text is nested too deep
 */
export function setMembers(
  json: string,
  at: number,
  members: Readonly<Record<string, string | object | undefined>>,
): TextEdit {
  const rest = json.slice(at);
  const end = at + (treeToEdit(rest)?.length ?? rest.length);
  let object = json.slice(at, end);
  for (const [key, value] of Object.entries(members))
    object = value === undefined ? withoutMember(object, key) : withMember(object, key, value);
  return { start: at, end, text: object };
}

export function applyEdit(text: string, edit: TextEdit): string {
  return text.slice(0, edit.start) + edit.text + text.slice(edit.end);
}

/**
 * Sets a value of a multi-line text such as `parallax.json`. Creates missing objects on the path; −1 as the last step
 * appends to a list.
 *
 * @param json may have comments and trailing commas
 * @throws ParallaxError `bad-file` if the text is nested too deep
 */
export function withValue(json: string, path: JsonPath, value: unknown): string {
  // Line ends are taken from the text.
  const formattingOptions = { insertSpaces: !/^\t/mu.test(json), tabSize: 2 };
  return modified(json, path, value, { formattingOptions });
}

function withMember(object: string, key: string, value: string | object): string {
  const root = treeToEdit(object);
  const known = extentOf(propertyOf(root, key)?.children?.[1]);
  const written = JSON.stringify(value);
  if (known) return applyEdit(object, { ...known, text: written });
  const last = extentOf(root?.children?.at(-1));
  const at = last?.end ?? 1;
  return applyEdit(object, {
    start: at,
    end: at,
    text: `${last ? ', ' : ''}${JSON.stringify(key)}: ${written}`,
  });
}

/** Removes a member with its comma. Removes every occurrence of the key, as an earlier one would count otherwise. */
function withoutMember(object: string, key: string): string {
  if (!propertyOf(treeToEdit(object), key)) return object;
  return withoutMember(modified(object, [key], undefined), key);
}

/** More than anyone nests by hand, and few enough for recursive readers. */
export const MAX_LEVELS = 100;

/** The offset of the first place that is nested deeper than {@link MAX_LEVELS}. */
export function tooDeepAt(json: string): number | undefined {
  const scanner = createScanner(json, true);
  let levels = 0;
  for (scanner.scan(); scanner.getTokenOffset() < json.length; scanner.scan()) {
    const sign = json[scanner.getTokenOffset()]!;
    if ('[{'.includes(sign)) levels++;
    if (']}'.includes(sign)) levels--;
    if (levels > MAX_LEVELS) return scanner.getTokenOffset();
  }
  return undefined;
}

/** @returns `undefined` if the text has no value or is nested too deep */
export function treeOf(json: string, errors: ParseError[] = [], options?: ParseOptions): Node | undefined {
  return tooDeepAt(json) === undefined ? parseTree(json, errors, options) : undefined;
}

/** @throws ParallaxError `bad-file` if the text is nested too deep to be edited */
function treeToEdit(json: string): Node | undefined {
  requireShallow(json);
  return parseTree(json);
}

/** The location of an offset. The beginning of the text if that is nested too deep. */
export function locationIn(json: string, offset: number): Location {
  return tooDeepAt(json) === undefined ? getLocation(json, offset) : getLocation('', 0);
}

/** @throws ParallaxError as {@link treeToEdit} */
function modified(
  json: string,
  path: readonly (string | number)[],
  value: unknown,
  options: ModificationOptions = {},
): string {
  requireShallow(json);
  return applyEdits(json, modify(json, [...path], value, options));
}

function requireShallow(json: string): void {
  if (tooDeepAt(json) !== undefined)
    throw new ParallaxError(
      'bad-file',
      l10n.t`It is nested more than ${MAX_LEVELS} levels deep, and cannot be changed in place.`,
    );
}
