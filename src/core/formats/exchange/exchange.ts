/**
 * The exchange form between tools: passages, queries, judgements and a run. All foreign formats are read into it and
 * written from it.
 */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../errors.ts';
import type { Qrels, Query, Run } from '../../model.ts';
import { PLAIN_PERSPECTIVE } from '../../words.ts';

export interface ExchangePassage {
  readonly id: string;
  readonly title?: string | undefined;
  readonly text: string;
}

/** Every part may be empty, which means unknown. */
export interface Exchange {
  /** Distinct ids. */
  readonly passages: readonly ExchangePassage[];
  /** Distinct ids. */
  readonly queries: readonly Query[];
  /** Sentences that combine root query and perspective, by {@link pairKey}, if the file has them (PIR). */
  readonly fullTexts: ReadonlyMap<string, string>;
  readonly qrels: Qrels;
  /** The words of a passage that support, by {@link evidenceKey}. */
  readonly evidence: ReadonlyMap<string, readonly string[]>;
  /** Best first, in the order that the file defines. */
  readonly run: Run;
  /** Further fields of test cases, by query and field name: answers, rubrics. */
  readonly fields: ReadonlyMap<string, ReadonlyMap<string, unknown>>;
}

export interface ParsedExchange {
  readonly exchange: Exchange;
  readonly warnings: readonly string[];
}

const NOTHING: Exchange = {
  passages: [],
  queries: [],
  fullTexts: new Map(),
  qrels: new Map(),
  evidence: new Map(),
  run: new Map(),
  fields: new Map(),
};

export function exchangeOf(parts: Partial<Exchange>): Exchange {
  return { ...NOTHING, ...parts };
}

export function pairKey(query: string, perspective: string): string {
  return JSON.stringify([query, perspective]);
}

export function evidenceKey(query: string, perspective: string, passage: string): string {
  return JSON.stringify([query, perspective, passage]);
}

/** Counts warnings by their sentence, so that a file of a thousand lines gets one warning instead of a thousand. */
export class Doubts {
  readonly #found = new Map<string, { count: number; readonly first: string }>();

  /** @param sentence the problem, without a full stop; equal sentences are counted together */
  add(sentence: string, example: string): void {
    const known = this.#found.get(sentence);
    if (known) known.count++;
    else this.#found.set(sentence, { count: 1, first: example });
  }

  get warnings(): string[] {
    return [...this.#found].map(
      ([sentence, { count, first }]) => `${sentence} (${count}, the first: ${first}).`,
    );
  }
}

/**
 * Merges several files. If two files contradict each other, the first counts, with a warning. A query takes its
 * perspectives from the first file that has some. {@link mismatches} checks whether ids match.
 */
export function mergeExchanges(parts: readonly Exchange[]): ParsedExchange {
  const doubts = new Doubts();
  const passages = new Map<string, ExchangePassage>();
  const queries = new Map<string, Query>();
  const run = new Map<string, Run extends ReadonlyMap<string, infer Ranking> ? Ranking : never>();
  const qrels = new Map<string, Map<string, Map<string, number>>>();
  const fields = new Map<string, ReadonlyMap<string, unknown>>();
  for (const part of parts) {
    for (const passage of part.passages) addPassage(passages, passage, doubts);
    for (const query of part.queries) addQuery(queries, query, doubts);
    for (const [query, ranking] of part.run)
      if (run.has(query)) doubts.add('Queries that two runs answer keep the first answer', quote(query));
      else run.set(query, ranking);
    addQrels(qrels, part.qrels, doubts);
    for (const [query, queryFields] of part.fields)
      if (fields.has(query)) doubts.add('Queries whose fields two files give keep the first', quote(query));
      else fields.set(query, queryFields);
  }
  const exchange = {
    passages: [...passages.values()],
    queries: [...queries.values()],
    fullTexts: new Map(parts.flatMap(({ fullTexts }) => [...fullTexts])),
    evidence: new Map(parts.flatMap(({ evidence }) => [...evidence])),
    qrels,
    run,
    fields,
  };
  return { exchange, warnings: doubts.warnings };
}

function addPassage(passages: Map<string, ExchangePassage>, passage: ExchangePassage, doubts: Doubts): void {
  const known = passages.get(passage.id);
  if (!known) passages.set(passage.id, passage);
  else if (known.text !== passage.text)
    doubts.add('Passages with the same id and another text keep the first text', quote(passage.id));
}

