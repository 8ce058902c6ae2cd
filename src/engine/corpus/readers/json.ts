/** JSON: a list of records in one of the usual shapes, else the file's own text. */
import * as l10n from '@vscode/l10n';
import { messageOf } from '../../../core/errors.ts';
import { linesOf } from '../../../core/formats/lines.ts';
import { requireShape } from '../../files/read-input.ts';
import { decodeText } from '../decode.ts';
import { requireNoJsonReport } from './own-reports.ts';
import { isObject, isUnmistakableRecord, recordContent, recordItem, recordItemOfLine } from './records.ts';
import { verbatimDocument } from './verbatim.ts';
import { FileSkipped, type ReadContext, type ReadItem, type WholeReader } from './reader.ts';
import { requireNoVectors } from './vectors.ts';

/** Names under which files have their list of records. */
const LIST_FIELDS = ['documents', 'docs', 'passages', 'records', 'data', 'nodes'] as const;
/** LlamaIndex's document store: an object from ids to documents. */
const STORE_FIELD = 'docstore/data';

export const jsonReader: WholeReader = {
  streamed: false,
  read(bytes, context): Iterable<ReadItem> {
    const text = decodeText(bytes);
    const wholeDocument = verbatimDocument(text, context.name);
    try {
      requireShape(text);
      const value: unknown = JSON.parse(text);
      requireNoJsonReport(value, context);
      requireNoVectors(value, context);
      const list = recordsIn(value, context);
      return list ? itemsOf(list, context) : [{ document: wholeDocument }];
    } catch (error) {
      if (error instanceof FileSkipped) throw error;
      return (
        recordsPerLine(text, context) ?? [
          { document: wholeDocument },
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

/** One by one: a file may have thirty million numbers instead of records, and a message on each would be longer. */
function* itemsOf(list: readonly unknown[], context: ReadContext): Generator<ReadItem> {
  for (const [at, value] of list.entries()) yield recordItem(value, { number: at + 1 }, context);
}

/** The records of a parsed file. `undefined` if it contains something else. */
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

/** Some tools write one record per line into a file called `.json`. */
function recordsPerLine(text: string, context: ReadContext): Iterable<ReadItem> | undefined {
  const { value: first } = linesOf(text).next();
  if (!first || 'problem' in recordItemOfLine(first.text, { number: 1 }, context)) return undefined;
  return itemsPerLine(text, context);
}

function* itemsPerLine(text: string, context: ReadContext): Generator<ReadItem> {
  let number = 0;
  for (const { number: line, text: lineText } of linesOf(text))
    yield recordItemOfLine(lineText, { number: ++number, line: line - 1 }, context);
}
