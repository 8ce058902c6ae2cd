/**
 * The wording of facts about an evaluation: one for all panels, reports, commands and agents. A clause begins with a
 * small letter and has no full stop; {@link sentence} makes a sentence of it.
 */
import * as l10n from '@vscode/l10n';
import { counted, counts, numberFormat, type Range } from './counted.ts';
import { isAbsent, isProbablyAbsent } from './coverage.ts';
import type { PerspectiveState, Place, ProbeReach } from './coverage-states.ts';
import type { Measured } from './measured.ts';
import type { JudgedBy } from './model.ts';
import { allOf } from './text/enumeration.ts';

export function capitalized(clause: string): string {
  return clause.replace(/^\p{Ll}/u, (letter) => letter.toLocaleUpperCase());
}

export function sentence(clause: string): string {
  return `${capitalized(clause)}.`;
}

/** The name of a place where a perspective can be, for headings and legends: `below k`. */
export function placeName(place: Place): string {
  switch (place) {
    case 'covered':
      return l10n.t('covered');
    case 'below-k':
      return l10n.t('below k');
    case 'approximate-miss':
      return l10n.t('approximate miss');
    case 'not-retrieved':
      return l10n.t('not retrieved');
    case 'unjudged':
      return l10n.t('unjudged');
    case 'not-found':
      return l10n.t('not found yet');
  }
}

/** What a place means, as a sentence. */
export function placeMeaning(place: Place, k: number | 'k' = 'k'): string {
  switch (place) {
    case 'covered':
      return l10n.t`A supporting passage is in the top ${k}.`;
    case 'below-k':
      return l10n.t`A supporting passage was retrieved, but below ${k}: reranking can bring it up.`;
    case 'approximate-miss':
      return l10n.t('An exact search would have had a supporting passage among the candidates.');
    case 'not-retrieved':
      return l10n.t('A supporting passage is known, but it is not among the candidates.');
    case 'unjudged':
      return l10n.t('No passage is judged for it: it may be covered.');
    case 'not-found':
      return l10n.t('No judged passage supports it. That does not mean that the corpus has none.');
  }
}

/** A place in a word or two, with the rank of the first supporting candidate if it has one. */
export function shortStateText(place: Place, rank: number | undefined): string {
  if (rank === undefined) return placeName(place);
  return place === 'covered' ? l10n.t`rank ${rank}` : l10n.t`rank ${rank}, below k`;
}

/** Where a perspective is covered or lost, as a clause. */
export function stateText(state: PerspectiveState, k: number): string {
  switch (state.where) {
    case 'covered':
      return l10n.t`covered at rank ${state.rank}`;
    case 'below-k':
      return state.unjudgedAbove === undefined
        ? l10n.t`first supported at rank ${state.rank}, below ${k}`
        : counted(
            l10n.t('supported at rank {1}, below {2}; {0} above it [0:is|are] unjudged'),
            state.unjudgedAbove,
            state.rank,
            k,
          );
    case 'approximate-miss':
      return l10n.t`missed by the approximate search; an exact one has it at rank ${state.exactRank}`;
    case 'not-retrieved':
      return elsewhereText(state);
    case 'unjudged':
      return withReach(l10n.t('unjudged: no passage is judged for it'), state.probed);
    case 'not-found':
      return notFoundText(state, k);
  }
}

function elsewhereText({
  path,
  candidates,
  unjudgedCandidates,
}: Extract<PerspectiveState, { where: 'not-retrieved' }>): string {
  const place = counted(
    l10n.t('supported by {1}, which is not among the {0} [0:candidate|candidates]'),
    candidates,
    path,
  );
  if (unjudgedCandidates === undefined) return place;
  return `${place}; ${counted(l10n.t('{0} of them [0:is|are] unjudged'), unjudgedCandidates)}`;
}

