/** Every format that `parallax convert` reads and writes, by name. */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../errors.ts';
import { formatBeirCorpus, formatBeirQrels, parseBeirCorpus, parseBeirQrels } from './beir.ts';
import { formatBerds, parseBerds } from './berds.ts';
import { formatDeepEval, formatRagas, parseContexts } from './contexts.ts';
import { exchangeOf, mergeExchanges, quote, type Exchange, type ParsedExchange } from './exchange.ts';
import { formatPir, parsePirExchange } from './pir-exchange.ts';
import { formatEvalSet, parseEvalSet } from '../queries.ts';
import { formatRanxQrels, formatRanxRun, parseRanxQrels, parseRanxRun } from './ranx.ts';
import { formatRetrieved, parseRetrievedExchange } from './retrieved-exchange.ts';
import { formatPairs, formatTriples, parseJudged } from './training.ts';
import { parseLangfuse, parsePhoenix } from './traces.ts';
import { formatQrels, formatRun, parseQrels, parseRun } from './trec.ts';

/** Contents by path within a folder. A single file has the empty path. */
export type Files = ReadonlyMap<string, string>;

interface WrittenExchange {
  readonly files: Files;
  /** Sentences about parts that this format cannot represent. */
  readonly warnings: readonly string[];
}

/** The parts of an exchange: texts of passages and of queries, judgements, a run, and further fields of test cases. */
type Part = 'passages' | 'queries' | 'qrels' | 'run' | 'fields';
const EVERYTHING: readonly Part[] = ['passages', 'queries', 'qrels', 'run', 'fields'];

export interface ExchangeFormat {
  readonly summary: string;
  /** The parts that the format can represent. */
  readonly holds: readonly Part[];
  /** For folders: which files are read. */
  readonly reads?: ((path: string) => boolean) | undefined;
  /** @throws ParallaxError `bad-file` */
  readonly parse?: ((files: Files, name: string) => ParsedExchange) | undefined;
  /** @throws ParallaxError `bad-argument` if something that the format needs is missing */
  readonly format?: ((exchange: Exchange, tag: string) => WrittenExchange) | undefined;
}

/** A format that consists of one file. */
function single(
  summary: string,
  holds: readonly Part[],
  parse: ((text: string, name: string) => ParsedExchange) | undefined,
  format?: (
    exchange: Exchange,
    tag: string,
  ) => { readonly text: string; readonly warnings?: readonly string[] },
): ExchangeFormat {
  return {
    summary,
    holds,
    parse: parse && ((files, name) => parse(files.get('')!, name)),
    format:
      format &&
      ((exchange, tag) => {
        const { text, warnings = [] } = format(exchange, tag);
        return { files: new Map([['', text]]), warnings };
      }),
  };
}

/** One sentence on the parts of an exchange that none of the formats represents. Empty if all parts are written. */
export function lostParts(exchange: Exchange, formats: readonly Pick<ExchangeFormat, 'holds'>[]): string[] {
  const held = new Set(formats.flatMap(({ holds }) => holds));
  const lost = EVERYTHING.filter((part) => !held.has(part)).flatMap((part) => describePart(part, exchange));
  return lost.length === 0 ? [] : [`No --to holds ${lost.join(', ')}: left out.`];
}

function describePart(part: Part, { passages, queries, qrels, run, fields }: Exchange): string[] {
  const queriesWithText = queries.filter(({ text }) => text !== '').length;
  const names = new Set([...fields.values()].flatMap((queryFields) => [...queryFields.keys()]));
  const counted: Record<Part, [count: number, what: string]> = {
    passages: [passages.length, `the texts of passages (${passages.length})`],
    queries: [queriesWithText, `the texts of queries (${queriesWithText})`],
    qrels: [qrels.size, `judgements (queries: ${qrels.size})`],
    run: [run.size, `what was retrieved (queries: ${run.size})`],
    fields: [names.size, `the fields ${[...names].map(quote).join(', ')}`],
  };
  const [count, what] = counted[part];
  return count > 0 ? [what] : [];
}

