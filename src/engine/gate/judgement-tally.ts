import type { JudgementSummary } from '../../core/gate/baseline.ts';
import type { Judgement } from '../../core/model.ts';

/** How many pairs within the top k rest on whose word. */
export class JudgementTally {
  readonly #judge: string;
  readonly #heuristic: boolean;
  readonly #by = new Map<string, JudgementSummary['by'][number]>();
  #pairs = 0;
  #judged = 0;

  constructor(judge: string, heuristic: boolean) {
    this.#judge = judge;
    this.#heuristic = heuristic;
  }

  expect(pairs: number): void {
    this.#pairs += pairs;
  }

  count({ source, judge }: Pick<Judgement, 'source' | 'judge'>): void {
    const name = source === 'human' ? 'people' : judge;
    const key = `${source} ${name}`;
    const heuristic = source === 'lexical' || (this.#heuristic && name === this.#judge);
    const found = this.#by.get(key) ?? { source, judge: name, count: 0, heuristic };
    this.#by.set(key, { ...found, count: found.count + 1 });
    this.#judged++;
  }

  /** In the order of how much rests on each, then by name. */
  get summary(): JudgementSummary {
    const by = [...this.#by.values()].sort((a, b) => b.count - a.count || (a.judge < b.judge ? -1 : 1));
    return { judge: this.#judge, pairs: this.#pairs, judged: this.#judged, by };
  }
}
