/** How well judges do on labelled pairs, for the terminal and the editor, which each add their own syntax. */
import * as l10n from '@vscode/l10n';
import { counted } from '../counted.ts';
import type { Stance } from '../model.ts';
import { UNKNOWN_CORRELATION } from '../rerank/judge-errors.ts';
import { ENOUGH_PAIRS } from '../../features/validation/core/joint-errors.ts';
import type {
  JudgeView,
  ReferenceRow,
  TogetherView,
  ValidationReport,
} from '../../features/validation/core/report.ts';
import type { Rows } from './tables.ts';

/** Contains plain text, to be escaped by each output. */
export interface ValidationView {
  readonly title: string;
  readonly headline: string;
  readonly sections: readonly ValidationSection[];
}

interface ValidationSection {
  readonly title: string;
  /** Paragraphs and tables, in order. */
  readonly parts: readonly (string | Rows)[];
}

type PeopleView = NonNullable<ValidationReport['people']>;
type Interval = JudgeView['intervals']['f1'];
type Maybe = number | null | undefined;

type Column<T> = readonly [title: string, cell: (row: T) => string];

/** Figures shared by judges, parts of judges and methods in papers. */
interface Scored {
  readonly accuracy?: Maybe;
  readonly f1?: Maybe;
  readonly balancedAccuracy?: Maybe;
  readonly recall?: { readonly yes: Maybe; readonly no: Maybe } | undefined;
}

/** A judge, or the guesser below it. */
type QualityRow = { readonly name: string } & Partial<JudgeView>;

/**
 * @param source display name of the labels
 * @param most the number of perspectives to list for each judge, worst first
 */
export function validationView(report: ValidationReport, source: string, most: number): ValidationView {
  const { judges, people, reference, referenceNote } = report;
  return {
    title: l10n.t('How good are the judges?'),
    headline: headline(report, source),
    sections: [
      {
        title: l10n.t('Verdicts against labels'),
        parts: [qualityTable(report), howToRead(), ...calibrations(judges)],
      },
      { title: l10n.t('With escalated pairs decided'), parts: allCases(judges) },
      { title: l10n.t('For and against the question'), parts: stances(judges) },
      ...judges.map((judge) => perspectives(judge, most)),
      { title: l10n.t('Cost'), parts: [costTable(judges)] },
      { title: l10n.t('The same answer again?'), parts: judges.flatMap(consistency) },
      { title: l10n.t('Joint errors'), parts: wrongTogether(report) },
      { title: l10n.t('Agreement of the agents'), parts: [...debates(judges), ...persistence(judges)] },
      { title: l10n.t('People'), parts: people ? peopleParts(people) : [] },
      { title: l10n.t('The papers, on other data'), parts: [referenceNote, referenceTable(reference)] },
    ].filter(({ parts }) => parts.length > 0),
  };
}

/** A sentence for every judge that learns from labels, with their number. */
function calibrations(judges: readonly JudgeView[]): string[] {
  return judges.flatMap(({ judge, calibrationLabels: labels }) => {
    if (labels === undefined) return [];
    return counted(
      l10n.t(
        '{1} is calibrated on {0} [0:label: that of a pair that it escalated counts|labels: those of pairs that it escalated count] from the next batch on.',
      ),
      labels,
      judge,
    );
  });
}

/** A sentence for every judge with unanswered pairs, with their number and the error. */
export function unansweredSentences({ judges }: ValidationReport): string[] {
  return judges
    .filter(({ failed }) => failed > 0)
    .map(({ judge, failed, error }) =>
      counted(
        l10n.t('{0}: {1} [1:pair has|pairs have] no answer. {2}'),
        judge,
        failed,
        error ?? '',
      ).trimEnd(),
    );
}

const howToRead = (): string =>
  l10n.t(
    'With 95% intervals of a bootstrap over pairs. The figures use only the pairs that a judge decided itself: "unsure" and answers that cannot be read count as wrong, escalated pairs do not count. Accuracy by guessing is that of random answers that say yes as often as the judge. Simpler guesses on the same labels are listed below the judges. κ is agreement beyond chance: 0 is no more than chance.',
  );

