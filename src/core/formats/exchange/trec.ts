/**
 * TREC runs and judgements, as trec_eval, ndeval and ir_measures read and write them: columns separated by blanks, one
 * record per line. Lines that start with `#` are comments.
 */
import * as l10n from '@vscode/l10n';
import { counted } from '../../counted.ts';
import { ParallaxError } from '../../errors.ts';
import type { QrelsKind } from '../../metrics/evaluate.ts';
import type { Qrels, Ranked, Run } from '../../model.ts';
import { PLAIN_PERSPECTIVE } from '../../words.ts';
import type { Line } from '../lines.ts';
import { linesOf, LinesReading } from '../lines.ts';

const notRun = (): string => l10n.t('Not a TREC run (six columns: query Q0 passage rank score tag)');
const notQrels = (): string =>
  l10n.t('Not a TREC qrels file (four columns: query, iteration or perspective, passage, relevance)');

export interface ParsedRun {
  readonly run: Run;
  /** The tag of the first line, by convention the name of the system. */
  readonly tag: string;
  readonly warnings: readonly string[];
}

interface RunLine extends Ranked {
  readonly rank: number;
}

/**
 * Reads a TREC run. As in trec_eval, scores define the order, ties go to the larger passage id, and the rank column is
 * ignored. Warns if ties decide, if ranks contradict the scores, and if a passage occurs twice in a topic (its best
 * score counts).
 *
 * @throws ParallaxError `bad-file` if the text is not a run.
 */
export function parseRun(text: string): ParsedRun {
  const reading = new RunReading();
  for (const line of linesOf(text)) reading.take(line);
  return reading.end();
}

/** Incremental {@link parseRun}. */
export class RunReading {
  readonly #topics = new Map<string, RunColumns>();
  readonly #passages = new Onces();
  #tag: string | undefined;
  readonly #lines = new LinesReading(notRun(), (line) => this.#accept(line));

  /** @throws ParallaxError `bad-file` if too many lines are bad */
  take(line: Line): void {
    if (!isComment(line)) this.#lines.take(line);
  }

  /** @throws ParallaxError `bad-file` if no line is good */
  end(): ParsedRun {
    const badLines = this.#lines.end();
    const notes = { ties: new TopicNotes(), ranks: new TopicNotes(), duplicates: new TopicNotes() };
    const run = new Map<string, readonly Ranked[]>();
    for (const [topic, columns] of this.#topics) {
      const lines = linesFrom(columns).sort(byScore);
      const ordered = withoutRepeats(lines, (item) => notes.duplicates.add(topic, `"${item}"`));
      noteDoubts(topic, ordered, notes);
      run.set(
        topic,
        ordered.map(({ item, score }) => ({ item, score })),
      );
      this.#topics.delete(topic);
    }
    return {
      run,
      tag: this.#tag ?? '',
      warnings: [
        ...badLines,
        ...notes.ranks.warning((where) => `Ranks contradict scores in ${where}; the scores make the order.`),
        ...notes.ties.warning(
          (where) => `Equal scores in ${where}; ties go to the larger passage id, as in trec_eval.`,
        ),
        ...notes.duplicates.warning(
          (where) => `Repeated passages in ${where}; the best score of each counts.`,
        ),
      ],
    };
  }

  #accept(line: Line): string | undefined {
    const columns = columnsOf(line);
    if (columns.length !== 6) return l10n.t`expected 6 columns, found ${columns.length}`;
    const [topic, , item, rank, score, tag] = columns as [string, string, string, string, string, string];
    if (!isInteger(rank)) return l10n.t`rank "${rank}" is not a whole number`;
    if (!isDecimal(score)) return l10n.t`score "${score}" is not a number`;
    this.#tag ??= tag;
    const columnsOfTopic = this.#topics.get(topic) ?? { items: [], ranks: [], scores: [] };
    this.#topics.set(topic, columnsOfTopic);
    columnsOfTopic.items.push(this.#passages.once(item));
    columnsOfTopic.ranks.push(Number(rank));
    columnsOfTopic.scores.push(Number(score));
    return undefined;
  }
}

/** The lines of a topic as columns, which take a fraction of the memory of ten million objects. */
interface RunColumns {
  readonly items: string[];
  readonly ranks: number[];
  readonly scores: number[];
}

function linesFrom({ items, ranks, scores }: RunColumns): RunLine[] {
  return items.map((item, at) => ({ item, rank: ranks[at]!, score: scores[at]! }));
}

/** Interns repeated texts. A substring would keep its whole line in memory. */
class Onces {
  readonly #known = new Map<string, string>();

