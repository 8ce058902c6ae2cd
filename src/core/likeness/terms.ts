/** Finds the words that tell groups of passages apart. */
import { analyze, analyzer } from '../text/analyzer.ts';
import { ENGLISH_FUNCTION_WORDS } from '../text/stop-words.ts';

/** Addresses name servers and files, not themes; where a link of Markdown leads stands in brackets behind its text. */
const ADDRESS = /\]\([^()\s]{1,500}\)|\b(?:https?:\/\/|www\.|mailto:)\S+/gu;
/** A name says something of a group only where this part of its passages has it. */
const LEAST_SHARE = 0.3;
/** A word that one passage in a hundred has is rare enough: misspellings are no better names than rare words. */
const RARE = Math.log(100);

/** Shorter words and numbers name nothing; single letters of scripts without spaces do. */
const NAMELESS = /^(?:\p{N}[\p{L}\p{N}]*|[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]{1,2})$/u;

interface Term {
  /** How many passages of the group, and of all groups, have it. */
  own: number;
  readonly spellings: Map<string, number>;
}

/** How frequent terms are in everything that the passages were chosen from. */
export interface TermFrequencies {
  readonly passages: number;
  /** How many of these passages have a term of the analyzer `english`. */
  readonly having: (term: string) => number;
}

export interface Naming {
  /** The most terms of each group. */
  readonly count: number;
  /** In the whole corpus. */
  readonly frequencies: TermFrequencies;
  /** Its words are in all groups or should be, and name none. */
  readonly question: string;
}

/**
 * The words of each group that the others lack: class-based tf-idf (Grootendorst 2022, section 3.3), for a few dozen
 * passages: of a passage it counts whether it has a term, not how often, since one passage full of a word names nothing;
 * and what is frequent in the whole corpus weighs less, in any language. Function words of English name nothing at all. A
 * term t of a group weighs
 *
 *     share of the group's passages with t, squared × ln(1 + mean size of groups / passages with t) × ln((N + 1) / (n_t + 1))
 *
 * where N and n_t are passages of the corpus, and the last factor is at most {@link RARE}. It must stand in two passages of
 * the group, and in a larger share of them than of the others.
 *
 * @param groups texts of passages
 * @returns per group its terms, weightiest first, each as it is most often spelled, in lower case
 */
export function distinguishingTerms(
  groups: readonly (readonly string[])[],
  { count, frequencies: { passages: all, having }, question }: Naming,
): string[][] {
  const asked = new Set(analyze(question, 'english'));
  const classes = groups.map(termsOf);
  const total = new Map<string, number>();
  for (const terms of classes)
    for (const [term, { own }] of terms) total.set(term, (total.get(term) ?? 0) + own);
  const passages = groups.reduce((sum, { length }) => sum + length, 0);
  const meanSize = passages / groups.length;
  return classes.map((terms, place) => {
    const { length } = groups[place]!;
    const least = Math.max(2, LEAST_SHARE * length);
    return [...terms]
      .filter(
        ([term, { own }]) => !asked.has(term) && own >= least && own / length > total.get(term)! / passages,
      )
      .map(([term, { own, spellings }]) => ({
        term,
        spellings,
        weight:
          (own / length) ** 2 *
          Math.log(1 + meanSize / total.get(term)!) *
          Math.min(RARE, Math.log((all + 1) / (having(term) + 1))),
      }))
      .sort((a, b) => b.weight - a.weight || (a.term < b.term ? -1 : 1))
      .slice(0, count)
      .map(({ spellings }) => mostFrequent(spellings));
  });
}

function termsOf(texts: readonly string[]): Map<string, Term> {
  const { words, term } = analyzer('english');
  const terms = new Map<string, Term>();
  for (const text of texts) {
    const seen = new Set<string>();
    for (const word of words(text.replace(ADDRESS, ' '))) {
      const name = NAMELESS.test(word) || ENGLISH_FUNCTION_WORDS.has(word) ? undefined : term(word);
      if (name === undefined) continue;
      const known = terms.get(name) ?? { own: 0, spellings: new Map<string, number>() };
      if (!seen.has(name)) known.own++;
      seen.add(name);
      known.spellings.set(word, (known.spellings.get(word) ?? 0) + 1);
      terms.set(name, known);
    }
  }
  return terms;
}

/** Ties go to the shorter, then to the alphabetically first spelling. */
function mostFrequent(spellings: ReadonlyMap<string, number>): string {
  const [[spelling] = ['']] = [...spellings].sort(
    ([a, m], [b, n]) => n - m || a.length - b.length || (a < b ? -1 : 1),
  );
  return spelling;
}
