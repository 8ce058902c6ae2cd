/** How good judges are on labelled pairs, as Markdown. Pure. */
import * as l10n from '@vscode/l10n';
import type { Stance } from '../../core/model.ts';
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
    `# ${l10n.t('How good are the judges?')}`,
    headline(report, source),
    ...warnings.map((warning) => `> ⚠ ${cell(warning)}`),
    ...judges.flatMap(failureText),
    `## ${l10n.t('Verdicts against labels')}`,
    qualityTable(report),
    howToRead(),
    ...section(l10n.t('With escalated pairs decided'), allCases(judges)),
    ...section(l10n.t('For and against the question'), stances(judges)),
    ...section(l10n.t('By perspective'), perspectives(judges)),
    `## ${l10n.t('Cost')}`,
    costTable(judges),
    ...section(l10n.t('The same answer again?'), consistency(judges)),
    ...section(l10n.t('Agreement of the agents'), [...debates(judges), ...persistence(judges)]),
    ...section(l10n.t('People'), people(report.people)),
    `## ${l10n.t('The papers, on other data')}`,
    cell(report.referenceNote),
    referenceTable(report.reference),
    '',
  ].join('\n\n');
}

const howToRead = (): string =>
  l10n.t(
    'With 95% intervals of a bootstrap over pairs. The figures rest on the pairs that a judge decided itself: "unsure" and answers that cannot be read count as wrong, escalated pairs do not count. Accuracy by guessing is that of somebody who says yes as often as the judge does, but at random; below the judges stand simpler guesses on the same labels. κ is agreement beyond chance: 0 is no more than chance.',
  );

function section(title: string, parts: readonly string[]): string[] {
  return parts.length === 0 ? [] : [`## ${title}`, ...parts];
}

function headline({ labels }: ValidationReport, source: string): string {
  const { by, judge, pairs, yes, unsure, unlabelled } = labels;
  const left = [
    ...(unsure > 0 ? [l10n.t`${unsure} on which the reference is unsure`] : []),
    ...(unlabelled > 0 ? [l10n.t`${unlabelled} without a label`] : []),
  ];
  const counted =
    pairs === 1
      ? l10n.t`1 labelled pair of ${cell(source)}`
      : l10n.t`${pairs} labelled pairs of ${cell(source)}`;
  const share = percent(yes / pairs);
  const rests =
    by === 'judge'
      ? l10n.t`${counted}, by the word of the judge ${cell(judge ?? '')}: ${yes} of them support (${share}).`
      : l10n.t`${counted}: ${yes} of them support (${share}).`;
  return left.length > 0 ? l10n.t`${rests} Left out: ${left.join(', ')}.` : rests;
}

function failureText({ label, failed, error }: JudgeView): string[] {
  if (failed === 0) return [];
  return [`> ⚠ ${l10n.t`${cell(label)}: ${failed} pairs have no answer. ${cell(error ?? '')}`}`.trimEnd()];
}

const qualityHead = (): string[] => [
  ...[
    l10n.t('Judge'),
    l10n.t('Pairs'),
    l10n.t('Says yes'),
    l10n.t('Accuracy'),
    l10n.t('By guessing'),
    'F1',
    l10n.t('Balanced accuracy'),
  ],
  ...[
    l10n.t('Recall yes'),
    l10n.t('Recall no'),
    'κ',
    l10n.t('Unsure'),
    l10n.t('Unparsed'),
    l10n.t('Escalated'),
  ],
];

function qualityTable({ judges, baselines }: ValidationReport): string {
  const head = qualityHead();
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
    `*${baseline === 'random' ? l10n.t('guess: at random, with the share of the labels') : l10n.t`guess: ${cell(baseline)}`}*`,
    ...['', percent(positiveShare), percent(accuracy), '', percent(f1)],
    ...head.slice(6).map(() => ''),
  ]);
  return table(head, [...rows, ...guesses]);
}

function nameOf({ label, heuristic }: Pick<JudgeView, 'label' | 'heuristic'>): string {
  return heuristic && !/heuristic/iu.test(label) ? l10n.t`${cell(label)} &#40;heuristic&#41;` : cell(label);
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
  const head = [
    l10n.t('Judge'),
    l10n.t('Pairs'),
    l10n.t('By the adjudicator'),
    l10n.t('By the labels'),
    l10n.t('Accuracy'),
    'F1',
  ];
  return [
    l10n.t(
      'As the adjudicator decided them, or else as the labels do, which is the best that people could do.',
    ),
    table([...head, l10n.t('Balanced accuracy'), l10n.t('Recall yes'), l10n.t('Recall no')], rows),
  ];
}

