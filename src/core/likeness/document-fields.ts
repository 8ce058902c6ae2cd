/**
 * Fields that authors gave to documents: front matter of Markdown, header lines of PEPs and e-mails, a list of bold or
 * plain names as in RFCs, `<meta>` of web pages, properties of DOCX and PDF, and all fields of a record besides its
 * text.
 */

import { linesOf, type Line } from '../split/lines.ts';
import { fieldsOf, LONGEST_VALUE, type DocumentFields } from '../text/fields.ts';

/** A name, a colon and a value on one line, optionally with a list dash and bold marks around the name. */
const LINE = /^(?:[-*] )?(?:\*\*)?([\p{L}][\p{L}\p{N} _#-]{1,30}?)(?:\*\*)?\s*:(?:\*\*)?\s+(\S.*)$/u;
/** A name without a value. */
const NAME_ALONE = /^(?:[-*] )?(?:\*\*)?\p{L}[\p{L}\p{N} _#-]{1,30}:(?:\*\*)?\s*$/u;
const FENCE = /^---\s*$/u;
const BELOW_A_NAME = /^\s+\S/u;
const BYTE_ORDER_MARK = '\uFEFF';
/** Fewer lines may be a sentence with a colon. */
const MIN_LINES = 2;
/** The longest head to read, in characters. */
const LONGEST_HEAD = 10_000;
/** The fields at the beginning of a text. `undefined` if it does not begin with any. */
export function headFields(text: string): DocumentFields | undefined {
  return fieldsOf(headOf(text)?.fields ?? []);
}

/** Length of the field lines at the beginning of a text, in UTF-16 code units. 0 if there are none. */
export function headLength(text: string): number {
  return headOf(text)?.length ?? 0;
}

interface Head {
  readonly fields: readonly (readonly [name: string, value: string])[];
  /** In UTF-16 code units, without the closing fence. */
  readonly length: number;
}

function headOf(text: string): Head | undefined {
  const beginning = text.slice(0, LONGEST_HEAD);
  const mark = beginning.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK.length : 0;
  const lines = [...linesOf(beginning.slice(mark))];
  const textOf = ({ start, end }: Line): string => beginning.slice(mark + start, mark + end);
  const isFenced = lines[0] !== undefined && FENCE.test(textOf(lines[0]));
  const fields: [name: string, value: string][] = [];
  let length = 0;
  for (const line of isFenced ? lines.slice(1) : lines) {
    const content = textOf(line);
    const [, name, value] = LINE.exec(content) ?? [];
    if (name !== undefined && value!.length <= LONGEST_VALUE) fields.push([name, unquoted(value!)]);
    // A name may be followed by an indented list or text.
    else if (isFenced ? FENCE.test(content) : !BELOW_A_NAME.test(content) && !NAME_ALONE.test(content)) break;
    length = mark + line.next;
  }
  return isFenced || fields.length >= MIN_LINES ? { fields, length } : undefined;
}

const META = /<meta\b([^>]{1,2000})>/giu;
const ATTRIBUTE = /\b(name|content)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/giu;
const END_OF_HEAD = /<\/head\b|<body\b/iu;
/** Real pages have shorter heads. Limits files that never end theirs. */
const LONGEST_HTML_HEAD = 200_000;

/** `<meta name=… content=…>` of a page, such as author, date and keywords. */
export function metaFields(html: string): DocumentFields | undefined {
  const beginning = html.slice(0, LONGEST_HTML_HEAD);
  const end = END_OF_HEAD.exec(beginning)?.index ?? beginning.length;
  const fields = Array.from(beginning.slice(0, end).matchAll(META), ([, attributes]) => {
    const values = new Map(
      Array.from(attributes!.matchAll(ATTRIBUTE), ([, key, ...groups]) => [
        key!.toLowerCase(),
        groups.find((value) => value !== undefined) ?? '',
      ]),
    );
    return [values.get('name') ?? '', values.get('content') ?? ''] as const;
  });
  return fieldsOf(fields);
}

const unquoted = (value: string): string => value.trim().replace(/^(["'])(.*)\1$/u, '$2');

/** The least share of documents with a field. */
const MIN_SHARE = 0.2;
/** With a larger share of distinct values, a field only identifies the documents. */
const OWN_VALUES = 0.75;
/** Names that site generators use for a page's position in a menu, which does not describe its content. */
const PLACE_IN_MENU = /(?:^|[_-])(?:position|order|weight)$/iu;
/** The number of fields to count if the user chose none. */
const MAX_COUNTED = 5;

/** A field of the documents of a corpus. */
export interface FoundField {
  readonly name: string;
  /** The number of documents with it, and of its distinct values. */
  readonly documents: number;
  readonly values: number;
}

/** The fields of documents, most common first. */
export function foundFields(documents: readonly (DocumentFields | undefined)[]): FoundField[] {
  const counts = new Map<string, { documents: number; readonly values: Set<string> }>();
  for (const fields of documents)
    for (const [name, value] of Object.entries(fields ?? {})) {
      const usage = counts.get(name) ?? { documents: 0, values: new Set<string>() };
      usage.documents++;
      usage.values.add(value);
      counts.set(name, usage);
    }
  return [...counts]
    .map(([name, usage]) => ({ name, documents: usage.documents, values: usage.values.size }))
    .filter((usage) => usage.documents >= documents.length * MIN_SHARE)
    .sort((one, other) => other.documents - one.documents);
}

/** Fields that vary without identifying single documents, as titles do. Counted if the user chose none. */
export function varyingFields(fields: readonly FoundField[]): string[] {
  return fields
    .filter(({ name, documents, values }) => {
      const varies = values > 1 && values <= documents * OWN_VALUES;
      return varies && !PLACE_IN_MENU.test(name);
    })
    .slice(0, MAX_COUNTED)
    .map(({ name }) => name);
}
