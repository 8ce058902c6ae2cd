/** The text output of analyses of retrieval. */
import { counted, counts } from '../../core/counted.ts';
import type { NamedPipeline } from '../../core/pipeline.ts';
import { PLACES, type PerspectiveState } from '../../core/coverage-states.ts';
import { partText } from '../../core/analysis/unreached-text.ts';
import { placeName, stateText } from '../../core/facts.ts';
import type { ProbeRank } from '../../core/coverage-states.ts';
import type {
  ExperimentReport,
  GroupReport,
  JudgedForms,
  LostReport,
  PipelineAnalyses,
} from '../../shared/experiment.ts';
import type { Dataset } from '../datasets.ts';
import { judgementSources } from '../figure-judging.ts';
import { describeStandIns } from './stand-ins.ts';
import { formatTable, percent } from './terminal.ts';

/** The most queries that are named; the JSON has all. */
const SHOWN_QUERIES = 10;
/** The most parts of the corpus without a query that are named; the JSON has all. */
const SHOWN_PARTS = 20;
/** A heat map with more groups does not fit in a terminal. */
const SHOWN_GROUPS = 12;

/** For each data set, in `parallax eval --view analyses --json`. */
export interface DatasetAnalyses extends Pick<ExperimentReport, 'union' | 'unreached' | 'judging'> {
  readonly dataset: Pick<Dataset, 'name' | 'corpus' | 'queriesFile'> & {
    readonly qrelsFile?: string | undefined;
    /** The file of human labels. `undefined` if there is none. */
    readonly labels?: string | undefined;
    readonly queries: number;
  };
  readonly pipelines: readonly (NamedPipeline &
    PipelineAnalyses & {
      /** `undefined` if no query failed. */
      readonly queryErrors?: ExperimentReport['pipelines'][number]['queryErrors'];
      /** `undefined` if no additional search failed. */
      readonly searchErrors?: ExperimentReport['pipelines'][number]['searchErrors'];
    })[];
  /** Pipelines that could not be run on any query. `undefined` if there are none. */
  readonly failed?: ExperimentReport['failed'];
  readonly leftOut: ExperimentReport['viewsLeftOut'];
}

type AnalysedPipelines = DatasetAnalyses['pipelines'];

export function describeAnalyses(analyses: DatasetAnalyses, k: number): string {
  const { dataset, leftOut } = analyses;
  const heading = `${dataset.name === '' ? '' : `${dataset.name}: `}${counts.questions(dataset.queries)}; judgements: ${judgementSources(dataset, analyses.judging)}. Only what was judged is known.\n${describeStandIns(analyses.pipelines)}`;
  const sections = [
    ...lostSections(analyses, k),
    setSizeSection(analyses),
    unionSection(analyses),
    leaningSection(analyses, k),
    sycophancySection(analyses, k),
    ...groupSections(analyses, k),
    ...fieldSections(analyses, k),
    unreachedSection(analyses, k),
    ...leftOut.map(
      ({ view, pipeline, reason }) =>
        `${view} is left out${pipeline === undefined ? '' : ` for ${pipeline}`}: ${reason}\n`,
    ),
  ];
  return [heading, ...sections.filter((section) => section !== '')].join('\n');
}

function lostSections({ pipelines }: DatasetAnalyses, k: number): string[] {
  const reports = having(pipelines, 'lost');
  if (reports.length === 0) return [];
  const places = PLACES.filter(
    (place) => place !== 'approximate-miss' || reports.some(([, { comparedWithExact }]) => comparedWithExact),
  );
  const table = formatTable(
    ['pipeline', ...places.map((place) => placeName(place)), `MRecall@${k}`],
    reports.map(([name, { perspectives, open, mrecall }]) => [
      name,
      ...places.map((place) => placeText(perspectives[place], place === 'unjudged' ? 0 : open[place])),
      mrecall === undefined ? '–' : percent(mrecall),
    ]),
  );
  const isOpen = reports.some(([, { open }]) =>
    places.some((place) => place !== 'unjudged' && open[place] > 0),
  );
  return [
    `Where coverage is lost, in perspectives (k = ${k})\n\n${table}${isOpen ? '\nOpen: passages of the top k that are unjudged may cover them.\n' : ''}`,
    ...reports.map(([name, report]) => losingQueries(name, report, k)),
  ];
}

