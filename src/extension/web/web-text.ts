/** Fetching a corpus from the web, in sentences. */
import { PROVIDERS, requestsPerQuery, type SearchSettings } from '../../core/web/search.ts';
import { snapshotRoot } from '../../core/web/config-edit.ts';
import { skippedByReason, type WebReport } from '../../shared/web.ts';

const count = (number: number, one: string, many = `${one}s`): string =>
  `${number} ${number === 1 ? one : many}`;

/** What is asked before anything is sent. */
export function planText(
  queries: number,
  search: SearchSettings,
  name: string,
): { readonly question: string; readonly detail: string } {
  const { label, keyHeader } = PROVIDERS[search.provider];
  const searches = queries * requestsPerQuery(search);
  return {
    question: `Send ${count(queries, 'question')} to ${label}, and fetch up to ${count(queries * search.results, 'page')}?`,
    detail: [
      `Up to ${count(searches, 'search', 'searches')}${keyHeader === undefined ? '' : `, which count against your quota at ${label}`}.`,
      'Pages are fetched from public addresses alone, one at a time from each host, where robots.txt allows it.',
      `They are kept in ${snapshotRoot(name)}. What is there already is not asked for again.`,
    ].join('\n'),
  };
}

export function fetchedText(report: WebReport): string {
  const { fetched, kept, skipped, searchesFailed, damaged } = report;
  const reasons = skippedByReason(report).map(([reason, pages]) => `${pages} ${reason}`);
  return [
    `${count(fetched, 'page')} fetched${kept > 0 ? `, ${kept} kept from earlier` : ''}.`,
    ...(skipped.length > 0 ? [`${skipped.length} skipped (${reasons.join(', ')}).`] : []),
    ...(damaged > 0 ? [`${count(damaged, 'page')} had been changed or lost since.`] : []),
    ...(searchesFailed.length > 0
      ? [`${count(searchesFailed.length, 'search', 'searches')} failed: ${searchesFailed[0]!.message}`]
      : []),
  ].join(' ');
}

export const CANCELLED_TEXT =
  'Cancelled. The pages fetched so far are kept; fetch into the same name to go on.';
