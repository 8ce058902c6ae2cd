import type { Judgement, JudgementSource } from '../model.ts';

/** How much rests on the word of one judge, or of people, who are one however many they are. */
export interface JudgedBy {
  readonly source: JudgementSource;
  /** Name of the judge; `people` for human labels. */
  readonly judge: string;
  readonly count: number;
  /** An offline one, to be labelled as such. */
  readonly heuristic: boolean;
}

/** On whose word figures rest: pairs of a passage in the top k and a perspective, by who judged them. */
export class JudgementTally {
  readonly #heuristicJudge: string | undefined;
  readonly #by = new Map<string, JudgedBy>();
  /** Judged or not. */
  pairs = 0;
  judged = 0;

  /** @param heuristicJudge name of an offline judge whose word counts */
  constructor(heuristicJudge?: string) {
    this.#heuristicJudge = heuristicJudge;
  }

  expect(pairs: number): void {
    this.pairs += pairs;
  }

  count({ source, judge }: Pick<Judgement, 'source' | 'judge'>): void {
    const name = source === 'human' ? 'people' : judge;
    const key = `${source} ${name}`;
    const heuristic = source === 'lexical' || name === this.#heuristicJudge;
    const count = (this.#by.get(key)?.count ?? 0) + 1;
    this.#by.set(key, { source, judge: name, count, heuristic });
    this.judged++;
  }

  /** In the order of how much rests on each, then by name. */
  get by(): JudgedBy[] {
    return [...this.#by.values()].sort((a, b) => b.count - a.count || (a.judge < b.judge ? -1 : 1));
  }
}
