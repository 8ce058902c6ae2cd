/** Finds the words that distinguish groups of passages. */
import { analyze, analyzer } from '../text/analyzer.ts';
import { withNamesSplit } from '../text/identifiers.ts';
import { ENGLISH_FUNCTION_WORDS } from '../text/stop-words.ts';

/** URLs describe servers and files rather than themes. In Markdown, link targets are in parentheses after the text. */
const ADDRESS = /\]\([^()\s]{1,500}\)|\b(?:https?:\/\/|www\.|mailto:)\S+/gu;
/** Names in code are no names of themes, but their parts may be: `AsyncStream`. */
const INLINE_CODE = /`[^`\n]{1,200}`/gu;
/** The least share of a group's passages that must have a term. */
const MIN_SHARE = 0.3;
/**
 * The idf of a word in one of a hundred passages, used as a limit: misspellings are no better names than rare words.
 */
const RARE = Math.log(100);

/** Words that cannot be names: short ones, except in scripts without spaces, and numbers. */
const NAMELESS = /^(?:\p{N}[\p{L}\p{N}]*|[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]{1,2})$/u;

interface Term {
  /** The numbers of passages in the group and in all groups that have it. */
  passagesInGroup: number;
  readonly spellings: Map<string, number>;
}

/** Frequencies of terms in the collection that the passages were chosen from. */
export interface TermFrequencies {
  readonly passages: number;
  /** The number of these passages with a form of a word. */
  readonly having: (word: string) => number;
}

export interface Naming {
  /** The most terms of each group. */
  readonly count: number;
  /** In the whole corpus. */
  readonly frequencies: TermFrequencies;
  /** Its words are common to all groups, so they name none. */
  readonly question: string;
}

/**
 * The distinguishing words of each group, by class-based tf-idf (Grootendorst 2022, section 3.3) adapted to a few dozen
 * passages. It counts the passages with a term instead of its occurrences, as one passage full of a word names nothing.
 * Words that are frequent in the whole corpus weigh less, in any language. English function words are excluded. A term
 * t of a group has the weight
 *
 *     share of the group's passages with t, squared × ln(1 + mean size of groups / passages with t)
 *       × ln((N + 1) / (n_t + 1))
 *
 * with N and n_t passages of the corpus in total and with t. The last factor is at most {@link RARE}. The term must be
 * in two passages of the group, and in a larger share of them than of the others.
 *
 * @param groups texts of passages
 * @returns the terms of each group, heaviest first, in their most frequent spelling, in lower case
 */
export function distinguishingTerms(
  groups: readonly (readonly string[])[],
  { count, frequencies: { passages: all, having }, question }: Naming,
): string[][] {
  const questionTerms = new Set(analyze(question, 'english'));
  const classes = groups.map(termsOf);
  const total = new Map<string, number>();
  for (const terms of classes)
    for (const [term, { passagesInGroup }] of terms)
      total.set(term, (total.get(term) ?? 0) + passagesInGroup);
  const passages = groups.reduce((sum, { length }) => sum + length, 0);
  const meanSize = passages / groups.length;
  return classes.map((terms, place) => {
    const { length } = groups[place]!;
    const least = Math.max(2, MIN_SHARE * length);
    return [...terms]
      .filter(
        ([term, { passagesInGroup }]) =>
          !questionTerms.has(term) &&
          passagesInGroup >= least &&
          passagesInGroup / length > total.get(term)! / passages,
      )
      .map(([term, { passagesInGroup, spellings }]) => {
        const name = mostFrequent(spellings);
        const weight =
          (passagesInGroup / length) ** 2 *
          Math.log(1 + meanSize / total.get(term)!) *
          Math.min(RARE, Math.log((all + 1) / (having(name) + 1)));
        return { term, name, weight };
      })
      .sort((a, b) => b.weight - a.weight || (a.term < b.term ? -1 : 1))
      .slice(0, count)
      .map(({ name }) => name);
  });
}

function termsOf(texts: readonly string[]): Map<string, Term> {
  const { words, term } = analyzer('english');
  const terms = new Map<string, Term>();
  for (const text of texts) {
    const textTerms = new Set<string>();
    for (const word of words(text.replace(ADDRESS, ' ').replace(INLINE_CODE, withNamesSplit))) {
      const name = NAMELESS.test(word) || ENGLISH_FUNCTION_WORDS.has(word) ? undefined : term(word);
      if (name === undefined) continue;
      const known = terms.get(name) ?? { passagesInGroup: 0, spellings: new Map<string, number>() };
      if (!textTerms.has(name)) known.passagesInGroup++;
      textTerms.add(name);
      known.spellings.set(word, (known.spellings.get(word) ?? 0) + 1);
      terms.set(name, known);
    }
  }
  return terms;
}

/** Ties go to the shorter spelling, then to the alphabetically first. */
function mostFrequent(spellings: ReadonlyMap<string, number>): string {
  const [[spelling] = ['']] = [...spellings].sort(
    ([a, m], [b, n]) => n - m || a.length - b.length || (a < b ? -1 : 1),
  );
  return spelling;
}
