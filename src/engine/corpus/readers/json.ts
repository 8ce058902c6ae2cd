/**
 * JSON: a list of records in one of the usual shapes, or else the file's own text.
 */
import * as l10n from '@vscode/l10n';
import { messageOf } from '../../../core/errors.ts';
import { decodeText } from '../decode.ts';
import { isObject, isUnmistakableRecord, recordContent, recordItem, recordItemOfLine } from './records.ts';
import { verbatimDocument } from './verbatim.ts';
import type { ReadContext, ReadItem, WholeReader } from './reader.ts';

/** Names under which files keep their list of records. */
const LIST_FIELDS = ['documents', 'docs', 'passages', 'records', 'data', 'nodes'] as const;
/** LlamaIndex's document store: an object from ids to documents. */
const STORE_FIELD = 'docstore/data';

export const jsonReader: WholeReader = {
  streamed: false,
  read(bytes, context): ReadItem[] {
    const text = decodeText(bytes);
    const own = verbatimDocument(text, context.name);
    try {
      const list = recordsIn(JSON.parse(text), context);
      return list
        ? list.map((value, at) => recordItem(value, { number: at + 1 }, context))
        : [{ document: own }];
    } catch (error) {
      return (
        recordsPerLine(text, context) ?? [
          { document: own },
          {
            problem: {
              message: l10n.t`It is not valid JSON (${messageOf(error)}) and was read as plain text.`,
            },
          },
        ]
      );
    }
  },
};

/** The records of a parsed file; `undefined` when it holds something else. */
function recordsIn(value: unknown, context: ReadContext): readonly unknown[] | undefined {
  if (isUnmistakableRecord(value, context)) return [value];
  return listsIn(value).find((list) => list.some((entry) => recordContent(entry, context) !== undefined));
}

function listsIn(value: unknown): unknown[][] {
  if (!isObject(value)) return Array.isArray(value) ? [value] : [];
  const store = value[STORE_FIELD];
  const lists = LIST_FIELDS.map((field) => value[field]).filter((list) => Array.isArray(list));
  return isObject(store) ? [...lists, Object.values(store)] : lists;
}

/** Some tools write one record a line and still call the file `.json`. */
function recordsPerLine(text: string, context: ReadContext): ReadItem[] | undefined {
  const lines = text.split(/\r?\n/);
  const first = lines.find((line) => line.trim() !== '') ?? '';
  if ('problem' in recordItemOfLine(first, { number: 1 }, context)) return undefined;
  let number = 0;
  return lines.flatMap((line, at) =>
    line.trim() === '' ? [] : [recordItemOfLine(line, { number: ++number, line: at }, context)],
  );
}
