/**
 * The edit of a user's code that applies a what-if, if it is unambiguous: MMR in LangChain, LlamaIndex and Qdrant, on a
 * store that is known to support it. Other libraries have no MMR, or one that differs between versions.
 */
import * as l10n from '@vscode/l10n';
import { MMR_WEIGHT, type WhatIf } from '../features/lens/core/what-ifs.ts';
import { argumentsAfter, membersOf, type ArgumentList, type Piece } from './argument-list.ts';
import type { CallSite, CodeEdit } from './model.ts';

/**
 * The edit that applies a what-if.
 *
 * @param text of the cell that contains the site
 * @returns `undefined` if there is none, or if it is unclear what to write
 */
export function whatIfEdit(
  text: string,
  site: CallSite,
  { kind, pipeline }: WhatIf,
): readonly CodeEdit[] | undefined {
  return kind === 'mmr' ? mmrEdit(text, site, pipeline.candidates) : undefined;
}

/**
 * @param text of the cell that contains the site
 * @param pool number of candidates that MMR chooses from
 * @returns `undefined` if it is unclear what to write
 */
export function mmrEdit(text: string, site: CallSite, pool: number): readonly CodeEdit[] | undefined {
  if (site.mmr || site.held || !site.takesMmr) return undefined;
  const args = argumentsAfter(text, site.range.end);
  if (!args) return undefined;
  const edits = EDITS[site.library]?.[site.callee]?.({ text, site, pool, ...args });
  return edits?.map(({ start, end, text: written }) => ({
    place: { cell: site.range.cell, start, end },
    text: written,
  }));
}

/**
 * Names the arguments that the edit removes. `undefined` if it removes none.
 *
 * @param text of the cell that contains the site
 */
export function lostByMmr(text: string, site: CallSite): string | undefined {
  const list = argumentsAfter(text, site.range.end)?.list ?? [];
  const type = named(list, 'search_type', '=');
  const kwargs = named(list, 'search_kwargs', '=');
  const settings = kwargs && settingsOf(text, kwargs);
  return type?.text.includes('similarity_score_threshold') === true || settings?.list.some(isThreshold)
    ? l10n.t('LangChain searches either by threshold or by MMR, so the score threshold is removed.')
    : undefined;
}

