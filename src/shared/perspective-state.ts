/** The state of one perspective among a pipeline's candidates, given the known judgements. */
import { coverageOf } from '../core/coverage.ts';
import type { PerspectiveCoverage } from '../core/coverage-states.ts';
import type { Verdict } from '../core/model.ts';
import { knownSupportOf, probeResultsOf, type Candidate, type Known } from './requests/passages.ts';

export interface PlacedPerspective {
  readonly state: PerspectiveCoverage;
  /** By slot of the passage. */
  readonly verdicts: ReadonlyMap<number, Verdict>;
}

/**
 * @param candidates best first
 * @param known judgements; those of other perspectives are ignored
 * @param size of the corpus, in passages
 */
export function placedPerspective(
  perspectiveId: string,
  candidates: readonly Pick<Candidate, 'id' | 'slot'>[],
  known: Known,
  { k, size }: { readonly k: number; readonly size: number },
): PlacedPerspective {
  const pairs = known.pairs.filter((pair) => pair.perspectiveId === perspectiveId);
  const verdicts = new Map(pairs.map(({ slot, judgement }) => [slot, judgement.verdict]));
  const probe = known.probes.find((each) => each.perspectiveId === perspectiveId);
  const slots = new Map([
    ...(probe?.passages ?? []).map(({ passageId, slot }) => [passageId, slot] as const),
    ...candidates.map(({ id, slot }) => [id, slot] as const),
  ]);
  const { perspectives } = coverageOf({
    perspectives: [perspectiveId],
    ranking: candidates.map(({ id }) => id),
    k,
    verdictOf: (passageId) => verdicts.get(slots.get(passageId) ?? -1),
    knownSupport: knownSupportOf(known),
    judgedOf: () => verdicts.size,
    passages: size,
    probes: probeResultsOf(known),
  });
  return { state: perspectives[0]!, verdicts };
}