function headline({ labels }: ValidationReport, source: string): string {
  const { by, judge, pairs, yes, unsure, unlabelled } = labels;
  const left = [
    ...(unsure > 0 ? [l10n.t`${unsure} on which the reference is unsure`] : []),
    ...(unlabelled > 0 ? [l10n.t`${unlabelled} without a label`] : []),
  ];
  const size = counted(l10n.t('{0} labelled [0:pair|pairs] of {1}'), pairs, source);
  const share = percent(yes / pairs);
  const rests =
    by === 'judge'
      ? l10n.t`${size}, ${yes} of them labelled as support by the judge ${judge ?? ''} (${share}).`
      : l10n.t`${size}, ${yes} of them labelled as support (${share}).`;
  return left.length > 0 ? l10n.t`${rests} Left out: ${left.join(', ')}.` : rests;
}

function tableOf<T>(rows: readonly T[], columns: readonly Column<T>[], names = 1): Rows {
  return {
    header: columns.map(([title]) => title),
    rows: rows.map((row) => columns.map(([, cell]) => cell(row))),
    names,
  };
}

const accuracy = (): Column<Scored> => [l10n.t('Accuracy'), (row) => percent(row.accuracy)];
const f1 = (): Column<Scored> => ['F1', (row) => percent(row.f1)];
const balancedAccuracy = (): Column<Scored> => [
  l10n.t('Balanced accuracy'),
  (row) => percent(row.balancedAccuracy),
];
const recall = (): Column<Scored>[] => [
  [l10n.t('Recall yes'), (row) => percent(row.recall?.yes)],
  [l10n.t('Recall no'), (row) => percent(row.recall?.no)],
];
const pairsColumn = (): Column<{ readonly pairs?: number }> => [l10n.t('Pairs'), ({ pairs }) => whole(pairs)];
const judgeColumn = (): Column<{ readonly name: string }> => [l10n.t('Judge'), ({ name }) => name];

function qualityTable({ judges, baselines }: ValidationReport): Rows {
  const guesses = baselines.map(({ baseline, ...figures }) => ({
    ...figures,
    name:
      baseline === 'random'
        ? l10n.t('guess: at random, with the share of the labels')
        : l10n.t`guess: ${baseline}`,
  }));
  return tableOf<QualityRow>(
    [...judges.map((judge) => ({ ...judge, name: nameOf(judge) })), ...guesses],
    [
      judgeColumn(),
      pairsColumn(),
      [l10n.t('Says yes'), (row) => percent(row.positiveShare)],
      [l10n.t('Accuracy'), (row) => withInterval(percent, row.accuracy, row.intervals?.accuracy)],
      [l10n.t('By guessing'), (row) => percent(row.chance?.accuracy)],
      ['F1', (row) => withInterval(percent, row.f1, row.intervals?.f1)],
      [
        l10n.t('Balanced accuracy'),
        (row) => withInterval(percent, row.balancedAccuracy, row.intervals?.balancedAccuracy),
      ],
      ...recall(),
      ['κ', (row) => withInterval(decimal, row.kappa, row.intervals?.kappa)],
      [l10n.t('Unsure'), (row) => percent(row.unsure)],
      [l10n.t('Unparsed'), (row) => percent(row.unparsed)],
      [l10n.t('Escalated'), (row) => percent(row.escalated)],
    ],
  );
}

/** The name in `parallax.json`, with the models behind it. */
function nameOf({ judge, label, heuristic }: JudgeView): string {
  const name = judge.includes(label) || label.includes(judge) ? longer(judge, label) : `${judge}, ${label}`;
  return heuristic && !/heuristic/iu.test(name) ? l10n.t`${name} (heuristic)` : name;
}

const longer = (a: string, b: string): string => (a.length > b.length ? a : b);

/** The parts of all judges in one list, each with the judge's name. */
function partsOf<T extends object>(
  judges: readonly JudgeView[],
  parts: (judge: JudgeView) => readonly T[],
): (T & { readonly name: string })[] {
  return judges.flatMap((judge) => parts(judge).map((part) => ({ ...part, name: nameOf(judge) })));
}

