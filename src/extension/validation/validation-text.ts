/** How good judges are on labelled pairs, as Markdown. Pure. */
import type { JudgeView, ValidationReport } from '../../shared/validation.ts';
import { cell, table } from '../platform/markdown-table.ts';

type ReferenceRow = ValidationReport['reference'][number];
type Interval = JudgeView['intervals']['f1'];
type Maybe = number | null | undefined;

/** More perspectives than anybody reads; the JSON has all of them. */
const MOST_PERSPECTIVES = 40;

/**
 * The report of `Parallax: Validate Judge…`.
 *
 * @param source of the labels, for people
 */
export function validationText(report: ValidationReport, source: string): string {
  const { judges, warnings } = report;
  return [
    '# How good are the judges?',
    headline(report, source),
    ...warnings.map((warning) => `> ⚠ ${cell(warning)}`),
    ...judges.flatMap(failureText),
    '## Verdicts against labels',
    qualityTable(report),
    READING,
    ...section('With escalated pairs decided', allCases(judges)),
    ...section('For and against the question', stances(judges)),
    ...section('By perspective', perspectives(judges)),
    '## Cost',
    costTable(judges),
    ...section('The same answer again?', consistency(judges)),
    ...section('Agreement of the agents', [...debates(judges), ...persistence(judges)]),
    ...section('People', people(report.people)),
    '## The papers, on other data',
    cell(report.referenceNote),
    referenceTable(report.reference),
    '',
  ].join('\n\n');
}

const READING =
  'With 95% intervals of a bootstrap over pairs. The figures rest on the pairs that a judge decided itself: "unsure" and answers that cannot be read count as wrong, escalated pairs do not count. Accuracy by guessing is that of somebody who says yes as often as the judge does, but at random; below the judges stand simpler guesses on the same labels. κ is agreement beyond chance: 0 is no more than chance.';

function section(title: string, parts: readonly string[]): string[] {
  return parts.length === 0 ? [] : [`## ${title}`, ...parts];
}

function headline({ labels }: ValidationReport, source: string): string {
  const { by, judge, pairs, yes, unsure, unlabelled } = labels;
  const who = by === 'judge' ? `, by the word of the judge ${cell(judge ?? '')}` : '';
  const left = [
    ...(unsure > 0 ? [`${unsure} on which the reference is unsure`] : []),
    ...(unlabelled > 0 ? [`${unlabelled} without a label`] : []),
  ];
  return `${pairs} labelled ${pairs === 1 ? 'pair' : 'pairs'} of ${cell(source)}${who}: ${yes} of them support (${percent(yes / pairs)}).${left.length > 0 ? ` Left out: ${left.join(', ')}.` : ''}`;
}

function failureText({ label, failed, error }: JudgeView): string[] {
  if (failed === 0) return [];
  return [`> ⚠ ${cell(label)}: ${failed} pairs have no answer. ${cell(error ?? '')}`.trimEnd()];
}

const QUALITY_HEAD = [
  ...['Judge', 'Pairs', 'Says yes', 'Accuracy', 'By guessing', 'F1', 'Balanced accuracy'],
  ...['Recall yes', 'Recall no', 'κ', 'Unsure', 'Unparsed', 'Escalated'],
];

function qualityTable({ judges, baselines }: ValidationReport): string {
  const rows = judges.map((judge) => [
    nameOf(judge),
    String(judge.pairs),
    percent(judge.positiveShare),
    withInterval(percent, judge.accuracy, judge.intervals.accuracy),
    percent(judge.chance.accuracy),
    withInterval(percent, judge.f1, judge.intervals.f1),
    withInterval(percent, judge.balancedAccuracy, judge.intervals.balancedAccuracy),
    percent(judge.recall.yes),
    percent(judge.recall.no),
    withInterval(decimal, judge.kappa, judge.intervals.kappa),
    percent(judge.unsure),
    percent(judge.unparsed),
    percent(judge.escalated),
  ]);
  const guesses = baselines.map(({ baseline, positiveShare, accuracy, f1 }) => [
    `*guess: ${baseline === 'random' ? 'at random, with the share of the labels' : cell(baseline)}*`,
    ...['', percent(positiveShare), percent(accuracy), '', percent(f1)],
    ...QUALITY_HEAD.slice(6).map(() => ''),
  ]);
  return table(QUALITY_HEAD, [...rows, ...guesses]);
}

