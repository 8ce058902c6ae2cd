/** Fetching a corpus from the web, in sentences. */
import * as l10n from '@vscode/l10n';
import { snapshotRoot } from '../core/config-edit.ts';
import { PROVIDERS, requestsPerQuery, type SearchSettings } from '../core/search.ts';
import type { WebSkipReason } from '../core/snapshot.ts';
import { skippedByReason, type WebReport } from '../contract/web.ts';
import { counts } from '../../../core/counted.ts';

/** The confirmation before anything is sent. */
export function planText(
  queries: number,
  search: SearchSettings,
  name: string,
): { readonly question: string; readonly detail: string } {
  const { label, keyHeader } = PROVIDERS[search.provider];
  const upTo = counts.searches(queries * requestsPerQuery(search));
  return {
    question: l10n.t`Send ${counts.questions(queries)} to ${label}, and fetch up to ${counts.pages(queries * search.results)}?`,
    detail: [
      keyHeader === undefined
        ? l10n.t`Up to ${upTo}.`
        : l10n.t`Up to ${upTo}, which count against your quota at ${label}.`,
      l10n.t(
        'Pages are fetched only from public addresses, one at a time from each host, and only if robots.txt allows it.',
      ),
      l10n.t`They are kept in ${snapshotRoot(name)}. What exists is not asked for again.`,
    ].join('\n'),
  };
}

export function fetchedText(report: WebReport): string {
  const { fetched, kept, skipped, searchesFailed, damaged } = report;
  const reasons = skippedByReason(report).map(([reason, count]) => skippedText(reason, count));
  return [
    kept > 0
      ? l10n.t`${counts.pages(fetched)} fetched, ${kept} kept from earlier.`
      : l10n.t`${counts.pages(fetched)} fetched.`,
    ...(skipped.length > 0 ? [l10n.t`${skipped.length} left out: ${reasons.join(', ')}.`] : []),
    ...(damaged > 0 ? [l10n.t`${counts.pages(damaged)} had been changed or lost since.`] : []),
    ...(searchesFailed.length > 0
      ? [l10n.t`${counts.searches(searchesFailed.length)} failed: ${searchesFailed[0]!.message}`]
      : []),
  ].join(' ');
}

function skippedText(reason: WebSkipReason, count: number): string {
  switch (reason) {
    case 'address':
    case 'url':
      return l10n.t`${count} at addresses that Parallax does not fetch`;
    case 'broken':
      return l10n.t`${count} broken`;
    case 'content-type':
      return l10n.t`${count} of a type that cannot be read`;
    case 'duplicate':
      return l10n.t`${count} with duplicate text`;
    case 'empty':
      return l10n.t`${count} without text`;
    case 'rate-limit':
      return l10n.t`${count} rate-limited by the server`;
    case 'redirects':
      return l10n.t`${count} redirected too often`;
    case 'robots':
      return l10n.t`${count} not allowed by robots.txt`;
    case 'status':
      return l10n.t`${count} answered with an error`;
    case 'timeout':
      return l10n.t`${count} too slow`;
    case 'too-large':
      return l10n.t`${count} too large`;
    case 'unreachable':
      return l10n.t`${count} unreachable`;
  }
}

export const cancelledText = (): string =>
  l10n.t('Cancelled. The pages fetched so far are kept; fetch into the same name to continue.');
