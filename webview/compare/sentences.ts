/** Sentences of the compare panel that say one of several things. */
import * as l10n from '@vscode/l10n';
import type { Comparison, JudgingView, MeasureView } from '../../src/shared/compare.ts';
import { SIGNIFICANT } from '../../src/shared/p-value.ts';
import type { PoolDatasetView, PoolReport } from '../../src/shared/pool.ts';
import { intervalText, pText, signedPoints } from '../components/figures.ts';
import { counted, listed } from '../components/language.ts';
import { number, words } from '../components/words.ts';
import type { Lead, Wanted } from './lead.ts';
import type { Place } from './outcomes.ts';

type Difference = NonNullable<MeasureView['difference']>;

/** Independent clauses of one statement. */
const clauses = (all: readonly string[]): string => all.join('; ');

export function queryCount(n: number): string {
  return counted(l10n.t('{0} [0:query|queries]'), n);
}

export function dataSetCount(n: number): string {
  return counted(l10n.t('{0} data [0:set|sets]'), n);
}

/** As many names as a sentence can hold. */
export function someOf(names: readonly string[]): string {
  return names.length <= 5
    ? listed(names)
    : l10n.t`${listed(names.slice(0, 4))} and ${names.length - 4} more`;
}

/** What will happen when the comparison is run. */
export function ready(pipelines: number, queries: number, sets: number): string {
  const asked =
    sets > 1
      ? counted(
          l10n.t(
            '{0} [0:pipeline|pipelines] will answer the same {1} [1:query|queries] of {2} data [2:set|sets].',
          ),
          pipelines,
          queries,
          sets,
        )
      : counted(
          l10n.t('{0} [0:pipeline|pipelines] will answer the same {1} [1:query|queries].'),
          pipelines,
          queries,
        );
  return `${asked} ${l10n.t('The first one is the baseline that the others are held against.')}`;
}

/** Of one eval set. */
export function queriesOf(queries: number, evalSet: string): string {
  return counted(l10n.t('{0} [0:query|queries] of {1}'), queries, evalSet);
}

/** Of several data sets together. */
export function queriesOfSets(queries: number, sets: number): string {
  return counted(l10n.t('{0} [0:query|queries] of {1} data [1:set|sets]'), queries, sets);
}

/** A difference with all that is known of it. */
export function differenceWords({ value, low, high, p, wins, losses, ties }: Difference): string {
  const includesZero = low <= 0 && high >= 0;
  return clauses([
    l10n.t`${signedPoints(value)}, 95% interval ${intervalText({ low, high })}`,
    ...(includesZero ? [l10n.t('the interval includes zero: no difference can be told')] : []),
    ...(p === undefined ? [] : [significance(p)]),
    tally(wins, losses, ties),
  ]);
}

function significance(p: number): string {
  return p < SIGNIFICANT
    ? l10n.t`${pText(p)}, corrected: significant at .05`
    : l10n.t`${pText(p)}, corrected: not significant at .05`;
}

function tally(wins: number, losses: number, ties: number): string {
  return counted(l10n.t('{0} [0:query|queries] won, {1} lost, {2} tied'), wins, losses, ties);
}

/** A measure of a pipeline, and what a click on it shows. */
export function measureHint({ difference }: MeasureView, baseline: boolean): string {
  if (difference) return l10n.t`${differenceWords(difference)}. Shows the queries that differ`;
  return baseline ? l10n.t('Shows the queries on which it is below 1') : l10n.t('Shows its queries');
}

/** The same for those who do not see the figure. */
export function measureLead(figure: string, { difference }: MeasureView, baseline: boolean): string {
  const said = difference ? `${figure}: ${differenceWords(difference)}` : figure;
  return baseline
    ? l10n.t`${said}. Show the queries on which it is below 1`
    : l10n.t`${said}. Show the queries that differ`;
}

/** How many queries a pipeline won, lost or tied. */
export function tallyLead(wanted: Exclude<Wanted, 'differing'>, queries: number, pipeline: string): string {
  switch (wanted) {
    case 'won':
      return counted(l10n.t('{0} [0:query|queries] won by {1}. Show them'), queries, pipeline);
    case 'lost':
      return counted(l10n.t('{0} [0:query|queries] lost by {1}. Show them'), queries, pipeline);
    case 'tied':
      return counted(l10n.t('{0} [0:query|queries] tied by {1}. Show them'), queries, pipeline);
  }
}

/** Which queries the figure that was followed leads to. */
export function leadText(lead: Lead, baseline: string): string {
  switch (lead.to) {
    case 'versus':
      return versusLead(lead, baseline);
    case 'short':
      return l10n.t`Only queries on which ${lead.measure} of ${lead.pipeline} is below 1`;
    case 'place':
      return placeLead(lead);
    case 'unjudged':
      return l10n.t`Only queries on which the top k of ${lead.pipeline} are not all judged`;
  }
}

function versusLead(
  { measure, pipeline, wanted }: Extract<Lead, { to: 'versus' }>,
  baseline: string,
): string {
  switch (wanted) {
    case 'differing':
      return l10n.t`Only queries on which ${measure} of ${pipeline} differs from ${baseline}`;
    case 'won':
      return l10n.t`Only queries on which ${measure} of ${pipeline} is above ${baseline}’s`;
    case 'lost':
      return l10n.t`Only queries on which ${measure} of ${pipeline} is below ${baseline}’s`;
    case 'tied':
      return l10n.t`Only queries on which ${measure} of ${pipeline} is ${baseline}’s`;
  }
}