function nameOf({ label, heuristic }: Pick<JudgeView, 'label' | 'heuristic'>): string {
  return heuristic && !/heuristic/iu.test(label) ? `${cell(label)} &#40;heuristic&#41;` : cell(label);
}

function allCases(judges: readonly JudgeView[]): string[] {
  const rows = judges
    .filter(({ escalated }) => (escalated ?? 0) > 0)
    .map((judge) => [
      nameOf(judge),
      String(judge.allCases.pairs),
      String(judge.allCases.adjudicated),
      String(judge.allCases.decidedByReference),
      percent(judge.allCases.accuracy),
      percent(judge.allCases.f1),
      percent(judge.allCases.balancedAccuracy),
      percent(judge.allCases.recall.yes),
      percent(judge.allCases.recall.no),
    ]);
  if (rows.length === 0) return [];
  const head = ['Judge', 'Pairs', 'By the adjudicator', 'By the labels', 'Accuracy', 'F1'];
  return [
    'As the adjudicator decided them, or else as the labels do, which is the best that people could do.',
    table([...head, 'Balanced accuracy', 'Recall yes', 'Recall no'], rows),
  ];
}

function stances(judges: readonly JudgeView[]): string[] {
  const rows = judges.flatMap((judge) =>
    judge.byStance.map(({ stance, pairs, accuracy, f1, recall, kappa }) => [
      nameOf(judge),
      stance === 'support' ? 'for' : 'against',
      String(pairs),
      percent(accuracy),
      percent(f1),
      percent(recall.yes),
      percent(recall.no),
      decimal(kappa),
    ]),
  );
  if (rows.length === 0) return [];
  return [
    table(['Judge', 'Perspective is', 'Pairs', 'Accuracy', 'F1', 'Recall yes', 'Recall no', 'κ'], rows),
  ];
}

/** Those that the judges are worst at first. */
function perspectives(judges: readonly JudgeView[]): string[] {
  return judges.flatMap((judge) => {
    const worst = judge.byPerspective.toSorted(
      (a, b) => (a.accuracy ?? 1) - (b.accuracy ?? 1) || b.pairs - a.pairs,
    );
    if (worst.length === 0) return [];
    const rows = worst
      .slice(0, MOST_PERSPECTIVES)
      .map(({ perspective, question, stance, pairs, accuracy, recall }) => [
        cell(perspective),
        cell(question ?? ''),
        stance === null ? '' : stance === 'support' ? 'for' : 'against',
        String(pairs),
        percent(accuracy),
        percent(recall.yes),
        percent(recall.no),
      ]);
    const left = worst.length - rows.length;
    return [
      `### ${nameOf(judge)}`,
      table(['Perspective', 'Question', 'Stance', 'Pairs', 'Accuracy', 'Recall yes', 'Recall no'], rows),
      ...(left > 0 ? [`${left} more, with no lower accuracy, are in the JSON.`] : []),
    ];
  });
}

function costTable(judges: readonly JudgeView[]): string {
  const rows = judges.map((judge) => [
    nameOf(judge),
    String(judge.cost.asked),
    String(judge.cost.cached),
    amount(judge.cost.requests),
    amount(judge.cost.promptTokens),
    amount(judge.cost.completionTokens),
    amount(judge.latency.median),
    amount(judge.latency.p95),
    amount(judge.latency.amortised),
  ]);
  const head = ['Judge', 'Asked now', 'Remembered', 'Requests each', 'Tokens in', 'Tokens out'];
  return table([...head, 'Median ms', '95th percentile ms', 'Wall clock ms'], rows);
}

function consistency(judges: readonly JudgeView[]): string[] {
  return judges.flatMap((judge) => {
    const { consistency: again, swappedOrder: swapped } = judge;
    return [
      ...(again
        ? [
            `${nameOf(judge)}: the same answer in all ${again.repeats} runs for ${percent(again.share)} of ${again.pairs} pairs.`,
          ]
        : []),
      ...(swapped
        ? [
            `${nameOf(judge)}: the same verdict with swapped agents for ${percent(swapped.share)} of ${swapped.pairs} pairs; ${swapped.yesToNo} turned from yes to no, ${swapped.noToYes} from no to yes.`,
          ]
        : []),
    ];
  });
}

