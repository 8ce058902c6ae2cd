/** The part of the papers' experiments that the engine uses, each loaded with its first request. */
import type { Params, Result } from '../../../shared/rpc.ts';
import type { AnswerReport } from '../../../shared/answers.ts';
import type { WorkOptions } from '../../../engine/types.ts';
import type { AnswersParts } from './answers/answers.ts';
import type { judgeResistance as JudgeResistance } from './judge-resistance.ts';
import type { pirReports as PirReports } from './pir/pir-task.ts';

/** Forwards to `Answers`. */
export class LazyAnswers {
  readonly #parts: AnswersParts;

  constructor(parts: AnswersParts) {
    this.#parts = parts;
  }

  async answer(params: Params<'answers'>, work: WorkOptions): Promise<AnswerReport> {
    const { Answers } = await import('./answers/answers.ts');
    return new Answers(this.#parts).answer(params, work);
  }

  async cost(params: Params<'answersCost'>, work: WorkOptions): Promise<Result<'answersCost'>> {
    const { Answers } = await import('./answers/answers.ts');
    return new Answers(this.#parts).cost(params, work);
  }
}

export const pirReports: typeof PirReports = async (...request) =>
  (await import('./pir/pir-task.ts')).pirReports(...request);

export const judgeResistance: typeof JudgeResistance = async (...request) =>
  (await import('./judge-resistance.ts')).judgeResistance(...request);

/** The papers' own figures, to compare a validation with. */
export async function paperRows(
  labelledBy: 'people' | 'judge',
): Promise<Required<Pick<Result<'validateJudge'>, 'reference' | 'referenceNote'>>> {
  const { REFERENCE_NOTE, referenceRows } = await import('../core/reference-rows.ts');
  return { reference: [...referenceRows(labelledBy)], referenceNote: REFERENCE_NOTE };
}
