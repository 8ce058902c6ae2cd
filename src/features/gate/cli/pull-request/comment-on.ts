/** Writes the result of a gate to a pull request. */
import { commentMarker, toComment } from '../../../../core/reports/comment.ts';
import type { GateReport } from '../../core/report.ts';
import type { Io } from '../../../../cli/presentation/terminal.ts';
import { findForge } from './find-forge.ts';
import type { Environment } from './forge.ts';
import { keepComment } from './keep-comment.ts';

/**
 * Reports on standard error whether the comment was written; a failure changes neither pass nor fail.
 *
 * @param id distinguishes the comments of several gates: the path of parallax.json, as given
 */
export async function commentOnPullRequest(
  report: GateReport,
  id: string,
  environment: Environment,
  io: Io,
): Promise<void> {
  const forge = await findForge(environment);
  if ('reason' in forge) return io.stderr(`No comment was written: ${forge.reason}\n`);
  const body = toComment(report, { id, linkTo: forge.linkTo });
  const { written, sentence } = await keepComment(forge, body, commentMarker(id));
  io.stderr(written ? `${sentence}\n` : `No comment was written: ${sentence}\n`);
}
