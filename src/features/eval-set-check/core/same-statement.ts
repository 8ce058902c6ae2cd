/** Finds statements or questions that repeat each other in nearly the same words. */
import { sharedPart } from '../../../core/external/match.ts';
import { analyze } from '../../../core/text/analyzer.ts';
import { fold, words } from '../../../core/text/words.ts';

/** The least share of common terms. */
const SAME = 0.83;

/** Words that reverse a statement, some of them stop words. */
const TURNING: ReadonlySet<string> = new Set([
  ...['no', 'not', 'never', 'none', 'neither', 'nor', 'without', 'cannot', 'hardly'],
  ...[
    'nicht',
    'kein',
    'keine',
    'nie',
    'ohne',
    'ne',
    'pas',
    'non',
    'jamais',
    'sans',
    'sin',
    'nunca',
    'senza',
    'niet',
  ],
]);

/** Words without influence on the meaning. */
const IDLE: ReadonlySet<string> = new Set([
  'so',
  'well',
  'please',
  'really',
  'actually',
  'very',
  'just',
  'also',
]);

interface Statement {
  readonly place: number;
  readonly order: readonly string[];
  readonly terms: ReadonlySet<string>;
  /** Numbers, and words that reverse a statement. If these differ, so does the meaning. */
  readonly telling: string;
}

export interface SameOptions {
  /**
   * Whether the terms must be in the same order. "A is better than B" is the opposite of "B is better than A", but the
   * questions ask the same.
   */
  readonly inOrder: boolean;
}

/**
 * For each text, the index of the first preceding one with the same meaning: one contains all terms of the other and
 * few more, and both have the same numbers and negations. Ignores inflection, case and punctuation. Texts in which one
 * term is replaced may be opposites, so they are not the same.
 */
export function sameStatements(texts: readonly string[], { inOrder }: SameOptions): (number | undefined)[] {
  const byTerm = new Map<string, Statement[]>();
  return texts.map((text, place) => {
    const statement = statementOf(text, place);
    const candidates = new Set([...statement.terms].flatMap((term) => byTerm.get(term) ?? []));
    const first = [...candidates]
      .filter((candidate) => saysTheSame(candidate, statement, inOrder))
      .reduce<number | undefined>(
        (least, candidate) => Math.min(least ?? candidate.place, candidate.place),
        undefined,
      );
    if (first !== undefined) return first;
    for (const term of leadingTerms(statement.terms)) {
      const known = byTerm.get(term);
      if (known) known.push(statement);
      else byTerm.set(term, [statement]);
    }
    return undefined;
  });
}

function statementOf(text: string, place: number): Statement {
  const all = words(fold(text));
  const telling = all.filter((word) => /\d/u.test(word) || TURNING.has(word) || word.endsWith("n't"));
  const order = analyze(all.filter((word) => !IDLE.has(word)).join(' '), 'english');
  return {
    place,
    order,
    terms: new Set(order),
    telling: telling
      .map((word) => (/\d/u.test(word) ? word : 'not'))
      .sort()
      .join(' '),
  };
}

function saysTheSame(one: Statement, other: Statement, inOrder: boolean): boolean {
  const [few, many] = one.order.length <= other.order.length ? [one, other] : [other, one];
  const isWithin = inOrder
    ? isSubsequence(few.order, many.order)
    : [...few.terms].every((term) => many.terms.has(term));
  return one.telling === other.telling && isWithin && sharedPart(few.terms, many.terms) >= SAME;
}

function isSubsequence(few: readonly string[], many: readonly string[]): boolean {
  let count = 0;
  for (const term of many) if (term === few[count]) count++;
  return count === few.length;
}

/** Texts with enough common terms share at least one of these. */
function leadingTerms(terms: ReadonlySet<string>): string[] {
  const needed = Math.floor((1 - SAME) * terms.size + 1e-9) + 1;
  return [...terms].sort((a, b) => b.length - a.length || (a < b ? -1 : 1)).slice(0, needed);
}
