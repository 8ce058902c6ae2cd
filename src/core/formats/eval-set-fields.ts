/** The fields of an eval set's lines, for an editor that completes and explains them. */
import { STANCE_SOURCES, STANCES } from '../model.ts';
import { scanJson, slotAt, type JsonPath, type JsonScan } from './json-scan.ts';

export interface FieldHelp {
  readonly name: string;
  /** A sentence or two. */
  readonly about: string;
  /** JSON to begin with. */
  readonly value: string;
  /** The only values there are. */
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
];

const METADATA: readonly FieldHelp[] = [
  { name: 'tags', about: 'Names under which queries are put together.', value: '[]' },
];

export type Completion =
  { readonly kind: 'key'; readonly field: FieldHelp } | { readonly kind: 'value'; readonly value: string };

/** Completions at an offset of a line; none where the position is ambiguous. */
export function completionsAt(line: string, offset: number): Completion[] {
  const scan = scanJson(line);
  const slot = slotAt(scan, offset);
  if (!slot) return [];
  if (slot.kind === 'value') {
    const field = fieldAt(slot.path);
    return (field?.values ?? []).map((value) => ({ kind: 'value', value }));
  }
  const present = keysOf(scan, slot.path, offset);
  return fieldsOf(slot.path)
    .filter(({ name }) => !present.has(name))
    .map((field) => ({ kind: 'key', field }));
}

/** The key at an offset of a line, with where it stands; nothing for keys that nobody here knows. */
export function fieldHelpAt(
  line: string,
  offset: number,
): { readonly field: FieldHelp; readonly start: number; readonly end: number } | undefined {
  const found = scanJson(line).keys.find(({ start, end }) => start <= offset && offset < end);
  const field = found && fieldAt([...found.path, found.key]);
  return field && { field, start: found.start, end: found.end };
}

/** Keys that an object has, but for the one that is being typed. */
function keysOf({ keys }: JsonScan, path: JsonPath, offset: number): Set<string> {
  const own = keys.filter(
    (key) => JSON.stringify(key.path) === JSON.stringify(path) && !(key.start <= offset && offset <= key.end),
  );
  return new Set(own.map(({ key }) => key));
}

function fieldAt(path: JsonPath): FieldHelp | undefined {
  return fieldsOf(path.slice(0, -1)).find(({ name }) => name === path.at(-1));
}

function fieldsOf(path: JsonPath): readonly FieldHelp[] {
  if (path.length === 0) return QUERY;
  if (path.length === 2 && path[0] === 'perspectives' && typeof path[1] === 'number') return PERSPECTIVE;
  return path.length === 1 && path[0] === 'metadata' ? METADATA : [];
}
