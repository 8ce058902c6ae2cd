/** Sentences about the result of an eval set check, shared by all surfaces. */
import * as l10n from '@vscode/l10n';
import { counted, counts } from '../../../core/counted.ts';
import type { EvalSetReport, Showable } from './report.ts';
import { ASSUMED_DIFFERING, WANTED_DIFFERENCE } from './showable.ts';

/** A finding if at least this share and this number of questions depend on one document. */
const MUCH_ON_ONE = { share: 0.25, questions: 3 };

export interface Finding {
  readonly text: string;
  /** Whether the eval set can be fixed. Otherwise the finding is only informative. */
  readonly isFault: boolean;
  /** Ids of questions or details of the findings, one per line. */
  readonly list: readonly string[];
}

/** Shares as percentage points, without a zero decimal: 0.5 → `50`, 0.545 → `54.5`. */
const points = (share: number): string => String(Math.round(share * 1000) / 10);

const WANTED_POINTS = points(WANTED_DIFFERENCE);

/** One line, shown before a comparison is run. */
export function showableLine(questions: number, { measure, floor, usual, more }: Showable): string {
  const size = counts.questions(questions);
  if (floor === undefined && usual !== undefined)
    return l10n.t`${size}: differences of ${measure} are usually shown from ${points(usual)} points.`;
  if (floor === undefined)
    return more === undefined
      ? l10n.t`${size}: no difference of ${measure} can be shown.`
      : l10n.t`${size}: no difference of ${measure} can be shown; about ${more} more would show ${WANTED_POINTS} points.`;
  if (more === undefined)
    return l10n.t`${size}: differences below ${points(floor)} points of ${measure} cannot be shown.`;
  return more === 0
    ? l10n.t`${size}: differences below ${points(floor)} points of ${measure} cannot be shown; ${WANTED_POINTS} points usually are.`
    : l10n.t`${size}: differences below ${points(floor)} points of ${measure} cannot be shown; about ${more} more would show ${WANTED_POINTS}.`;
}

/** `eval/questions.jsonl: 12 questions with 24 perspectives, k = 5`. */
export function setHeading(name: string, { questions, perspectives, k }: EvalSetReport): string {
  return l10n.t`${name}: ${counts.questions(questions)} with ${counts.perspectives(perspectives)}, k = ${k}`;
}

/**
 * The differences of each measure in points, and the number of additional questions that would show {@link
 * WANTED_DIFFERENCE}.
 */
export function showableRows({ showable }: EvalSetReport): { header: string[]; rows: string[][] } {
  const inPoints = (share: number | undefined): string => (share === undefined ? '–' : points(share));
  return {
    header: [
      l10n.t('measure'),
      l10n.t('never shown below'),
      l10n.t('usually shown from'),
      l10n.t`more questions for ${WANTED_POINTS}`,
    ],
    rows: showable.map(({ measure, floor, usual, more }) => [
      measure,
      inPoints(floor),
      inPoints(usual),
      more === undefined ? '–' : String(more),
    ]),
  };
}

/** Explains the numbers of {@link showableRows}. */
export function showableReason({ tests, showable }: EvalSetReport): string {
  const shared =
    tests > 1
      ? [
          l10n.t`With ${tests} comparisons to the first pipeline, that is fewer than ${5 / tests} of 100 for each.`,
        ]
      : [];
  const isMeasured = showable.some((each) => each.isMeasured);
  return [
    l10n.t(
      'In points. A difference is shown if chance alone gives it in fewer than 5 of 100 comparisons; usually means in 4 of 5 comparisons.',
    ),
    ...shared,
    isMeasured
      ? l10n.t('How much the pipelines differ on a question is taken from what they retrieve.')
      : l10n.t`It is unknown how the pipelines differ. The estimate assumes that they differ on ${points(ASSUMED_DIFFERING)} of 100 questions.`,
  ].join(' ');
}

