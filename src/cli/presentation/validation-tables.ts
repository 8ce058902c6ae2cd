/** A validation report as tables in plain text. */
import type { JudgeView, ValidationReport } from '../../shared/validation.ts';
import { formatTable } from './terminal.ts';

type ReferenceRow = ValidationReport['reference'][number];

/** @param source of the labels, for people */
export function describeValidation(report: ValidationReport, source: string): string {
  const sections = [
    headline(report, source),
    qualityTable(report),
    allCasesTable(report.judges),
    costTable(report.judges),
    stanceTable(report.judges),
    consistencyLines(report.judges),
    debateTable(report.judges),
    persistenceTable(report.judges),
    peopleLines(report.people),
    `${report.referenceNote}\n\n${referenceTable(report.reference)}`,
  ];
  return sections.filter((section) => section !== '').join('\n');
}

function headline({ labels }: ValidationReport, source: string): string {
  const { by, judge, pairs, yes, unsure, unlabelled } = labels;
  const left = [
    unsure > 0 ? `${unsure} on which the reference is unsure` : '',
    unlabelled > 0 ? `${unlabelled} without a label` : '',
  ].filter((part) => part !== '');
  return (
    `${pairs} pairs of ${source}, ${yes} positive (${percent(yes / pairs)}%)` +
    `${by === 'judge' ? `, by the word of the judge ${judge}` : ''}` +
    `${left.length > 0 ? `; left out: ${left.join(', ')}` : ''}.\n` +
    'All figures in percent, except κ; in brackets 95% intervals of a bootstrap over pairs. They rest on the pairs that\n' +
    'a judge decided itself; "unsure" and answers that cannot be read count as wrong, escalated pairs do not count.\n'
  );
}

function qualityTable({ judges, baselines }: ValidationReport): string {
  const header = [
    'judge',
    ...['pairs', '% yes', 'accuracy', 'F1', 'bal. acc.', 'recall yes', 'recall no', 'κ'],
    ...['unsure', 'unparsed', 'escalated'],
  ];
  const rows = judges.map((judge) => [
    judge.heuristic ? `${judge.judge} (heuristic)` : judge.judge,
    String(judge.pairs),
    percent(judge.positiveShare),
    withInterval(percent, judge.accuracy, judge.intervals.accuracy),
    withInterval(percent, judge.f1, judge.intervals.f1),
    withInterval(percent, judge.balancedAccuracy, judge.intervals.balancedAccuracy),
    percent(judge.recall.yes),
    percent(judge.recall.no),
    withInterval(twoDigits, judge.kappa, judge.intervals.kappa),
    percent(judge.unsure),
    percent(judge.unparsed),
    percent(judge.escalated),
  ]);
  const guesses = baselines.map(({ baseline, positiveShare, accuracy, f1 }) => [
    baseline === 'random' ? 'random, with the same share' : baseline,
    '',
    percent(positiveShare),
    percent(accuracy),
    percent(f1),
  ]);
  return formatTable(header, [...rows, ...guesses]);
}

function allCasesTable(judges: readonly JudgeView[]): string {
  const escalating = judges.filter(({ escalated }) => escalated !== null && escalated > 0);
  if (escalating.length === 0) return '';
  const rows = escalating.map(({ judge, allCases }) => [
    judge,
    String(allCases.pairs),
    String(allCases.adjudicated),
    String(allCases.decidedByReference),
    percent(allCases.accuracy),
    percent(allCases.f1),
    percent(allCases.balancedAccuracy),
    percent(allCases.recall.yes),
    percent(allCases.recall.no),
  ]);
  const header = ['all pairs', 'pairs', 'by adjudicator', 'by reference'];
  return (
    'With the escalated pairs as the adjudicator decided them, or else as the reference does, which is the best that\n' +
    `people could do.\n\n${formatTable([...header, 'accuracy', 'F1', 'bal. acc.', 'recall yes', 'recall no'], rows)}`
  );
}

function costTable(judges: readonly JudgeView[]): string {
  const rows = judges.map(({ judge, cost, latency }) => [
    judge,
    String(cost.asked),
    String(cost.cached),
    number(cost.requests),
    number(cost.promptTokens),
    number(cost.completionTokens),
    number(latency.median),
    number(latency.p95),
    number(latency.amortised),
  ]);
  const header = ['per judgement', 'asked', 'remembered', 'requests', 'tokens in', 'tokens out'];
  return formatTable([...header, 'median ms', 'p95 ms', 'wall clock ms'], rows);
}

function stanceTable(judges: readonly JudgeView[]): string {
  const rows = judges.flatMap(({ judge, byStance }) =>
    byStance.map(({ stance, pairs, accuracy, f1, recall, kappa }) => [
      `${judge}: ${stance}`,
      String(pairs),
      percent(accuracy),
      percent(f1),
      percent(recall.yes),
      percent(recall.no),
      twoDigits(kappa),
    ]),
  );
  if (rows.length === 0) return '';
  return formatTable(['by stance', 'pairs', 'accuracy', 'F1', 'recall yes', 'recall no', 'κ'], rows);
}

