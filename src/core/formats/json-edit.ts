/**
 * Changes to one value of a JSON text that leave every other character as it is: number formats, spaces,
 * escapes and fields that nobody here knows survive, which parsing and writing again would not grant.
 */

/** A change of a text: what stands between two offsets becomes something else. */
export interface TextEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

interface Member {
  readonly key: string;
  /** Offset of the key's quote. */
  readonly start: number;
  readonly value: Extent;
}

/** Half-open offsets into the JSON text. */
interface Extent {
  readonly start: number;
  readonly end: number;
}

/**
 * The place of a value. Where a key occurs twice the last one counts, as for `JSON.parse`.
 *
 * @param json valid JSON
 * @param path keys of objects and positions in lists, from the outside in
 * @returns nothing when there is no such value
 */
export function findValue(json: string, path: readonly (string | number)[]): Extent | undefined {
  const start = skipSpace(json, 0);
  let found: Extent | undefined = { start, end: valueEnd(json, start) };
  for (const step of path) {
    if (!found) return undefined;
    const { start: at }: Extent = found;
    if (typeof step === 'number') found = json[at] === '[' ? elementsOf(json, at)[step] : undefined;
    else
      found = json[at] === '{' ? membersOf(json, at).findLast(({ key }) => key === step)?.value : undefined;
  }
  return found;
}

/**
 * Sets members of an object, or takes them away.
 *
 * @param json valid JSON
 * @param at offset of the object's opening brace
 * @param members JSON values to write; `undefined` takes the member away
 * @returns one edit that spans what changes, in offsets of `json`
 */
export function setMembers(
  json: string,
  at: number,
  members: Readonly<Record<string, string | object | undefined>>,
): TextEdit {
  const end = valueEnd(json, at);
  let object = json.slice(at, end);
  for (const [key, value] of Object.entries(members))
    object = value === undefined ? withoutMember(object, key) : withMember(object, key, value);
  return { start: at, end, text: object };
}

export function applyEdit(text: string, edit: TextEdit): string {
  return text.slice(0, edit.start) + edit.text + text.slice(edit.end);
}

function withMember(object: string, key: string, value: string | object): string {
  const members = membersOf(object, 0);
  const known = members.findLast((member) => member.key === key);
  const written = JSON.stringify(value);
  if (known) return object.slice(0, known.value.start) + written + object.slice(known.value.end);
  const last = members.at(-1);
  const [before, after] = last
    ? [object.slice(0, last.value.end), object.slice(last.value.end)]
    : ['{', object.slice(1)];
  return `${before}${last ? ', ' : ''}${JSON.stringify(key)}: ${written}${after}`;
}

/** Together with the comma that set it off; every occurrence of the key, since the one before would count then. */
function withoutMember(object: string, key: string): string {
  const members = membersOf(object, 0);
  const index = members.findLastIndex((member) => member.key === key);
  if (index < 0) return object;
  const { start, value } = members[index]!;
  const [from, to] =
    index > 0 ? [members[index - 1]!.value.end, value.end] : [start, members[1]?.start ?? value.end];
  return withoutMember(object.slice(0, from) + object.slice(to), key);
}

/** @param at offset of the opening brace */
function membersOf(json: string, at: number): Member[] {
  const members: Member[] = [];
  for (let start = skipSpace(json, at + 1); json[start] === '"';) {
    const keyEnd = valueEnd(json, start);
    const valueStart = skipSpace(json, skipSpace(json, keyEnd) + 1);
    const value = { start: valueStart, end: valueEnd(json, valueStart) };
    members.push({ key: JSON.parse(json.slice(start, keyEnd)) as string, start, value });
    start = afterComma(json, value.end);
  }
  return members;
}

/** @param at offset of the opening bracket */
function elementsOf(json: string, at: number): Extent[] {
  const elements: Extent[] = [];
  for (let start = skipSpace(json, at + 1); json[start] !== ']' && start < json.length;) {
    const end = valueEnd(json, start);
    elements.push({ start, end });
    start = afterComma(json, end);
  }
  return elements;
}

/** The next member or element, or the end of the object or list. */
function afterComma(json: string, valueEndsAt: number): number {
  const at = skipSpace(json, valueEndsAt);
  return json[at] === ',' ? skipSpace(json, at + 1) : at;
}

const SPACE = /[\t\n\r ]*/y;
const STRING = /"(?:[^"\\]|\\.)*"/y;
const SCALAR = /[^\t\n\r ,\]}]*/y;

function skipSpace(json: string, at: number): number {
  return matchEnd(SPACE, json, at);
}

function valueEnd(json: string, at: number): number {
  if (json[at] === '"') return matchEnd(STRING, json, at);
  if (json[at] !== '{' && json[at] !== '[') return matchEnd(SCALAR, json, at);
  let depth = 0;
  for (let i = at; i < json.length;) {
    const character = json[i];
    if (character === '"') {
      i = matchEnd(STRING, json, i);
      continue;
    }
    if (character === '{' || character === '[') depth++;
    if ((character === '}' || character === ']') && --depth === 0) return i + 1;
    i++;
  }
  return json.length;
}

/** Where a sticky pattern ends that begins at an offset. */
function matchEnd(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : text.length;
}
