/** ranx (Bassani 2022): qrels and runs as JSON, `{query: {passage: number}}`, or as rows of its data frames. */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import { messageOf, ParallaxError } from '../../errors.ts';
import type { Qrels, Ranked, Run } from '../../model.ts';
import { PLAIN_PERSPECTIVE } from '../../words.ts';
import { linesOf, parseJson } from '../lines.ts';
import { Doubts, quote } from './exchange.ts';
import { unionOfPerspectives } from './plain-qrels.ts';

/**
 * The scores define the order, as JSON objects have none. Ties go to the larger passage id, as in trec_eval, with a
 * warning.
 *
 * @param name of the file, for messages
 * @throws ParallaxError `bad-file` naming the query and passage that are wrong
 */
export function parseRanxRun(
  text: string,
  name: string,
): { readonly run: Run; readonly warnings: readonly string[] } {
  const doubts = new Doubts();
  const run = new Map<string, readonly Ranked[]>();
  for (const [query, scores] of topicsOf(text, name)) {
    const ranking = scores
      .map(([item, score]) => ({ item, score }))
      .sort((a, b) => b.score - a.score || (a.item < b.item ? 1 : -1));
    if (ranking.some(({ score }, place) => place > 0 && score === ranking[place - 1]!.score))
      doubts.add('Equal scores: ties go to the larger passage id, as in trec_eval', `query ${quote(query)}`);
    run.set(query, ranking);
  }
  return { run, warnings: doubts.warnings.map((warning) => `${name}: ${warning}`) };
}

/**
 * @param name of the file, for messages
 * @throws ParallaxError `bad-file` naming the query and passage that are wrong
 */
export function parseRanxQrels(
  text: string,
  name: string,
): { readonly qrels: Qrels; readonly warnings: readonly string[] } {
  const doubts = new Doubts();
  const qrels = new Map<string, ReadonlyMap<string, ReadonlyMap<string, number>>>();
  for (const [query, judgements] of topicsOf(text, name)) {
    const judged = new Map<string, number>();
    for (const [passage, relevance] of judgements) {
      if (!Number.isInteger(relevance))
        throw notRanx(
          name,
          `the relevance of ${quote(passage)} for ${quote(query)} is ${relevance}, not a whole number`,
        );
      if (relevance < 0)
        doubts.add('Negative relevance counts as unjudged', `${quote(query)} and ${quote(passage)}`);
      else judged.set(passage, relevance);
    }
    qrels.set(query, new Map([[PLAIN_PERSPECTIVE, judged]]));
  }
  return { qrels, warnings: doubts.warnings.map((warning) => `${name}: ${warning}`) };
}

/** Equal scores are lowered one after another, so that ranx reads the same order. */
export function formatRanxRun(run: Run): string {
  return formatTopics([...run].map(([query, ranking]) => [query, fallingScores(ranking)]));
}

/** ranx has no perspectives, so each passage gets its highest relevance for any of them. */
export function formatRanxQrels(qrels: Qrels): string {
  return formatTopics([...unionOfPerspectives(qrels)].map(([query, judged]) => [query, [...judged]]));
}

type Topic = readonly [query: string, values: readonly (readonly [passage: string, value: number])[]];

function topicsOf(text: string, name: string): Topic[] {
  const json = rowsAsObject(text) ?? parse(text, name);
  if (!isObject(json)) throw notRanx(name, l10n.t('it is not an object of queries'));
  const topics = Object.entries(json).map(([query, values]): Topic => {
    if (!isObject(values)) throw notRanx(name, l10n.t`the query ${quote(query)} has no object of passages`);
    return [
      query,
      Object.entries(values).map(([passage, value]): [string, number] => {
        if (typeof value !== 'number' || !Number.isFinite(value))
          throw notRanx(name, l10n.t`the passage ${quote(passage)} of ${quote(query)} has no number`);
        return [passage, value];
      }),
    ];
  });
  if (topics.length === 0) throw notRanx(name, l10n.t('it has no queries'));
  return topics;
}

/** A row of the data frames that ranx writes as Parquet. */
const row = z.object({ q_id: z.string(), doc_id: z.string(), score: z.unknown() });

/** @returns `undefined` if the text is not JSON Lines of such rows */
function rowsAsObject(text: string): Record<string, Record<string, unknown>> | undefined {
  if (!/^\uFEFF?\s*\{"q_id"/u.test(text.slice(0, 100))) return undefined;
  const topics = new Map<string, [string, unknown][]>();
  for (const { text: line } of linesOf(text)) {
    const json = parseJson(line);
    const { success, data } = row.safeParse('problem' in json ? undefined : json.value);
    if (!success) return undefined;
    const topic = topics.get(data.q_id);
    if (topic) topic.push([data.doc_id, data.score]);
    else topics.set(data.q_id, [[data.doc_id, data.score]]);
  }
  return Object.fromEntries([...topics].map(([query, scores]) => [query, Object.fromEntries(scores)]));
}

function parse(text: string, name: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/u, ''));
  } catch (error) {
    throw notRanx(name, l10n.t`it is not valid JSON: ${messageOf(error)}`);
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function notRanx(name: string, problem: string): ParallaxError {
  return new ParallaxError(
    'bad-file',
    l10n.t`${name} is not a ranx file ({"query": {"passage": number}}): ${problem}.`,
  );
}

/** Not `JSON.stringify`, as objects do not keep the order of keys that look like numbers. */
function formatTopics(topics: readonly Topic[]): string {
  const lines = topics.map(([query, values]) => {
    const pairs = values.map(([passage, value]) => `${JSON.stringify(passage)}: ${value}`);
    return `  ${JSON.stringify(query)}: {${pairs.join(', ')}}`;
  });
  return `{\n${lines.join(',\n')}\n}\n`;
}

function fallingScores(ranking: readonly Ranked[]): [string, number][] {
  let above = Infinity;
  return ranking.map(({ item, score }) => {
    above = score < above ? score : below(above);
    return [item, above];
  });
}

/** Lower by slightly more than rounding. */
function below(score: number): number {
  return score - Math.max(Math.abs(score) * 2 ** -40, Number.MIN_VALUE);
}
