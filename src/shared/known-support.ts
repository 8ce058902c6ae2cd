/** Support known beyond the candidates of a search, in the form in which coverage is worked out. Pure. */
import type { KnownSupport, ProbeResults } from '../core/coverage.ts';
import type { Known } from './requests/passages.ts';

/** By perspective. */
export function knownSupportOf({ supporters }: Pick<Known, 'supporters'>): Map<string, KnownSupport[]> {
  const grouped = Map.groupBy(supporters, ({ perspectiveId }) => perspectiveId);
  return new Map(
    [...grouped].map(([perspectiveId, own]) => [
      perspectiveId,
      own.map(({ passageId, name }) => ({ passageId, path: name })),
    ]),
  );
}

/** By perspective. */
export function probeResultsOf({ probes }: Pick<Known, 'probes'>): Map<string, ProbeResults> {
  return new Map(probes.map((probe) => [probe.perspectiveId, probe]));
}