  once(text: string): string {
    const known = this.#known.get(text);
    if (known === undefined) this.#known.set(text, text);
    return known ?? text;
  }
}

function byScore(a: RunLine, b: RunLine): number {
  return b.score - a.score || (a.item < b.item ? 1 : a.item > b.item ? -1 : 0);
}

function withoutRepeats(lines: readonly RunLine[], onRepeat: (item: string) => void): RunLine[] {
  const items = new Set<string>();
  return lines.filter(({ item }) => {
    const isNew = !items.has(item);
    if (isNew) items.add(item);
    else onRepeat(item);
    return isNew;
  });
}

function noteDoubts(
  topic: string,
  ordered: readonly RunLine[],
  notes: { ties: TopicNotes; ranks: TopicNotes },
): void {
  for (let index = 1; index < ordered.length; index++) {
    const above = ordered[index - 1]!;
    const below = ordered[index]!;
    const pair = `"${above.item}" and "${below.item}"`;
    if (above.score === below.score) notes.ties.add(topic, pair);
    if (above.rank > below.rank) notes.ranks.add(topic, pair);
  }
}

/**
 * Collects one kind of warning over all topics, so that a run of a thousand topics gets one warning instead of a
 * thousand.
 */
class TopicNotes {
  readonly #topics = new Set<string>();
  #first = '';

