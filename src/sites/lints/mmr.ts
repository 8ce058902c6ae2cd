/** Checks for MMR that cannot change which passages are returned, and for MMR parameters without MMR. */
import * as l10n from '@vscode/l10n';
import { counted } from '../../core/counted.ts';
import { callContextOf } from '../match/fields.ts';
import type { Composed } from '../match/compose.ts';
import type { Field, LintId, SiteProblem } from '../model.ts';
import { firstReached, holds, numberAt } from '../resolve/parameters.ts';
import type { Located } from '../resolve/path.ts';
import type { Program } from '../resolve/program.ts';
import { isKnown } from '../resolve/value.ts';
import type { Expression } from '../syntax/expression.ts';
import { appended, replaced, typeFix } from './edits.ts';
import { storeOf } from './langchain-stores.ts';

/** The number of candidates that a quick fix sets for k results. */
export function roomFor(k: number): number {
  return Math.max(20, 4 * k);
}

interface PoolRule {
  readonly id: LintId;
  readonly library: string;
  /** The parameter, and the object that contains it. */
  readonly path: string;
  readonly within: string;
  readonly name: string;
  /** The library's default: a number, or k itself. `undefined` if the default is large enough. */
  readonly default: number | 'k' | undefined;
  /** Documentation of exactly this parameter, if there is any. */
  readonly docs?: string;
}

const POOLS: readonly PoolRule[] = [
  {
    id: 'qdrant-mmr-pool',
    library: 'qdrant',
    path: 'query.mmr.candidates_limit',
    within: 'query.mmr',
    name: 'candidates_limit',
    default: 'k',
    docs: 'https://qdrant.tech/course/beginners/module-6/diversity-mmr/',
  },
  {
    id: 'opensearch-mmr-pool',
    library: 'opensearch',
    path: 'body.ext.mmr.candidates',
    within: 'body.ext.mmr',
    name: 'candidates',
    default: undefined,
  },
  {
    id: 'elasticsearch-mmr-window',
    library: 'elasticsearch',
    path: 'retriever.diversify.rank_window_size',
    within: 'retriever.diversify',
    name: 'rank_window_size',
    default: 10,
  },
];

/** MMR over no more candidates than results only reorders them. */
export function mmrPool(program: Program, site: Composed): readonly SiteProblem[] {
  const rule = POOLS.find(({ library }) => library === site.match.rule.library.library);
  const { k, mmr } = site.fields;
  if (!rule || !mmr || !isKnown(k)) return [];
  const callContext = callContextOf(program, site.match);
  const poolField = numberAt(callContext, [rule.path]);
  const pool = poolField ? poolField.value : rule.default === 'k' ? k.value : rule.default;
  if (pool === undefined || pool > k.value) return [];
  const container = soleLocated(program, site, rule.within);
  if (!container) return [];
  return [
    {
      id: rule.id,
      message: poolField
        ? l10n.t`MMR can only reorder here: ${rule.name} is ${pool}, and ${k.value} results are asked for. Let it choose from more candidates.`
        : l10n.t`MMR can only reorder here: ${rule.name} is not set, so it is ${pool}, and ${k.value} results are asked for. Let it choose from more candidates.`,
      place: program.place(container.expression.node),
      docs: rule.docs ?? docsOf(site),
      fix: poolFix(program, site, rule, container.expression, poolField, roomFor(k.value)),
    },
  ];
}

/** Changes the number of candidates if it is set, else adds it to the container. */
export function poolFix(
  program: Program,
  site: Composed,
  rule: Pick<PoolRule, 'path' | 'name'>,
  container: Expression,
  poolField: Field<number> | undefined,
  room: number,
): SiteProblem['fix'] {
  const title = l10n.t`Set ${rule.name} to ${room}`;
  if (poolField) {
    const written = soleLocated(program, site, rule.path)?.expression;
    return written?.kind === 'literal'
      ? { title, edits: [replaced(program, written.node, String(room))] }
      : undefined;
  }
  const edit =
    container.kind === 'call' || container.kind === 'record'
      ? appended(program, container, rule.name, String(room))
      : undefined;
  return edit && { title, edits: [edit] };
}

/** The expression at the path, if there is one. */
export function soleLocated(program: Program, { match }: Composed, path: string): Located | undefined {
  const reached = firstReached(callContextOf(program, match), [path]);
  return reached.state === 'found' ? reached.located[0] : undefined;
}

/** LangChain in both languages: the same parameters under different names. */
const LANGCHAIN: Readonly<
  Record<
    string,
    { readonly kwargs: string; readonly type: string; readonly pool: string; readonly weight: string }
  >
