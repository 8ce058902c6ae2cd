/**
 * Human labels: the lines of `.parallax/judgements.jsonl`, and the index that answers from them.
 *
 * The file is append-only and merged line by line, so it holds superseded labels, labels of several
 * people, and labels made when passages were split differently. All of that is settled when reading.
 *
 * Lines are of three kinds, told apart by one field each: a label has a `verdict`, a withdrawal `withdraws`
 * a label, an attention check has an answer that was `expected`. The latter two have no `verdict`, so that
 * a reader that knows labels only reports them as bad lines and skips them, and never takes them for labels.
 */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import { inOrder } from '../judging/replies/evidence.ts';
import { decidedVerdictSchema, verdictSchema } from '../model-schemas.ts';
import type { Passage, Span, Verdict } from '../model.ts';
import { issueClause } from '../schema-issue.ts';
import { analyze } from '../text/analyzer.ts';
import { withoutTrailing } from '../text/trim.ts';
import { linesOf, parseJson } from './lines.ts';
import type { Squeezed } from './quotes.ts';
import { locateQuote, squeeze } from './quotes.ts';

/** Fields of every line: who spoke when, and about what. */
const aboutSchema = z.object({
  v: z.literal(1),
  /** The query's id, or the text of a query that was typed. */
  query: z.string(),
  /** The query's text, where `query` is an id: generated ids such as `q1` stand in many eval sets. */
  queryText: z.string().optional(),
  perspective: z.string(),
  perspectiveText: z.string().min(1),
  /** Document id; with neither quote nor hash the label speaks of the whole document. */
  document: z.string().min(1),
  /** Evidence as it stands in the text: the label holds for every passage of the document that contains it. */
  quote: z.string().min(1).optional(),
  /** Hash of a passage's text: the label holds for passages with exactly this text, wherever they are. */
  hash: z.string().optional(),
  /** How the corpus was split when a passage was labelled: the `type` of its `split`. */
  split: z.string().optional(),
  by: z.object({ kind: z.enum(['human', 'imported']), name: z.string() }),
  at: z.string(),
  standard: z.string().default('berds-1'),
});

/** A line with somebody's answer: append-only, so that branches merge line by line. */
export const labelSchema = aboutSchema.extend({
  verdict: verdictSchema,
  note: z.string().optional(),
  /** Whether the person had the arguments of the judges before them (DREAM, Table 3); absent where unknown. */
  informed: z.boolean().optional(),
  /** The chance in (0, 1] with which the query was drawn to be put to people; absent where it was not drawn. */
  chance: z.number().gt(0).max(1).optional(),
});
export type Label = z.output<typeof labelSchema>;

/** A line that takes back one label or attention check: the one that the same person gave at that time. */
const withdrawalSchema = aboutSchema.extend({ withdraws: z.string() });
export type Withdrawal = z.output<typeof withdrawalSchema>;

/** A line with the answer to a question whose answer is known. It never counts as a label of the pair. */
const attentionCheckSchema = aboutSchema.extend({ expected: decidedVerdictSchema, answer: verdictSchema });
export type AttentionCheck = z.output<typeof attentionCheckSchema>;

export type LabelLine = Label | Withdrawal | AttentionCheck;

export interface ParsedLabels {
  /** Those that nobody took back. */
  readonly labels: readonly Label[];
  /** Those that nobody took back. */
  readonly checks: readonly AttentionCheck[];
  readonly warnings: readonly string[];
}

/** Reads a labels file. Bad lines, such as merge markers, are reported and skipped; it may be empty. */
export function parseLabels(text: string): ParsedLabels {
  const lines: LabelLine[] = [];
  const warnings: string[] = [];
  for (const { number, text: content } of linesOf(text)) {
    const json = parseJson(content);
    const line = 'problem' in json ? json.problem : parseLabelLine(json.value);
    if (typeof line === 'string') warnings.push(l10n.t`Line ${number}: ${line}; skipped.`);
    else lines.push(line);
  }
  return { ...withoutWithdrawn(lines), warnings };
}

/**
 * Whether a labels file speaks of passages, and all of them are of a time when every corpus was cut by words unless it
 * said otherwise.
 */
export function labelsPassagesOfWords(text: string): boolean {
  return text.includes('"hash":') && !text.includes('"split":"sections"');
}

/** Parses the JSON of a line, or says what is wrong with it. */
export function parseLabelLine(json: unknown): LabelLine | string {
  const result = schemaOf(json).safeParse(json);
  return result.success ? result.data : issueClause(result.error, json);
}

