/**
 * LangChain for Python: checks for score thresholds that are rejected or have no effect, and for filters that see too
 * few passages.
 */
import * as l10n from '@vscode/l10n';
import type { Composed } from '../match/compose.ts';
import { callContextOf } from '../match/fields.ts';
import type { SiteProblem } from '../model.ts';
import { follow } from '../resolve/follow.ts';
import { firstReached, holds, numberAt } from '../resolve/parameters.ts';
import { reach, type Reached } from '../resolve/path.ts';
import type { Program } from '../resolve/program.ts';
import { isKnown } from '../resolve/value.ts';
import { appended, replaced, typeFix } from './edits.ts';
import { storeOf } from './langchain-stores.ts';
import { docsOf, poolFix, roomFor, soleLocated } from './mmr.ts';

const BY_THRESHOLD = 'similarity_score_threshold';
const PATH = 'search_kwargs.score_threshold';
/** The value that a quick fix writes; LangChain's own examples use 0.5 to 0.8. */
const SOME_THRESHOLD = '0.5';

/** LangChain makes no threshold retriever without a threshold, and does not accept an integer as one. */
export function thresholdMissing(program: Program, site: Composed): readonly SiteProblem[] {
  if (site.token.text !== 'as_retriever' || !storeOf(program, site)) return [];
  const callContext = callContextOf(program, site.match);
  if (holds(callContext, { path: 'search_type', is: [BY_THRESHOLD] }) !== true) return [];
  const threshold = reach(callContext, PATH);
  if (threshold.state === 'unknown') return [];
  const problem = (message: string, place: SiteProblem['place'], fix: SiteProblem['fix']): SiteProblem[] => [
    { id: 'langchain-threshold-missing', message, place, docs: docsOf(site), fix },
  ];
  if (threshold.state === 'absent') {
    const type = soleLocated(program, site, 'search_type');
    return problem(
      l10n.t('LangChain refuses to make this retriever: search_kwargs has no score_threshold.'),
      program.place(type?.expression.node ?? site.token),
      thresholdFix(program, site),
    );
  }
  const written = threshold.located[0]?.expression;
  if (written?.kind !== 'literal' || typeof written.value !== 'number' || !/^\d+$/u.test(written.node.text))
    return [];
  return problem(
    l10n.t`LangChain refuses to make this retriever: score_threshold must have a decimal point, and is ${written.value}.`,
    program.place(written.node),
    {
      title: l10n.t`Write ${`${written.node.text}.0`}`,
      edits: [replaced(program, written.node, `${written.node.text}.0`)],
    },
  );
}

function thresholdFix(program: Program, site: Composed): SiteProblem['fix'] {
  const kwargs = soleLocated(program, site, 'search_kwargs')?.expression;
  const edit = kwargs
    ? kwargs.kind === 'record' && appended(program, kwargs, 'score_threshold', SOME_THRESHOLD)
    : appended(program, site.call, 'search_kwargs', `{"score_threshold": ${SOME_THRESHOLD}}`);
  return edit ? { title: l10n.t`Add a score_threshold of ${SOME_THRESHOLD}`, edits: [edit] } : undefined;
}

/** A threshold that a similarity or MMR search ignores. */
export function thresholdWithoutType(program: Program, site: Composed): readonly SiteProblem[] {
  if (site.token.text !== 'as_retriever' || !storeOf(program, site)?.readsThresholdByTypeOnly) return [];
  const callContext = callContextOf(program, site.match);
  if (holds(callContext, { path: 'search_type', is: [BY_THRESHOLD] }) !== false) return [];
  const threshold = soleLocated(program, site, PATH);
  if (!threshold) return [];
  const hasType = soleLocated(program, site, 'search_type') !== undefined;
  return [
    {
      id: 'langchain-threshold-without-type',
      message: l10n.t`score_threshold filters nothing here: search_type is not "${BY_THRESHOLD}".`,
      place: program.place(threshold.container?.node ?? threshold.expression.node),
      docs: storeOf(program, site)?.source,
      fix: hasType
        ? undefined
        : typeFix(program, site, 'search_type', BY_THRESHOLD, l10n.t('Search by threshold: add search_type')),
    },
  ];
}

/** FAISS fetches before it filters, so at most the fetched passages can be returned. */
export function filterAfterFetching(program: Program, site: Composed): readonly SiteProblem[] {
  const store = storeOf(program, site);
  const { k, mmr, filtered } = site.fields;
  const within = site.token.text === 'as_retriever' ? 'search_kwargs.' : '';
  const isSearch = within !== '' || site.token.text.startsWith('similarity_search');
  if (!store?.filtersAfterFetching || !isSearch || mmr || !filtered || !isKnown(k)) return [];
  const callContext = callContextOf(program, site.match);
  if (!isSurelyGiven(program, firstReached(callContext, [`${within}filter`]))) return [];
  const path = `${within}fetch_k`;
  const fetchK = numberAt(callContext, [path]);
  if (fetchK && !isKnown(fetchK)) return [];
  const fetched = fetchK?.value ?? DEFAULT_FETCH_K;
  if (fetched >= k.value) return [];
  const container = within === '' ? site.call : soleLocated(program, site, 'search_kwargs')?.expression;
  return [
    {
      id: 'langchain-filter-after-fetching',
      message: l10n.t`At most ${fetched} of ${k.value} passages can come back: FAISS fetches fetch_k passages, here ${fetched}, and filters them then.`,
      place: program.place(site.token),
      docs: store.source,
      fix:
        container && poolFix(program, site, { path, name: 'fetch_k' }, container, fetchK, roomFor(k.value)),
    },
  ];
}

const DEFAULT_FETCH_K = 20;

/** A name may contain None, which filters nothing. */
function isSurelyGiven(program: Program, reached: Reached): boolean {
  const location = reached.state === 'found' ? reached.located[0] : undefined;
  return location !== undefined && follow(program, location.expression).expression?.kind === 'record';
}
