/** Sentences of the compare panel that say one of several things. */
import * as l10n from '@vscode/l10n';
import type { Comparison, JudgingView, MeasureView } from '../../src/shared/compare.ts';
import { SIGNIFICANT } from '../../src/shared/p-value.ts';
import type { PoolDatasetView, PoolReport } from '../../src/shared/pool.ts';
import { intervalText, pText, signedPoints } from '../components/figures.ts';
import { listed, plural } from '../components/language.ts';
import { number, words } from '../components/words.ts';
import type { Lead, Wanted } from './lead.ts';
import type { Place } from './outcomes.ts';

type Difference = NonNullable<MeasureView['difference']>;

/** Independent clauses of one statement. */
const clauses = (all: readonly string[]): string => all.join('; ');

export function queryCount(n: number): string {
  return plural(n, l10n.t`${number.format(n)} query`, l10n.t`${number.format(n)} queries`);
}

export function dataSetCount(n: number): string {
  return plural(n, l10n.t`${number.format(n)} data set`, l10n.t`${number.format(n)} data sets`);
}

/** As many names as a sentence can hold. */
export function someOf(names: readonly string[]): string {
  return names.length <= 5
    ? listed(names)
    : l10n.t`${listed(names.slice(0, 4))} and ${names.length - 4} more`;
}

/** What will happen when the comparison is run. */
export function ready(pipelines: number, queries: number, sets: number): string {
  const asked = sets > 1 ? askedOfSets(pipelines, queries, sets) : askedOfOne(pipelines, queries);
  return `${asked} ${l10n.t('The first one is the baseline that the others are held against.')}`;
}

function askedOfOne(pipelines: number, queries: number): string {
  const [p, q] = [number.format(pipelines), number.format(queries)];
  return plural(
    pipelines,
    plural(
      queries,
      l10n.t`${p} pipeline will answer the same ${q} query.`,
      l10n.t`${p} pipeline will answer the same ${q} queries.`,
    ),
    plural(
      queries,
      l10n.t`${p} pipelines will answer the same ${q} query.`,
      l10n.t`${p} pipelines will answer the same ${q} queries.`,
    ),
  );
}

function askedOfSets(pipelines: number, queries: number, sets: number): string {
  const [p, q, s] = [pipelines, queries, sets].map((n) => number.format(n)) as [string, string, string];
  return plural(
    pipelines,
    l10n.t`${p} pipeline will answer the same ${q} queries of ${s} data sets.`,
    l10n.t`${p} pipelines will answer the same ${q} queries of ${s} data sets.`,
  );
}

/** Of one eval set. */
export function queriesOf(queries: number, evalSet: string): string {
  const n = number.format(queries);
  return plural(queries, l10n.t`${n} query of ${evalSet}`, l10n.t`${n} queries of ${evalSet}`);
}

