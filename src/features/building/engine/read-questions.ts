/** Reads questions from files: one per line, or one per record of a JSONL, CSV or TSV file. */
import path from 'node:path';
import * as l10n from '@vscode/l10n';
import { messageOf, ParallaxError, throwIfCancelled } from '../../../core/errors.ts';
import { oneLine, questionProblem, type Asked } from '../core/questions.ts';
import { linesOf } from '../../../core/formats/lines.ts';
import { corpusSchema } from '../../../shared/config.ts';
import { decodeText } from '../../../engine/corpus/decode.ts';
import { openFile } from '../../../engine/corpus/read-file.ts';
import { delimitedReader } from '../../../engine/corpus/readers/delimited.ts';
import { jsonLinesReader } from '../../../engine/corpus/readers/jsonl.ts';
import { FileSkipped, type StreamedReader } from '../../../engine/corpus/readers/reader.ts';
import { MAX_PROBLEMS } from '../../../engine/corpus/scan.ts';
import { readBytes } from '../../../engine/files/reading.ts';

export interface ReadQuestions {
  readonly asked: readonly Asked[];
  /**
   * One message, with the line, for each line or record without a question; for unreadable ones, the first
   * {@link MAX_PROBLEMS}.
   */
  readonly problems: readonly string[];
}

const RECORDS: Readonly<Record<string, StreamedReader>> = {
  '.jsonl': jsonLinesReader,
  '.ndjson': jsonLinesReader,
  '.csv': delimitedReader,
  '.tsv': delimitedReader,
};

/** The usual fields of questions in records, in the order in which they are tried. */
const USUAL_FIELDS = ['question', 'query', 'text'] as const;

/**
 * @param field of records, also as a path such as `request.query`; defaults to the usual names
 * @throws ParallaxError `bad-file` if the file cannot be read, or contains no question; `cancelled`
 */
export async function readQuestions(
  file: string,
  field: string | undefined,
  signal?: AbortSignal,
): Promise<ReadQuestions> {
  const reader = readerOf(file);
  try {
    const read = reader
      ? await readRecords(file, reader, field, signal)
      : readLines(decodeText(await readBytes(file, { signal })));
    if (read.asked.length > 0) return read;
    const [problem] = read.problems;
    throw new ParallaxError(
      'bad-file',
      problem === undefined
        ? l10n.t`${file} contains no question. It is empty.`
        : l10n.t`${file} contains no question. ${problem}`,
    );
  } catch (error) {
    throwIfCancelled(signal);
    if (ParallaxError.is(error)) throw error;
    const reason = error instanceof FileSkipped ? error.message : `${messageOf(error)}.`;
    throw new ParallaxError('bad-file', l10n.t`Cannot read ${file}. ${reason}`, { cause: error });
  }
}

const readerOf = (file: string): StreamedReader | undefined => RECORDS[path.extname(file).toLowerCase()];

function readLines(text: string): ReadQuestions {
  return sorted([...linesOf(text)].map(({ number, text: line }) => ({ text: line, line: number })));
}

async function readRecords(
  file: string,
  reader: StreamedReader,
  field: string | undefined,
  signal?: AbortSignal,
): Promise<ReadQuestions> {
  if (field !== undefined) return readField(file, reader, field, signal);
  for (const name of USUAL_FIELDS) {
    const read = await readField(file, reader, name, signal);
    if (read.asked.length > 0) return read;
  }
  const usual = USUAL_FIELDS.join(', ');
  return {
    asked: [],
    problems: [l10n.t`No record has one of the fields ${usual}; name the field that holds the question.`],
  };
}

async function readField(
  file: string,
  reader: StreamedReader,
  field: string,
  signal?: AbortSignal,
): Promise<ReadQuestions> {
  const config = corpusSchema.parse({ roots: [file], textField: field });
  const found = { path: file, relativePath: path.basename(file), reader, isRoot: true };
  const questions: Asked[] = [];
  const problems: string[] = [];
  for await (const item of (await openFile(found, config, signal)).items())
    if ('problem' in item) {
      if (problems.length < MAX_PROBLEMS) problems.push(item.problem.message);
    } else questions.push({ text: item.document.text, line: lineNumber(item.document.record?.line) });
  const read = sorted(questions);
  return { asked: read.asked, problems: [...problems, ...read.problems] };
}

/** @param line from 0 */
const lineNumber = (line: number | undefined): number | undefined =>
  line === undefined ? undefined : line + 1;

/** Questions, and the problems of the other lines. */
function sorted(read: readonly Asked[]): ReadQuestions {
  const questions: Asked[] = [];
  const problems: string[] = [];
  for (const { text, line } of read) {
    const problem = questionProblem(text);
    if (problem === undefined) questions.push({ text: oneLine(text), line });
    else
      problems.push(line === undefined ? l10n.t`A record: ${problem}.` : l10n.t`Line ${line}: ${problem}.`);
  }
  return { asked: questions, problems };
}
