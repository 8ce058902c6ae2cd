/** The fields of an eval set's lines, for completion and hovers in an editor. */
import { findNodeAtOffset, getNodePath } from 'jsonc-parser';
import { STANCE_SOURCES, STANCES } from '../words.ts';
import { locationIn, nodeAt, treeOf, type JsonPath } from './json-edit.ts';

export interface FieldHelp {
  readonly name: string;
  /** One or two sentences. */
  readonly about: string;
  /** JSON to insert. */
  readonly value: string;
  /** All allowed values. */
  readonly values?: readonly string[] | undefined;
}

const QUERY: readonly FieldHelp[] = [
  {
    name: '_id',
    about: 'Name of the query, unique in the file; `q` and the number of the line where it is missing.',
    value: '""',
  },
  { name: 'text', about: 'The question.', value: '""' },
  {
    name: 'perspectives',
    about: 'The statements that a complete answer must cover. A query without them is not evaluated.',
    value: '[{"id": "", "text": ""}]',
  },
  {
    name: 'answers',
    about:
      'Gold answers, as short as they can be said: an answer that `parallax eval --view answers` has written succeeds when it contains one of them. Without perspectives, a passage counts if it supports any of them.',
    value: '[""]',
  },
  {
    name: 'metadata',
    about: 'Anything else about the query; `tags` can be named in thresholds of the gate.',
    value: '{"tags": []}',
  },
];

const PERSPECTIVE: readonly FieldHelp[] = [
  {
    name: 'id',
    about:
      'Name of the perspective, unique in its query; `p1`, `p2`, … where it is missing. Labels refer to it.',
    value: '""',
  },
  { name: 'text', about: 'A statement, as somebody would make it who holds it.', value: '""' },
  {
    name: 'stance',
    about: 'Whether it is for or against what the question asks.',
    value: '"support"',
    values: STANCES,
  },
  {
    name: 'stanceBy',
    about: 'Who said so: a person, or a model whose proposal a person accepted.',
    value: '"human"',
    values: STANCE_SOURCES,
  },
  {
    name: 'group',
    about: 'A group whose share of what is retrieved is watched, such as a political camp or a country.',
    value: '""',
  },
  {
    name: 'document',
    about:
      'The path or id of a document that must be found: its passages support this, and no others do. Nobody has to judge, and `text` may be left out.',
    value: '""',
  },
  {
    name: 'within',
    about: 'The lowest rank that the document may have; the k of the gate if it is left out.',
    value: '5',
  },
];

const METADATA: readonly FieldHelp[] = [
  { name: 'tags', about: 'Names under which queries are put together.', value: '[]' },
];

export type Completion =
  | { readonly kind: 'key'; readonly field: FieldHelp }
  | { readonly kind: 'value'; readonly value: string };

/** Completions at an offset of a line. Empty if the position is ambiguous. */
export function completionsAt(line: string, offset: number): Completion[] {
  const { path, isAtPropertyKey } = locationIn(line, offset);
  if (!isAtPropertyKey) return (fieldAt(path)?.values ?? []).map((value) => ({ kind: 'value', value }));
  const object = path.slice(0, -1);
  const present = keysOf(line, object, offset);
  return fieldsOf(object)
    .filter(({ name }) => !present.has(name))
    .map((field) => ({ kind: 'key', field }));
}

/** The field whose key is at an offset of a line, with the key's range. `undefined` for unknown keys. */
export function fieldHelpAt(
  line: string,
  offset: number,
): { readonly field: FieldHelp; readonly start: number; readonly end: number } | undefined {
  const root = treeOf(line);
  const node = root && findNodeAtOffset(root, offset);
  if (!node || node.parent?.children?.[0] !== node) return undefined;
  const field = fieldAt(getNodePath(node));
  return field && { field, start: node.offset, end: node.offset + node.length };
}

/** The keys of an object except the one at the cursor. */
function keysOf(line: string, path: JsonPath, offset: number): Set<string> {
  const keys = (nodeAt(treeOf(line), path)?.children ?? []).flatMap(({ children }) => children?.[0] ?? []);
  const otherKeys = keys.filter((key) => offset < key.offset || key.offset + key.length < offset);
  return new Set(otherKeys.map(({ value }) => String(value)));
}

function fieldAt(path: JsonPath): FieldHelp | undefined {
  return fieldsOf(path.slice(0, -1)).find(({ name }) => name === path.at(-1));
}

function fieldsOf(path: JsonPath): readonly FieldHelp[] {
  if (path.length === 0) return QUERY;
  if (path.length === 2 && path[0] === 'perspectives' && typeof path[1] === 'number') return PERSPECTIVE;
  return path.length === 1 && path[0] === 'metadata' ? METADATA : [];
}
