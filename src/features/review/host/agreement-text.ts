/** Agreement between people, as Markdown. Pure. */
import * as l10n from '@vscode/l10n';
import { counted } from '../../../core/counted.ts';
import { VERDICTS } from '../../../core/words.ts';
import type { LabelAgreement } from '../core/label-agreement.ts';
import { markdownTable } from '../../../core/reports/markdown.ts';

type Shares = LabelAgreement['all']['shares'];

/** The report of `Parallax: Show Agreement`. */
export function agreementText(agreement: LabelAgreement): string {
  const { people, all } = agreement;
  const title = `# ${l10n.t('Agreement of people')}`;
  if (people.length === 0)
    return `${title}\n\n${l10n.t('There are no labels yet. Labels are given in the Parallax view and in the Review view.')}\n`;
  return [
    title,
    basis(people),
    markdownTable({
      header: [l10n.t('Person'), l10n.t('Labels')],
      rows: people.map(({ name, labels }) => [name, String(labels)]),
      names: 1,
    }),
    ...(people.length === 1
      ? [l10n.t('Agreement needs the labels of at least two people on the same passages.')]
      : [
          `## ${l10n.t('All together')}`,
          agreementTable([agreementRow(l10n.t("Fleiss' κ"), all, sharesOf(all.shares))]),
          ...pairwise(agreement),
          ...conditions(agreement),
          howToRead(),
          ...dividedText(agreement),
        ]),
    ...attentionText(agreement),
    '',
  ].join('\n\n');
}

function basis(people: LabelAgreement['people']): string {
  const labels = people.reduce((sum, person) => sum + person.labels, 0);
  return counted(
    l10n.t(
      "Rests on the human labels of this workspace: {0} by {1} [1:person|people]. Each person's newest label of a passage and perspective counts.",
    ),
    labels,
    people.length,
  );
}

function agreementTable(rows: readonly (readonly string[])[]): string {
  const header = [
    '',
    l10n.t('Common items'),
    l10n.t('Raw agreement'),
    l10n.t('By chance'),
    'κ',
    l10n.t('Base rates'),
  ];
  return markdownTable({ header, rows, names: header.length });
}

const howToRead = (): string =>
  l10n.t(
    'κ is agreement beyond chance: 1 is complete agreement, 0 is no more than chance. Compare it with the raw agreement and the base rates: if nearly all answers are the same, κ is low even if people rarely differ. "n/a" means that κ is undefined, for example if everyone always gave the same answer.',
  );

function pairwise({ pairs }: LabelAgreement): string[] {
  if (pairs.length === 0) return [];
  const rows = pairs.map(({ first, second, shares: [a, b], ...agreement }) =>
    agreementRow(
      l10n.t`Cohen's κ of ${first} and ${second}`,
      agreement,
      `${first}: ${sharesOf(a)}; ${second}: ${sharesOf(b)}`,
    ),
  );
  return [`## ${l10n.t('Every two people')}`, agreementTable(rows)];
}

function conditions({ byCondition }: LabelAgreement): string[] {
  const measured = byCondition.filter(({ agreement }) => agreement.items > 0);
  if (measured.length === 0) return [];
  const rows = measured.map(({ informed, agreement }) =>
    agreementRow(
      informed ? l10n.t("With the judges' arguments in view") : l10n.t('Without'),
      agreement,
      sharesOf(agreement.shares),
    ),
  );
  return [`## ${l10n.t("With and without the judges' arguments")}`, agreementTable(rows)];
}

function dividedText({ divided }: LabelAgreement): string[] {
  if (divided.length === 0) return [];
  const rows = divided.map(({ perspective, document, said }) => [
    perspective,
    document,
    said.map(({ person, verdict }) => `${person}: ${verdict}`).join(', '),
  ]);
  return [
    `## ${l10n.t('Where people are divided')}`,
    markdownTable({ header: [l10n.t('Perspective'), l10n.t('Document'), l10n.t('Labels')], rows, names: 3 }),
  ];
}

function attentionText({ attention }: LabelAgreement): string[] {
  if (attention.length === 0) return [];
  const rows = attention.map(({ person, checks, passed }) => [person, String(checks), String(passed)]);
  return [
    `## ${l10n.t('Attention checks')}`,
    markdownTable({ header: [l10n.t('Person'), l10n.t('Checks'), l10n.t('Passed')], rows, names: 1 }),
  ];
}

type Figures = Pick<LabelAgreement['all'], 'items' | 'observed' | 'expected' | 'kappa'>;

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