/** Without support a perspective may still be covered, so the text includes the basis of the claim. */
function notFoundText(state: Extract<PerspectiveState, { where: 'not-found' }>, k: number): string {
  const { judged, passages, unsure, unjudged, probed } = state;
  if (unsure > 0)
    return counted(l10n.t('not found yet: {0} of {1} [1:verdict is|verdicts are] unsure'), unsure, judged);
  if (isAbsent(state))
    return counted(l10n.t('not in the corpus: [0:its passage is|all {0} passages are] judged'), judged);
  const basis =
    passages === undefined
      ? counted(l10n.t('{0} [0:passage is|passages are] judged for it'), judged)
      : counted(l10n.t('{0} of {1} [1:passage is|passages are] judged for it'), judged, passages);
  if (probed && isProbablyAbsent(state))
    return counted(
      l10n.t(
        'probably not in the corpus: {0} [0:search|searches] found {1} [1:passage|passages] for it, and none supports it; {2}',
      ),
      probed.searches,
      probed.found,
      basis,
    );
  const text = l10n.t`not found yet: ${basis}`;
  const open = counted(l10n.t('{0} of the top {1} [0:is|are] unjudged'), unjudged, k);
  return withReach(unjudged > 0 ? `${text}; ${open}` : text, probed);
}

/** Adds how far the results of deeper searches are judged. */
function withReach(text: string, probed: ProbeReach | undefined): string {
  if (!probed) return text;
  const { searches, found, judged } = probed;
  const reach =
    judged === 0
      ? counted(
          l10n.t(
            '{0} [0:search|searches] found {1} [1:passage|passages] for it, and the best of them is not judged yet',
          ),
          searches,
          found,
        )
      : counted(
          l10n.t(
            '{0} [0:search|searches] found {1} [1:passage|passages] for it, and the first [2:of them is|{2} of them are] judged',
          ),
          searches,
          found,
          judged,
        );
  return `${text}; ${reach}`;
}

/** The state of a perspective that passages of the top k may still cover. @param unjudged the number of these */
export function openStateText(state: PerspectiveState, unjudged: number, k: number): string {
  // These clauses mention unjudged passages already.
  if (state.where === 'unjudged' || state.where === 'not-found') return stateText(state, k);
  const known = state.where === 'below-k' ? { ...state, unjudgedAbove: undefined } : state;
  return `${counted(l10n.t('{0} of the top {1} [0:is|are] unjudged for it'), unjudged, k)}; ${stateText(known, k)}`;
}

/** Smaller changes of a value do not show in print. A share. */
const PRINTED = 0.0005;

/**
 * `≥ 58.4%` for a lower bound, `58.4%` for any other value.
 *
 * @param format formats a number
 */
export function measuredText(measured: Measured, format: (value: number) => string): string {
  return isLowerBound(measured) ? `≥ ${format(measured.value)}` : format(measured.value);
}

/** Whether further verdicts can raise a value visibly. */
export function isLowerBound({ value, bound, most = value }: Measured): boolean {
  return bound === 'least' && most - value >= PRINTED;
}

/** `2 of 3 perspectives covered` */
export function coveredText(covered: Measured, perspectives: number): string {
  return counted(
    l10n.t('{0} of {1} [1:perspective|perspectives] covered'),
    measuredText(covered, (value) => counted('{0}', value)),
    perspectives,
  );
}

type Source = Pick<JudgedBy, 'source' | 'judge'> & { readonly heuristic?: boolean | undefined };

/** Whose judgements these are: `people`, `gpt (debate)`. */
export function sourceName({ source, judge, heuristic }: Source): string {
  switch (source) {
    case 'human':
      return l10n.t('people');
    case 'imported':
      return l10n.t('imported labels');
    case 'lexical':
      return l10n.t('word overlap (heuristic)');
    case 'agent':
      return l10n.t`${judge} (agent)`;
    case 'debate':
      return l10n.t`${judge} (debate)`;
    case 'nli':
      return l10n.t`${judge} (NLI)`;
    case 'llm':
      return judgeName({ judge, heuristic });
  }
}

/** `gpt`, or `lexical (heuristic)`, as outputs must mention heuristics. */
export function judgeName({ judge, heuristic = false }: Omit<Source, 'source'>): string {
  return heuristic && !/heuristic/iu.test(judge) ? l10n.t`${judge} (heuristic)` : judge;
}

/** `12 by people, 8 by gpt (debate), 3 imported labels` */
export function sourceCounts(by: readonly JudgedBy[]): string {
  return by
    .map((origin) =>
      origin.source === 'imported'
        ? counted(l10n.t('{0} imported [0:label|labels]'), origin.count)
        : counted(l10n.t('{0} by {1}'), origin.count, sourceName(origin)),
    )
    .join(', ');
}

