/** Checks that every document expected by an eval set is found, independent of means. */
import { rankOf } from '../../../core/coverage-states.ts';
import { exactly } from '../../../core/measured.ts';
import type { Query } from '../../../core/model.ts';
import type { Scored } from './evaluated.ts';
import type { GateCheck } from './report.ts';
import type { GateSpec } from './spec.ts';
import { expectedDocumentsReason } from './wording.ts';

export const expectsDocuments = ({ perspectives }: Pick<Query, 'perspectives'>): boolean =>
  perspectives.some(({ document }) => document !== undefined);

/** One check per pipeline. Empty for eval sets without expected documents. */
export function expectedDocumentChecks(all: readonly Scored[], spec: GateSpec): GateCheck[] {
  return all
    .filter(({ dataset }) => dataset.queries.some(expectsDocuments))
    .map((result) => check(result, spec));
}

function check(result: Scored, { k }: GateSpec): GateCheck {
  const { dataset, pipeline } = result;
  const expected = dataset.queries.flatMap(({ id, perspectives }) =>
    perspectives
      .filter(({ document }) => document !== undefined)
      .map(({ id: perspective, within = k }) => ({
        query: id,
        isFound: isWithin(result, id, perspective, within),
      })),
  );
  const missing = expected.filter(({ isFound }) => !isFound);
  return {
    kind: 'documents',
    dataset: dataset.name,
    pipeline: pipeline.name,
    metric: `MRecall@${k}`,
    outcome: missing.length > 0 ? 'missed' : 'passed',
    ...exactly(1 - missing.length / expected.length),
    queries: dataset.queries.filter(expectsDocuments).length,
    lost: { count: missing.length, most: 0 },
    reason: expectedDocumentsReason(expected.length, missing.length),
    failing: [...new Set(missing.map(({ query }) => query))],
  };
}

function isWithin({ losses }: Scored, query: string, perspective: string, within: number): boolean {
  const state = losses.get(query)!.perspectives.find(({ perspectiveId }) => perspectiveId === perspective);
  const rank = state && rankOf(state);
  return rank !== undefined && rank <= within;
}
