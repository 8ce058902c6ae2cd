/** The texts of the table of queries and of the links to it. */
import * as l10n from '@vscode/l10n';
import { number } from '../../components/words.ts';
import { PLACES, type Place } from '../../../src/core/coverage-states.ts';
import {
  capitalized,
  judgedTopText,
  nothingJudged,
  placeName,
  shortStateText,
} from '../../../src/core/facts.ts';
import type { Versus } from '../outcomes.ts';
import type { Lead } from './lead.ts';
import type { QueryFilter, QueryOrder } from './query-list.ts';

/** The name of a filter, and the queries that it matches. */
function filterTexts(filter: QueryFilter): { readonly label: string; readonly hint: string } {
  switch (filter) {
    case 'all':
      return { label: l10n.t('All'), hint: l10n.t('Every question of the eval set') };
    case 'disagree':
      return {
        label: l10n.t({ message: 'Disagree', comment: 'Queries on which pipelines disagree' }),
        hint: l10n.t('Some pipelines cover all perspectives, others do not'),
      };
    case 'lost-by-all':
      return { label: l10n.t('Lost by all'), hint: l10n.t('No pipeline covers all perspectives') };
    case 'lost-by-baseline-only':
      return {
        label: l10n.t('Lost by baseline only'),
        hint: l10n.t('Every pipeline but the baseline covers all perspectives'),
      };
    case 'won':
      return {
        label: l10n.t({ message: 'Won', comment: 'Queries that a pipeline won over the baseline' }),
        hint: l10n.t('At least one pipeline covers all perspectives where the baseline does not'),
      };
    case 'lost':
      return {
        label: l10n.t({ message: 'Lost', comment: 'Queries that a pipeline lost against the baseline' }),
        hint: l10n.t('At least one pipeline misses perspectives where the baseline covers all'),
      };
  }
}

/** The queries that a followed figure links to. */
function leadText(lead: Lead, baseline: string): string {
  switch (lead.to) {
    case 'versus':
      return versusLead(lead, baseline);
    case 'short':
      return l10n.t`Only questions on which ${lead.measure} of ${lead.pipeline} is below 1`;
    case 'place':
      return l10n.t`Only questions with perspectives in “${capitalized(placeName(lead.place))}” of ${lead.pipeline}`;
    case 'unjudged':
      return l10n.t`Only questions on which the top k of ${lead.pipeline} are not all judged`;
  }
}

function versusLead(
  { measure, pipeline, wanted }: Extract<Lead, { to: 'versus' }>,
  baseline: string,
): string {
  switch (wanted) {
    case 'differing':
      return l10n.t`Only questions on which ${measure} of ${pipeline} differs from ${baseline}`;
    case 'won':
      return l10n.t`Only questions on which ${measure} of ${pipeline} is above ${baseline}’s`;
    case 'lost':
      return l10n.t`Only questions on which ${measure} of ${pipeline} is below ${baseline}’s`;
    case 'tied':
      return l10n.t`Only questions on which ${measure} of ${pipeline} is ${baseline}’s`;
  }
}

export const queryWords = {
  movement: () => l10n.t('Rank movement'),
  movementLink: () => l10n.t({ message: 'movement', comment: 'A link to the rank movement of a query' }),
  showMovement: (id: string) => l10n.t`Show how the passages of ${id} move between the pipelines`,
  closeMovement: () => l10n.t('Close the rank movement'),
  movementWaiting: () => l10n.t('Reading the rankings…'),
  nothingRanked: () => l10n.t('No pipeline ranked a passage for this query.'),
  movementHelp: (depth: number, k: number) =>
    l10n.t`Every line is a passage that a pipeline ranked among its first ${depth}. Lettered ones support a perspective; the dashed line is the end of the top ${k}.`,
  lead: leadText,
  endLead: () => l10n.t('Show all'),
  queries: () => l10n.t('Questions'),
  queriesNote: (shown: number, all: number) =>
    shown === all ? number.format(all) : l10n.t`${number.format(shown)} of ${number.format(all)}`,
  queriesCaption: () =>
    l10n.t(
      'For every question and pipeline, the rank at which each perspective is first supported. Arrow keys move between the cells, Enter shows the question in the side panel.',
    ),
  filters: () => l10n.t('Which questions'),
  filter: (filter: QueryFilter) => filterTexts(filter).label,
  filterHint: (filter: QueryFilter) => filterTexts(filter).hint,
  filterWords: () => l10n.t({ message: 'Find', comment: 'A field for words of a query: a verb' }),
  filterWordsPlaceholder: () => l10n.t('Words of the query'),
  tag: () => l10n.t('Tag'),
  anyTag: () => l10n.t('Any tag'),
  order: () => l10n.t({ message: 'Order', comment: 'In which order queries are shown' }),
  orders: (): Record<QueryOrder, string> => ({
    disagreement: l10n.t('Most disagreement first'),
    'eval-set': l10n.t('As in the eval set'),
  }),
  noQueries: () => l10n.t('No question matches.'),
  showAllQueries: () => l10n.t('Show All'),
  expandQuery: (id: string) => l10n.t`Show the perspectives of ${id}`,
  collapseQuery: (id: string) => l10n.t`Hide the perspectives of ${id}`,
  supportUnknown: () => l10n.t('no passage is known to support it'),
  outcome: (outcome: number | undefined, judged: number | undefined, k: number) => {
    if (outcome !== undefined) return `MRecall@${k} ${outcome}`;
    return judged === undefined || judged === 0
      ? nothingJudged()
      : l10n.t`MRecall@${k} is open: unjudged passages may cover the rest`;
  },
  versus: (versus: Versus) =>
    ({
      won: l10n.t('won over the baseline'),
      lost: l10n.t('lost against the baseline'),
      tied: l10n.t('as the baseline'),
    })[versus],
  place: (letter: string, place: Place, rank: number | undefined) =>
    `${letter} ${shortStateText(place, rank)}`,
  cell: (parts: readonly string[]) => l10n.t`${parts.join('. ')}. Show in the side panel`,
  cellHint: (parts: readonly string[]) => parts.join('\n'),
  topJudged: (judged: number) => judgedTopText(judged, 'k', []),
  marks: (): [Place, string][] => PLACES.map((place) => [place, placeName(place)]),
  outcomeMarks: () => ({
    '✓': l10n.t('all covered (MRecall 1)'),
    '–': l10n.t('not all (0)'),
    '▲': l10n.t('won over the baseline'),
    '▼': l10n.t('lost against it'),
  }),
};
