/** Judges' opinions on one pair, for reviewers. */
import { inOrder } from '../../../core/judging/replies/evidence.ts';
import type { Argument, DecidedVerdict, Judgement, Span, Verdict } from '../../../core/model.ts';

/** Whether one says yes and another no. "Unsure" contradicts nothing. */
export function contradict(verdicts: readonly Verdict[]): boolean {
  return verdicts.includes('yes') && verdicts.includes('no');
}

/** An argument for one side. */
export interface OneSide {
  readonly who: string;
  readonly side: DecidedVerdict;
  readonly argument: string;
  readonly evidence: readonly Span[];
}

/** Arguments given at the same time, with knowledge of the preceding stages. */
export interface Stage {
  /** The round of a debate, from 1. `undefined` for a judgement without a debate. */
  readonly round?: number | undefined;
  readonly isAdjudication: boolean;
  readonly sides: readonly OneSide[];
}

/**
 * The arguments behind a judgement, last stage first, as it is what remains to decide (DREAM, section 3.1, equation 2).
 * Without "unsure" opinions.
 */
export function stagesOf(judgement: Judgement): readonly Stage[] {
  const { debate } = judgement;
  if (!debate) return [{ isAdjudication: false, sides: ownSide(judgement) }];
  const rounds = debate.rounds.map((turns, index) => ({
    round: index + 1,
    isAdjudication: false,
    sides: turns.flatMap(sideOf),
  }));
  const last = debate.adjudication ? [{ isAdjudication: true, sides: sideOf(debate.adjudication) }] : [];
  return [...last, ...rounds.reverse()];
}

function sideOf({ model, label, argument, evidence }: Argument): OneSide[] {
  return label === undefined ? [] : [{ who: model, side: label, argument, evidence }];
}

function ownSide({ verdict, judge, rationale = '', evidence }: Judgement): OneSide[] {
  return verdict === 'unsure' ? [] : [{ who: judge, side: verdict, argument: rationale, evidence }];
}

/** The evidence of each side in the passage, from its last arguments, without overlaps. */
export function evidenceOfSides(
  judgements: readonly Judgement[],
): Readonly<Record<DecidedVerdict, readonly Span[]>> {
  const last = judgements.flatMap((judgement) => stagesOf(judgement)[0]?.sides ?? []);
  const of = (verdict: OneSide['side']): readonly Span[] =>
    inOrder(last.filter(({ side }) => side === verdict).flatMap(({ evidence }) => evidence));
  return { yes: of('yes'), no: of('no') };
}
