/** Answers from the labels of people. */
import { inOrder } from '../judging/replies/evidence.ts';
import type { Passage, Span, Verdict } from '../model.ts';
import { analyze } from '../text/analyzer.ts';
import { LABEL_KINDS } from '../words.ts';
import { labelTime, nameOf, normalizePerspective, type Label, type Withdrawal } from './labels.ts';
import { locateQuote, squeeze, type Squeezed } from './quotes.ts';

export interface LabelledPassage extends Pick<Passage, 'documentId' | 'text'> {
  readonly hash: string;
}

/** The hash of a document's current words. `undefined` if unknown. See {@link Label.documentHash}. */
export type DocumentHash = (documentId: string) => string | undefined;

/** The perspective to look up. The ids find it after rewording. */
export interface LabelledPerspective {
  readonly queryId?: string | undefined;
  /** Distinguishes queries with the same id. */
  readonly queryText?: string | undefined;
  readonly perspectiveId?: string | undefined;
  readonly perspectiveText: string;
  /** The support standard to look up. `undefined` for any. */
  readonly standard?: string | undefined;
}

export interface LabelAnswer {
  readonly verdict: Verdict;
  /** Quotes behind a "yes", as spans in the passage's text. Empty if the label has no quote. */
  readonly evidence: readonly Span[];
  /** The newest label with this verdict. In a conflict, the newest of all. */
  readonly label: Label;
  /** Whether people disagree and no verdict is the most frequent. The verdict is then "unsure". */
  readonly conflict: boolean;
}

/** One person's verdict on a passage. */
export interface PersonsVerdict {
  readonly person: string;
  readonly verdict: Verdict;
  /** The newest label behind it. */
  readonly label: Label;
}

/** People's verdict on a passage that is identified by the hash of its text. */
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
 * A perspective is matched by its text, ignoring case, blanks and final punctuation. A reworded perspective is matched
 * by query id and perspective id, provided that the question's text is the same or, if that is unknown, that more than
 * half of the words are: generated ids are the same in many eval sets. Labels given under another support standard do
 * not count. Imported labels have no standard and always count.
 *
 * A label refers to a passage at one of three levels. The first level with labels decides:
 *
 * 1. the passage's hash, in any document;
 * 2. a quote that the passage contains, in the same document (see {@link locateQuote});
 * 3. the whole document. In a document labelled "no", passages with a quote labelled "yes" are still "yes", and all
 *   others "no". A label with a document hash is ignored once the document's words change.
 *
 * A label replaces earlier, different ones that the same person gave to the same hash, quote or document. Within the
 * deciding level, a person who labelled several quotes of the passage says "yes" if one of them supports. Imported
 * labels only count without people's labels, and labels of agents only without any others. Among several people the
 * most frequent verdict counts. Without one, the answer is "unsure" and a conflict.
 */
export class LabelIndex {
  /** In file order. */
  readonly #entries = new Set<LabelEntry>();
  readonly #byStatement = new Map<string, LabelList>();
  readonly #byIds = new Map<string, LabelList>();
  /** Names in withdrawals, by the time of the withdrawn label. After a merge a withdrawal may precede its label. */
  readonly #withdrawn = new Map<string, Set<string>>();
  /** Caches of normalised texts and rewordings, as a few perspectives are looked up for many passages. */
  readonly #statements = new Map<string, string>();
  readonly #rewordings = new Map<string, boolean>();
  #added = 0;

  /** @param labels in file order; of two labels with the same time, the later one is newer */
  constructor(labels: Iterable<Label> = []) {
    for (const label of labels) this.add(label);
  }

