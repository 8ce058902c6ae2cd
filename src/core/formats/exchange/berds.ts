/**
 * BERDS results (Chen and Choi 2024). Each line has a question, its perspectives, and the retrieved passages, best
 * first, each with a judge's answers as an array of booleans in the order of the perspectives.
 */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import type { Read } from '../../read.ts';
import type { Perspective, Query, Ranked } from '../../model.ts';
import { issueClause } from '../../schema-issue.ts';
import { Doubts, exchangeOf, quote, type Exchange, type ParsedExchange } from './exchange.ts';
import { linesOf, parseJson, readLines } from '../lines.ts';
import { ListedPassages, rankedAsListed } from './listed.ts';

const refusal = (): string =>
  l10n.t('Not a BERDS file (one JSON object per line with question, perspectives and ctxs)');
/** Fields are named after the judge: `mistral-preds`, `gpt4-preds`. */
const VERDICTS = /^(.+)-preds$/u;
const OWN_VERDICTS = 'parallax-preds';

const identifier = z.union([z.string().min(1), z.number()]).transform(String);
const verdicts = z.array(z.union([z.boolean(), z.literal(0), z.literal(1), z.null()]));

const ctx = z.looseObject({
  id: identifier.nullish(),
  title: z.string().nullish(),
  text: z.string(),
  score: z.number().nullish(),
});

const record = z.object({
  id: identifier.nullish(),
  question: z.string().refine((text) => text.trim() !== '', { error: () => l10n.t('must not be empty') }),
  perspectives: z.array(z.string()).min(1, { error: () => l10n.t('must not be empty') }),
  ctxs: z.array(ctx).nullish(),
});
type BerdsRecord = Read<typeof record>;
type Ctx = Read<typeof ctx>;

/**
 * A question without an id is named after its line (`q12`), perspectives after their position (`p1`, `p2`, …) and
 * passages without ids after their texts. If there are several judges, the one with the most answers counts, with a
 * warning.
 *
 * @param name of the file, for messages
 * @throws ParallaxError `bad-file` if no line is a question
 */
export function parseBerds(text: string, name: string): ParsedExchange {
  const doubts = new Doubts();
  const records = new Map<string, BerdsRecord>();
  const warnings = readLines(linesOf(text), refusal(), (line) => {
    const json = parseJson(line.text);
    if ('problem' in json) return json.problem;
    const parsed = record.safeParse(json.value);
    if (!parsed.success) return issueClause(parsed.error, json.value);
    const id = parsed.data.id ?? `q${line.number}`;
    if (records.has(id)) return l10n.t`id ${quote(id)} occurs a second time`;
    records.set(id, parsed.data);
    return undefined;
  });
  const exchange = toExchange(records, doubts);
  return { exchange, warnings: [...warnings, ...doubts.warnings].map((warning) => `${name}: ${warning}`) };
}

function toExchange(records: ReadonlyMap<string, BerdsRecord>, doubts: Doubts): Exchange {
  const all = [...records.values()];
  const judge = chooseJudge(all, doubts);
  const contextIds = all.flatMap(({ ctxs }) => ctxs?.map(({ id }) => id) ?? []);
  const passages = new ListedPassages(doubts, contextIds);
  const run = new Map<string, readonly Ranked[]>();
  const qrels = new Map<string, Map<string, Map<string, number>>>();
  for (const [query, { perspectives, ctxs }] of records) {
    const topic = new Map(perspectives.map((_, place) => [perspectiveId(place), new Map<string, number>()]));
    const listed = (ctxs ?? []).map((context) => {
      const { id, title, text, score } = context;
      const item = passages.add({ id: id ?? undefined, title: title ?? undefined, text });
      if (judge !== undefined) judgeCtx(context, judge, { query, item, topic }, doubts);
      return { item, score: score ?? undefined };
    });
    if (ctxs) run.set(query, rankedAsListed(query, listed, doubts));
    if (judge !== undefined) qrels.set(query, topic);
  }
  const queries = [...records].map(([id, berdsRecord]) => queryOf(id, berdsRecord));
  return exchangeOf({ queries, passages: passages.passages, run, qrels });
}

const perspectiveId = (place: number): string => `p${place + 1}`;

function queryOf(id: string, { question, perspectives }: BerdsRecord): Query {
  return {
    id,
    text: question,
    perspectives: perspectives.map((text, place): Perspective => ({ id: perspectiveId(place), text })),
  };
}

/** @returns the field with the answers that count; `undefined` if there are no answers */
function chooseJudge(records: readonly BerdsRecord[], doubts: Doubts): string | undefined {
  const fields = new Map<string, number>();
  for (const { ctxs } of records)
    for (const context of ctxs ?? [])
      for (const field of Object.keys(context))
        if (VERDICTS.test(field)) fields.set(field, (fields.get(field) ?? 0) + 1);
  const [most, ...otherFields] = [...fields]
    .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
    .map(([field]) => field);
  for (const otherField of otherFields)
    doubts.add(`The answers of "${most!}" count; other judges are left out`, otherField);
  return most;
}

function judgeCtx(
  context: Ctx,
  field: string,
  { query, item, topic }: { query: string; item: string; topic: ReadonlyMap<string, Map<string, number>> },
  doubts: Doubts,
): void {
  if (!Object.hasOwn(context, field)) return;
  const parsed = verdicts.safeParse(context[field]);
  if (!parsed.success || parsed.data.length !== topic.size)
    return doubts.add(
      `Answers that are not one true or false per perspective are left out`,
      `${quote(item)} of ${quote(query)}`,
    );
  [...topic.values()].forEach((judged, place) => {
    const verdict = parsed.data[place];
    if (verdict !== null && verdict !== undefined) judged.set(item, Number(verdict));
  });
}

/**
 * Answers are written as `parallax-preds`. Unjudged pairs are `null` in it, and passages without judgements lack the
 * field. Passages with an unknown text get an empty one, with a warning.
 */
export function formatBerds(exchange: Exchange): {
  readonly text: string;
  readonly warnings: readonly string[];
} {
  const doubts = new Doubts();
  const passages = new Map(exchange.passages.map((passage) => [passage.id, passage]));
  const lines = exchange.queries.flatMap((query) => {
    if (query.perspectives.length === 0) {
      doubts.add('Queries without perspectives are left out', quote(query.id));
      return [];
    }
    const ctxs = exchange.run.get(query.id)?.map(({ item, score }) => {
      const passage = passages.get(item);
      if (!passage) doubts.add('The texts of passages are not known', quote(item));
      return {
        id: item,
        ...(passage?.title === undefined ? {} : { title: passage.title }),
        text: passage?.text ?? '',
        score,
        ...answersOf(item, query, exchange),
      };
    });
    const { id, text: question, perspectives } = query;
    const texts = perspectives.map(({ text }) => text);
    return `${JSON.stringify({ id, question, perspectives: texts, ...(ctxs ? { ctxs } : {}) })}\n`;
  });
  return { text: lines.join(''), warnings: doubts.warnings };
}

function answersOf(
  passage: string,
  { id, perspectives }: Query,
  { qrels }: Exchange,
): Partial<Record<typeof OWN_VERDICTS, readonly (boolean | null)[]>> {
  const answers = perspectives.map((perspective) => {
    const relevance = qrels.get(id)?.get(perspective.id)?.get(passage);
    return relevance === undefined ? null : relevance > 0;
  });
  return answers.every((answer) => answer === null) ? {} : { [OWN_VERDICTS]: answers };
}
