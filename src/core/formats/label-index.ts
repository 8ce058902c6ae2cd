/** Answers from the labels of people, which it takes one line after the other. */
import { inOrder } from '../judging/replies/evidence.ts';
import type { Span, Verdict } from '../model.ts';
import { analyze } from '../text/analyzer.ts';
import { RecentLists, type LabelEntry, type LabelledPassage, type ListedLabels } from './label-lists.ts';
import { LabelTable } from './label-table.ts';
import { nameOf, normalizePerspective, type Label, type Withdrawal } from './labels.ts';
import { locateQuote, squeeze, type Squeezed } from './quotes.ts';

/** The perspective that is asked about; the ids help where its wording changed since it was labelled. */
export interface LabelledPerspective {
  readonly queryId?: string | undefined;
  /** Tells queries with the same id apart. */
  readonly queryText?: string | undefined;
  readonly perspectiveId?: string | undefined;
  readonly perspectiveText: string;
  /** The support standard that is asked about; absent for whichever. */
  readonly standard?: string | undefined;
}

export interface LabelAnswer {
  readonly verdict: Verdict;
  /** Quotes behind a "yes", as spans in the passage's text; empty where the label has no quote. */
  readonly evidence: readonly Span[];
  /** The newest label with this verdict; in a conflict the newest of all. */
  readonly label: Label;
  /** People disagree and no verdict is the most frequent; the answer is "unsure". */
  readonly conflict: boolean;
}

/** One person's verdict on a passage. */
export interface PersonsVerdict {
  readonly person: string;
  readonly verdict: Verdict;
  /** The newest label behind it. */
  readonly label: Label;
}

/** People's verdicts on a passage, which is known by the hash of its text. */
export interface LabelledByHash {
  readonly hash: string;
  readonly perspectiveText: string;
  readonly verdict: Verdict;
}

/** One person's verdict on a passage at one level. */
interface Vote {
  readonly verdict: Verdict;
  /** Newest first; all with this verdict. */
  readonly entries: readonly LabelEntry[];
}

/**
 * Answers "does this passage support this perspective?" from labels.
 *
 * A perspective is matched by its text, up to case, blanks and final punctuation. Where it was reworded since,
 * it is matched by query id and perspective id, if the question's text is the same, or if that is not known,
 * if more than half of the words are: generated ids are the same in many eval sets. Labels given under another
 * support standard than the one asked about do not answer; imported ones were given under none, and do.
 *
 * Labels speak of a passage at one of three levels; the first level that has any decides:
 *
 * 1. the passage's hash, in whatever document;
 * 2. a quote that stands in the passage, in the same document (see {@link locateQuote});
 * 3. the whole document. So in a document labelled "no", passages with a quote labelled "yes" are still
 *    "yes", and all others "no".
 *
 * A label replaces the earlier, different ones that the same person gave to the same hash, quote or
 * document. Within the deciding level, a person who labelled several quotes of the passage says "yes" if
 * one of them supports; imported labels are silent where a person spoke; and among several people the most
 * frequent verdict counts. Without a most frequent one the answer is "unsure" and a conflict.
 */
export class LabelIndex {
  readonly #table = new LabelTable();
  /** Names in withdrawals, by the time of the label that they take back: merging may put them before it. */
  readonly #withdrawn = new Map<string, Set<string>>();
  readonly #recent = new RecentLists(this.#table);
  /** Whether two texts are wordings of one statement: the same few are asked about many passages. */
  readonly #rewordings = new Map<string, boolean>();

  /** @param labels in the order of the file: the later of two labels with the same time is the newer */
  constructor(labels: Iterable<Label> = []) {
    for (const label of labels) this.add(label);
  }

