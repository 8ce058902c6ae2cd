/**
 * Test cases of ragas and DeepEval: a question, the texts that were retrieved for it, best first, and the texts that
 * should have been. Both tools renamed their fields over time; all names are read.
 */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import type { Read } from '../../read.ts';
import { ParallaxError } from '../../errors.ts';
import type { Query, Ranked } from '../../model.ts';
import { PLAIN_PERSPECTIVE } from '../../words.ts';
import { issueClause } from '../../schema-issue.ts';
import { Doubts, exchangeOf, quote, type Exchange, type ParsedExchange } from './exchange.ts';
import { ListedPassages, rankedAsListed } from './listed.ts';
import { unionOfPerspectives } from './plain-qrels.ts';
import { parseRecords, type JsonRecords } from './records.ts';
import { parseTable } from './table.ts';
import { listOf } from '../lists.ts';

const identifier = z.union([z.string().min(1), z.number()]).transform(String);
const texts = listOf(z.string());
const ids = listOf(identifier);

/** The names of each field in the tools' versions, current ones first. */
const NAMES = {
  id: ['id', 'name'],
  query: ['user_input', 'input', 'question', 'query'],
  retrieved: ['retrieved_contexts', 'retrieval_context', 'retrievalContext', 'contexts'],
  retrievedIds: ['retrieved_context_ids'],
  reference: ['reference_contexts', 'context', 'ground_truth_contexts'],
  referenceIds: ['reference_context_ids'],
} as const;

/** The current ragas names of fields beside a retrieval, by the older and DeepEval names. */
const BESIDE: Readonly<Record<string, string>> = {
  answer: 'response',
  actual_output: 'response',
  actualOutput: 'response',
  ground_truth: 'reference',
  expected_output: 'reference',
  expectedOutput: 'reference',
};

/** All names of fields that contain lists. */
const LISTS = [NAMES.retrieved, NAMES.retrievedIds, NAMES.reference, NAMES.referenceIds].flat();

const testCase = z.object({
  id: identifier.nullish(),
  query: z
    .string({ error: () => l10n.t('expected a string (a conversation has no single query)') })
    .refine((text) => text.trim() !== '', { error: () => l10n.t('must not be empty') }),
  retrieved: texts.nullish(),
  retrievedIds: ids.nullish(),
  reference: texts.nullish(),
  referenceIds: ids.nullish(),
});
type TestCase = Read<typeof testCase>;

/**
 * A test case without an id is named after its position (`q12`). Reference contexts become judgements. These tools have
 * no perspectives.
 *
 * @param name of the file, for messages
 * @throws ParallaxError `bad-file` if the file has no test case
 */
export function parseContexts(text: string, name: string): ParsedExchange {
  const doubts = new Doubts();
  const { records, problems } = testCases(text);
  const warnings = [...problems];
  const cases = new Map<string, TestCase>();
  const fields = new Map<string, ReadonlyMap<string, unknown>>();
  for (const { number, value } of records) {
    const named = namedFields(value);
    const parsed = testCase.safeParse(named);
    const id = parsed.data?.id ?? `q${number}`;
    if (!parsed.success)
      warnings.push(l10n.t`Test case ${number}: ${issueClause(parsed.error, named)}; skipped.`);
    else if (cases.has(id))
      warnings.push(l10n.t`Test case ${number}: id ${quote(id)} occurs a second time; skipped.`);
    else {
      cases.set(id, parsed.data);
      const extraFields = fieldsBeside(value);
      if (extraFields.size > 0) fields.set(id, extraFields);
    }
  }
  if (cases.size === 0)
    throw new ParallaxError(
      'bad-file',
      warnings[0] === undefined
        ? l10n.t`${name} contains no test cases of ragas or DeepEval. It is empty.`
        : l10n.t`${name} contains no test cases of ragas or DeepEval. ${warnings[0]}`,
    );
  return {
    exchange: { ...toExchange(cases, doubts), fields },
    warnings: [...warnings, ...doubts.warnings].map((warning) => `${name}: ${warning}`),
  };
}