function schemaOf(json: unknown): z.ZodType<LabelLine> {
  if (typeof json !== 'object' || json === null) return labelSchema;
  if ('withdraws' in json) return withdrawalSchema;
  return 'expected' in json ? attentionCheckSchema : labelSchema;
}

/** Removes withdrawn labels, whatever the order of lines: merging may put a withdrawal before its label. */
export function withoutWithdrawn(lines: readonly LabelLine[]): Pick<ParsedLabels, 'labels' | 'checks'> {
  const withdrawn = new Set(
    lines.flatMap((line) => ('withdraws' in line ? nameOf(line, line.withdraws) : [])),
  );
  const standing = lines.filter((line) => !withdrawn.has(nameOf(line, line.at)));
  return {
    labels: standing.filter((line) => 'verdict' in line),
    checks: standing.filter((line) => 'expected' in line),
  };
}

/** Names what a person said about a target at a time. */
function nameOf({ by, document, hash, quote, perspectiveText }: LabelLine, at: string): string {
  return JSON.stringify([by.kind, by.name, at, document, hash, quote, normalizePerspective(perspectiveText)]);
}

/** The line that takes a label or an attention check back. @param at ISO 8601, now */
export function withdrawalOf(line: Label | AttentionCheck, at: string): Withdrawal {
  return { ...aboutSchema.parse(line), at, withdraws: line.at };
}

/** The line to append, with its line end. */
export function formatLabel(line: LabelLine): string {
  return `${JSON.stringify(line)}\n`;
}

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

export interface LabelledPassage extends Pick<Passage, 'documentId' | 'text'> {
  readonly hash: string;
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

/** A label as the index keeps it. */
interface Entry {
  readonly label: Label;
  readonly quote: Squeezed | undefined;
  /** 0 for the newest label of the file as it was read, then counting up; below 0 for those that were added since. */
  readonly age: number;
}

/** One person's verdict on a passage at one level. */
interface Vote {
  readonly verdict: Verdict;
  /** Newest first; all with this verdict. */
  readonly entries: readonly Entry[];
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
  readonly #byText = new Map<string, PerspectiveLabels>();
  readonly #byIds = new Map<string, PerspectiveLabels>();
  /** Whether two texts are wordings of one statement: the same few are asked about many passages. */
  readonly #rewordings = new Map<string, boolean>();
  /** Milliseconds. */
  #newest: number;
  #youngest = 0;