> = {
  langchain: { kwargs: 'search_kwargs', type: 'search_type', pool: 'fetch_k', weight: 'lambda_mult' },
  'langchain-js': { kwargs: 'searchKwargs', type: 'searchType', pool: 'fetchK', weight: 'lambda' },
};

export function fetchKNotAboveK(program: Program, site: Composed): readonly SiteProblem[] {
  const names = LANGCHAIN[site.match.rule.library.library];
  const { k, pool, mmr } = site.fields;
  if (!names || !mmr || !isKnown(k) || !isKnown(pool) || pool.value > k.value) return [];
  const isDefault = pool.provenance === 'library-default';
  const path = [`${names.kwargs}.${names.pool}`, names.pool, '#2'].find((each) =>
    soleLocated(program, site, each),
  );
  const container = soleLocated(program, site, names.kwargs)?.expression;
  const room = roomFor(k.value);
  return [
    {
      id: 'fetch-k-not-above-k',
      message: isDefault
        ? l10n.t`MMR can only reorder here: ${names.pool} is ${pool.value} by default, and ${k.value} results are asked for.`
        : l10n.t`MMR can only reorder here: ${names.pool} is ${pool.value}, and ${k.value} results are asked for.`,
      place: program.place(site.token),
      docs: docsOf(site),
      fix: isDefault
        ? container && poolFix(program, site, { path: '', name: names.pool }, container, undefined, room)
        : path === undefined
          ? undefined
          : poolFix(program, site, { path, name: names.pool }, site.call, pool, room),
    },
  ];
}

/** A reranker that keeps all passages it gets can only change their order. */
export function rerankerWithoutChoice(program: Program, site: Composed): readonly SiteProblem[] {
  const { pool, rerank, mmr, matching } = site.fields;
  if (!site.match.rule.call.rerankers || mmr || matching === 'passages') return [];
  if (!isKnown(pool) || !isKnown(rerank?.topN) || pool.value > rerank.topN.value) return [];
  const written = pool.provenance === 'literal' ? pool.place : undefined;
  const room = roomFor(rerank.topN.value);
  return [
    {
      id: 'reranker-without-choice',
      message: l10n.t`The reranker gets ${pool.value} passages and keeps up to ${rerank.topN.value}, so it can change their order but not which passages come back.`,
      place: program.place(site.token),
      docs: docsOf(site),
      fix: written
        ? {
            title: counted(l10n.t('Hand it {0} [0:passage|passages]'), room),
            edits: [{ place: written, text: String(room) }],
          }
        : undefined,
    },
  ];
}

/** `fetch_k` and `lambda_mult` without `search_type="mmr"`. */
export function mmrArgumentWithoutMmr(program: Program, site: Composed): readonly SiteProblem[] {
  const { library } = site.match.rule.library;
  const names = LANGCHAIN[library];
  const rule = site.match.rule.call.mmr;
  if (!names || !rule?.when || (library === 'langchain' && !storeOf(program, site)?.readsFetchKForMmrOnly))
    return [];
  const callContext = callContextOf(program, site.match);
  if (holds(callContext, rule.when) !== false) return [];
  const useless = [names.pool, names.weight].flatMap((name) => {
    const located = soleLocated(program, site, `${names.kwargs}.${name}`);
    return located ? [{ name, located }] : [];
  });
  const hasType = soleLocated(program, site, names.type) !== undefined;
  return useless.map(({ name, located }) => ({
    id: 'mmr-argument-without-mmr',
    message: l10n.t`This search ignores ${name}: it belongs to MMR, and ${names.type} is not "mmr".`,
    place: program.place(located.container?.node ?? located.expression.node),
    docs: docsOf(site),
    fix: hasType ? undefined : typeFix(program, site, names.type, 'mmr', l10n.t`Use MMR: add ${names.type}`),
  }));
}

/** LangChain's newer adapter of Qdrant passes λ on as the diversity, which is the opposite. */
export function invertedWeight(program: Program, site: Composed): readonly SiteProblem[] {
  const { mmr } = site.fields;
  if (!storeOf(program, site)?.invertsWeight || !isKnown(mmr?.own) || mmr.own.value === 0.5) return [];
  const { place } = mmr.own;
  return [
    {
      id: 'langchain-inverted-lambda',
      message: l10n.t`Newer versions of langchain-qdrant pass lambda_mult to Qdrant as diversity: there ${mmr.own.value} weighs diversity instead of relevance. Older versions follow LangChain's definition.`,
      place: place ?? program.place(site.token),
      docs: 'https://github.com/langchain-ai/langchain/issues/39052',
      fix: undefined,
    },
  ];
}

/** The library's documentation of this call. */
export function docsOf({ match }: Composed): string | undefined {
  return match.rule.call.docs ?? match.rule.library.docs;
}