/** Who gave one verdict. @param judge the person, agent or judge */
export function verdictBy({ source, judge }: Pick<JudgedBy, 'source' | 'judge'>): string {
  switch (source) {
    case 'human':
      return l10n.t`labelled by ${judge}`;
    case 'imported':
      return l10n.t`imported from ${judge}`;
    case 'agent':
      return l10n.t`labelled by ${sourceName({ source, judge })}`;
    case 'lexical':
    case 'debate':
    case 'llm':
    case 'nli':
      return l10n.t`judged by ${sourceName({ source, judge })}`;
  }
}

/** `12 of 15 pairs judged: 12 by people` */
export function judgedPairsText(judged: number, pairs: number, by: readonly JudgedBy[] = []): string {
  if (pairs === 0) return l10n.t('nothing was retrieved that could be judged');
  const share = counted(l10n.t('{0} of {1} [1:pair|pairs] judged'), judged, pairs);
  return by.length === 0 ? share : `${share}: ${sourceCounts(by)}`;
}

/** A judged share, rounded down, so that one slightly below a limit or 100% does not appear to reach it: `79%` */
export function judgedPercent(share: number): string {
  return numberFormat({ style: 'percent', maximumFractionDigits: 0, roundingMode: 'floor' }).format(share);
}

/** `80% judged`. @param share in [0, 1] */
export function judgedText(share: number): string {
  return l10n.t`${judgedPercent(share)} judged`;
}

/** `80% of the top 5 judged by people and gpt`. @param share in [0, 1] */
export function judgedTopText(share: number, depth: string, sources: readonly Source[]): string {
  const text = l10n.t`${judgedPercent(share)} of the top ${depth} judged`;
  return sources.length === 0 ? text : l10n.t`${text} by ${allOf([...new Set(sources.map(sourceName))])}`;
}

/** Why figures of a ranking that its own judge made are no evidence. */
export function circularText(judge: string): string {
  return l10n.t`${judge} both ranked and judged these passages, so its errors look like improvements, and the uncorrected figures are not evidence. Judge the passages by human labels or with another judge.`;
}

/**
 * The queries that a pipeline failed on.
 *
 * @param errors at least one
 * @param queries the number of all queries
 */
export function failedQueriesText(
  about: string,
  errors: readonly { readonly query: string; readonly message: string }[],
  queries: number,
): string {
  return counted(
    l10n.t(
      '{0}: {1} of {2} [2:question|questions] failed and [1:counts|count] as finding nothing ({3}): {4}',
    ),
    about,
    errors.length,
    queries,
    errors.map(({ query }) => query).join(', '),
    errors[0]!.message,
  );
}

/** For a pipeline that reranks for coverage. @param ids of queries that wanted more requests */
export function cutShortText(about: string, ids: readonly string[], queries: number): string {
  return counted(
    l10n.t(
      '{0} was out of requests for {1} of {2} [2:question|questions] ({3}): with a larger budget it may rank them better.',
    ),
    about,
    ids.length,
    queries,
    ids.join(', '),
  );
}

export const nothingJudged = (): string => l10n.t('nothing judged yet');

/** What helps if unjudged passages leave something open. @param queries whose passages these are, if not all */
export function labelOrJudge(queries = ''): string {
  return queries === ''
    ? l10n.t('Label passages, or have a model judge them.')
    : l10n.t`Label passages (of ${queries}), or have a model judge them.`;
}

/** Added to a difference that is not shown to be real. */
export const noiseText = (): string => l10n.t('the interval includes 0: this may be noise');

export const unjudgedCounts = (): string => l10n.t('Unjudged passages count as not supporting.');

/** `3 to 12 requests, about 2,400 to 6,800 tokens` */
export function effortText({ requests, promptTokens, completionTokens, mayAskAgain }: EffortOf): string {
  const tokens = {
    least: promptTokens.least + completionTokens.least,
    most: promptTokens.most + completionTokens.most,
  };
  const text = l10n.t`${counts.requestsIn(requests)}, about ${counts.tokensIn(tokens)}`;
  return mayAskAgain ? l10n.t`${text} (up to as many again where quotations are not in the passage)` : text;
}

interface EffortOf {
  readonly requests: Range;
  readonly promptTokens: Range;
  readonly completionTokens: Range;
  readonly mayAskAgain?: boolean | undefined;
}