function consistencyLines(judges: readonly JudgeView[]): string {
  return judges
    .flatMap(({ judge, consistency, swappedOrder }) => [
      consistency
        ? `${judge}: the same answer in all ${consistency.repeats} runs for ${percent(consistency.share)}% of ${consistency.pairs} pairs.\n`
        : '',
      swappedOrder
        ? `${judge}: the same verdict with swapped agents for ${percent(swappedOrder.share)}% of ${swappedOrder.pairs} pairs ` +
          `(${swappedOrder.yesToNo} from yes to no, ${swappedOrder.noToYes} from no to yes).\n`
        : '',
    ])
    .join('');
}

function debateTable(judges: readonly JudgeView[]): string {
  const rows = judges.flatMap(({ judge, debateRounds }) =>
    debateRounds.map(({ round, agreed, spurious, spuriousShare }) => [
      `${judge}: round ${round}`,
      String(agreed),
      String(spurious),
      percent(spuriousShare),
    ]),
  );
  return rows.length === 0 ? '' : formatTable(['debates', 'agreed', 'wrongly', '% wrongly'], rows);
}

function persistenceTable(judges: readonly JudgeView[]): string {
  const rows = judges.flatMap((view) =>
    view.persistence.map(({ round, debates, consensus, persistence, spurious, spuriousShare }) => [
      `${view.judge}: round ${round}`,
      String(debates),
      String(consensus),
      percent(persistence),
      String(spurious),
      percent(spuriousShare),
    ]),
  );
  const header = ['agreed in round 1', 'held', 'in agreement', '% lasting', 'wrongly', '% wrongly'];
  return rows.length === 0 ? '' : formatTable(header, rows);
}

function peopleLines(people: ValidationReport['people']): string {
  if (!people) return '';
  const rows = people.pairs.map(({ first, second, items, observed, kappa, shares }) => [
    `${first}, ${second}`,
    String(items),
    percent(observed),
    twoDigits(kappa),
    shares.map(({ yes = 0 }) => percent(yes)).join(', '),
  ]);
  const { all, conflicts } = people;
  const everybody = [
    `all ${people.people.length} (Fleiss)`,
    String(all.items),
    percent(all.observed),
    twoDigits(all.kappa),
    percent(all.shares['yes'] ?? 0),
  ];
  const listed = conflicts.map(
    ({ perspective, votes }) =>
      `  ${perspective} – ${votes.map(({ person, verdict }) => `${person}: ${verdict}`).join(', ')}\n`,
  );
  return (
    formatTable(['people', 'pairs', 'agreement', 'κ', '% yes'], [...rows, everybody]) +
    (listed.length > 0 ? `\n${listed.length} without a majority:\n${listed.join('')}` : '')
  );
}

function referenceTable(rows: readonly ReferenceRow[]): string {
  const header = [
    'other data',
    'from',
    '% yes',
    'accuracy',
    'F1',
    'bal. acc.',
    'recall yes',
    'recall no',
    'κ',
  ];
  return formatTable(
    [...header, 'escalated', '$', 's'],
    rows.map((row) => [
      methodOf(row),
      row.source,
      percent(row.positiveShare),
      percent(row.accuracy),
      percent(row.f1),
      percent(row.balancedAccuracy),
      percent(row.recall?.yes),
      percent(row.recall?.no),
      twoDigits(row.kappa ?? row.fleissKappa),
      percent(row.escalated),
      row.dollars === undefined ? '' : String(row.dollars),
      row.seconds === undefined ? '' : String(row.seconds.parallel),
    ]),
  );
}

function methodOf({ method, adjudicator, cases, data }: ReferenceRow): string {
  if (cases === 'against-model') return `${method}, ${/from (.*),/.exec(data)?.[1] ?? data}`;
  return adjudicator ? `${method}, all cases, adjudicator: ${adjudicator}` : method;
}

type Maybe = number | null | undefined;

function percent(share: Maybe): string {
  return share === null || share === undefined ? '' : (share * 100).toFixed(1);
}

function twoDigits(value: Maybe): string {
  return value === null || value === undefined ? '' : value.toFixed(2);
}

function number(value: Maybe): string {
  if (value === null || value === undefined) return '';
  return value >= 10 ? value.toFixed(0) : value.toFixed(2);
}

function withInterval(
  format: (value: number) => string,
  figure: number | null,
  interval: JudgeView['intervals']['f1'],
): string {
  if (figure === null) return '';
  // Too few pairs for an interval are no reason to hide the figure.
  return interval === null
    ? format(figure)
    : `${format(figure)} [${format(interval.low)}, ${format(interval.high)}]`;
}
