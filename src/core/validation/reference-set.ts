/** Labels of any form as pairs with one verdict each: what judges are measured on. */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../errors.ts';
import type { LabelledPair, ParsedLabelledPairs } from '../formats/labelled-pairs.ts';
import { LabelIndex, type LabelledPassage, type LabelledPerspective } from '../formats/label-index.ts';
import { normalizePerspective, type Label } from '../formats/labels.ts';
import type { Query, Stance, Verdict } from '../model.ts';
import type { Random } from '../statistics/random.ts';
import { ballotsOf, type Vote } from './people.ts';

export interface ReferencePair {
  /** As `votes` name it. */
  readonly item: string;
  readonly question?: string | undefined;
  readonly passage: string;
  /** Of the record that the passage is, for judges that see it. */
  readonly title?: string | undefined;
  readonly perspective: string;
  readonly stance?: Stance | undefined;
  /** People's verdict, "unsure" where they disagree without a majority; absent without labels. */
  readonly verdict?: Verdict | undefined;
}

export interface ReferenceSet {
  readonly pairs: readonly ReferencePair[];
  /** Each person's verdict, for their agreement; only labels that name who gave them. */
  readonly votes: readonly Vote[];
  readonly warnings: readonly string[];
}

interface ReferencePassage extends LabelledPassage {
  /** Of the record that it is; absent where it is none. */
  readonly title?: string | undefined;
}

/** The passages of a document of the corpus, none where it is not there. */
export type PassagesOf = (documentId: string) => readonly ReferencePassage[];

/**
 * Everything that a file of labels holds.
 *
 * @param passagesOf absent where there is no corpus to look passages up in
 * @throws ParallaxError `bad-argument` when all labels speak of passages, and there is no corpus
 */
export function referenceSetOf(
  { pairs, labels, warnings }: ParsedLabelledPairs,
  passagesOf: PassagesOf | undefined,
): ReferenceSet {
  if (!passagesOf && pairs.length === 0)
    throw new ParallaxError(
      'bad-argument',
      l10n.t('These labels name passages of a corpus without their text. Say which corpus they are about.'),
    );
  const ofPairs = referenceFromPairs(pairs);
  const ofLabels = passagesOf ? referenceFromLabels(labels, passagesOf) : withoutCorpus(labels.length);
  return {
    pairs: [...ofPairs.pairs, ...ofLabels.pairs],
    votes: [...ofPairs.votes, ...ofLabels.votes],
    warnings: [...warnings, ...ofLabels.warnings],
  };
}

function withoutCorpus(labels: number): ReferenceSet {
  const left = `${labels} ${labels === 1 ? 'label names a passage' : 'labels name passages'} of a corpus; left out.`;
  return { pairs: [], votes: [], warnings: labels === 0 ? [] : [left] };
}

/**
 * Lines that say who labelled them are votes: several about the same question, passage and perspective are
 * one pair, decided by the majority, a tie being "unsure". A line that does not say is a pair of its own,
 * also where another has the same texts: the papers' figures count every line.
 */
export function referenceFromPairs(lines: readonly LabelledPair[]): Omit<ReferenceSet, 'warnings'> {
  const itemOf = ({ by, question, passage, perspective, line }: LabelledPair): string =>
    by === undefined ? `line ${line}` : JSON.stringify([question ?? '', passage, perspective]);
  const votes = lines.flatMap((line): Vote[] =>
    line.by === undefined || line.verdict === undefined
      ? []
      : [{ item: itemOf(line), person: line.by, verdict: line.verdict }],
  );
  const decided = new Map(ballotsOf(votes).map(({ item, verdict }) => [item, verdict]));
  const pairs = [...Map.groupBy(lines, itemOf)].map(([item, [first]]): ReferencePair => {
    const { question, passage, title, perspective, stance, verdict } = first!;
    return {
      item,
      question,
      passage,
      ...(title && { title }),
      perspective,
      stance,
      verdict: decided.get(item) ?? verdict,
    };
  });
  return { pairs, votes };
}

/**
 * Labels of a workspace with the texts they speak of. The verdict of a passage is the one the product
 * shows ({@link LabelIndex}); a conflict is "unsure". A label on a whole document is used only where the
 * document is one passage: of a longer one it does not say which passage supports.
 */
