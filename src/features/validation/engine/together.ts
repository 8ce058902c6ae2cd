/** The correlation of errors in a validation: between two judges, repeats of one, and the agents of debates. */
import * as l10n from '@vscode/l10n';
import type { DecidedVerdict } from '../../../core/model.ts';
import type { Answer } from '../core/confusion.ts';
import {
  correlationInterval,
  correlationToUse,
  effectiveVotes,
  errorCorrelation,
  jointErrors,
  jointErrorsByPerspective,
  lostByBoth,
  pairsIn,
  type AnsweredTwice,
} from '../core/joint-errors.ts';
import type { TogetherView, ValidationReport } from '../core/report.ts';
import type { JudgeIdentity } from '../../../engine/judges/judge.ts';

interface LabelledPair {
  readonly perspective: string;
  readonly reference: DecidedVerdict;
}

/** The answers of a judge, or of an agent, to each pair. */
type Vote = readonly (Answer | undefined)[];

export interface JudgeVotes {
  readonly judge: Pick<JudgeIdentity, 'name' | 'key' | 'standard' | 'discardsWith'>;
  /** Its answers, followed by those of its repeats. */
  readonly runs: readonly Vote[];
  /** The answers of each agent of its debates in round 1, before it read the others. Empty without debates. */
  readonly agents: readonly Vote[];
}

export type Together = Pick<ValidationReport, 'together' | 'filters' | 'warnings'>;

export function togetherOf(pairs: readonly LabelledPair[], judges: readonly JudgeVotes[]): Together {
  const together: TogetherView[] = [];
  const warnings: string[] = [];
  for (const [place, first] of judges.entries()) {
    const { name } = first.judge;
    for (const second of judges.slice(place + 1)) {
      const why = whyIncomparable(first.judge, second.judge);
      if (why === undefined)
        together.push(
          ...viewOf('judges', [name, second.judge.name], pairs, [first.runs[0]!, second.runs[0]!]),
        );
      else warnings.push(why);
    }
    together.push(...viewOf('repeats', [name], pairs, first.runs));
    together.push(...viewOf('agents', [name], pairs, first.agents));
  }
  return { together, filters: filtersOf(judges, together), warnings };
}

function whyIncomparable(first: JudgeVotes['judge'], second: JudgeVotes['judge']): string | undefined {
  if (first.key === second.key)
    return l10n.t`"${first.name}" and "${second.name}" are the same model with the same prompt: both give the same answer, which shows nothing about joint errors.`;
  if (first.standard !== undefined && second.standard !== undefined && first.standard !== second.standard)
    return l10n.t`"${first.name}" and "${second.name}" apply different support standards (${first.standard} and ${second.standard}), so a label cannot show which of them is wrong. Joint errors are not counted.`;
  return undefined;
}

/** `undefined` for a single vote, and if no pair was decided by all. */
function viewOf(
  of: TogetherView['of'],
  judges: string[],
  pairs: readonly LabelledPair[],
  votes: readonly Vote[],
): TogetherView[] {
  if (votes.length < 2) return [];
  const decided = [...pairs.keys()].filter((at) =>
    votes.every((vote) => vote[at] === 'yes' || vote[at] === 'no'),
  );
  if (decided.length === 0) return [];
  const twice = decided.flatMap((at) => everyTwo(votes.map((vote) => vote[at])).map(twiceOf(pairs[at]!)));
  const table = jointErrors(twice);
  const used = correlationToUse(table, decided.length);
  return [
    {
      of,
      judges,
      votes: votes.length,
      pairs: decided.length,
      ...table,
      byPerspective: jointErrorsByPerspective(twice),
      correlation: errorCorrelation(table),
      interval: correlationInterval(table, decided.length / pairsIn(table)),
      used,
      effectiveVotes: effectiveVotes(votes.length, used),
    },
  ];
}

const twiceOf =
  ({ perspective, reference }: LabelledPair) =>
  (answers: AnsweredTwice['answers']): AnsweredTwice => ({ perspective, reference, answers });

function everyTwo<T>(votes: readonly T[]): (readonly [T, T])[] {
  return votes.flatMap((first, at) => votes.slice(at + 1).map((second) => [first, second] as const));
}

function filtersOf(
  judges: readonly JudgeVotes[],
  together: readonly TogetherView[],
): ValidationReport['filters'] {
  return judges.flatMap(({ judge: { name, discardsWith } }) => {
    const [first, second, ...more] = discardsWith ?? [];
    const both = together.find(
      (view) => view.of === 'judges' && view.judges.includes(first!) && view.judges.includes(second!),
    );
    if (first === undefined || second === undefined || more.length > 0 || !both) return [];
    return [{ judge: name, cheap: [first, second] as [string, string], ...lostByBoth(both) }];
  });
}
