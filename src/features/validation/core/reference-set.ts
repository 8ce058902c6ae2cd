/** Converts labels of any form to pairs with one verdict each, the reference for judges. */
import * as l10n from '@vscode/l10n';
import { counted } from '../../../core/counted.ts';
import { ParallaxError } from '../../../core/errors.ts';
import type { LabelledPair, ParsedLabelledPairs } from '../../../core/formats/labelled-pairs.ts';
import {
  LabelIndex,
  type LabelledPassage,
  type LabelledPerspective,
} from '../../../core/formats/label-index.ts';
import { normalizePerspective, type Label } from '../../../core/formats/labels.ts';
import type { Query, Stance, Verdict } from '../../../core/model.ts';
import type { Random } from '../../../core/statistics/random.ts';
import { ballotsOf, type Vote } from './people.ts';

export interface ReferencePair {
  /** The key used in `votes`. */
  readonly item: string;
  readonly question?: string | undefined;
  readonly passage: string;
  /** Title of the record, for judges that use it. */
  readonly title?: string | undefined;
  readonly perspective: string;
  /** The gold answers that state the perspective. */
  readonly anyOf?: readonly string[] | undefined;
  readonly stance?: Stance | undefined;
  /** People's verdict, "unsure" if they disagree without a majority. `undefined` without labels. */
  readonly verdict?: Verdict | undefined;
}

export interface ReferenceSet {
  readonly pairs: readonly ReferencePair[];
  /** Each person's verdict, to compute agreement. Only labels with a person. */
  readonly votes: readonly Vote[];
  readonly warnings: readonly string[];
}

interface ReferencePassage extends LabelledPassage {
  /** Title of the record. `undefined` if the passage is not a record. */
  readonly title?: string | undefined;
}

/** The passages of a document of the corpus. Empty for unknown documents. */
export type PassagesOf = (documentId: string) => readonly ReferencePassage[];

/**
 * The reference set of a labels file.
 *
 * @param passagesOf `undefined` if there is no corpus
 * @throws ParallaxError `bad-argument` if all labels refer to passages and there is no corpus
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
  const left = counted('{0} [0:label names a passage|labels name passages] of a corpus; left out.', labels);
  return { pairs: [], votes: [], warnings: labels === 0 ? [] : [left] };
}

/**
 * Lines with a person are votes: those on the same question, passage and perspective form one pair, decided by the
 * majority, with ties as "unsure". A line without a person is a separate pair even if another has the same texts, as
 * the papers' figures count every line.
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
    const { question, passage, title, perspective, anyOf, stance, verdict } = first!;
    return {
      item,
      question,
      passage,
      ...(title && { title }),
      perspective,
      ...(anyOf && { anyOf }),
      stance,
      verdict: decided.get(item) ?? verdict,
    };
  });
  return { pairs, votes };
}

/**
 * Labels of a workspace with the texts they refer to. A passage gets the verdict that the product shows ({@link
 * LabelIndex}); conflicts are "unsure". A label on a whole document only counts if the document is one passage, as it
 * does not determine which passage of a longer one supports.
 */
export function referenceFromLabels(labels: readonly Label[], passagesOf: PassagesOf): ReferenceSet {
  const all = new LabelIndex(labels);
  const annotators = [...Map.groupBy(labels.filter(isHuman), ({ by }) => by.name)].map(
    ([person, labelsOfPerson]) => ({
      person,
      index: new LabelIndex(labelsOfPerson),
    }),
  );
  const pairs = new Map<string, ReferencePair>();
  const votes: Vote[] = [];
  let unplaced = 0;
  for (const target of targetsOf(labels)) {
    const statement = askedAbout(target);
    const answered = answeredPassages(all, statement, passagesOf(target.document));
    if (answered.length === 0) unplaced++;
    for (const { passage, verdict } of answered) {
      const { perspectiveText: perspective } = target;
      const item = `${normalizePerspective(perspective)}\n${passage.hash}`;
      if (pairs.has(item)) continue;
      const { text, title } = passage;
      pairs.set(item, { item, passage: text, ...(title && { title }), perspective, verdict });
      votes.push(...votesOn(item, statement, passage, annotators));
    }
  }
  return { pairs: [...pairs.values()], votes, warnings: unplacedWarning(unplaced) };
}

function askedAbout({ query, perspective, perspectiveText }: Label): LabelledPerspective {
  return { queryId: query, perspectiveId: perspective, perspectiveText };
}

/** The labelled passages of one document, with their verdicts. */
function answeredPassages(
  labels: LabelIndex,
  target: LabelledPerspective,
  passages: readonly ReferencePassage[],
): { readonly passage: ReferencePassage; readonly verdict: Verdict }[] {
  return passages.flatMap((passage) => {
    const answer = labels.lookup(target, passage);
    if (!answer || (isOfDocument(answer.label) && passages.length > 1)) return [];
    return [{ passage, verdict: answer.verdict }];
  });
}

function votesOn(
  item: string,
  target: LabelledPerspective,
  passage: LabelledPassage,
  annotators: readonly { readonly person: string; readonly index: LabelIndex }[],
): Vote[] {
  return annotators.flatMap(({ person, index }) => {
    const answer = index.lookup(target, passage);
    return answer ? [{ item, person, verdict: answer.verdict }] : [];
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
    counted(
      'For {0} labelled [0:document and perspective|documents and perspectives] no passage is found: ' +
        'the document is not in the corpus, its text or the way it is split changed, or the label is of a whole document of several passages.',
      count,
    ),
  ];
}

/** The stances of perspectives, by normalised text. */
export function stancesOf(queries: readonly Pick<Query, 'perspectives'>[]): Map<string, Stance> {
  return new Map(
    queries
      .flatMap(({ perspectives }) => perspectives)
      .flatMap(({ text, stance }) => (stance ? [[normalizePerspective(text), stance] as const] : [])),
  );
}

/** @param stances from {@link stancesOf}, for pairs without one */
export function withStances(set: ReferenceSet, stances: ReadonlyMap<string, Stance>): ReferenceSet {
  const pairs = set.pairs.map((pair) => ({
    ...pair,
    stance: pair.stance ?? stances.get(normalizePerspective(pair.perspective)),
  }));
  return { ...set, pairs };
}

/** `limit` randomly drawn pairs in their original order. The first ones would all be about a few questions. */
export function sampled(set: ReferenceSet, limit: number, random: Random): ReferenceSet {
  if (set.pairs.length <= limit) return set;
  const drawn = set.pairs.map((pair, place) => ({ pair, place, key: random() }));
  const sample = drawn
    .sort((a, b) => a.key - b.key)
    .slice(0, limit)
    .sort((a, b) => a.place - b.place)
    .map(({ pair }) => pair);
  const items = new Set(sample.map(({ item }) => item));
  return { ...set, pairs: sample, votes: set.votes.filter(({ item }) => items.has(item)) };
}