  add(topic: string, example: string): void {
    if (this.#topics.size === 0) this.#first = `topic "${topic}": ${example}`;
    this.#topics.add(topic);
  }

  warning(sentence: (where: string) => string): string[] {
    const { size } = this.#topics;
    return size === 0 ? [] : [sentence(counted('{0} [0:topic|topics] (first in {1})', size, this.#first))];
  }
}

/**
 * Writes a run so that every tool reads the same order: ranks 1..n, and scores that strictly decrease even in single
 * precision, which some tools use. A score that does not decrease is lowered to just below the preceding one; all
 * others are unchanged.
 *
 * Ids are written by {@link columnId}.
 *
 * @throws ParallaxError `bad-argument` for an empty id or tag, or a score that is not finite.
 */
export function formatRun(run: Run, tag: string): string {
  const lines: string[] = [];
  for (const [topic, ranked] of run) {
    let above: number | undefined;
    ranked.forEach(({ item, score }, index) => {
      if (!Number.isFinite(score))
        throw new ParallaxError(
          'bad-argument',
          l10n.t`Topic "${topic}": the score of "${item}" is ${score}, not a number.`,
        );
      above = above === undefined || Math.fround(score) < Math.fround(above) ? score : justBelow(above);
      lines.push(`${columnId(topic)} Q0 ${columnId(item)} ${index + 1} ${above} ${columnId(tag)}\n`);
    });
  }
  return lines.join('');
}

/** Lower by a few units in the last place of single precision. */
function justBelow(score: number): number {
  return score - Math.max(Math.abs(score) * 2 ** -22, 1e-30);
}

export interface ParsedQrels {
  readonly qrels: Qrels;
  readonly kind: QrelsKind;
  readonly warnings: readonly string[];
}

/**
 * Reads plain qrels (`query iteration passage relevance`), qrels of BEIR (`query passage relevance`, tab-separated,
 * below a header), or diversity qrels (`query perspective passage relevance`). The file is plain if its second column
 * is always "0" or "Q0". Pass `kind` if that guess is wrong, e.g. for qrels with numbered iterations.
 *
 * A negative relevance means "pooled but not judged": the passage stays unjudged, and its perspective still counts. A
 * passage judged twice for the same perspective keeps the higher relevance.
 *
 * @throws ParallaxError `bad-file` if the text is not a qrels file.
 */
export function parseQrels(text: string, options: QrelsOptions = {}): ParsedQrels {
  const reading = new QrelsReading(options);
  for (const line of linesOf(text)) reading.take(line);
  return reading.end();
}

interface QrelsOptions {
  readonly kind?: QrelsKind | undefined;
}

/** The columns of a BEIR line in plain form. `undefined` for other lines. */
function beirColumns({ text }: Line): readonly string[] | undefined {
  const columns = text.split('\t');
  if (columns.length !== 3) return undefined;
  const [topic, passage, relevance] = columns as [string, string, string];
  return [topic, '0', passage, relevance.trim()];
}

function isBeirHeader(line: Line): boolean {
  return /^query[-_]?id$/iu.test(beirColumns(line)?.[0] ?? '');
}

/** Incremental {@link parseQrels}. */
export class QrelsReading {
  readonly #given: QrelsKind | undefined;
  /** By the second column, whose meaning is only known at the end. */
  readonly #topics = new Map<string, Map<string, Map<string, number>>>();
  #isPlain = true;
  #negative = 0;
  readonly #contradictions = new TopicNotes();
  readonly #passages = new Onces();
  readonly #lines = new LinesReading(notQrels(), (line) => this.#accept(line));

  constructor({ kind }: QrelsOptions = {}) {
    this.#given = kind;
  }

  /** @throws ParallaxError `bad-file` if too many lines are bad */
  take(line: Line): void {
    if (!isComment(line)) this.#lines.take(line);
  }

  /** @throws ParallaxError `bad-file` if no line is good */
  end(): ParsedQrels {
    const warnings = this.#lines.end();
    const kind = this.#given ?? (this.#isPlain ? 'plain' : 'diversity');
    if (kind === 'plain') for (const [topic, judged] of this.#topics) this.#together(topic, judged);
    if (this.#negative > 0)
      warnings.push(`${this.#negative} judgements with a negative relevance count as unjudged.`);
    const contradictions = this.#contradictions.warning(
      (where) => `Contradicting judgements in ${where}; the higher relevance counts.`,
    );
    return { qrels: this.#topics, kind, warnings: [...warnings, ...contradictions] };
  }

  #accept(line: Line): string | undefined {
    const columns = beirColumns(line) ?? columnsOf(line);
    if (columns.length !== 4) return l10n.t`expected 4 columns, found ${columns.length}`;
    const [topic, second, passage, relevance] = columns as [string, string, string, string];
    if (line.number === 1 && isBeirHeader(line)) return undefined;
    if (!isInteger(relevance)) return l10n.t`relevance "${relevance}" is not a whole number`;
    this.#isPlain &&= /^Q?0$/.test(second);
    const judged = getOrAdd(getOrAdd(this.#topics, topic), second);
    if (Number(relevance) < 0) this.#negative++;
    else this.#judge(topic, judged, this.#passages.once(passage), Number(relevance));
    return undefined;
  }

  #judge(topic: string, judged: Map<string, number>, passage: string, relevance: number): void {
    const earlier = judged.get(passage);
    if (earlier !== undefined && earlier !== relevance) this.#contradictions.add(topic, `"${passage}"`);
    judged.set(passage, Math.max(relevance, earlier ?? 0));
  }

  /** Merges the iterations of a topic, which are not perspectives. */
  #together(topic: string, judged: Map<string, Map<string, number>>): void {
    const [first = new Map<string, number>(), ...otherPerspectives] = judged.values();
    for (const relevances of otherPerspectives)
      for (const [passage, relevance] of relevances) this.#judge(topic, first, passage, relevance);
    this.#topics.set(topic, new Map([[PLAIN_PERSPECTIVE, first]]));
  }
}

/**
 * Writes judgements in the diversity form. Plain qrels stay plain, as their perspective is "0". Perspectives without
 * judgements are lost. Ids are written by {@link columnId}.
 */
export function formatQrels(qrels: Qrels): string {
  const lines: string[] = [];
  for (const [topic, perspectives] of qrels)
    for (const [perspective, judgements] of perspectives)
      for (const [passage, relevance] of judgements)
        lines.push(`${columnId(topic)} ${columnId(perspective)} ${columnId(passage)} ${relevance}\n`);
  return lines.join('');
}

/**
 * An id as written in a column. Blanks separate columns, but document ids are paths and may contain blanks. These
 * become percent codes (`a b.md` → `a%20b.md`), as does a leading `#` or byte order mark. Readers do not decode them,
 * as foreign ids may contain percent codes.
 *
 * @throws ParallaxError `bad-argument` for an empty id.
 */
export function columnId(id: string): string {
  if (id === '')
    throw new ParallaxError('bad-argument', l10n.t('TREC files cannot hold an empty id or tag.'));
  return id.replace(/[\t\n\v\f\r ]|^[#\uFEFF]/g, encodeURIComponent);
}

const isComment = ({ text }: Line): boolean => text.startsWith('#');

/** Splits at the blanks of C's isspace, but not at no-break spaces, which ids may contain. */
function columnsOf(line: Line): string[] {
  return line.text.split(/[\t\v\f\r ]/).filter((column) => column !== '');
}

function isInteger(text: string): boolean {
  return /^[+-]?\d{1,15}$/.test(text);
}

function isDecimal(text: string): boolean {
  return /^[+-]?(\d+(?:\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text) && Number.isFinite(Number(text));
}

function getOrAdd<K, L, V>(maps: Map<K, Map<L, V>>, key: K): Map<L, V> {
  const map = maps.get(key) ?? new Map<L, V>();
  maps.set(key, map);
  return map;
}
