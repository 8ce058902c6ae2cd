/** Explains in the Testing output why a set passed although queries failed. Pure. */
import * as l10n from '@vscode/l10n';
import { counted } from '../../../core/counted.ts';
import type { GateReport } from '../core/report.ts';

/**
 * A query fails if it loses a perspective that the baseline covered; the gate still passes if none of its checks
 * forbids that.
 *
 * @param failed number of failed queries
 * @param queries number of queries that were run
 * @returns `undefined` if nothing needs an explanation
 */
export function unguardedText(
  { outcome }: Pick<GateReport, 'outcome'>,
  failed: number,
  queries: number,
): string | undefined {
  if (outcome !== 'passed' || failed === 0) return undefined;
  return counted(
    l10n.t(
      '{0} of {1} [1:question|questions] lost perspectives against the baseline; the gate has no check against it.',
    ),
    failed,
    queries,
  );
}