function debates(judges: readonly JudgeView[]): string[] {
  const rows = judges.flatMap((judge) =>
    judge.debateRounds.map(({ round, agreed, spurious, spuriousShare }) => [
      nameOf(judge),
      String(round),
      String(agreed),
      String(spurious),
      percent(spuriousShare),
    ]),
  );
  return rows.length === 0 ? [] : [table(['Judge', 'Round', 'Agreed', 'Against the labels', 'Share'], rows)];
}

/** DREAM, Table 12. */
function persistence(judges: readonly JudgeView[]): string[] {
  const rows = judges.flatMap((judge) =>
    judge.persistence.map((round) => [
      nameOf(judge),
      String(round.round),
      String(round.debates),
      `${round.consensus} (${percent(round.persistence)})`,
      `${round.spurious} (${percent(round.spuriousShare)})`,
    ]),
  );
  if (rows.length === 0) return [];
  return [
    'Of the debates that agreed in round 1, those still in agreement when they went on:',
    table(['Judge', 'Round', 'Debates', 'In agreement', 'Against the labels'], rows),
  ];
}

function people(view: ValidationReport['people']): string[] {
  if (!view) return [];
  const rows = view.pairs.map(({ first, second, items, observed, kappa }) => [
    `${cell(first)} and ${cell(second)}`,
    ...[String(items), percent(observed), decimal(kappa)],
  ]);
  const { all, conflicts } = view;
  const everybody = [`All ${view.people.length}, Fleiss' κ`, String(all.items), percent(all.observed)];
  const divided = conflicts.map(({ perspective, passage, votes }) => [
    cell(perspective),
    cell(passage),
    votes.map(({ person, verdict }) => `${cell(person)}: ${verdict}`).join(', '),
  ]);
  return [
    table(['People', 'Common pairs', 'Agreement', 'κ'], [...rows, [...everybody, decimal(all.kappa)]]),
    ...(divided.length > 0
      ? ['Without a majority, and so left out:', table(['Perspective', 'Passage', 'Said'], divided)]
      : []),
  ];
}

function referenceTable(rows: readonly ReferenceRow[]): string {
  const head = ['Other data', 'From', 'Says yes', 'Accuracy', 'F1', 'Balanced accuracy', 'Recall yes'];
  return table(
    [...head, 'Recall no', 'κ', 'Escalated'],
    rows.map((row) => [
      methodOf(row),
      cell(row.source),
      percent(row.positiveShare),
      percent(row.accuracy),
      percent(row.f1),
      percent(row.balancedAccuracy),
      percent(row.recall?.yes),
      percent(row.recall?.no),
      decimal(row.kappa ?? row.fleissKappa),
      percent(row.escalated),
    ]),
  );
}

const CASES: Record<ReferenceRow['cases'], string> = {
  'non-escalated': 'non-escalated pairs',
  all: 'all pairs',
  people: 'people',
  'against-model': 'against a stronger model',
};

function methodOf({ method, adjudicator, cases, data }: ReferenceRow): string {
  const how = adjudicator ? `${CASES[cases]}, adjudicator: ${adjudicator}` : CASES[cases];
  return `${cell(method)}, ${how}; ${cell(data)}`;
}

function percent(share: Maybe): string {
  return share === null || share === undefined ? '' : `${(share * 100).toFixed(1)}%`;
}

function decimal(value: Maybe): string {
  return value === null || value === undefined ? '' : value.toFixed(2);
}

function amount(value: Maybe): string {
  if (value === null || value === undefined) return '';
  return value >= 10 ? value.toFixed(0) : value.toFixed(2);
}

function withInterval(format: (value: number) => string, value: number | null, interval: Interval): string {
  if (value === null) return '';
  return interval === null
    ? format(value)
    : `${format(value)} &#91;${format(interval.low)}, ${format(interval.high)}&#93;`;
}