function isThreshold({ text }: Piece): boolean {
  return /^["']score_threshold["']\s*:/u.test(text);
}

/** The entries of a dictionary argument. */
function settingsOf(text: string, argument: Piece): ArgumentList | undefined {
  const start = argument.start + argument.text.indexOf('{');
  return membersOf(text, { ...argument, start });
}

interface Asked {
  readonly text: string;
  readonly site: CallSite;
  readonly pool: number;
  /** Offset after the opening parenthesis. */
  readonly open: number;
  readonly list: readonly Piece[];
}

type Edit = (request: Asked) => readonly Piece[] | undefined;

/** By library and callee. */
const EDITS: Readonly<Record<string, Readonly<Record<string, Edit>>>> = {
  langchain: { as_retriever: langchainRetriever, similarity_search: langchainSearch },
  'langchain-js': { asRetriever: langchainJsRetriever },
  'llama-index': {
    as_retriever: llamaIndexRetriever,
    as_query_engine: llamaIndexRetriever,
    VectorIndexRetriever: llamaIndexRetriever,
  },
  qdrant: { query_points: qdrantPython, query: qdrantJavaScript },
};

function langchainRetriever({ text, site, pool, open, list }: Asked): readonly Piece[] | undefined {
  if (list.some((each) => each.text.startsWith('**'))) return undefined;
  const settings = `"fetch_k": ${pool}, "lambda_mult": ${MMR_WEIGHT}`;
  const type = named(list, 'search_type', '=');
  const kwargs = named(list, 'search_kwargs', '=');
  const replaced = kwargs && replacedKwargs(text, kwargs, settings);
  if (kwargs && !replaced) return undefined;
  const k = site.k.value === undefined ? '' : `"k": ${site.k.value}, `;
  const last = list.at(-1);
  if (!last) return [inserted(open, `search_type="mmr", search_kwargs={${k}${settings}}`)];
  return [
    type ? { ...type, text: 'search_type="mmr"' } : inserted(open, 'search_type="mmr", '),
    replaced ?? inserted(last.end, `, search_kwargs={${k}${settings}}`),
  ];
}

/**
 * With MMR, a score threshold would be passed to a search that does not support it, and if a setting occurs twice, the
 * later one would win.
 */
function replacedKwargs(text: string, kwargs: Piece, settings: string): Piece | undefined {
  if (!/=\s*\{\s*["']/u.test(kwargs.text)) return undefined;
  const written = settingsOf(text, kwargs);
  if (!written || written.list.some((each) => each.text.startsWith('**'))) return undefined;
  const entries = written.list.filter(
    (each) => !isThreshold(each) && !/^["'](?:fetch_k|lambda_mult)["']\s*:/u.test(each.text),
  );
  if (entries.length === written.list.length) return inserted(written.open, `${settings}, `);
  const texts = [settings, ...entries.map((each) => each.text)];
  return { start: written.open - 1, end: kwargs.end, text: `{${texts.join(', ')}}` };
}

function langchainSearch({ site, pool, list }: Asked): readonly Piece[] | undefined {
  const last = list.at(-1);
  if (!last) return undefined;
  return [
    { ...site.range, text: 'max_marginal_relevance_search' },
    inserted(last.end, `, fetch_k=${pool}, lambda_mult=${MMR_WEIGHT}`),
  ];
}

function langchainJsRetriever({ pool, open, list }: Asked): readonly Piece[] | undefined {
  const settings = `searchType: "mmr", searchKwargs: { fetchK: ${pool}, lambda: ${MMR_WEIGHT} }`;
  const [only, second] = list;
  if (second || only?.text.includes('searchType')) return undefined;
  if (!only) return [inserted(open, `{ ${settings} }`)];
  if (only.text.startsWith('{') && !only.text.includes('searchKwargs'))
    return [inserted(only.start + 1, ` ${settings},`)];
  return /^\d+$/u.test(only.text) ? [{ ...only, text: `{ k: ${only.text}, ${settings} }` }] : undefined;
}

function llamaIndexRetriever({ pool, open, list }: Asked): readonly Piece[] | undefined {
  if (list.some(({ text }) => /^(?:\*\*|vector_store_)/u.test(text))) return undefined;
  const settings = `vector_store_query_mode="mmr", vector_store_kwargs={"mmr_threshold": ${MMR_WEIGHT}, "mmr_prefetch_k": ${pool}}`;
  const last = list.at(-1);
  return [last ? inserted(last.end, `, ${settings}`) : inserted(open, settings)];
}

/** Qdrant's weight is on diversity, not on relevance. */
const DIVERSITY = 1 - MMR_WEIGHT;

function qdrantPython({ text, pool, list }: Asked): readonly Piece[] | undefined {
  const query = named(list, 'query', '=');
  const vector = query?.text.slice(query.text.indexOf('=') + 1).trim();
  // A query object may already fuse or recommend.
  if (!query || !vector || !/^[\w.]+(?:\(.*\))?$/su.test(vector) || /\bmodels\.|Query\(/u.test(vector))
    return undefined;
  const mmr = `models.Mmr(diversity=${DIVERSITY}, candidates_limit=${pool})`;
  return [
    ...qdrantModelsImport(text),
    { ...query, text: `query=models.NearestQuery(nearest=${vector}, mmr=${mmr})` },
  ];
}

function qdrantModelsImport(text: string): Piece[] {
  if (/^[ \t]*from qdrant_client import .*\bmodels\b/mu.test(text)) return [];
  const first = /^from qdrant_client\b/mu.exec(text);
  return first ? [inserted(first.index, 'from qdrant_client import models\n')] : [];
}

function qdrantJavaScript({ text, pool, list }: Asked): readonly Piece[] | undefined {
  const options = list[1] && membersOf(text, list[1])?.list;
  const query = options && named(options, 'query', ':');
  const vector = query?.text.slice(query.text.indexOf(':') + 1).trim();
  if (!query || !vector || vector.startsWith('{')) return undefined;
  const mmr = `mmr: { diversity: ${DIVERSITY}, candidates_limit: ${pool} }`;
  return [{ ...query, text: `query: { nearest: ${vector}, ${mmr} }` }];
}

function inserted(at: number, text: string): Piece {
  return { start: at, end: at, text };
}

function named(list: readonly Piece[], name: string, sign: string): Piece | undefined {
  return list.find(({ text }) => new RegExp(`^${name}\\s*${sign}`, 'u').test(text));
}
