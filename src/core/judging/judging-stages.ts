/** How far the pairs of a pool went through a filter and a debate (DREAM, Table 8). */
import * as z from 'zod';
import type { Judgement } from '../model.ts';
import type { Read } from '../read.ts';

const count = z.number().int().min(0);

export const judgingStagesSchema = z.object({
  /** Pairs that the judge answered. */
  candidates: count,
  /** Those that its filter did not discard. `undefined` without a filter. */
  kept: count.optional(),
  /** By round of the debate: pairs on which the agents agreed in it, and those on which they did not. */
  rounds: z.array(z.object({ agreed: count, open: count })),
});
export type JudgingStages = Read<typeof judgingStagesSchema>;

export class StageCount {
  readonly #discardsWith: readonly string[] | undefined;
  readonly #rounds: { agreed: number; open: number }[] = [];
  #candidates = 0;
  #discarded = 0;

  /** @param discardsWith the judges of a filter; `undefined` for other judges */
  constructor(discardsWith: readonly string[] | undefined) {
    this.#discardsWith = discardsWith;
  }

  count({ debate, escalated, stage }: Pick<Judgement, 'debate' | 'escalated' | 'stage'>): void {
    this.#candidates++;
    if (stage !== undefined && this.#discardsWith?.includes(stage)) this.#discarded++;
    if (!debate) return;
    const rounds = debate.rounds.length;
    for (let round = 0; round < rounds; round++) {
      const tally = (this.#rounds[round] ??= { agreed: 0, open: 0 });
      const agreed = round === rounds - 1 && escalated === undefined && !debate.adjudication;
      tally[agreed ? 'agreed' : 'open']++;
    }
  }

  /** `undefined` for a judge without stages. */
  get stages(): JudgingStages | undefined {
    if (!this.#discardsWith && this.#rounds.length === 0) return undefined;
    return {
      candidates: this.#candidates,
      ...(this.#discardsWith ? { kept: this.#candidates - this.#discarded } : {}),
      rounds: this.#rounds,
    };
  }
}
