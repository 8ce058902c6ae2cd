import { resistanceCases, resistanceOf } from '../core/attacks/resistance.ts';
import type { Verdict } from '../../../core/model.ts';
import type { Result } from '../../../shared/rpc.ts';
import type { Judge } from '../../../engine/judges/judge.ts';
import type { WorkOptions } from '../../../engine/types.ts';

/** Asks a judge about every attack, and about the same passages without one. @throws ParallaxError `cancelled` */
export async function judgeResistance(judge: Judge, work: WorkOptions): Promise<Result<'judgeResistance'>> {
  const cases = resistanceCases();
  const verdicts = new Array<Verdict | undefined>(cases.length).fill(undefined);
  const { error } = await judge.judge(
    cases.map(({ passage, statement }) => ({ passage: { text: passage }, perspective: { text: statement } })),
    { ...work, onJudgement: (index, { verdict }) => (verdicts[index] = verdict) },
  );
  return { ...resistanceOf(cases, verdicts), ...(error ? { error: error.message } : {}) };
}