  /** Takes a label from the end of the file, without looking at the others. */
  add(label: Label): void {
    const row = this.#table.add(label);
    if (this.#isTakenBack(label)) this.#table.withdraw(row);
    else this.#recent.add(row);
  }

  /** Leaves out what is taken back, also where it comes later. Many at once, since all labels of a statement are looked at. */
  withdraw(withdrawals: readonly Withdrawal[]): void {
    const statements = new Set<number>();
    for (const withdrawal of withdrawals) {
      getOrAdd(this.#withdrawn, withdrawal.withdraws).add(nameOf(withdrawal, withdrawal.withdraws));
      const statement = this.#table.statement(withdrawal.perspectiveText);
      if (statement !== undefined) statements.add(statement);
    }
    for (const statement of statements)
      for (const row of this.#table.rows('statement', statement)) {
        if (!this.#isTakenBack(this.#table.label(row))) continue;
        this.#table.withdraw(row);
        this.#recent.forget(row);
      }
  }

  #isTakenBack(label: Label): boolean {
    return this.#withdrawn.get(label.at)?.has(nameOf(label, label.at)) ?? false;
  }

  /** All labels that stand, in the order of the file. */
  *labels(): Generator<Label> {
    for (let row = 0; row < this.#table.length; row++)
      if (!this.#table.isWithdrawn(row)) yield this.#table.label(row);
  }

  /** The labels of a perspective that were given at a time, the last first. */
  givenAt(at: string, perspectiveText: string): Label[] {
    const statement = this.#table.statement(perspectiveText);
    const rows = statement === undefined ? [] : [...this.#table.rows('statement', statement)];
    return rows.map((row) => this.#table.label(row)).filter((label) => label.at === at);
  }

  /** The answer for a pair, or `undefined` where no label speaks of it. */
  lookup(perspective: LabelledPerspective, passage: LabelledPassage): LabelAnswer | undefined {
    const text = squeezedOnce(passage.text);
    const speaking = this.#speaking(perspective, passage, text);
    return speaking.length === 0 ? undefined : decide(votesOf(speaking), text());
  }

  /**
   * Each person's verdict at the level that decides; imported labels belong to no person. In no particular
   * order.
   */
  verdicts(perspective: LabelledPerspective, passage: LabelledPassage): PersonsVerdict[] {
    return votesOf(this.#speaking(perspective, passage, squeezedOnce(passage.text))).flatMap(
      ({ verdict, entries }) => {
        const { label } = entries[0]!;
        return label.by.kind === 'human' ? [{ person: label.by.name, verdict, label }] : [];
      },
    );
  }

  /** Every label that says "yes" to the perspective and was not replaced since, newest first. */
  supporting(perspective: LabelledPerspective): Label[] {
    return withoutReplaced(this.#matching(perspective, (labels) => labels.all))
      .map(({ label }) => label)
      .filter(({ verdict }) => verdict === 'yes');
  }

  /**
   * Every passage that people labelled by its text, with the verdict that stands; what people say of a document
   * or a quote names no single passage, and imported labels are nobody's answer to this product.
   *
   * @param standard labels given under another one are left out; all count where it is absent
   */
  labelledPassages(standard?: string): LabelledByHash[] {
    const answers = new Map<string, LabelledByHash>();
    for (const statement of this.#table.statements())
      for (const { label } of this.#recent.get('statement', statement).all) {
        const { hash, perspectiveText, document, by } = label;
        if (hash === undefined || by.kind !== 'human') continue;
        const answer = this.lookup({ perspectiveText, standard }, { documentId: document, text: '', hash });
        if (answer)
          answers.set(`${hash} ${perspectiveText}`, { hash, perspectiveText, verdict: answer.verdict });
      }
    return [...answers.values()];
  }

  /** The entries that decide about a passage, newest first. */
  #speaking(perspective: LabelledPerspective, passage: LabelledPassage, text: () => Squeezed): LabelEntry[] {
    const entries = this.#matching(perspective, (labels) => labels.mentioning(passage));
    return entries.length === 0 ? [] : mostSpecific(withoutReplaced(entries), passage, text());
  }

  /** Entries for a perspective, newest first, each once although it may match by text and by ids. */
  #matching(
    perspective: LabelledPerspective,
    select: (labels: ListedLabels) => readonly LabelEntry[],
  ): LabelEntry[] {
    const { queryId, perspectiveId, perspectiveText } = perspective;
    const statement = this.#table.statement(perspectiveText);
    const matching = statement === undefined ? [] : [...select(this.#recent.get('statement', statement))];
    if (queryId !== undefined && perspectiveId !== undefined) {
      const ids = this.#table.idsBeyond(queryId, perspectiveId, statement);
      if (ids !== undefined)
        matching.push(
          ...select(this.#recent.get('ids', ids)).filter(({ label }) => this.#isReworded(label, perspective)),
        );
    }
    const holding = matching.filter(({ label }) => holdsFor(label, perspective.standard));
    return [...new Map(holding.map((entry) => [entry.row, entry])).values()].sort(newestFirst);
  }

  /** Whether a label with the same ids speaks of the same perspective in other words. */
  #isReworded(label: Label, { queryText, perspectiveText }: LabelledPerspective): boolean {
    if (queryText !== undefined && label.queryText !== undefined)
      return normalizePerspective(queryText) === normalizePerspective(label.queryText);
    const key = JSON.stringify([label.perspectiveText, perspectiveText]);
    const known = this.#rewordings.get(key) ?? shareMostWords(label.perspectiveText, perspectiveText);
    this.#rewordings.set(key, known);
    return known;
  }
}

/** Leaves out every label that the same person contradicted later. Takes and returns newest first. */
function withoutReplaced(entries: readonly LabelEntry[]): LabelEntry[] {
  const newerVerdicts = new Map<string, Set<Verdict>>();
  return entries.filter(({ label, quote }) => {
    const newer = targetsOf(label, quote).map((target) =>
      getOrAdd(newerVerdicts, `${personOf(label)}\n${target}`),
    );
    const replaced = newer.some((verdicts) => [...verdicts].some((verdict) => verdict !== label.verdict));
    for (const verdicts of newer) verdicts.add(label.verdict);
    return !replaced;
  });
}

/** The targets of a label: a later label with the same target replaces it. */
function targetsOf({ hash, document }: Label, quote: Squeezed | undefined): string[] {
  const targets: string[] = [];
  if (hash !== undefined) targets.push(`hash ${hash}`);
  if (quote !== undefined) targets.push(`quote ${document}\n${quote.text}`);
  return targets.length > 0 ? targets : [`document ${document}`];
}

function mostSpecific(
  entries: readonly LabelEntry[],
  passage: LabelledPassage,
  text: Squeezed,
): LabelEntry[] {
  const sameText = entries.filter(({ label }) => label.hash === passage.hash);
  if (sameText.length > 0) return sameText;
  // The others name its document.
  const quoted = entries.filter(({ quote }) => quote && locateQuote(text, quote));
  if (quoted.length > 0) return quoted;
  return entries.filter(({ label, quote }) => !quote && label.hash === undefined);
}

function votesOf(entries: readonly LabelEntry[]): Vote[] {
  const people = entries.filter(({ label }) => label.by.kind === 'human');
  const ballots = Map.groupBy(people.length > 0 ? people : entries, ({ label }) => personOf(label));
  return [...ballots.values()].map((own) => {
    const verdict = (['yes', 'unsure', 'no'] as const).find((choice) =>
      own.some(({ label }) => label.verdict === choice),
    )!;
    return { verdict, entries: own.filter(({ label }) => label.verdict === verdict) };
  });
}

function decide(votes: readonly Vote[], text: Squeezed): LabelAnswer {
  const sides = [...Map.groupBy(votes, ({ verdict }) => verdict).values()].sort(
    (a, b) => b.length - a.length,
  );
  const conflict = sides.length > 1 && sides[0]!.length === sides[1]!.length;
  const deciding = (conflict ? votes : sides[0]!).flatMap(({ entries }) => entries).sort(newestFirst);
  const { label } = deciding[0]!;
  const verdict = conflict ? 'unsure' : label.verdict;
  return { verdict, evidence: verdict === 'yes' ? evidenceOf(deciding, text) : [], label, conflict };
}

function evidenceOf(entries: readonly LabelEntry[], text: Squeezed): readonly Span[] {
  return inOrder(entries.flatMap(({ quote }) => (quote && locateQuote(text, quote)) ?? []));
}

/** By time, and within the same time by place in the file. */
function newestFirst(a: LabelEntry, b: LabelEntry): number {
  return b.time - a.time || b.row - a.row;
}

/** Imported labels were given under no standard of ours, and hold for each as well as they can. */
function holdsFor({ standard, by }: Label, asked: string | undefined): boolean {
  return asked === undefined || standard === asked || by.kind === 'imported';
}

/** Dice's coefficient of the content words, more than one half. */
function shareMostWords(first: string, second: string): boolean {
  const a = new Set(analyze(first, 'english'));
  const b = new Set(analyze(second, 'english'));
  const shared = [...a].filter((word) => b.has(word)).length;
  return 2 * (2 * shared) > a.size + b.size;
}

function squeezedOnce(text: string): () => Squeezed {
  let squeezed: Squeezed | undefined;
  return () => (squeezed ??= squeeze(text));
}

function personOf({ by }: Label): string {
  return `${by.kind} ${by.name}`;
}

function getOrAdd<V>(sets: Map<string, Set<V>>, key: string): Set<V> {
  const found = sets.get(key) ?? new Set<V>();
  sets.set(key, found);
  return found;
}
