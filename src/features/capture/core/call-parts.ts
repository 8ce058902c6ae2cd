/** Reads the arguments and the result of a call, whose form depends on the framework. */
import type { ExternalResult } from '../../../core/external/spec.ts';
import { isRecord, unpacked } from '../../../core/text/json.ts';
import { documentsIn, textOfParts } from './documents.ts';
import { searchAnswer } from './search-answers.ts';

/** Real calls do not nest arguments deeper. */
const MAX_DEPTH = 4;

export interface Question {
  readonly text: string;
  /** Whether the argument's name marks it as a question. */
  readonly isNamed: boolean;
}

const QUESTION_NAMES = ['query', 'query_str', 'question', 'search_query', 'searchQuery', 'q'];
/** Fields in which frameworks wrap the arguments of a call. */
const INPUT_WRAPPERS = ['kwargs', 'inputs', 'input', 'arguments', 'args', 'input_str'];

/** @returns the question among the arguments, or `undefined` */
export function questionIn(input: unknown, depth = 0): Question | undefined {
  if (depth > MAX_DEPTH) return undefined;
  if (typeof input === 'string') return input.trim() === '' ? undefined : { text: input, isNamed: false };
  if (Array.isArray(input)) return firstOf(input, (part) => questionIn(part, depth + 1));
  if (!isRecord(input)) return undefined;
  const parts = textOfParts(input['content']);
  if (parts !== undefined) return { text: parts, isNamed: false };
  const named = firstOf(QUESTION_NAMES, (name) => questionIn(input[name], MAX_DEPTH));
  if (named) return { ...named, isNamed: true };
  return firstOf(INPUT_WRAPPERS, (name) => questionIn(unpacked(input[name]), depth + 1));
}

export interface Passages {
  readonly results: Partial<ExternalResult>[];
  /** Whether these are plain texts without other signs of documents. */
  readonly areTexts: boolean;
}

/** Fields in which frameworks and the Model Context Protocol wrap the result of a call. */
const OUTPUT_WRAPPERS = [
  'structuredContent',
  'result',
  'output',
  'outputs',
  // LangChain serializes a tool message as its constructor, with the documents beside the text for the model.
  'kwargs',
  'artifact',
  'value',
  'content',
];

/** @returns the passages with their texts, or `undefined` for other results */
export function passagesIn(output: unknown, depth = 0): Passages | undefined {
  if (depth > MAX_DEPTH) return undefined;
  const parts = textParts(output);
  // A single part is the whole answer, often as JSON. Plain text cannot be split into passages.
  if (parts?.length === 1) return passagesIn(unpacked(parts[0]), depth + 1);
  const answer = searchAnswer(output);
  if (answer) return { results: answer, areTexts: false };
  const results = documentsIn(parts?.map(unpacked) ?? output);
  if (results) return toPassages(results, parts ?? output);
  if (!isRecord(output) || output['isError'] === true) return undefined;
  return firstOf(OUTPUT_WRAPPERS, (name) => passagesIn(unpacked(output[name]), depth + 1));
}

/** A result with only an id is not a passage, as many tools return records. */
function toPassages(results: Partial<ExternalResult>[], list: unknown): Passages | undefined {
  if (results.some(({ text }) => text === undefined)) return undefined;
  return { results, areTexts: Array.isArray(list) && list.every((each) => typeof each === 'string') };
}

/** The texts of an answer in parts, as in the Model Context Protocol. */
function textParts(output: unknown): readonly string[] | undefined {
  if (!Array.isArray(output)) return undefined;
  const texts = output.map((part: unknown) =>
    isRecord(part) && part['type'] === 'text' ? part['text'] : undefined,
  );
  return texts.every((text) => typeof text === 'string') ? texts : undefined;
}

function firstOf<T, R>(list: readonly T[], find: (item: T) => R | undefined): R | undefined {
  for (const item of list) {
    const result = find(item);
    if (result !== undefined) return result;
  }
  return undefined;
}