const parts = (exchange: Partial<Exchange>, warnings: readonly string[], name: string): ParsedExchange => ({
  exchange: exchangeOf(exchange),
  warnings: warnings.map((warning) => `${name}: ${warning}`),
});

/** The part that a format needs. */
type Needed = 'run' | 'judgements' | 'queries' | 'files of BEIR';

/** @throws ParallaxError `bad-argument` if it is missing */
function needs(what: Needed, size: number): void {
  if (size > 0) return;
  const missing: Record<Needed, string> = {
    run: l10n.t('There is no run to write.'),
    judgements: l10n.t('There are no judgements to write.'),
    queries: l10n.t('There are no queries to write.'),
    'files of BEIR': l10n.t('There is nothing to write that BEIR can represent.'),
  };
  throw new ParallaxError('bad-argument', missing[what]);
}

export const EXCHANGE_FORMATS = {
  'trec-run': single(
    'TREC run: query Q0 passage rank score tag',
    ['run'],
    (text, name) => {
      const { run, warnings } = parseRun(text);
      return parts({ run }, warnings, name);
    },
    ({ run }, tag) => {
      const text = formatRun(run, tag);
      needs('run', text.length);
      return { text };
    },
  ),
  'trec-qrels': single(
    'TREC qrels, plain or with perspectives: query perspective passage relevance',
    ['qrels'],
    (text, name) => {
      const { qrels, warnings } = parseQrels(text);
      return parts({ qrels }, warnings, name);
    },
    ({ qrels }) => {
      needs('judgements', qrels.size);
      return { text: formatQrels(qrels) };
    },
  ),
  beir: {
    summary: 'folder of BEIR: corpus.jsonl, queries.jsonl, qrels/*.tsv',
    holds: ['passages', 'queries', 'qrels'],
    reads: (path) => path === 'corpus.jsonl' || path === 'queries.jsonl' || /^qrels\/[^/]+\.tsv$/u.test(path),
    parse: parseBeir,
    format: formatBeir,
  },
  berds: single(
    'BERDS results: question, perspectives, ctxs with answers of a judge',
    ['passages', 'queries', 'qrels', 'run'],
    parseBerds,
    (exchange) => {
      needs('queries', exchange.queries.length);
      return formatBerds(exchange);
    },
  ),
  pir: single(
    'PIR task: corpus, queries, source_queries, perspectives, key_ref, query_labels',
    ['passages', 'queries', 'qrels'],
    (text, name) => ({ exchange: parsePirExchange(text, name), warnings: [] }),
    formatPir,
  ),
  'ranx-run': single(
    'ranx run: {query: {passage: score}}',
    ['run'],
    (text, name) => {
      const { run, warnings } = parseRanxRun(text, name);
      return { exchange: exchangeOf({ run }), warnings };
    },
    ({ run }) => {
      needs('run', run.size);
      return { text: formatRanxRun(run) };
    },
  ),
  'ranx-qrels': single(
    'ranx qrels: {query: {passage: relevance}}',
    ['qrels'],
    (text, name) => {
      const { qrels, warnings } = parseRanxQrels(text, name);
      return { exchange: exchangeOf({ qrels }), warnings };
    },
    ({ qrels }) => {
      needs('judgements', qrels.size);
      return { text: formatRanxQrels(qrels), warnings: mergedPerspectives(qrels, 'ranx') };
    },
  ),
  ragas: single(
    'ragas samples, JSONL or CSV: user_input, retrieved_contexts, reference_contexts',
    EVERYTHING,
    parseContexts,
    (exchange) => {
      needs('queries', exchange.queries.length);
      return formatRagas(exchange);
    },
  ),
  deepeval: single(
    'DeepEval test cases, JSONL: input, retrieval_context, context',
    EVERYTHING,
    parseContexts,
    (exchange) => {
      needs('queries', exchange.queries.length);
      return formatDeepEval(exchange);
    },
  ),
  langfuse: single('observations exported from Langfuse, JSON or JSONL', [], parseLangfuse),
  phoenix: single('spans or retrieved documents exported from Phoenix, JSON or JSONL', [], parsePhoenix),
  retrieved: single(
    'what a retriever found, JSONL: id or query, and results; a "run" retriever reads it',
    ['passages', 'queries', 'run'],
    parseRetrievedExchange,
    (exchange) => {
      needs('run', exchange.run.size);
      return { text: formatRetrieved(exchange) };
    },
  ),
  judged: single(
    'what --write-qrels writes beside qrels, JSONL: each judgement with its evidence',
    ['qrels'],
    parseJudged,
  ),
  pairs: single(
    'for training a judge, JSONL: question, perspective, document, label, evidence',
    ['passages', 'queries', 'qrels'],
    undefined,
    formatPairs,
  ),
  triples: single(
    "for training a retriever, JSONL: root, perspective, positive, negative (another perspective's)",
    ['passages', 'queries', 'qrels'],
    undefined,
    formatTriples,
  ),
  'eval-set': single(
    'queries with their perspectives, JSONL',
    ['queries'],
    (text, name) => {
      const { queries, warnings } = parseEvalSet(text, name);
      return { exchange: exchangeOf({ queries }), warnings };
    },
    ({ queries }) => {
      needs('queries', queries.length);
      return { text: formatEvalSet(queries), warnings: withoutPerspectives(queries) };
    },
  ),
} satisfies Record<string, ExchangeFormat>;

