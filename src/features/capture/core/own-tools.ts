/** Tools with answers in a custom form, whose paths are configured in parallax.json. */
import * as z from 'zod';
import { valueAt } from '../../../core/external/results.ts';
import type { ExternalResult } from '../../../core/external/spec.ts';
import type { Read } from '../../../core/read.ts';
import { unpacked } from '../../../core/text/json.ts';
import { questionIn } from './call-parts.ts';
import { retrievalReading, unusedReading, kindOf, textAttribute, type SpanReading } from './span-reading.ts';
import type { CapturedSpan } from './spans.ts';
import type { CallOfTool } from './calls.ts';

/** Paths of the parts of a tool call, such as `data.hits` or `content[0].text`. */
const path = z.string();

export const toolsSchema = z.record(
  z.string().min(1),
  z.strictObject({
    query: path
      .optional()
      .describe('Where in the arguments the question stands; found by the usual names when left out.'),
    results: path.default('').describe('Where in the answer the list of passages stands, such as data.hits.'),
    id: path.default('id').describe('Where in a passage its id stands.'),
    text: path.default('text').describe('Where in a passage its text stands.'),
    score: path.default('score').describe('Where in a passage its score stands.'),
  }),
);
/** By the name of the tool or the traced function. */
export type ToolsByName = Read<typeof toolsSchema>;

/** Attributes of a tool's name, arguments and result in each convention. */
const CALLS = [
  {
    name: 'gen_ai.tool.name',
    input: 'gen_ai.tool.call.arguments',
    output: 'gen_ai.tool.call.result',
  },
  { name: 'ai.toolCall.name', input: 'ai.toolCall.args', output: 'ai.toolCall.result' },
  { name: 'traceloop.entity.name', input: 'traceloop.entity.input', output: 'traceloop.entity.output' },
  { name: 'tool.name', input: 'input.value', output: 'output.value' },
] as const;

/** @returns `undefined` for spans of other tools */
export function hearOwnTool(span: CapturedSpan, tools: ToolsByName): SpanReading | undefined {
  for (const { name, input, output } of CALLS) {
    const tool = textAttribute(span.attributes, name);
    const paths = tool !== undefined && Object.hasOwn(tools, tool) ? tools[tool] : undefined;
    if (paths)
      return hearByPaths(span, paths, {
        kind: name,
        input: span.attributes.get(input),
        output: span.attributes.get(output),
      });
  }
  return undefined;
}

function hearByPaths(
  span: CapturedSpan,
  paths: ToolsByName[string],
  { kind, input, output }: CallOfTool,
): SpanReading {
  const args = unpacked(input);
  const question = questionIn(paths.query === undefined ? args : unpackedAt(args, paths.query));
  if (!question) return unusedReading(span, kind, 'no-query');
  if (output === undefined) return unusedReading(span, kind, 'no-documents');
  const list = unpackedAt(unpacked(output), paths.results);
  const documents = Array.isArray(list)
    ? list.map((result: unknown) => documentAt(result, paths))
    : [undefined];
  const results = documents.filter((document) => document !== undefined);
  if (results.length < documents.length) return unusedReading(span, kind, 'unreadable');
  const retrieval = retrievalReading(span, {
    step: 'retriever',
    query: question.text,
    results,
  });
  return { ...retrieval, call: kindOf(span, kind) };
}

/** @returns `undefined` if there is neither an id nor a text */
function documentAt(
  result: unknown,
  { id, text, score }: ToolsByName[string],
): Partial<ExternalResult> | undefined {
  const parts = { id: written(valueAt(result, id)), text: written(valueAt(result, text)) };
  if (parts.id === undefined && parts.text === undefined) return undefined;
  const value = valueAt(result, score);
  return {
    ...(parts.id === undefined ? {} : { id: parts.id }),
    ...(parts.text === undefined ? {} : { text: parts.text }),
    ...(typeof value === 'number' ? { score: value } : {}),
  };
}

function written(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Answers often contain JSON as text. */
function unpackedAt(value: unknown, path: string): unknown {
  return unpacked(valueAt(value, path));
}