  /** @param labels in the order of the file: the later of two labels with the same time is the newer */
  constructor(labels: readonly Label[]) {
    const sorted = newestFirst(labels);
    this.#newest = sorted[0] ? timeOf(sorted[0]) : Number.NEGATIVE_INFINITY;
    sorted.forEach((label, age) => this.#keep(label, age));
  }

  /**
   * Takes a label that was added to the end of the file, without looking at the others.
   *
   * @returns false, and nothing is changed, where it is not newer than they are
   */
  add(label: Label): boolean {
    const time = timeOf(label);
    if (time <= this.#newest) return false;
    this.#newest = time;
    this.#youngest--;
    this.#keep(label, this.#youngest);
    return true;
  }

  #keep(label: Label, age: number): void {
    const quote = label.quote === undefined ? undefined : squeeze(label.quote);
    const entry: Entry = { label, quote, age };
    labelsOf(this.#byText, normalizePerspective(label.perspectiveText)).add(entry);
    labelsOf(this.#byIds, idKey(label.query, label.perspective)).add(entry);
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
    for (const { label } of this.#labelledByHash()) {
      const { hash, perspectiveText, document } = label;
      const answer = this.lookup({ perspectiveText, standard }, { documentId: document, text: '', hash });
      if (answer)
        answers.set(`${hash} ${perspectiveText}`, { hash, perspectiveText, verdict: answer.verdict });
    }
    return [...answers.values()];
  }

  *#labelledByHash(): Generator<{ readonly label: Label & { readonly hash: string } }> {
    for (const labels of this.#byText.values())
      for (const { label } of labels.all)
        if (label.hash !== undefined && label.by.kind === 'human')
          yield { label: { ...label, hash: label.hash } };
  }

  /** The entries that decide about a passage, newest first. */
  #speaking(perspective: LabelledPerspective, passage: LabelledPassage, text: () => Squeezed): Entry[] {
    const entries = this.#matching(perspective, (labels) => labels.mentioning(passage));
    return entries.length === 0 ? [] : mostSpecific(withoutReplaced(entries), passage, text());
  }

  /** Entries for a perspective, newest first, each once although it may match by text and by ids. */
  #matching(
    perspective: LabelledPerspective,
    select: (labels: PerspectiveLabels) => readonly Entry[],
  ): Entry[] {
    const { queryId, perspectiveId, perspectiveText } = perspective;
    const byText = this.#byText.get(normalizePerspective(perspectiveText));
    const matching = byText ? [...select(byText)] : [];
    if (queryId !== undefined && perspectiveId !== undefined) {
      const byIds = this.#byIds.get(idKey(queryId, perspectiveId));
      if (byIds) matching.push(...select(byIds).filter(({ label }) => this.#isReworded(label, perspective)));
    }
    const entries = new Set(matching.filter(({ label }) => holdsFor(label, perspective.standard)));
    return [...entries].sort((a, b) => a.age - b.age);
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

/** The labels of one perspective, findable by the passages they may speak of. */
class PerspectiveLabels {
  readonly all: Entry[] = [];
  readonly #byHash = new Map<string, Entry[]>();
  readonly #byDocument = new Map<string, Entry[]>();

  add(entry: Entry): void {
    const { hash, document } = entry.label;
    this.all.push(entry);
    append(this.#byDocument, document, entry);
    if (hash !== undefined) append(this.#byHash, hash, entry);
  }

  /** Labels that name the passage's hash or its document; an entry may come twice. */
  mentioning({ hash, documentId }: LabelledPassage): Entry[] {
    return [...(this.#byHash.get(hash) ?? []), ...(this.#byDocument.get(documentId) ?? [])];
  }
}

/** Leaves out every label that the same person contradicted later. Takes and returns newest first. */
function withoutReplaced(entries: readonly Entry[]): Entry[] {
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

function mostSpecific(entries: readonly Entry[], passage: LabelledPassage, text: Squeezed): Entry[] {
  const sameText = entries.filter(({ label }) => label.hash === passage.hash);
  if (sameText.length > 0) return sameText;
  const inDocument = entries.filter(({ label }) => label.document === passage.documentId);
  const quoted = inDocument.filter(({ quote }) => quote && locateQuote(text, quote));
  if (quoted.length > 0) return quoted;
  return inDocument.filter(({ label, quote }) => !quote && label.hash === undefined);
}

function votesOf(entries: readonly Entry[]): Vote[] {
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
  const deciding = (conflict ? votes : sides[0]!)
    .flatMap(({ entries }) => entries)
    .sort((a, b) => a.age - b.age);
  const { label } = deciding[0]!;
  const verdict = conflict ? 'unsure' : label.verdict;
  return { verdict, evidence: verdict === 'yes' ? evidenceOf(deciding, text) : [], label, conflict };
}

function evidenceOf(entries: readonly Entry[], text: Squeezed): readonly Span[] {
  return inOrder(entries.flatMap(({ quote }) => (quote && locateQuote(text, quote)) ?? []));
}

/** By time, and within the same time by place in the file; times that cannot be read count as oldest. */
function newestFirst(labels: readonly Label[]): Label[] {
  return [...labels].reverse().sort((a, b) => timeOf(b) - timeOf(a));
}

function timeOf({ at }: Label): number {
  const parsed = Date.parse(at);
  return Number.isNaN(parsed) ? Number.MIN_SAFE_INTEGER : parsed;
}

/** Perspectives that differ only in case, blanks or final punctuation are the same statement. */
export function normalizePerspective(text: string): string {
  const statement = text.normalize('NFC').toLowerCase().replace(/\s+/g, ' ').trim();
  return withoutTrailing(statement, /[\s.!?…。]/u);
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

function idKey(queryId: string, perspectiveId: string): string {
  return `${queryId}\n${perspectiveId}`;
}

function labelsOf(labels: Map<string, PerspectiveLabels>, key: string): PerspectiveLabels {
  const found = labels.get(key) ?? new PerspectiveLabels();
  labels.set(key, found);
  return found;
}

function append<V>(lists: Map<string, V[]>, key: string, value: V): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}

function getOrAdd<V>(sets: Map<string, Set<V>>, key: string): Set<V> {
  const found = sets.get(key) ?? new Set<V>();
  sets.set(key, found);
  return found;
}