function stances(judges: readonly JudgeView[]): string[] {
  const rows = judges.flatMap((judge) =>
    judge.byStance.map(({ stance, pairs, accuracy, f1, recall, kappa }) => [
      nameOf(judge),
      sideOf(stance),
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
    table(
      [
        l10n.t('Judge'),
        l10n.t('Perspective is'),
        l10n.t('Pairs'),
        l10n.t('Accuracy'),
        'F1',
        l10n.t('Recall yes'),
        l10n.t('Recall no'),
        'κ',
      ],
      rows,
    ),
  ];
}

const sideOf = (stance: Stance): string => (stance === 'support' ? l10n.t('for') : l10n.t('against'));

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
        stance === null ? '' : sideOf(stance),
        String(pairs),
        percent(accuracy),
        percent(recall.yes),
        percent(recall.no),
      ]);
    const left = worst.length - rows.length;
    return [
      `### ${nameOf(judge)}`,
      table(
        [
          l10n.t('Perspective'),
          l10n.t('Question'),
          l10n.t('Stance'),
          l10n.t('Pairs'),
          l10n.t('Accuracy'),
          l10n.t('Recall yes'),
          l10n.t('Recall no'),
        ],
        rows,
      ),
      ...(left > 0 ? [l10n.t`${left} more, with no lower accuracy, are in the JSON.`] : []),
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
  const head = [
    l10n.t('Judge'),
    l10n.t('Asked now'),
    l10n.t('Remembered'),
    l10n.t('Requests each'),
    l10n.t('Tokens in'),
    l10n.t('Tokens out'),
  ];
  return table([...head, l10n.t('Median ms'), l10n.t('95th percentile ms'), l10n.t('Wall clock ms')], rows);
}

function consistency(judges: readonly JudgeView[]): string[] {
  return judges.flatMap((judge) => {
    const { consistency: again, swappedOrder: swapped } = judge;
    return [
      ...(again
        ? [
            l10n.t`${nameOf(judge)}: the same answer in all ${again.repeats} runs for ${percent(again.share)} of ${again.pairs} pairs.`,
          ]
        : []),
      ...(swapped
        ? [
            l10n.t`${nameOf(judge)}: the same verdict with swapped agents for ${percent(swapped.share)} of ${swapped.pairs} pairs; ${swapped.yesToNo} turned from yes to no, ${swapped.noToYes} from no to yes.`,
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
  return rows.length === 0
    ? []
    : [
        table(
          [l10n.t('Judge'), l10n.t('Round'), l10n.t('Agreed'), l10n.t('Against the labels'), l10n.t('Share')],
          rows,
        ),
      ];
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
    l10n.t('Of the debates that agreed in round 1, those still in agreement when they went on:'),
    table(
      [
        l10n.t('Judge'),
        l10n.t('Round'),
        l10n.t('Debates'),
        l10n.t('In agreement'),
        l10n.t('Against the labels'),
      ],
      rows,
    ),
  ];
}

function people(view: ValidationReport['people']): string[] {
  if (!view) return [];
  const rows = view.pairs.map(({ first, second, items, observed, kappa }) => [
    l10n.t`${cell(first)} and ${cell(second)}`,
    ...[String(items), percent(observed), decimal(kappa)],
  ]);
  const { all, conflicts } = view;
  const everybody = [l10n.t`All ${view.people.length}, Fleiss' κ`, String(all.items), percent(all.observed)];
  const divided = conflicts.map(({ perspective, passage, votes }) => [
    cell(perspective),
    cell(passage),
    votes.map(({ person, verdict }) => `${cell(person)}: ${verdict}`).join(', '),
  ]);
  return [
    table(
      [l10n.t('People'), l10n.t('Common pairs'), l10n.t('Agreement'), 'κ'],
      [...rows, [...everybody, decimal(all.kappa)]],
    ),
    ...(divided.length > 0
      ? [
          l10n.t('Without a majority, and so left out:'),
          table([l10n.t('Perspective'), l10n.t('Passage'), l10n.t('Said')], divided),
        ]
      : []),
  ];
}

function referenceTable(rows: readonly ReferenceRow[]): string {
  const head = [
    l10n.t('Other data'),
    l10n.t('From'),
    l10n.t('Says yes'),
    l10n.t('Accuracy'),
    'F1',
    l10n.t('Balanced accuracy'),
    l10n.t('Recall yes'),
  ];
  return table(
    [...head, l10n.t('Recall no'), 'κ', l10n.t('Escalated')],
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

function methodOf({ method, adjudicator, cases, data }: ReferenceRow): string {
  const compared = casesText(cases);
  const how = adjudicator ? l10n.t`${compared}, adjudicator: ${adjudicator}` : compared;
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
