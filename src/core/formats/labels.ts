/**
 * Human labels: the lines of `.parallax/judgements.jsonl`, and the index that answers from them.
 *
 * The file is append-only and merged line by line, so it holds superseded labels, labels of several
 * people, and labels made when passages were split differently. All of that is settled when reading.
 */
import * as z from 'zod';
import { inOrder } from '../judging/evidence.ts';
import type { Passage, Span, Verdict } from '../model.ts';
import { describeIssue } from '../pipeline.ts';
import { linesOf, parseJson } from './lines.ts';
import type { Squeezed } from './quotes.ts';
import { locateQuote, squeeze } from './quotes.ts';

/** One line of the labels file: append-only, so that branches merge line by line. */
export const labelSchema = z.object({
  v: z.literal(1),
  query: z.string(),
  perspective: z.string(),
  perspectiveText: z.string().min(1),
  /** Document id; with neither quote nor hash the label speaks of the whole document. */
  document: z.string().min(1),
  /** Evidence as it stands in the text: the label holds for every passage of the document that contains it. */
  quote: z.string().min(1).optional(),
  /** Hash of a passage's text: the label holds for passages with exactly this text, wherever they are. */
  hash: z.string().optional(),
  verdict: z.enum(['yes', 'no', 'unsure']),
  note: z.string().optional(),
  by: z.object({ kind: z.enum(['human', 'imported']), name: z.string() }),
  at: z.string(),
  standard: z.string().default('berds-1'),
});
export type Label = z.output<typeof labelSchema>;

export interface ParsedLabels {
  readonly labels: readonly Label[];
  readonly warnings: readonly string[];
}

/** Reads a labels file. Bad lines, such as merge markers, are reported and skipped; it may be empty. */
export function parseLabels(text: string): ParsedLabels {
  const labels: Label[] = [];
  const warnings: string[] = [];
  for (const { number, text: line } of linesOf(text)) {
    const label = parseLabel(line);
    if (typeof label === 'string') warnings.push(`Line ${number}: ${label}; skipped.`);
    else labels.push(label);
  }
  return { labels, warnings };
}

/** The label of a line, or what is wrong with it. */
function parseLabel(line: string): Label | string {
  const json = parseJson(line);
  if ('problem' in json) return json.problem;
  const result = labelSchema.safeParse(json.value);
  return result.success ? result.data : describeIssue(result.error, json.value).replace(/\.$/, '');
}

/** The line to append for a label, with its line end. */
export function formatLabel(label: Label): string {
  return `${JSON.stringify(label)}\n`;
}

/** The perspective that is asked about; the ids help where its wording changed since it was labelled. */
export interface LabelledPerspective {
  readonly queryId?: string | undefined;
  readonly perspectiveId?: string | undefined;
  readonly perspectiveText: string;
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

/** A label as the index keeps it. */
interface Entry {
  readonly label: Label;
  readonly quote: Squeezed | undefined;
  /** 0 for the newest label of the file, then counting up. */
  readonly age: number;
}

/** What one person says about a passage at one level. */
interface Vote {
  readonly verdict: Verdict;
  /** Newest first; all with this verdict. */
  readonly entries: readonly Entry[];
}

/**
 * Answers "does this passage support this perspective?" from labels.
 *
 * A perspective is matched by its text, up to case, blanks and final punctuation, or by query id and
 * perspective id. Labels speak of a passage at one of three levels; the first level that has any decides:
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

  /** @param labels in the order of the file: the later of two labels with the same time is the newer */
  constructor(labels: readonly Label[]) {
    newestFirst(labels).forEach((label, age) => {
      const quote = label.quote === undefined ? undefined : squeeze(label.quote);
      const entry: Entry = { label, quote, age };
      labelsOf(this.#byText, normalizePerspective(label.perspectiveText)).add(entry);
      labelsOf(this.#byIds, idKey(label.query, label.perspective)).add(entry);
    });
  }

  /** The answer for a pair, or `undefined` where no label speaks of it. */
  lookup(perspective: LabelledPerspective, passage: LabelledPassage): LabelAnswer | undefined {
    const entries = this.#matching(perspective, (labels) => labels.mentioning(passage));
    if (entries.length === 0) return undefined;
    const text = squeeze(passage.text);
    const speaking = mostSpecific(withoutReplaced(entries), passage, text);
    return speaking.length === 0 ? undefined : decide(votesOf(speaking), text);
  }

  /** Every label that says "yes" to the perspective and was not replaced since, newest first. */
  supporting(perspective: LabelledPerspective): Label[] {
    return withoutReplaced(this.#matching(perspective, (labels) => labels.all))
      .map(({ label }) => label)
      .filter(({ verdict }) => verdict === 'yes');
  }

  /** Entries for a perspective, newest first, each once although it may match by text and by ids. */
  #matching(
    perspective: LabelledPerspective,
    select: (labels: PerspectiveLabels) => readonly Entry[],
  ): Entry[] {
    const { queryId, perspectiveId, perspectiveText } = perspective;
    const matches = [this.#byText.get(normalizePerspective(perspectiveText))];
    if (queryId !== undefined && perspectiveId !== undefined)
      matches.push(this.#byIds.get(idKey(queryId, perspectiveId)));
    const entries = new Set(matches.flatMap((labels) => (labels ? select(labels) : [])));
    return [...entries].sort((a, b) => a.age - b.age);
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

/** What a label speaks of: the same target in a later label replaces it. */
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
  const time = ({ at }: Label) => {
    const parsed = Date.parse(at);
    return Number.isNaN(parsed) ? Number.MIN_SAFE_INTEGER : parsed;
  };
  return [...labels].reverse().sort((a, b) => time(b) - time(a));
}

/** Perspectives that differ only in case, blanks or final punctuation are the same statement. */
export function normalizePerspective(text: string): string {
  return text
    .normalize('NFC')
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[\s.!?…。]+$/u, '');
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