function allCases(judges: readonly JudgeView[]): (string | Rows)[] {
  const escalating = judges.filter(({ escalated }) => (escalated ?? 0) > 0);
  if (escalating.length === 0) return [];
  return [
    l10n.t(
      'As the adjudicator decided them, or else as the labels do, which is the best that people could do.',
    ),
    tableOf(
      partsOf(escalating, (judge) => [judge.allCases]),
      [
        judgeColumn(),
        pairsColumn(),
        [l10n.t('By the adjudicator'), ({ adjudicated }) => String(adjudicated)],
        [l10n.t('By the labels'), ({ decidedByReference }) => String(decidedByReference)],
        accuracy(),
        f1(),
        balancedAccuracy(),
        ...recall(),
      ],
    ),
  ];
}

function stances(judges: readonly JudgeView[]): Rows[] {
  const rows = partsOf(judges, ({ byStance }) => byStance);
  if (rows.length === 0) return [];
  return [
    tableOf(
      rows,
      [
        judgeColumn(),
        [l10n.t('Stance'), ({ stance }) => sideOf(stance)],
        pairsColumn(),
        accuracy(),
        f1(),
        ...recall(),
        ['κ', ({ kappa }) => decimal(kappa)],
      ],
      2,
    ),
  ];
}

const sideOf = (stance: Stance): string => (stance === 'support' ? l10n.t('for') : l10n.t('against'));

/** The perspectives that the judge is worst at, first. */
function perspectives(judge: JudgeView, most: number): ValidationSection {
  const worst = judge.byPerspective.toSorted(
    (a, b) => (a.accuracy ?? 1) - (b.accuracy ?? 1) || b.pairs - a.pairs,
  );
  const title = l10n.t`By perspective: ${nameOf(judge)}`;
  if (worst.length === 0) return { title, parts: [] };
  const left = worst.length - most;
  const table = tableOf(
    worst.slice(0, most),
    [
      [l10n.t('Perspective'), ({ perspective }) => perspective],
      [l10n.t('Question'), ({ question }) => question ?? ''],
      [l10n.t('Stance'), ({ stance }) => (stance === null ? '' : sideOf(stance))],
      pairsColumn(),
      accuracy(),
      ...recall(),
    ],
    3,
  );
  return {
    title,
    parts: left > 0 ? [table, l10n.t`${left} more, with no lower accuracy, are in the JSON.`] : [table],
  };
}

function costTable(judges: readonly JudgeView[]): Rows {
  return tableOf(
    partsOf(judges, ({ cost, latency }) => [{ ...cost, ...latency }]),
    [
      judgeColumn(),
      [l10n.t('Asked now'), ({ asked }) => String(asked)],
      [l10n.t('Remembered'), ({ cached }) => String(cached)],
      [l10n.t('Requests each'), ({ requests }) => amount(requests)],
      [l10n.t('Tokens in'), ({ promptTokens }) => amount(promptTokens)],
      [l10n.t('Tokens out'), ({ completionTokens }) => amount(completionTokens)],
      [l10n.t('Median ms'), ({ median }) => amount(median)],
      [l10n.t('95th percentile ms'), ({ p95 }) => amount(p95)],
      [l10n.t('Wall clock ms'), ({ amortised }) => amount(amortised)],
    ],
  );
}

function consistency(judge: JudgeView): string[] {
  const { consistency: again, swappedOrder: swapped } = judge;
  return [
    again &&
      l10n.t`${nameOf(judge)}: the same answer in all ${again.repeats} runs for ${percent(again.share)} of ${again.pairs} pairs.`,
    swapped &&
      l10n.t`${nameOf(judge)}: the same verdict with swapped agents for ${percent(swapped.share)} of ${swapped.pairs} pairs; ${swapped.yesToNo} turned from yes to no, ${swapped.noToYes} from no to yes.`,
  ].filter((sentence) => sentence !== null);
}

