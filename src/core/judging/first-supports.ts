/** Selects the pairs to judge to find the first passage of a ranking that supports each perspective. */
import type { WantedPair } from './open-figures.ts';

/** The number of passages per batch. Fewer would take more rounds, and more would ask unnecessary questions. */
const AT_A_TIME = 5;

export interface WantedSupports {
  /** Ids of the query's perspectives. */
  readonly perspectives: readonly string[];
  /** Distinct passage ids, best first; one ranking per pipeline. */
  readonly rankings: readonly (readonly string[])[];
}

/** Goes down every ranking for every perspective, and stops at the first "yes". */
export class FirstSupports {
  readonly #wanted: WantedSupports;
  readonly #known = new Map<string, boolean>();

  constructor(target: WantedSupports) {
    this.#wanted = target;
  }

  learn(pair: WantedPair, supports: boolean): void {
    this.#known.set(keyOf(pair), supports);
  }

  /** The pairs to ask next. Empty once every first support is known or excluded. */
  next(): WantedPair[] {
    const { perspectives, rankings } = this.#wanted;
    const pairs = rankings.flatMap((ranking) =>
      perspectives.flatMap((perspectiveId) => this.#open(ranking, perspectiveId)),
    );
    return [...new Map(pairs.map((pair) => [keyOf(pair), pair])).values()];
  }

  #open(ranking: readonly string[], perspectiveId: string): WantedPair[] {
    const open: WantedPair[] = [];
    for (const passageId of ranking) {
      const pair = { passageId, perspectiveId };
      const known = this.#known.get(keyOf(pair));
      if (known === true || open.length === AT_A_TIME) break;
      if (known === undefined) open.push(pair);
    }
    return open;
  }
}

const keyOf = ({ passageId, perspectiveId }: WantedPair): string =>
  JSON.stringify([passageId, perspectiveId]);