/** Reads JSON or JSON lines, and anything else as the CSV table that ragas writes. */
function testCases(text: string): JsonRecords {
  if (/^\uFEFF?\s*[[{]/u.test(text))
    return parseRecords(text, ['samples', 'test_cases', 'testCases', 'goldens', 'data']);
  return parseTable(text, [...LISTS]);
}

const NAMED = new Set<string>(Object.values(NAMES).flat());

/** Answers, rubrics and other fields beside a retrieval. If two names mean the same field, the first counts. */
function fieldsBeside(value: Readonly<Record<string, unknown>>): Map<string, unknown> {
  const fields = new Map<string, unknown>();
  for (const [name, content] of Object.entries(value)) {
    const field = Object.hasOwn(BESIDE, name) ? BESIDE[name]! : name;
    if (!NAMED.has(name) && !fields.has(field) && content !== null && content !== '')
      fields.set(field, content);
  }
  return fields;
}

function namedFields(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(NAMES).map(([field, names]) => [
      field,
      names.map((name) => value[name]).find((candidate) => candidate !== undefined && candidate !== null),
    ]),
  );
}

function toExchange(cases: ReadonlyMap<string, TestCase>, doubts: Doubts): Exchange {
  const passageIds = [...cases.values()].flatMap((entry) => [
    ...(entry.retrievedIds ?? []),
    ...(entry.referenceIds ?? []),
  ]);
  const passages = new ListedPassages(doubts, passageIds);
  const queries: Query[] = [];
  const run = new Map<string, readonly Ranked[]>();
  const qrels = new Map<string, ReadonlyMap<string, ReadonlyMap<string, number>>>();
  for (const [id, entry] of cases) {
    queries.push({ id, text: entry.query, perspectives: [] });
    const retrieved = listed(id, entry.retrieved, entry.retrievedIds, passages, doubts);
    const reference = listed(id, entry.reference, entry.referenceIds, passages, doubts);
    if (retrieved)
      run.set(
        id,
        rankedAsListed(
          id,
          retrieved.map((item) => ({ item })),
          doubts,
        ),
      );
    if (reference) qrels.set(id, new Map([[PLAIN_PERSPECTIVE, new Map(reference.map((item) => [item, 1]))]]));
  }
  return exchangeOf({ queries, passages: passages.passages, run, qrels });
}

/** @returns passage ids, or `undefined` if the field is missing */
function listed(
  query: string,
  contents: readonly string[] | null | undefined,
  named: readonly string[] | null | undefined,
  passages: ListedPassages,
  doubts: Doubts,
): string[] | undefined {
  if (!contents) return named ? named.map((id) => passages.add({ id })) : undefined;
  if (named && named.length !== contents.length)
    doubts.add('Ids that are not as many as the texts are left out', `query ${quote(query)}`);
  const used = named?.length === contents.length ? named : undefined;
  return contents.map((text, place) => passages.add({ id: used?.[place], text }));
}

/** One JSON object per line, with the field names of ragas 0.2 and later. */
export function formatRagas(exchange: Exchange): {
  readonly text: string;
  readonly warnings: readonly string[];
} {
  return formatCases(exchange, ({ id, query, retrieved, reference, fields }) => ({
    ...Object.fromEntries(fields),
    id,
    user_input: query,
    ...(retrieved ? { retrieved_contexts: retrieved.texts, retrieved_context_ids: retrieved.ids } : {}),
    ...(reference ? { reference_contexts: reference.texts, reference_context_ids: reference.ids } : {}),
  }));
}

/** One JSON object per line, with the field names of DeepEval. DeepEval needs an answer in each, which may be empty. */
export function formatDeepEval(exchange: Exchange): {
  readonly text: string;
  readonly warnings: readonly string[];
} {
  const { text, warnings } = formatCases(exchange, ({ id, query, retrieved, reference, fields }) => {
    const { response = '', reference: expected, ...otherFields } = Object.fromEntries(fields);
    return {
      ...otherFields,
      name: id,
      input: query,
      actual_output: response,
      ...(expected === undefined ? {} : { expected_output: expected }),
      ...(retrieved ? { retrieval_context: retrieved.texts } : {}),
      ...(reference ? { context: reference.texts } : {}),
    };
  });
  const unanswered = exchange.queries.filter(({ id }) => !exchange.fields.get(id)?.has('response')).length;
  return {
    text,
    warnings:
      unanswered === 0
        ? warnings
        : [
            ...warnings,
            `Answers are not known for ${unanswered} of ${exchange.queries.length} queries: actual_output is empty there.`,
          ],
  };
}

interface Texts {
  readonly ids: readonly string[];
  readonly texts: readonly string[];
}

interface FormattedCase {
  readonly id: string;
  readonly query: string;
  readonly retrieved: Texts | undefined;
  readonly reference: Texts | undefined;
  readonly fields: ReadonlyMap<string, unknown>;
}

function formatCases(
  { queries, passages, run, qrels, fields }: Exchange,
  write: (entry: FormattedCase) => object,
): { readonly text: string; readonly warnings: readonly string[] } {
  const doubts = new Doubts();
  const textOf = new Map(passages.map(({ id, text }) => [id, text]));
  const judgements = unionOfPerspectives(qrels);
  const known = (ids: readonly string[]): Texts => {
    for (const id of ids) if (!textOf.has(id)) doubts.add('The texts of passages are not known', quote(id));
    return { ids, texts: ids.map((id) => textOf.get(id) ?? '') };
  };
  const lines = queries.map(({ id, text, perspectives }) => {
    if (perspectives.length > 0) doubts.add('Perspectives are left out: these tools know none', quote(id));
    const judged = judgements.get(id);
    const gold = judged && [...judged].filter(([, relevance]) => relevance > 0).map(([passage]) => passage);
    return write({
      id,
      query: text,
      retrieved: run.has(id) ? known(run.get(id)!.map(({ item }) => item)) : undefined,
      reference: gold && known(gold),
      fields: fields.get(id) ?? new Map(),
    });
  });
  return { text: lines.map((line) => `${JSON.stringify(line)}\n`).join(''), warnings: doubts.warnings };
}