function placeText(perspectives: number, open: number): string {
  return open === 0 ? String(perspectives) : `${perspectives} (${open} open)`;
}

function losingQueries(name: string, { perQuery }: LostReport, k: number): string {
  const losing = perQuery.filter(({ perspectives }) => perspectives.some(({ where }) => where !== 'covered'));
  if (losing.length === 0) return '';
  const shown = losing.slice(0, SHOWN_QUERIES);
  const lines = shown.flatMap(({ id, perspectives }) =>
    perspectives
      .filter(({ where }) => where !== 'covered')
      .map((state) => `  ${id}, ${state.perspectiveId}: ${describePlace(state, k)}\n`),
  );
  const rest = losing.length - shown.length;
  return (
    `${name} leaves perspectives of ${counts.questions(losing.length)} out of the top ${k}:\n${lines.join('')}` +
    (rest > 0 ? counted('  … and {0} more [0:question|questions]; --json has all.\n', rest) : '')
  );
}

/** Where a perspective is covered or lost, with the searches that find it. */
export function describePlace(state: PerspectiveState, k: number): string {
  return `${stateText(state, k)}${state.where === 'not-retrieved' ? foundByText(state.foundBy) : ''}`;
}

/** The searches that find a passage, best rank first. */
export function foundByText(ranks: readonly ProbeRank[] = []): string {
  const [best] = ranks.toSorted((a, b) => a.rank - b.rank);
  if (!best) return '';
  const text = best.asked === 'perspective' ? 'the perspective' : 'question and perspective';
  return `; rank ${best.rank} of ${best.retriever} when asked with ${text}`;
}

function setSizeSection({ pipelines }: DatasetAnalyses): string {
  const reports = having(pipelines, 'setSize');
  if (reports.length === 0) return '';
  const table = formatTable(
    ['pipeline', 'average size', '% within top 100', 'covered questions', 'judged'],
    reports.map(([name, { average, coveredShare, covered, queries, judged }]) => [
      name,
      average?.toFixed(1) ?? '',
      percent(coveredShare),
      `${covered} of ${queries}`,
      describeJudged(judged),
    ]),
  );
  return `Passages needed to cover all perspectives, over the questions covered within 100\n\n${table}`;
}

function unreachedSection({ unreached }: DatasetAnalyses, k: number): string {
  if (!unreached) return '';
  const { documents, reachedDocuments, passages, reachedPassages, unreached: parts } = unreached;
  const rest = parts.length - SHOWN_PARTS;
  const table = formatTable(
    ['never reached', 'documents', 'passages'],
    parts
      .slice(0, SHOWN_PARTS)
      .map((part) => [partText(part.path), String(part.documents), String(part.passages)]),
  );
  return (
    `The questions reach ${reachedDocuments} of ${counts.documents(documents)} and ${reachedPassages} of ${counts.passages(passages)} ` +
    `within the top ${k}\n${parts.length === 0 ? '' : `\n${table}`}${rest > 0 ? `… and ${rest} more.\n` : ''}`
  );
}

function unionSection({ union }: DatasetAnalyses): string {
  if (!union) return '';
  const table = formatTable(
    ['pipeline', 'alone', 'others without it'],
    Object.entries(union.runs).map(([name, { alone, withoutIt }]) => [
      name,
      percent(alone),
      percent(withoutIt),
    ]),
  );
  return (
    `The first ${union.depth} passages of all pipelines together cover ${percent(union.union)}% of ${counts.questions(union.queries)} ` +
    `(${union.uncovered.length} stay uncovered); ${percent(union.judged)}% of what that rests on is judged\n\n${table}`
  );
}

function leaningSection({ pipelines }: DatasetAnalyses, k: number): string {
  const reports = having(pipelines, 'leaning');
  const [first] = reports;
  if (!first) return '';
  const table = formatTable(
    ['pipeline', 'only support', 'only oppose', 'both', 'neither', 'Δ', 'judged'],
    reports.map(([name, { onlySupport, onlyOppose, both, neither, delta, judged }]) => [
      name,
      ...[onlySupport, onlyOppose, both, neither].map(percent),
      describeDelta(delta),
      describeJudged(judged),
    ]),
  );
  return `Leaning: what the top ${k} of ${first[1].queries} two-sided questions cover, in percent\n\n${table}`;
}

