/** Rankings from files in which the order of a list is the ranking, regardless of scores. */
import type { Ranked } from '../../model.ts';
import { quote, type Doubts, type ExchangePassage } from './exchange.ts';

export interface Listed {
  readonly item: string;
  readonly score?: number | undefined;
}

/**
 * The ranking of a list. Scores are kept if they strictly decrease. Otherwise they are derived from the positions, with
 * a warning if the file had contradicting scores. Repeated items keep their first position.
 *
 * @param query for warnings
 */
export function rankedAsListed(query: string, listed: readonly Listed[], doubts: Doubts): Ranked[] {
  const first = new Map<string, Listed>();
  for (const entry of listed)
    if (first.has(entry.item))
      doubts.add('Repeated passages keep their first place', `${quote(entry.item)} of ${quote(query)}`);
    else first.set(entry.item, entry);
  const entries = [...first.values()];
  const scores = entries.map(({ score }) => score);
  if (scores.every((score) => score !== undefined) && fallStrictly(scores))
    return entries.map(({ item, score }) => ({ item, score: score! }));
  noteScores(query, scores, doubts);
  return entries.map(({ item }, place) => ({ item, score: 0 - place }));
}

function noteScores(query: string, scores: readonly (number | undefined)[], doubts: Doubts): void {
  const knownScores = scores.filter((score) => score !== undefined);
  const rises = knownScores.some((score, place) => place > 0 && score > knownScores[place - 1]!);
  const ties = knownScores.some((score, place) => place > 0 && score === knownScores[place - 1]);
  if (rises) doubts.add('Scores contradict the order of the list, which counts', `query ${quote(query)}`);
  else if (ties) doubts.add('Equal scores: the order of the list counts', `query ${quote(query)}`);
  else if (knownScores.length > 0 && knownScores.length < scores.length)
    doubts.add('Some results have no score: the order of the list counts', `query ${quote(query)}`);
}

const fallStrictly = (scores: readonly number[]): boolean =>
  scores.every((score, place) => Number.isFinite(score) && (place === 0 || score < scores[place - 1]!));

/** The passages of a file that may lack ids. Equal texts are the same passage. */
export class ListedPassages {
  readonly #byId = new Map<string, ExchangePassage>();
  readonly #idOfText = new Map<string, string>();
  readonly #doubts: Doubts;
  readonly #given: ReadonlySet<string>;
  #made = 0;

  /** @param passageIds every id in the file, so that generated ids do not collide with them */
  constructor(doubts: Doubts, passageIds: Iterable<string | null | undefined>) {
    this.#doubts = doubts;
    this.#given = new Set([...passageIds].filter((id) => typeof id === 'string'));
  }

  /** @returns the passage's id; generated (`c1`, `c2`, …) if it has none */
  add({
    id,
    title,
    text,
  }: {
    readonly id?: string | undefined;
    readonly title?: string | undefined;
    readonly text?: string | undefined;
  }): string {
    if (id === undefined || id === '') return this.#idOf(title, text ?? '');
    const known = this.#byId.get(id);
    if (text === undefined) return id;
    if (known && known.text !== text)
      this.#doubts.add('Passages with the same id and another text keep the first text', quote(id));
    if (!known) this.#keep(id, title, text);
    return id;
  }

  get passages(): ExchangePassage[] {
    return [...this.#byId.values()];
  }

  #idOf(title: string | undefined, text: string): string {
    const key = textKey(title, text);
    const known = this.#idOfText.get(key);
    if (known !== undefined) return known;
    do this.#made++;
    while (this.#given.has(`c${this.#made}`));
    const id = `c${this.#made}`;
    this.#keep(id, title, text);
    return id;
  }

  #keep(id: string, title: string | undefined, text: string): void {
    this.#byId.set(id, { id, ...(title ? { title } : {}), text });
    const key = textKey(title, text);
    if (!this.#idOfText.has(key)) this.#idOfText.set(key, id);
  }
}

const textKey = (title: string | undefined, text: string): string => JSON.stringify([title ?? '', text]);