function withoutPerspectives(queries: Exchange['queries']): string[] {
  return queries.some(({ perspectives }) => perspectives.length > 0)
    ? []
    : [
        'No query has perspectives: add some to each, have a model propose them (parallax build), or evaluate with --qrels.',
      ];
}

export type ExchangeFormatName = keyof typeof EXCHANGE_FORMATS;

function mergedPerspectives(qrels: Exchange['qrels'], tool: string): string[] {
  const several = [...qrels.values()].filter((topic) => topic.size > 1).length;
  return several === 0
    ? []
    : [
        `${tool} knows no perspectives: the judgements of ${several} queries are merged into one relevance per passage.`,
      ];
}

function parseBeir(files: Files, name: string): ParsedExchange {
  if (files.size === 0)
    throw new ParallaxError(
      'bad-file',
      l10n.t`${name} has neither corpus.jsonl nor queries.jsonl nor qrels/*.tsv.`,
    );
  const exchanges = [...files].map(([path, text]): ParsedExchange => {
    const shown = `${name}/${path}`;
    if (path === 'corpus.jsonl') {
      const { passages, warnings } = parseBeirCorpus(text, shown);
      return { exchange: exchangeOf({ passages }), warnings };
    }
    if (path === 'queries.jsonl') {
      const { queries, warnings } = parseEvalSet(text, shown);
      return { exchange: exchangeOf({ queries }), warnings };
    }
    const { qrels, warnings } = parseBeirQrels(text, shown);
    return { exchange: exchangeOf({ qrels }), warnings };
  });
  const merged = mergeExchanges(exchanges.map(({ exchange }) => exchange));
  return {
    exchange: merged.exchange,
    warnings: [
      ...exchanges.flatMap(({ warnings }) => warnings),
      ...merged.warnings.map((warning) => `${name}: ${warning}`),
    ],
  };
}

function formatBeir(exchange: Exchange): WrittenExchange {
  const { passages, queries, qrels } = exchange;
  const files = new Map<string, string>();
  if (passages.length > 0) files.set('corpus.jsonl', formatBeirCorpus(passages));
  if (queries.length > 0) files.set('queries.jsonl', formatEvalSet(queries));
  if (qrels.size > 0) files.set('qrels/test.tsv', formatBeirQrels(qrels));
  needs('files of BEIR', files.size);
  return { files, warnings: mergedPerspectives(qrels, 'BEIR') };
}