  /** Adds a label at the end. */
  add(label: Label): void {
    const entry = new LabelEntry(label, this.#statementOf(label.perspectiveText), this.#added++);
    if (this.#isTakenBack(label)) return;
    this.#entries.add(entry);
    for (const list of this.#listsOf(entry)) list.add(entry);
  }

  /** Removes withdrawn labels, including those that are added later. */
  withdraw(withdrawals: readonly Withdrawal[]): void {
    const statements = new Set<string>();
    for (const withdrawal of withdrawals) {
      getOrAdd(this.#withdrawn, withdrawal.withdraws, newSet).add(nameOf(withdrawal, withdrawal.withdraws));
      statements.add(this.#statementOf(withdrawal.perspectiveText));
    }
    const takenBack = [...statements]
      .flatMap((statement) => this.#byStatement.get(statement)?.all ?? [])
      .filter(({ label }) => this.#isTakenBack(label));
    const gone = new Set(takenBack);
    for (const entry of gone) this.#entries.delete(entry);
    for (const list of new Set(takenBack.flatMap((entry) => this.#listsOf(entry)))) list.remove(gone);
  }

  #isTakenBack(label: Label): boolean {
    return this.#withdrawn.get(label.at)?.has(nameOf(label, label.at)) ?? false;
  }

  #statementOf(perspectiveText: string): string {
    return getOrAdd(this.#statements, perspectiveText, () => normalizePerspective(perspectiveText));
  }

  #listsOf({ label, statement }: LabelEntry): [LabelList, LabelList] {
    return [
      getOrAdd(this.#byStatement, statement, newList),
      getOrAdd(this.#byIds, idKey(label.query, label.perspective), newList),
    ];
  }

  /** All labels that were not withdrawn, in file order. */
  *labels(): Generator<Label> {
    for (const { label } of this.#entries) yield label;
  }

  /** The labels of a perspective that were given at a time, last first. */
  givenAt(at: string, perspectiveText: string): Label[] {
    const labels = this.#byStatement.get(this.#statementOf(perspectiveText))?.all ?? [];
    return labels
      .map(({ label }) => label)
      .filter((label) => label.at === at)
      .toReversed();
  }

  /** The answer for a pair, or `undefined` if there are no labels for it. */
  lookup(
    perspective: LabelledPerspective,
    passage: LabelledPassage,
    documentHash?: DocumentHash,
  ): LabelAnswer | undefined {
    const text = squeezedOnce(passage.text);
    const speaking = this.#speaking(perspective, passage, text, documentHash);
    return speaking.length === 0 ? undefined : decide(votesOf(speaking), text());
  }

  /** Each person's verdict at the deciding level, without imported labels. In no particular order. */
  verdicts(perspective: LabelledPerspective, passage: LabelledPassage): PersonsVerdict[] {
    return votesOf(this.#speaking(perspective, passage, squeezedOnce(passage.text))).flatMap(
      ({ verdict, entries }) => {
        const { label } = entries[0]!;
        return label.by.kind === 'human' ? [{ person: label.by.name, verdict, label }] : [];
      },
    );
  }

  /** Every "yes" label of the perspective that was not replaced, newest first. */
  supporting(perspective: LabelledPerspective): Label[] {
    return withoutReplaced(this.#matching(perspective, (list) => list.all))
      .map(({ label }) => label)
      .filter(({ verdict }) => verdict === 'yes');
  }

  /**
   * Every passage that people labelled by its text, with the verdict that counts. Labels of documents and quotes do not
   * identify a single passage, and imported labels have no person, so both are left out.
   *
   * @param standard leaves out labels given under another one; `undefined` for any
   */
  labelledPassages(standard?: string): LabelledByHash[] {
    const answers = new Map<string, LabelledByHash>();
    for (const { label } of this.#entries) {
      const { hash, perspectiveText, document, by } = label;
      if (hash === undefined || by.kind !== 'human') continue;
      const answer = this.lookup({ perspectiveText, standard }, { documentId: document, text: '', hash });
      if (answer)
        answers.set(`${hash} ${perspectiveText}`, { hash, perspectiveText, verdict: answer.verdict });
    }
    return [...answers.values()];
  }

  /** The entries that decide about a passage, newest first. */
  #speaking(
    perspective: LabelledPerspective,
    passage: LabelledPassage,
    text: () => Squeezed,
    documentHash?: DocumentHash,
  ): LabelEntry[] {
    const entries = this.#matching(perspective, (list) => list.mentioning(passage));
    if (entries.length === 0) return [];
    const specific = mostSpecific(withoutReplaced(entries), passage, text());
    return specific.filter(({ label }) => !isStale(label, documentHash));
  }

  /** Entries for a perspective, newest first, without duplicates from matching by text and by ids. */
  #matching(
    perspective: LabelledPerspective,
    select: (list: LabelList) => readonly LabelEntry[],
  ): LabelEntry[] {
    const { queryId, perspectiveId, perspectiveText } = perspective;
    const statement = this.#statementOf(perspectiveText);
    const entriesOf = (list: LabelList | undefined): readonly LabelEntry[] => (list ? select(list) : []);
    const sameStatement = entriesOf(this.#byStatement.get(statement));
    const sameIds =
      queryId === undefined || perspectiveId === undefined
        ? []
        : entriesOf(this.#byIds.get(idKey(queryId, perspectiveId)));
    const reworded = sameIds.filter(
      (entry) => entry.statement !== statement && this.#isReworded(entry.label, perspective),
    );
    return [...new Set([...sameStatement, ...reworded])]
      .filter(({ label }) => holdsFor(label, perspective.standard))
      .sort(newestFirst);
  }

  /** Whether a label with the same ids is about the same perspective in other words. */
  #isReworded(label: Label, { queryText, perspectiveText }: LabelledPerspective): boolean {
    if (queryText !== undefined && label.queryText !== undefined)
      return normalizePerspective(queryText) === normalizePerspective(label.queryText);
    const key = JSON.stringify([label.perspectiveText, perspectiveText]);
    const known = this.#rewordings.get(key) ?? shareMostWords(label.perspectiveText, perspectiveText);
    this.#rewordings.set(key, known);
    return known;
  }
}

/** A label with precomputed values for lookups. */
class LabelEntry {
  readonly label: Label;
  /** The normalised text of its perspective. */
  readonly statement: string;
  /** Its position among the labels of the file. */
  readonly place: number;
  /** Milliseconds. */
  readonly time: number;
  #quote: Squeezed | undefined;

  constructor(label: Label, statement: string, place: number) {
    this.label = label;
    this.statement = statement;
    this.place = place;
    this.time = labelTime(label);
  }

  get quote(): Squeezed | undefined {
    if (this.label.quote === undefined) return undefined;
    return (this.#quote ??= squeeze(this.label.quote));
  }
}

/** Labels that share a statement, or the ids of query and perspective. */
class LabelList {
  #all: LabelEntry[] = [];
  /** By hash and by document; `undefined` until a passage is looked up. */
  #byTarget: Map<string, LabelEntry[]> | undefined;

  get all(): readonly LabelEntry[] {
    return this.#all;
  }

  add(entry: LabelEntry): void {
    this.#all.push(entry);
    if (this.#byTarget) addTo(this.#byTarget, entry);
  }

  remove(entries: ReadonlySet<LabelEntry>): void {
    this.#all = this.#all.filter((entry) => !entries.has(entry));
    this.#byTarget = undefined;
  }

  /** Labels with the passage's hash or document. May contain an entry twice. */
  mentioning({ hash, documentId }: LabelledPassage): LabelEntry[] {
    const byTarget = (this.#byTarget ??= byTargetOf(this.#all));
    return [...(byTarget.get(`hash ${hash}`) ?? []), ...(byTarget.get(`document ${documentId}`) ?? [])];
  }
}

function byTargetOf(entries: readonly LabelEntry[]): Map<string, LabelEntry[]> {
  const byTarget = new Map<string, LabelEntry[]>();
  for (const entry of entries) addTo(byTarget, entry);
  return byTarget;
}

function addTo(byTarget: Map<string, LabelEntry[]>, entry: LabelEntry): void {
  const { hash, document } = entry.label;
  getOrAdd(byTarget, `document ${document}`, (): LabelEntry[] => []).push(entry);
  if (hash !== undefined) getOrAdd(byTarget, `hash ${hash}`, (): LabelEntry[] => []).push(entry);
}

function idKey(queryId: string, perspectiveId: string): string {
  return `${queryId}\n${perspectiveId}`;
}

/** Drops every label that the same person later contradicted. Takes and returns newest first. */
function withoutReplaced(entries: readonly LabelEntry[]): LabelEntry[] {
  const newerVerdicts = new Map<string, Set<Verdict>>();
  return entries.filter(({ label, quote }) => {
    const newer = targetsOf(label, quote).map((target) =>
      getOrAdd(newerVerdicts, `${personOf(label)}\n${target}`, (): Set<Verdict> => new Set()),
    );
    const replaced = newer.some((verdicts) => [...verdicts].some((verdict) => verdict !== label.verdict));
    for (const verdicts of newer) verdicts.add(label.verdict);
    return !replaced;
  });
}

/** The targets of a label. A later label with the same target replaces it. */
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
  // The remaining entries name its document.
  const quoted = entries.filter(({ quote }) => quote && locateQuote(text, quote));
  if (quoted.length > 0) return quoted;
  return entries.filter(({ label, quote }) => !quote && label.hash === undefined);
}

/** Whether a label of a whole document refers to an earlier version of its text. */
export function isStale({ document, documentHash }: Label, hashNow: DocumentHash | undefined): boolean {
  if (documentHash === undefined) return false;
  const now = hashNow?.(document);
  return now !== undefined && now !== documentHash;
}

function votesOf(entries: readonly LabelEntry[]): Vote[] {
  const kind = LABEL_KINDS.find((each) => entries.some(({ label }) => label.by.kind === each));
  const decisiveEntries = entries.filter(({ label }) => label.by.kind === kind);
  const ballots = Map.groupBy(decisiveEntries, ({ label }) => personOf(label));
  return [...ballots.values()].map((ballot) => {
    const verdict = (['yes', 'unsure', 'no'] as const).find((choice) =>
      ballot.some(({ label }) => label.verdict === choice),
    )!;
    return { verdict, entries: ballot.filter(({ label }) => label.verdict === verdict) };
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

/** By time, then by position in the file. */
function newestFirst(a: LabelEntry, b: LabelEntry): number {
  return b.time - a.time || b.place - a.place;
}

/** Imported labels have no standard and count for any. */
function holdsFor({ standard, by }: Label, requiredStandard: string | undefined): boolean {
  return requiredStandard === undefined || standard === requiredStandard || by.kind === 'imported';
}

/** Whether Dice's coefficient of the content words is above one half. */
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

const newSet = (): Set<string> => new Set();
const newList = (): LabelList => new LabelList();

function getOrAdd<V>(values: Map<string, V>, key: string, make: () => V): V {
  const known = values.get(key);
  if (known !== undefined) return known;
  const value = make();
  values.set(key, value);
  return value;
}
