/** How far people agree, as Markdown. Pure. */
import type { LabelAgreementView } from '../../shared/review.ts';
import { cell, table } from '../platform/markdown-table.ts';

type Shares = LabelAgreementView['all']['shares'];

const VERDICTS = ['yes', 'no', 'unsure'] as const;

/** The report of `Parallax: Show Agreement`. */
export function agreementText(agreement: LabelAgreementView): string {
  const { people, all } = agreement;
  if (people.length === 0)
    return '# Agreement of people\n\nNobody has labelled anything yet. Labels are given in the Inspector and in the Review view.\n';
  return [
    '# Agreement of people',
    `Rests on the human labels of this workspace: ${people.reduce((sum, { labels }) => sum + labels, 0)} by ${people.length} ${people.length === 1 ? 'person' : 'people'}. Each person's newest label of a passage and perspective counts.`,
    table(
      ['Person', 'Labels'],
      people.map(({ name, labels }) => [cell(name), String(labels)]),
    ),
    ...(people.length === 1
      ? ['Agreement needs the labels of at least two people on the same passages.']
      : [
          '## All together',
          table(AGREEMENT_HEAD, [agreementRow("Fleiss' κ", all, sharesOf(all.shares))]),
          ...pairwise(agreement),
          ...conditions(agreement),
          READING,
          ...dividedText(agreement),
        ]),
    ...attentionText(agreement),
    '',
  ].join('\n\n');
}

const AGREEMENT_HEAD = ['', 'Common items', 'Raw agreement', 'By chance', 'κ', 'Base rates'];

const READING =
  'κ is agreement beyond what chance explains: 1 is complete agreement, 0 no more than chance. Read it beside the raw agreement and the base rates: where nearly all answers are the same, κ is low although people hardly differ. "n/a" means that it is undefined, as where everybody only ever gave one and the same answer.';

function pairwise({ pairs }: LabelAgreementView): string[] {
  if (pairs.length === 0) return [];
  const rows = pairs.map(({ first, second, shares: [a, b], ...agreement }) =>
    agreementRow(
      `Cohen's κ of ${cell(first)} and ${cell(second)}`,
      agreement,
      `${cell(first)}: ${sharesOf(a)}; ${cell(second)}: ${sharesOf(b)}`,
    ),
  );
  return ['## Every two people', table(AGREEMENT_HEAD, rows)];
}

function conditions({ byCondition }: LabelAgreementView): string[] {
  const measured = byCondition.filter(({ agreement }) => agreement.items > 0);
  if (measured.length === 0) return [];
  const rows = measured.map(({ informed, agreement }) =>
    agreementRow(
      informed ? "With the judges' arguments in view" : 'Without',
      agreement,
      sharesOf(agreement.shares),
    ),
  );
  return ["## With and without the judges' arguments", table(AGREEMENT_HEAD, rows)];
}

function dividedText({ divided }: LabelAgreementView): string[] {
  if (divided.length === 0) return [];
  const rows = divided.map(({ perspective, document, said }) => [
    cell(perspective),
    cell(document),
    said.map(({ person, verdict }) => `${cell(person)}: ${verdict}`).join(', '),
  ]);
  return ['## Where people are divided', table(['Perspective', 'Document', 'Said'], rows)];
}

function attentionText({ attention }: LabelAgreementView): string[] {
  if (attention.length === 0) return [];
  const rows = attention.map(({ person, checks, passed }) => [cell(person), String(checks), String(passed)]);
  return ['## Attention checks', table(['Person', 'Given', 'Passed'], rows)];
}

type Figures = Pick<LabelAgreementView['all'], 'items' | 'observed' | 'expected' | 'kappa'>;

function agreementRow(name: string, { items, observed, expected, kappa }: Figures, shares: string): string[] {
  return [name, String(items), percent(observed), percent(expected), decimal(kappa), shares];
}

function sharesOf(shares: Shares): string {
  return VERDICTS.filter((verdict) => (shares[verdict] ?? 0) > 0)
    .map((verdict) => `${verdict} ${percent(shares[verdict] ?? 0)}`)
    .join(', ');
}

function percent(value: number | null): string {
  return value === null ? 'n/a' : `${(value * 100).toFixed(1)}%`;
}

function decimal(value: number | null): string {
  return value === null ? 'n/a' : value.toFixed(2);
}
