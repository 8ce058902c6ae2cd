/** A pair as a text to read: the question, the reason for the review, and the arguments. Pure. */
import * as l10n from '@vscode/l10n';
import { counted } from '../../../core/counted.ts';
import { stagesOf, type OneSide, type Stage } from '../core/opinions.ts';
import { allOf } from '../../../core/text/enumeration.ts';
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

/** The pair, its keys, the opinions of judges and people, then the passage. The Markdown is readable as plain text. */
export function reviewText(item: ReviewItemView, progress: ReviewProgress): string {
  const { entry, standard, passage } = item;
  const { perspective, query } = entry;
  return paragraphs(
    `# ${l10n.t('Does the passage support this perspective?')}`,
    `    ${oneLine(perspective.text)}`,
    `    ${l10n.t('Y yes · N no · U unsure · S skip · Z undo')}`,
    list([
      l10n.t`Question: ${oneLine(query.text)}`,
      ...(perspective.stance
        ? [
            perspective.stance === 'support'
              ? l10n.t('Stance: for the question')
              : l10n.t('Stance: against the question'),
          ]
        : []),
      l10n.t`Passage: ${placeOf(entry)}, marked in its document beside`,
      standard.summary
        ? l10n.t`What counts: ${standard.summary}`
        : l10n.t`What counts: the support standard "${standard.id}"`,
      l10n.t`Why it is here: ${whyHere(item)}`,
      ...(entry.people > 1 ? [l10n.t`Answered by ${entry.answered} of ${entry.people} people`] : []),
      ...(progress.note === undefined ? [] : [l10n.t`Your note: ${oneLine(progress.note)}`]),
      l10n.t`Left: ${progress.left}`,
    ]),
    ...(item.answers.length > 0 ? [`## ${l10n.t('What people say')}`, list(item.answers.map(spoken))] : []),
    ...item.opinions.flatMap((opinion) => [
      `## ${opinion.debate ? l10n.t`Debate: ${opinion.judge}` : l10n.t`Judge: ${opinion.judge}`}`,
      ...stagesOf(opinion).flatMap((stage) => stageText(stage, passage.text)),
    ]),
    // Last, because the passage is also shown in its document beside it, with the evidence marked.
    `## ${l10n.t('Passage')}`,
    passage.text.trim(),
  );
}

/** The text for an empty queue. */
export function endText({ answered }: ReviewProgress, waiting: number): string {
  return paragraphs(
    `# ${l10n.t('Nothing is left to review')}`,
    counted(l10n.t('{0} [0:answer|answers] given. Z undoes the last one.'), answered),
    ...(waiting > 0 ? [waitingText(waiting)] : []),
  );
}

function waitingText(pairs: number): string {
  return counted(l10n.t('{0} [0:pair waits|pairs wait] for other people.'), pairs);
}

/** The text while no review is open. */
export function noReviewText(): string {
  return paragraphs(
    `# ${l10n.t('No review is open')}`,
    l10n.t('Run "Parallax: Review Next Pair" to begin one.'),
  );
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

function stageText({ round, isAdjudication, sides }: Stage, passage: string): string[] {
  const title = isAdjudication
    ? l10n.t('Adjudicator')
    : round === undefined
      ? undefined
      : l10n.t`Round ${round}`;
  return [...(title === undefined ? [] : [`### ${title}`]), ...sides.map((side) => sideText(side, passage))];
}

function sideText({ who, side, argument, evidence }: OneSide, passage: string): string {
  const quotes = evidence.map(({ start, end }) => `> ${oneLine(passage.slice(start, end))}`);
  return paragraphs(
    `[${side}] ${who}: ${oneLine(argument) || l10n.t('no argument given')}`,
    ...quotes,
  ).trimEnd();
}

function spoken({ person, verdict, note }: ReviewItemView['answers'][number]): string {
  return `${person}: ${verdict}${note === undefined ? '' : ` (${oneLine(note)})`}`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function list(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join('\n');
}

function paragraphs(...texts: readonly string[]): string {
  return `${texts.join('\n\n')}\n`;
}