/** Of several data sets together. */
export function queriesOfSets(queries: number, sets: number): string {
  const [n, all] = [number.format(queries), number.format(sets)];
  return plural(queries, l10n.t`${n} query of ${all} data sets`, l10n.t`${n} queries of ${all} data sets`);
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
  const [won, lost, tied] = [wins, losses, ties].map((n) => number.format(n)) as [string, string, string];
  return plural(
    wins,
    l10n.t`${won} query won, ${lost} lost, ${tied} tied`,
    l10n.t`${won} queries won, ${lost} lost, ${tied} tied`,
  );
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
  const n = number.format(queries);
  switch (wanted) {
    case 'won':
      return plural(
        queries,
        l10n.t`${n} query won by ${pipeline}. Show them`,
        l10n.t`${n} queries won by ${pipeline}. Show them`,
      );
    case 'lost':
      return plural(
        queries,
        l10n.t`${n} query lost by ${pipeline}. Show them`,
        l10n.t`${n} queries lost by ${pipeline}. Show them`,
      );
    case 'tied':
      return plural(
        queries,
        l10n.t`${n} query tied by ${pipeline}. Show them`,
        l10n.t`${n} queries tied by ${pipeline}. Show them`,
      );
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
  const [unjudged, all] = [number.format(pairs - known), number.format(pairs)];
  if (known === pairs)
    return plural(
      pairs,
      l10n.t`All ${all} pair in the top k are judged.`,
      l10n.t`All ${all} pairs in the top k are judged.`,
    );
  if (pairs === 1) return l10n.t`${unjudged} of ${all} pair in the top k is unjudged.`;
  return plural(
    pairs - known,
    l10n.t`${unjudged} of ${all} pairs in the top k is unjudged.`,
    l10n.t`${unjudged} of ${all} pairs in the top k are unjudged.`,
  );
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
  const [n, all] = [number.format(answered), number.format(asked)];
  return asked === answered
    ? plural(answered, l10n.t`${n} pair judged.`, l10n.t`${n} pairs judged.`)
    : plural(answered, l10n.t`${n} pair judged of ${all} asked.`, l10n.t`${n} pairs judged of ${all} asked.`);
}

function savedPairs(saved: number): string {
  const n = number.format(saved);
  return plural(
    saved,
    l10n.t`${n} pair did not have to be asked: no figure depends on it.`,
    l10n.t`${n} pairs did not have to be asked: no figure depends on them.`,
  );
}

function settledQueries(settled: number, queries: number): string {
  const [n, all] = [number.format(settled), number.format(queries)];
  return plural(
    queries,
    l10n.t`MRecall and Precision are settled for ${n} of ${all} query.`,
    l10n.t`MRecall and Precision are settled for ${n} of ${all} queries.`,
  );
}

/** How many holes there are, and how much of the pool people and the judge answered. */
export function poolCounts(
  { holes, pairs, judgedBefore, judgedAfter }: PoolDatasetView,
  { judge, heuristic }: Pick<PoolReport, 'judge' | 'heuristic'>,
): string {
  const by = heuristic ? words.withHeuristic(judge) : judge;
  const [found, all] = [number.format(holes), number.format(pairs)];
  const [before, after] = [number.format(judgedBefore), number.format(judgedAfter)];
  return clauses([
    plural(holes, l10n.t`${found} hole by ${by}`, l10n.t`${found} holes by ${by}`),
    plural(
      pairs,
      l10n.t`${before} of ${all} pair were labelled by people, ${after} are judged now.`,
      l10n.t`${before} of ${all} pairs were labelled by people, ${after} are judged now.`,
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
  const [p, q] = [number.format(ran), number.format(queries)];
  const done = plural(
    ran,
    plural(
      queries,
      l10n.t`Compared ${p} pipeline on ${q} query.`,
      l10n.t`Compared ${p} pipeline on ${q} queries.`,
    ),
    plural(
      queries,
      l10n.t`Compared ${p} pipelines on ${q} query.`,
      l10n.t`Compared ${p} pipelines on ${q} queries.`,
    ),
  );
  return failed === 0 ? done : `${done} ${couldNotRun(failed)}`;
}

function couldNotRun(pipelines: number): string {
  const n = number.format(pipelines);
  return plural(pipelines, l10n.t`${n} pipeline could not be run.`, l10n.t`${n} pipelines could not be run.`);
}

/** Of the heat map of queries and pipelines. */
export function mapDescription(pipelines: number, queries: number): string {
  const [p, q] = [number.format(pipelines), number.format(queries)];
  const what = plural(
    queries,
    plural(
      pipelines,
      l10n.t`How much of each of ${q} query the top k of ${p} pipeline cover.`,
      l10n.t`How much of each of ${q} query the top k of ${p} pipelines cover.`,
    ),
    plural(
      pipelines,
      l10n.t`How much of each of ${q} queries the top k of ${p} pipeline cover.`,
      l10n.t`How much of each of ${q} queries the top k of ${p} pipelines cover.`,
    ),
  );
  return `${what} ${l10n.t('The table of queries below gives the same, cell by cell.')}`;
}

/** Of the chart of sycophancy. */
export function sycophancyDescription(pipelines: number, queries: number): string {
  const [p, q] = [number.format(pipelines), number.format(queries)];
  return plural(
    pipelines,
    plural(
      queries,
      l10n.t`Leaning Δ of the top k of ${p} pipeline on ${q} two-sided query, asked the question, the supporting and the opposing perspective.`,
      l10n.t`Leaning Δ of the top k of ${p} pipeline on ${q} two-sided queries, asked the question, the supporting and the opposing perspective.`,
    ),
    plural(
      queries,
      l10n.t`Leaning Δ of the top k of ${p} pipelines on ${q} two-sided query, asked the question, the supporting and the opposing perspective.`,
      l10n.t`Leaning Δ of the top k of ${p} pipelines on ${q} two-sided queries, asked the question, the supporting and the opposing perspective.`,
    ),
  );
}

/** Of the chart of rank movement. */
export function movementDescription(pipelines: number, depth: number, supporting: number): string {
  const [p, s] = [number.format(pipelines), number.format(supporting)];
  return clauses([
    plural(
      pipelines,
      l10n.t`Ranks of passages under ${p} pipeline, down to rank ${depth}`,
      l10n.t`Ranks of passages under ${p} pipelines, down to rank ${depth}`,
    ),
    plural(
      supporting,
      l10n.t`${s} passage supports a perspective.`,
      l10n.t`${s} passages support a perspective.`,
    ),
  ]);
}

/** Queries that nothing was fetched for, in a corpus of web pages. */
export function leftOut(dataset: string, queries: readonly string[]): string {
  const n = number.format(queries.length);
  return plural(
    queries.length,
    l10n.t`${n} query of ${dataset} has no pages of its own and is left out: ${someOf(queries)}.`,
    l10n.t`${n} queries of ${dataset} have no pages of their own and are left out: ${someOf(queries)}.`,
  );
}