function placeLead({ pipeline, place }: Extract<Lead, { to: 'place' }>): string {
  switch (place) {
    case 'covered':
      return l10n.t`Only queries on which ${pipeline} covers a perspective`;
    case 'below-k':
      return l10n.t`Only queries on which ${pipeline} first supports a perspective below k`;
    case 'not-retrieved':
      return l10n.t`Only queries on which ${pipeline} does not retrieve a perspective that something is known to support`;
    case 'not-in-corpus':
      return l10n.t`Only queries on which ${pipeline} has a perspective that nothing is known to support`;
    case 'unjudged':
      return l10n.t`Only queries on which ${pipeline} has a perspective that is unjudged`;
  }
}

/** What a pipeline made of one perspective of a query. */
export function placeText(letter: string, place: Place, rank: number | null): string {
  switch (place) {
    case 'covered':
      return l10n.t`${letter} at rank ${rank ?? ''}`;
    case 'below-k':
      return l10n.t`${letter} first at rank ${rank ?? ''}, below k`;
    case 'lost':
      return l10n.t`${letter} nowhere among the candidates`;
    case 'unjudged':
      return l10n.t`${letter} not found so far, part unjudged`;
  }
}

/** How many pairs of the top k have no verdict. */
export function unjudgedPairs({ pairs, known }: NonNullable<JudgingView['counted']>): string {
  return known === pairs
    ? counted(l10n.t('All {0} [0:pair|pairs] in the top k [0:is|are] judged.'), pairs)
    : counted(l10n.t('{0} of {1} [1:pair|pairs] in the top k [0:is|are] unjudged.'), pairs - known, pairs);
}

/** What came of judging. */
export function judgingReport(report: NonNullable<JudgingView['report']>): string {
  const { failed, saved, settled, queries, stopped, error } = report;
  return [
    answeredPairs(report),
    ...(failed > 0
      ? [l10n.t`${number.format(failed)} failed: ${error ?? l10n.t('the judge gave no answer.')}`]
      : []),
    ...(saved > 0 ? [savedPairs(saved)] : []),
    ...(stopped
      ? [l10n.t('The budget of your settings was spent first; judging again goes on from here.')]
      : []),
    ...(settled < queries ? [settledQueries(settled, queries)] : []),
  ].join(' ');
}

function answeredPairs({ asked, answered }: NonNullable<JudgingView['report']>): string {
  return asked === answered
    ? counted(l10n.t('{0} [0:pair|pairs] judged.'), answered)
    : counted(l10n.t('{0} [0:pair|pairs] judged of {1} asked.'), answered, asked);
}

function savedPairs(saved: number): string {
  return counted(
    l10n.t('{0} [0:pair|pairs] did not have to be asked: no figure depends on [0:it|them].'),
    saved,
  );
}

function settledQueries(settled: number, queries: number): string {
  return counted(
    l10n.t('MRecall and Precision are settled for {0} of {1} [1:query|queries].'),
    settled,
    queries,
  );
}

/** How many holes there are, and how much of the pool people and the judge answered. */
export function poolCounts(
  { holes, pairs, judgedBefore, judgedAfter }: PoolDatasetView,
  { judge, heuristic }: Pick<PoolReport, 'judge' | 'heuristic'>,
): string {
  const by = heuristic ? words.withHeuristic(judge) : judge;
  return clauses([
    counted(l10n.t('{0} [0:hole|holes] by {1}'), holes, by),
    counted(
      l10n.t('{0} of {1} [1:pair|pairs] [0:was|were] labelled by people, {2} [2:is|are] judged now.'),
      judgedBefore,
      pairs,
      judgedAfter,
    ),
  ]);
}

/** Said when a comparison is there. */
export function compared({ pipelines, datasets }: Comparison): string {
  const failed = pipelines.filter((_, index) =>
    datasets.some((dataset) => dataset.pipelines[index]?.error !== undefined),
  ).length;
  const queries = datasets.reduce((sum, one) => sum + one.queries.length, 0);
  const ran = pipelines.length - failed;
  const done = counted(l10n.t('Compared {0} [0:pipeline|pipelines] on {1} [1:query|queries].'), ran, queries);
  if (failed === 0) return done;
  return `${done} ${counted(l10n.t('{0} [0:pipeline|pipelines] could not be run.'), failed)}`;
}

/** Of the heat map of queries and pipelines. */
export function mapDescription(pipelines: number, queries: number): string {
  const what = counted(
    l10n.t('How much of each of {0} [0:query|queries] the top k of {1} [1:pipeline covers|pipelines cover].'),
    queries,
    pipelines,
  );
  return `${what} ${l10n.t('The table of queries below gives the same, cell by cell.')}`;
}

/** Of the chart of sycophancy. */
export function sycophancyDescription(pipelines: number, queries: number): string {
  return counted(
    l10n.t(
      'Leaning Δ of the top k of {0} [0:pipeline|pipelines] on {1} two-sided [1:query|queries], asked the question, the supporting and the opposing perspective.',
    ),
    pipelines,
    queries,
  );
}

/** Of the chart of rank movement. */
export function movementDescription(pipelines: number, depth: number, supporting: number): string {
  return clauses([
    counted(l10n.t('Ranks of passages under {0} [0:pipeline|pipelines], down to rank {1}'), pipelines, depth),
    counted(l10n.t('{0} [0:passage supports|passages support] a perspective.'), supporting),
  ]);
}

/** Queries that nothing was fetched for, in a corpus of web pages. */
export function leftOut(dataset: string, queries: readonly string[]): string {
  return counted(
    l10n.t(
      '{0} [0:query|queries] of {1} [0:has no pages of its|have no pages of their] own and [0:is|are] left out: {2}.',
    ),
    queries.length,
    dataset,
    someOf(queries),
  );
}