/** All findings, fixable ones first. */
export function findingsOf(report: EvalSetReport): Finding[] {
  return [
    ...lostLabels(report),
    ...unwinnable(report),
    ...same(report),
    ...sharedWords(report),
    ...onOneDocument(report),
    ...won(report),
    ...unsupported(report),
  ].sort((a, b) => Number(b.isFault) - Number(a.isFault));
}

function lostLabels({ lostLabels: { labels, lost, examples } }: EvalSetReport): Finding[] {
  if (lost === 0) return [];
  return [
    {
      text: counted(
        l10n.t(
          '{0} of {1} [1:label does|labels do] not match this corpus: their document is gone, or its text has changed. Label these passages again.',
        ),
        lost,
        labels,
      ),
      isFault: true,
      list: examples.map(({ document, labels: count }) => l10n.t('{0}: {1}', document, counts.labels(count))),
    },
  ];
}

function unwinnable({ unwinnable: findings, questions }: EvalSetReport): Finding[] {
  if (findings.length === 0) return [];
  return [
    {
      text: counted(
        l10n.t(
          'No pipeline can win {0} of {1} [1:question|questions]: no passage of the corpus supports these perspectives. Add documents, or remove the perspectives.',
        ),
        findings.length,
        questions,
      ),
      isFault: true,
      list: findings.map(({ query, perspectives }) => `${query}: ${perspectives.join(', ')}`),
    },
  ];
}

function same({ sameQuestions, samePerspectives }: EvalSetReport): Finding[] {
  const findings: Finding[] = [];
  if (sameQuestions.length > 0)
    findings.push({
      text: l10n.t('Questions that ask the same count twice. Remove one of each pair.'),
      isFault: true,
      list: sameQuestions.map(({ query, as }) => l10n.t`${query} asks the same as ${as}`),
    });
  if (samePerspectives.length > 0)
    findings.push({
      text: l10n.t(
        'The same passage covers both perspectives of a pair that say the same. Remove one of each pair.',
      ),
      isFault: true,
      list: samePerspectives.map(
        ({ query, perspective, as }) => l10n.t`${query}: ${perspective} says the same as ${as}`,
      ),
    });
  return findings;
}

function sharedWords({ sharedWords: findings = [] }: EvalSetReport): Finding[] {
  if (findings.length === 0) return [];
  return [
    {
      text: l10n.t(
        'Questions with most of their words from the only passage that answers them are easy for any search by words. Write them as a user would ask.',
      ),
      isFault: true,
      list: findings.map(
        ({ query, name, shared, terms }) =>
          l10n.t`${query}: ${shared} of ${terms} words are those of ${name}`,
      ),
    },
  ];
}

function onOneDocument({ onOneDocument: dependency, questions, k }: EvalSetReport): Finding[] {
  if (!dependency || dependency.queries.length < MUCH_ON_ONE.questions) return [];
  const share = dependency.queries.length / questions;
  return [
    {
      text: counted(
        l10n.t(
          '{0} of {1} [1:question|questions] can be won only with {2}. A pipeline that does not find this document loses {3} points of MRecall@{4}.',
        ),
        dependency.queries.length,
        questions,
        dependency.document,
        points(share),
        k,
      ),
      isFault: share >= MUCH_ON_ONE.share,
      list: dependency.queries,
    },
  ];
}

function won({ won: queries = [], questions, k }: EvalSetReport): Finding[] {
  if (queries.length === 0) return [];
  return [
    {
      text: l10n.t`Every pipeline wins ${queries.length} of ${questions} questions by MRecall@${k}. These do not tell the pipelines apart.`,
      isFault: false,
      list: queries,
    },
  ];
}

function unsupported({ unsupported: count, perspectives }: EvalSetReport): Finding[] {
  if (count === 0) return [];
  return [
    {
      text: counted(
        l10n.t(
          'For {0} of {1} [1:perspective|perspectives] no supporting passage is known yet: it is not known whether [0:it|they] can be covered.',
        ),
        count,
        perspectives,
      ),
      isFault: false,
      list: [],
    },
  ];
}