/** How far votes err together, and what that means for filters. */
function wrongTogether({ together, filters }: ValidationReport): (string | Rows)[] {
  if (together.length === 0) return [];
  return [
    ...together.map(togetherSentence),
    ...filters.map(
      ({ judge, cheap, lost, ifIndependent }) =>
        l10n.t`“${judge}” discards pairs that “${cheap[0]}” and “${cheap[1]}” both answer with no. That loses ${percent(lost)} of the passages that support; with independent errors it would be ${percent(ifIndependent)}.`,
    ),
    l10n.t(
      'Pairs that all of them decided, counted for every two answers. The correlation is of errors given the labels, with a 95% interval; votes are n / (1 + (n − 1) · correlation).',
    ),
    tableOf(
      together.map((view) => ({ ...view, name: togetherName(view) })),
      [
        [l10n.t('Answers of'), ({ name }) => name],
        pairsColumn(),
        [l10n.t('Support: both wrong'), ({ support }) => String(support.both)],
        [l10n.t('Support: one wrong'), ({ support }) => String(support.first + support.second)],
        [l10n.t('Support: neither'), ({ support }) => String(support.neither)],
        [l10n.t('No support: both wrong'), ({ none }) => String(none.both)],
        [l10n.t('No support: one wrong'), ({ none }) => String(none.first + none.second)],
        [l10n.t('No support: neither'), ({ none }) => String(none.neither)],
        [l10n.t('Correlation'), (row) => withInterval(decimal, row.correlation, row.interval)],
        [l10n.t('Correlation used'), ({ used }) => decimal(used)],
        [l10n.t('Effective votes'), (row) => l10n.t`${row.effectiveVotes.toFixed(1)} of ${row.votes} votes`],
      ],
    ),
  ];
}

function togetherName({ of, judges, votes }: TogetherView): string {
  const [first = '', second = ''] = judges;
  switch (of) {
    case 'judges':
      return l10n.t`${first} and ${second}`;
    case 'repeats':
      return l10n.t`${first}, ${votes} times`;
    case 'agents':
      return l10n.t`${votes} agents of ${first}`;
  }
}

/** A sentence on the value of the second vote. */
function togetherSentence(view: TogetherView): string {
  const { of, judges, votes, pairs, correlation, interval: range } = view;
  const [first = '', second = ''] = judges;
  const worth = view.effectiveVotes.toFixed(1);
  if (correlation === null)
    return l10n.t`${togetherName(view)}: there are too few errors on ${pairs} pairs to measure joint errors; they count for ${worth} votes.`;
  const few = pairs < ENOUGH_PAIRS ? ` ${fewPairs(pairs)}` : '';
  const isSeen = range !== null && range.low > 0;
  switch (of) {
    case 'judges':
      return (
        (isSeen
          ? l10n.t`“${first}” and “${second}” make joint errors: their two answers carry the information of ${worth} independent ones.`
          : l10n.t`“${first}” and “${second}” show no joint errors on ${pairs} pairs: their two answers carry the information of ${worth} independent ones.`) +
        few
      );
    case 'repeats':
      return (
        (isSeen
          ? l10n.t`“${first}” repeats its errors: ${votes} answers carry the information of ${worth} independent ones.`
          : l10n.t`“${first}” shows no repeated errors on ${pairs} pairs: ${votes} answers carry the information of ${worth} independent ones.`) +
        few
      );
    case 'agents':
      return (
        (isSeen
          ? l10n.t`The agents of “${first}” make joint errors in round 1: ${votes} agents carry the information of ${worth} independent ones. The figures of the debate include that.`
          : l10n.t`The agents of “${first}” show no joint errors in round 1: ${votes} agents carry the information of ${worth} independent ones.`) +
        few
      );
  }
}

function fewPairs(pairs: number): string {
  return l10n.t`With ${pairs} pairs, fewer than ${ENOUGH_PAIRS}, the correlation is drawn towards ${decimal(UNKNOWN_CORRELATION)}.`;
}

function debates(judges: readonly JudgeView[]): Rows[] {
  const rows = partsOf(judges, ({ debateRounds }) => debateRounds);
  if (rows.length === 0) return [];
  return [
    tableOf(rows, [
      judgeColumn(),
      [l10n.t('Round'), ({ round }) => String(round)],
      [l10n.t('Agreed'), ({ agreed }) => String(agreed)],
      [l10n.t('Against the labels'), ({ spurious }) => String(spurious)],
      [l10n.t('Share'), ({ spuriousShare }) => percent(spuriousShare)],
    ]),
  ];
}

