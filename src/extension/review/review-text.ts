/** One pair as a text to read: what is asked, why, and what was argued. Pure. */
import { stagesOf, type OneSide, type Stage } from '../../core/review/opinions.ts';
import type { ReviewEntry } from '../../shared/review.ts';
import type { Result } from '../../shared/rpc.ts';

export type ReviewItemView = Result<'reviewItem'>;

/** Where a person stands in the queue. */
export interface ReviewProgress {
  /** Pairs that are left, this one included. */
  readonly left: number;
  /** Answers given since the review began. */
  readonly answered: number;
  /** To be kept with the answer. */
  readonly note?: string | undefined;
}

const KEYS = 'Y yes · N no · U unsure · S skip · Z undo';

/** The pair, its keys, and below them what judges and people said, then the passage. Markdown that reads well as it is. */
export function reviewText(item: ReviewItemView, progress: ReviewProgress): string {
  const { entry, standard, passage } = item;
  const { perspective, query } = entry;
  return paragraphs(
    '# Does the passage support this perspective?',
    `    ${oneLine(perspective.text)}`,
    `    ${KEYS}`,
    list([
      `Question: ${oneLine(query.text)}`,
      ...(perspective.stance ? [`Stance: ${STANCES[perspective.stance]}`] : []),
      `Passage: ${placeOf(entry)}, marked in its document beside`,
      `What counts: ${standard.summary || `the support standard "${standard.id}"`}`,
      `Why it is here: ${whyHere(item)}`,
      ...(entry.people > 1 ? [`Answered by ${entry.answered} of ${entry.people} people`] : []),
      ...(progress.note === undefined ? [] : [`Your note: ${oneLine(progress.note)}`]),
      `Left: ${progress.left}`,
    ]),
    ...(item.said.length > 0 ? ['## What people say', list(item.said.map(spoken))] : []),
    ...item.opinions.flatMap((opinion) => [
      `## ${opinion.debate ? `Debate: ${opinion.judge}` : `Judge: ${opinion.judge}`}`,
      ...stagesOf(opinion).flatMap((stage) => stageText(stage, passage.text)),
    ]),
    // The last: it stands in its document beside, with the evidence marked.
    '## Passage',
    passage.text.trim(),
  );
}

/** What stands there when nothing is left. */
export function endText({ answered }: ReviewProgress, waiting: number): string {
  return paragraphs(
    '# Nothing is left to review',
    `${answered === 1 ? '1 answer' : `${answered} answers`} given. Z takes back the last one.`,
    ...(waiting > 0 ? [`${waiting} ${waiting === 1 ? 'pair waits' : 'pairs wait'} for other people.`] : []),
  );
}

export const NO_REVIEW = paragraphs('# No review is open', 'Run "Parallax: Review Next Pair" to begin one.');

const STANCES = { support: 'for the question', oppose: 'against the question' } as const;

/** File and lines, for people. */
export function placeOf({ documentId, lines }: Pick<ReviewEntry, 'documentId' | 'lines'>): string {
  if (!lines) return documentId;
  const { first, last } = lines;
  return first === last ? `${documentId}, line ${first}` : `${documentId}, lines ${first} to ${last}`;
}

function whyHere({ entry, opinions, said }: ReviewItemView): string {
  const names = opinions.map(({ judge }) => `"${judge}"`).join(' and ');
  switch (entry.reason) {
    case 'escalated':
      return opinions.some(({ debate }) => debate)
        ? `the agents of the debate ${names} did not agree`
        : `the judge ${names} could not decide by itself`;
    case 'disagreement':
      if (opinions.length === 0) return 'people are divided about it';
      return said.length > 0
        ? `people and the judge ${names} say the opposite`
        : `the judges ${names} say the opposite`;
    case 'calibration':
    case 'attention':
      return 'it was drawn at random; what others say is not shown';
    case 'hole':
      return 'nobody has judged it';
  }
}

function stageText({ round, isAdjudication, sides }: Stage, passage: string): string[] {
  const title = isAdjudication ? 'Adjudicator' : round === undefined ? undefined : `Round ${round}`;
  return [...(title === undefined ? [] : [`### ${title}`]), ...sides.map((side) => sideText(side, passage))];
}

function sideText({ who, side, argument, evidence }: OneSide, passage: string): string {
  const quotes = evidence.map(({ start, end }) => `> ${oneLine(passage.slice(start, end))}`);
  return paragraphs(`[${side}] ${who}: ${oneLine(argument) || 'no argument given'}`, ...quotes).trimEnd();
}

function spoken({ person, verdict, note }: ReviewItemView['said'][number]): string {
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
