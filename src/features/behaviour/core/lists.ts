/** Comparisons of lists of passages. */

export interface AnsweredPassage {
  readonly id?: string | undefined;
  readonly text?: string | undefined;
  readonly score: number;
}
/** The passages for one question, best first. */
export type Answer = readonly AnsweredPassage[];

/** Identifies a passage. */
export function keyOf({ id, text }: AnsweredPassage): string {
  return id ?? text ?? '';
}

/** Whether two lists agree to a depth. Passages with equal scores in one list may change places. */
export function agree(a: Answer, b: Answer, depth: number): boolean {
  const [first, second] = [a.slice(0, depth), b.slice(0, depth)];
  return (
    first.length === second.length &&
    first.every((passage, place) => {
      const other = second[place]!;
      return isTie(passage, other, a) || isTie(other, passage, b);
    })
  );
}

/**
 * Whether the other passage has the same score in a passage's own list. Scores of different lists may only encode
 * positions.
 */
function isTie(passage: AnsweredPassage, other: AnsweredPassage, list: Answer): boolean {
  return list.some((each) => keyOf(each) === keyOf(other) && each.score === passage.score);
}

/** Share of the passages of two lists that are in both, in [0, 1]. 1 if both are empty. */
export function overlap(a: Answer, b: Answer): number {
  return shareInCommon(new Set(a.map(keyOf)), new Set(b.map(keyOf)));
}

/** Share of the members of two sets that are in both. 1 if both are empty. */
function shareInCommon(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const all = new Set([...a, ...b]).size;
  return all === 0 ? 1 : [...a].filter((key) => b.has(key)).length / all;
}

/**
 * Mean share of common passages over the first 1, 2, … passages of both, in [0, 1]. Sensitive to order, most of all at
 * the top.
 *
 * @param depth from 1
 */
export function averageOverlap(a: Answer, b: Answer, depth: number): number {
  let sum = 0;
  for (let cut = 1; cut <= depth; cut++) {
    const keys = new Set(b.slice(0, cut).map(keyOf));
    sum += a.slice(0, cut).filter((passage) => keys.has(keyOf(passage))).length / cut;
  }
  return sum / depth;
}

/** The likeness of the passages of a list: the mean share of words that two of them have in common, in [0, 1]. */
export function wordLikeness(answer: Answer): number | undefined {
  const words = answer.flatMap(({ text }) =>
    text === undefined ? [] : [new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu))],
  );
  if (words.length < 2) return undefined;
  let sum = 0;
  let pairs = 0;
  for (const [place, one] of words.entries())
    for (const otherWords of words.slice(place + 1)) {
      sum += shareInCommon(one, otherWords);
      pairs++;
    }
  return sum / pairs;
}

const NAMED = 5;
const NAME_LENGTH = 40;

/** The first passages of a list, for display. */
export function listed(answer: Answer): string {
  const names = answer.slice(0, NAMED).map(({ id, text = '' }) => id ?? text.slice(0, NAME_LENGTH));
  return names.length === 0 ? '–' : `${names.join(', ')}${answer.length > NAMED ? ', …' : ''}`;
}
