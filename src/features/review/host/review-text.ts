/** A pair as its panel shows it: the question, the reason for the review, and the arguments. Pure. */
import * as l10n from '@vscode/l10n';
import { placeIn, readWhole } from '../../../core/snippets.ts';
import { allOf } from '../../../core/text/enumeration.ts';
import { DECIDED_VERDICTS } from '../../../core/words.ts';
import { evidenceOfSides, stagesOf, type Stage } from '../core/opinions.ts';
import type { ReviewPair } from '../contract/panel.ts';
import type { ReviewEntry } from '../contract/review.ts';
import type { Result } from '../../../shared/rpc.ts';

export type ReviewItemView = Result<'reviewItem'>;

/** A person's progress through the queue. */
export interface ReviewProgress {
  /** Pairs left, including this one. */
  readonly left: number;
  /** Answers given since the review began. */
  readonly answered: number;
  /** Stored with the answer. */
  readonly note?: string | undefined;
}

/** The pair as its panel shows it. */
export function reviewPair(item: ReviewItemView, note: string | undefined): ReviewPair {
  const { entry, passage, opinions, answers } = item;
  const read = readWhole(passage.text.trim(), entry.documentId);
  const before = passage.text.length - passage.text.trimStart().length;
  const place = (at: number): number => placeIn(read, at - before);
  const quoted = evidenceOfSides(opinions);
  return {
    perspective: entry.perspective.text,
    question: entry.query.text,
    place: placeOf(entry),
    text: read.text,
    evidence: DECIDED_VERDICTS.flatMap((side) =>
      quoted[side].map(({ start, end }) => ({ side, start: place(start), end: place(end) })),
    ),
    facts: factsOf(item),
    answers: answers.map(({ person, verdict, note: said }) => ({
      person,
      verdict,
      ...(said === undefined ? {} : { note: oneLine(said) }),
    })),
    opinions: opinions.flatMap((opinion) =>
      stagesOf(opinion).map((stage) => ({
        title: stageTitle(opinion, stage),
        sides: stage.sides.map(({ who, side, argument }) => ({ who, side, argument: oneLine(argument) })),
      })),
    ),
    ...(note === undefined ? {} : { note: oneLine(note) }),
  };
}

function factsOf(item: ReviewItemView): string[] {
  const { entry, standard } = item;
  const { stance } = entry.perspective;
  return [
    ...(stance === undefined
      ? []
      : [stance === 'support' ? l10n.t('Stance: for the question') : l10n.t('Stance: against the question')]),
    standard.summary
      ? l10n.t`What counts: ${standard.summary}`
      : l10n.t`What counts: the support standard "${standard.id}"`,
    l10n.t`Why it is here: ${whyHere(item)}`,
    ...(entry.people > 1 ? [l10n.t`Answered by ${entry.answered} of ${entry.people} people`] : []),
  ];
}

/** File, section and lines, as shown to the user. */
export function placeOf({ name, lines }: Pick<ReviewEntry, 'name' | 'lines'>): string {
  if (!lines) return name;
  const { first, last } = lines;
  return first === last ? l10n.t`${name}, line ${first}` : l10n.t`${name}, lines ${first} to ${last}`;
}

function whyHere({ entry, opinions, answers }: ReviewItemView): string {
  const names = allOf(opinions.map(({ judge }) => `"${judge}"`));
  switch (entry.reason) {
    case 'evidence':
      return l10n.t`the judge ${names} says "yes" with a quotation that is not in the passage`;
    case 'escalated':
      return opinions.some(({ debate }) => debate)
        ? l10n.t`the agents of the debate ${names} did not agree`
        : l10n.t`the judge ${names} could not decide by itself`;
    case 'disagreement':
      if (opinions.length === 0) return l10n.t('people are divided about it');
      return answers.length > 0
        ? l10n.t`people and the judge ${names} say the opposite`
        : l10n.t`the judges ${names} say the opposite`;
    case 'narrowing':
      return l10n.t(
        'its question was drawn at random, to find out what the judge gets wrong; what others say is not shown',
      );
    case 'calibration':
    case 'attention':
      return l10n.t('it was drawn at random; what others say is not shown');
    case 'hole':
      return l10n.t('not judged');
  }
}

function stageTitle({ judge, debate }: ReviewItemView['opinions'][number], stage: Stage): string {
  const who = debate ? l10n.t`Debate: ${judge}` : l10n.t`Judge: ${judge}`;
  if (stage.isAdjudication) return `${who} · ${l10n.t('Adjudicator')}`;
  return stage.round === undefined ? who : `${who} · ${l10n.t`Round ${stage.round}`}`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
