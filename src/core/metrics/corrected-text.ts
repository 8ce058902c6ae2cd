/** Sentences about a correction, for readers without a background in statistics. */
import * as l10n from '@vscode/l10n';
import { counted } from '../counted.ts';
import { MIN_DECIDED } from '../statistics/prediction-powered.ts';
import { MIN_POSITIVES, WANTED_REACH } from './corrected.ts';
import type { Correction } from './correction.ts';
import type { Figure } from './figures.ts';

/**
 * Describes the labels behind the corrected figures of a pipeline, or why there are no corrected figures. One to four
 * sentences.
 */
export function correctionText(correction: Correction): string {
  return correction.lacks === undefined ? restsOn(correction) : whyNot(correction);
}

/** A sentence with the difference without the judge's errors, in percentage points. */
export function correctedDifferenceText({ value, low, high }: Figure): string {
  return l10n.t`Without the judge's errors the difference is ${points(value)}, between ${points(low)} and ${points(high)}.`;
}

/** Percentage points with their sign. Values that round to zero have no sign. */
function points(share: number): string {
  const text = percent(Math.abs(share));
  if (text === percent(0)) return text;
  return `${share < 0 ? '−' : '+'}${text}`;
}

/** Two sentences: the figure as counted and the figure as corrected. */
export function correctedFigureText(
  counted: number,
  { value, low, high }: Figure,
  { labels }: Pick<Correction, 'labels'>,
): string {
  return l10n.t`As counted: ${percent(counted)}. Corrected by ${labels} of your labels: ${percent(value)}, between ${percent(low)} and ${percent(high)}.`;
}

const percent = (share: number): string => (100 * share).toFixed(1);

function whyNot({ lacks, decided, queries, positives, more }: Correction): string {
  switch (lacks!) {
    case 'queries':
      return queries < MIN_DECIDED
        ? counted(
            l10n.t(
              "Not corrected for the judge's errors: there [0:is {0} question|are {0} questions], and {1} labelled ones are needed.",
            ),
            queries,
            MIN_DECIDED,
          )
        : counted(
            l10n.t(
              "Not corrected for the judge's errors: {0} [0:question is|questions are] labelled, and {1} are needed. Label the top k of {2} more.",
            ),
            decided,
            MIN_DECIDED,
            more,
          );
    case 'positives':
      return l10n.t`Not corrected for the judge's errors: ${positives} of the pairs that the judge answered are labelled yes, and ${MIN_POSITIVES} are needed.`;
    case 'negatives':
      return l10n.t(
        "Not corrected for the judge's errors: no label is a no, so only questions that succeed are decided. Label passages that do not support, too.",
      );
    case 'unanswered':
      return l10n.t(
        "Not corrected for the judge's errors: the judge has not answered the pairs that people labelled. Have it judge them, too.",
      );
  }
}

function restsOn({ labels, decided, queries, more, assumesRandom, fitted }: Correction): string {
  const basis = counted(
    l10n.t(
      "Corrected for the judge's errors by {0} [0:label of people, which decides|labels of people, which decide] {1} of {2} [2:question|questions]: in 19 of 20 cases the interval contains the figure that people would give.",
    ),
    labels,
    decided,
    queries,
  );
  const assumed =
    assumesRandom && decided < queries
      ? l10n.t(
          'These were not drawn by chance: if they are easier or harder for the judge than the others, the correction is wrong.',
        )
      : '';
  const wider =
    more > 0
      ? l10n.t`About ${more} more decided questions would bring it to ± ${Math.round(100 * WANTED_REACH)} points.`
      : '';
  return [basis, assumed, fittedText(fitted), wider].filter(Boolean).join(' ');
}

function fittedText(fitted: Correction['fitted']): string {
  switch (fitted) {
    case undefined:
      return '';
    case 'held-out':
      return l10n.t(
        'The judge learns from labels: for each query it is compared with people without the labels of that query.',
      );
    case 'included':
      return l10n.t(
        "The judge's threshold was chosen on labels. If those labels include these questions, the judge is more accurate on them than on others, and the correction is too small.",
      );
  }
}