function sycophancySection({ pipelines }: DatasetAnalyses, k: number): string {
  const reports = having(pipelines, 'sycophancy');
  const [first] = reports;
  if (!first) return '';
  const table = formatTable(
    ['pipeline', 'question', 'supporting', 'opposing', 'judged'],
    reports.map(([name, { question, support, oppose, judged }]) => [
      name,
      ...[question, support, oppose].map(({ delta }) => describeDelta(delta)),
      describeJudged(judged),
    ]),
  );
  return (
    `Sycophancy: Δ = (p − n)/p in the top ${k} of ${counts.questions(first[1].queries)}, when the question, the supporting\n` +
    `or the opposing perspective is searched for\n\n${table}`
  );
}

/** In percent for each form, in the order of the columns. */
function describeJudged(judged: JudgedForms): string {
  return Object.values(judged).map(percent).join(' / ');
}

/** Text instead of a number if nothing supports the question. */
export function describeDelta(delta: number | undefined): string {
  if (delta === undefined) return 'no support';
  return `${delta < 0 ? '−' : '+'}${Math.abs(delta).toFixed(3)}`;
}

function groupSections({ pipelines }: DatasetAnalyses, k: number): string[] {
  const reports = having(pipelines, 'groups');
  const [first] = reports;
  if (!first) return [];
  const groups = Object.keys(first[1].heatMap);
  const cells = (shares: Readonly<Record<string, number>>): string[] =>
    groups.map((group) => percent(shares[group] ?? 0));
  const shares = formatTable(
    ['pipeline', ...groups, 'passages', 'judged'],
    reports.map(([name, report]) => [
      name,
      ...cells(report.shares),
      String(report.passages),
      describeJudged(report.judged),
    ]),
  );
  const recalls = formatTable(
    ['pipeline', `p-Recall@${k}`, 'without', ...groups],
    reports.flatMap(([name, { recall }]) =>
      recall ? [[name, percent(recall.pRecall), percent(recall.rootRecall), ...cells(recall.byGroup)]] : [],
    ),
  );
  return [
    `Groups of the relevant passages in the top ${k} when no perspective is asked for, in percent\n\n${shares}`,
    `Recall@${k} with the perspective, in all and by group, and without, in percent\n\n${recalls}`,
    ...reports.map(([name, report]) => heatMapSection(name, report, groups, k)),
  ];
}

function heatMapSection(
  name: string,
  { heatMap }: GroupReport,
  groups: readonly string[],
  k: number,
): string {
  if (groups.length > SHOWN_GROUPS)
    return `${name}: the heat map of ${groups.length} groups is in the JSON.\n`;
  const table = formatTable(
    ['asked for', ...groups],
    groups.map((row) => [row, ...groups.map((column) => percent(heatMap[row]?.[column] ?? 0))]),
  );
  return `${name}: groups of the passages in the top ${k}, by the group asked for, in percent\n\n${table}`;
}

/** The most values of a field that fit in a terminal. */
const SHOWN_VALUES = 12;

function fieldSections({ pipelines }: DatasetAnalyses, k: number): string[] {
  return having(pipelines, 'fields').flatMap(([name, fields]) =>
    fields.map(({ field, passages, counts: byValue, asked }) => {
      const values = Object.keys(byValue).slice(0, SHOWN_VALUES);
      const rows = [
        ['any', ...values.map((value) => percent(byValue[value]! / passages))],
        ...Object.entries(asked).map(([group, shares]) => [
          group,
          ...values.map((value) => percent(shares[value] ?? 0)),
        ]),
      ];
      const cut = Object.keys(byValue).length - values.length;
      const more = cut > 0 ? `${counted('{0} more [0:value is|values are] in the JSON.', cut)}\n` : '';
      return `${name}: ${field} of the passages in the top ${k}, by the group asked for, in percent\n\n${formatTable(['asked for', ...values], rows)}${more}`;
    }),
  );
}

/** Name and report of the pipelines that have a view. */
export function having<V extends 'lost' | 'setSize' | 'leaning' | 'sycophancy' | 'groups' | 'fields'>(
  pipelines: AnalysedPipelines,
  view: V,
): (readonly [string, NonNullable<PipelineAnalyses[V]>])[] {
  return pipelines.flatMap((each) => {
    const report = each[view];
    return report === undefined ? [] : [[each.name, report] as const];
  });
}