export function referenceFromLabels(labels: readonly Label[], passagesOf: PassagesOf): ReferenceSet {
  const all = new LabelIndex(labels);
  const people = [...Map.groupBy(labels.filter(isHuman), ({ by }) => by.name)].map(([person, own]) => ({
    person,
    index: new LabelIndex(own),
  }));
  const pairs = new Map<string, ReferencePair>();
  const votes: Vote[] = [];
  let unplaced = 0;
  for (const target of targetsOf(labels)) {
    const asked = askedAbout(target);
    const answered = answeredPassages(all, asked, passagesOf(target.document));
    if (answered.length === 0) unplaced++;
    for (const { passage, verdict } of answered) {
      const { perspectiveText: perspective } = target;
      const item = `${normalizePerspective(perspective)}\n${passage.hash}`;
      if (pairs.has(item)) continue;
      const { text, title } = passage;
      pairs.set(item, { item, passage: text, ...(title && { title }), perspective, verdict });
      votes.push(...votesOn(item, asked, passage, people));
    }
  }
  return { pairs: [...pairs.values()], votes, warnings: unplacedWarning(unplaced) };
}

function askedAbout({ query, perspective, perspectiveText }: Label): LabelledPerspective {
  return { queryId: query, perspectiveId: perspective, perspectiveText };
}

/** The passages of one document that labels speak of, with the verdict on each. */
function answeredPassages(
  labels: LabelIndex,
  asked: LabelledPerspective,
  passages: readonly ReferencePassage[],
): { readonly passage: ReferencePassage; readonly verdict: Verdict }[] {
  return passages.flatMap((passage) => {
    const answer = labels.lookup(asked, passage);
    if (!answer || (isOfDocument(answer.label) && passages.length > 1)) return [];
    return [{ passage, verdict: answer.verdict }];
  });
}

function votesOn(
  item: string,
  asked: LabelledPerspective,
  passage: LabelledPassage,
  people: readonly { readonly person: string; readonly index: LabelIndex }[],
): Vote[] {
  return people.flatMap(({ person, index }) => {
    const own = index.lookup(asked, passage);
    return own ? [{ item, person, verdict: own.verdict }] : [];
  });
}

function isHuman({ by }: Label): boolean {
  return by.kind === 'human';
}

function isOfDocument({ hash, quote }: Label): boolean {
  return hash === undefined && quote === undefined;
}

/** One label for each document and perspective. */
function targetsOf(labels: readonly Label[]): Label[] {
  return [
    ...new Map(
      labels.map((label) => [`${label.document}\n${normalizePerspective(label.perspectiveText)}`, label]),
    ).values(),
  ];
}

function unplacedWarning(count: number): string[] {
  if (count === 0) return [];
  return [
    `For ${count} labelled ${count === 1 ? 'document and perspective' : 'documents and perspectives'} no passage is found: ` +
      'the document is not in the corpus, its text or the way it is split changed, or the label is of a whole document of several passages.',
  ];
}

/** The stances that queries give their perspectives, by the perspective's normalised text. */
export function stancesOf(queries: readonly Pick<Query, 'perspectives'>[]): Map<string, Stance> {
  return new Map(
    queries
      .flatMap(({ perspectives }) => perspectives)
      .flatMap(({ text, stance }) => (stance ? [[normalizePerspective(text), stance] as const] : [])),
  );
}

/** @param stances as {@link stancesOf} gives them, for pairs that have none of their own */
export function withStances(set: ReferenceSet, stances: ReadonlyMap<string, Stance>): ReferenceSet {
  const pairs = set.pairs.map((pair) => ({
    ...pair,
    stance: pair.stance ?? stances.get(normalizePerspective(pair.perspective)),
  }));
  return { ...set, pairs };
}

/** `limit` pairs drawn at random, in their order: the first ones would all be of the same few questions. */
export function sampled(set: ReferenceSet, limit: number, random: Random): ReferenceSet {
  if (set.pairs.length <= limit) return set;
  const drawn = set.pairs.map((pair, place) => ({ pair, place, key: random() }));
  const kept = drawn
    .sort((a, b) => a.key - b.key)
    .slice(0, limit)
    .sort((a, b) => a.place - b.place)
    .map(({ pair }) => pair);
  const items = new Set(kept.map(({ item }) => item));
  return { ...set, pairs: kept, votes: set.votes.filter(({ item }) => items.has(item)) };
}