function addQuery(queries: Map<string, Query>, query: Query, doubts: Doubts): void {
  const known = queries.get(query.id);
  if (!known) return void queries.set(query.id, query);
  if (known.text !== query.text)
    doubts.add('Queries with the same id and another text keep the first text', quote(query.id));
  if (known.perspectives.length === 0)
    queries.set(query.id, { ...query, ...known, perspectives: query.perspectives });
}

function addQrels(merged: Map<string, Map<string, Map<string, number>>>, qrels: Qrels, doubts: Doubts): void {
  for (const [query, perspectives] of qrels) {
    const topic = merged.get(query) ?? new Map<string, Map<string, number>>();
    merged.set(query, topic);
    for (const [perspective, judgements] of perspectives) {
      const relevances = topic.get(perspective) ?? new Map<string, number>();
      topic.set(perspective, relevances);
      for (const [passage, relevance] of judgements) {
        const known = relevances.get(passage);
        if (known === undefined) relevances.set(passage, relevance);
        else if (known !== relevance)
          doubts.add(
            'Pairs that are judged differently keep the first judgement',
            `${quote(query)} and ${quote(passage)}`,
          );
      }
    }
  }
}

/**
 * Warnings about ids that do not match and would otherwise silently score zero or be left out.
 *
 * @throws ParallaxError `bad-argument` if a run and judgements share no query
 */
export function mismatches({ passages, queries, qrels, run }: Exchange): string[] {
  const queryIds = new Set(queries.map(({ id }) => id));
  const known = new Set(passages.map(({ id }) => id));
  const retrieved = [...run.values()].flatMap((ranking) => ranking.map(({ item }) => item));
  const judged = [...qrels.values()].flatMap((topic) =>
    [...topic.values()].flatMap((relevances) => [...relevances.keys()]),
  );
  if (run.size > 0 && qrels.size > 0 && ![...run.keys()].some((query) => qrels.has(query)))
    throw new ParallaxError(
      'bad-argument',
      l10n.t`The run and the judgements share no query; check that they use the same ids (run: ${quote([...run.keys()][0]!)}, judgements: ${quote([...qrels.keys()][0]!)}).`,
    );
  return [
    ...unmatched('queries of the run have no judgements', run.keys(), qrels),
    ...unmatched('judged queries are missing from the run and would count zero', qrels.keys(), run),
    ...unmatched('queries of the run are not among the queries', run.keys(), queryIds),
    ...unmatched('judged queries are not among the queries', qrels.keys(), queryIds),
    ...unmatched('retrieved passages are not in the corpus', retrieved, known),
    ...unmatched('judged passages are not in the corpus', judged, known),
    ...unknownPerspectives(queries, qrels),
  ];
}

/** Empty if there is nothing to compare with. */
function unmatched(
  sentence: string,
  ids: Iterable<string>,
  known: { readonly size: number; has(id: string): boolean },
): string[] {
  const all = new Set(ids);
  const missing = [...all].filter((id) => !known.has(id));
  if (known.size === 0 || missing.length === 0) return [];
  return [`${missing.length} of ${all.size} ${sentence}, the first is ${quote(missing[0]!)}.`];
}

function unknownPerspectives(queries: readonly Query[], qrels: Qrels): string[] {
  const missing = queries.flatMap(({ id, perspectives }) => {
    const perspectiveIds = new Set(perspectives.map((perspective) => perspective.id));
    return perspectiveIds.size === 0
      ? []
      : [...(qrels.get(id)?.keys() ?? [])]
          .filter((perspective) => perspective !== PLAIN_PERSPECTIVE && !perspectiveIds.has(perspective))
          .map((perspective) => `${quote(perspective)} of ${quote(id)}`);
  });
  return missing.length === 0
    ? []
    : [
        `${missing.length} judged perspectives are not among those of their queries, the first is ${missing[0]!}.`,
      ];
}

/** An id for messages: quoted, and cut if it is long. */
export function quote(id: string): string {
  const LONGEST = 80;
  return JSON.stringify(id.length > LONGEST ? `${id.slice(0, LONGEST)}…` : id);
}