/** DREAM, Table 12. */
function persistence(judges: readonly JudgeView[]): (string | Rows)[] {
  const rows = partsOf(judges, (judge) => judge.persistence);
  if (rows.length === 0) return [];
  return [
    l10n.t('Debates that agreed in round 1 and still agree after going on:'),
    tableOf(rows, [
      judgeColumn(),
      [l10n.t('Round'), ({ round }) => String(round)],
      [l10n.t('Debates'), (row) => String(row.debates)],
      [l10n.t('Still agree'), (row) => `${row.consensus} (${percent(row.persistence)})`],
      [l10n.t('Against the labels'), (row) => `${row.spurious} (${percent(row.spuriousShare)})`],
    ]),
  ];
}

function peopleParts({ people, pairs, all, conflicts }: PeopleView): (string | Rows)[] {
  const rows = [
    ...pairs.map((pair) => ({ ...pair, name: l10n.t`${pair.first} and ${pair.second}` })),
    { ...all, name: l10n.t`All ${people.length}, Fleiss' κ`, shares: [all.shares] },
  ];
  const agreement = tableOf(rows, [
    [l10n.t('People'), ({ name }) => name],
    [l10n.t('Common pairs'), ({ items }) => String(items)],
    [l10n.t('Agreement'), ({ observed }) => percent(observed)],
    ['κ', ({ kappa }) => decimal(kappa)],
    [l10n.t('Say yes'), ({ shares }) => shares.map(({ yes = 0 }) => percent(yes)).join(', ')],
  ]);
  if (conflicts.length === 0) return [agreement];
  const divided = tableOf(
    conflicts,
    [
      [l10n.t('Perspective'), ({ perspective }) => perspective],
      [l10n.t('Passage'), ({ passage }) => passage],
      [
        l10n.t('Labels'),
        ({ votes }) => votes.map(({ person, verdict }) => `${person}: ${verdict}`).join(', '),
      ],
    ],
    3,
  );
  return [agreement, l10n.t('Without a majority, and so left out:'), divided];
}

function referenceTable(reference: readonly ReferenceRow[]): Rows {
  return tableOf(
    reference,
    [
      [l10n.t('Method'), ({ method }) => method],
      [l10n.t('Other data'), dataOf],
      [l10n.t('From'), ({ source }) => source],
      [l10n.t('Says yes'), ({ positiveShare }) => percent(positiveShare)],
      accuracy(),
      f1(),
      balancedAccuracy(),
      ...recall(),
      ['κ', ({ kappa, fleissKappa }) => decimal(kappa ?? fleissKappa)],
      [l10n.t('Escalated'), ({ escalated }) => percent(escalated)],
      [l10n.t('Dollars'), ({ dollars }) => whole(dollars)],
      [l10n.t('Seconds'), ({ seconds }) => whole(seconds?.parallel)],
    ],
    3,
  );
}

function casesText(cases: ReferenceRow['cases']): string {
  switch (cases) {
    case 'non-escalated':
      return l10n.t('non-escalated pairs');
    case 'all':
      return l10n.t('all pairs');
    case 'people':
      return l10n.t('people');
    case 'against-model':
      return l10n.t('against a stronger model');
  }
}

function dataOf({ adjudicator, cases, data }: ReferenceRow): string {
  const compared = casesText(cases);
  const how = adjudicator ? l10n.t`${compared}, adjudicator: ${adjudicator}` : compared;
  return `${data}, ${how}`;
}

function percent(share: Maybe): string {
  return typeof share === 'number' ? `${(share * 100).toFixed(1)}%` : '';
}

function decimal(value: Maybe): string {
  return typeof value === 'number' ? value.toFixed(2) : '';
}

function amount(value: Maybe): string {
  if (typeof value !== 'number') return '';
  return value >= 10 ? value.toFixed(0) : value.toFixed(2);
}

function whole(value: Maybe): string {
  return typeof value === 'number' ? String(value) : '';
}

/** Shows the figure without its interval if there are too few pairs. */
function withInterval(format: (value: number) => string, value: Maybe, interval?: Interval): string {
  if (typeof value !== 'number') return '';
  return interval ? `${format(value)} [${format(interval.low)}, ${format(interval.high)}]` : format(value);
}
