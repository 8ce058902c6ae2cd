/** Adds accepted drafts to an eval set file. */
import path from 'node:path';
import { acceptedDrafts, evalLine, proposedLabels, type AcceptedDraft } from '../core/accept.ts';
import { formatLabel } from '../../../core/formats/labels.ts';
import { parseEvalSet } from '../../../core/formats/queries.ts';
import { textHash } from '../../../engine/text-sums.ts';
import { appendLines } from '../../../engine/files/append-lines.ts';
import { appendLabels } from '../../../engine/judgements/append-labels.ts';
import { readDrafts, textOrNothing } from './drafts-file.ts';

export interface AcceptRequest {
  readonly draftsFile: string;
  /** Appended to, or created. */
  readonly evalSetFile: string;
  /** The file for the proposed labels of passages, which count as imported. Defaults to none. */
  readonly labelsFile?: string | undefined;
  /** The present time in ISO 8601. */
  readonly at: string;
}

export interface AcceptReport {
  readonly accepted: readonly AcceptedDraft[];
  /** Accepted earlier. */
  readonly already: number;
  /** Drafts that still wait for a person. */
  readonly waiting: number;
  readonly labels: number;
  readonly warnings: readonly string[];
}

/**
 * Adds newly accepted drafts to the eval set. Existing lines are not changed. Repeating it adds nothing.
 *
 * @throws ParallaxError `bad-file` if one of the files has another kind of content, or cannot be written
 */
export async function acceptDrafts(request: AcceptRequest): Promise<AcceptReport> {
  const { draftsFile, evalSetFile, labelsFile, at } = request;
  const { drafts, warnings } = await readDrafts(draftsFile);
  const evalSet = await readEvalSet(evalSetFile);
  const { accepted, already, warnings: left } = acceptedDrafts(drafts, evalSet, textHash);
  const labels = labelsFile === undefined ? [] : accepted.flatMap((each) => proposedLabels(each, at));
  // Labels first: a user who is interrupted in between repeats it, and no label counts without the eval set.
  if (labelsFile !== undefined) await appendLabels(labelsFile, labels.map(formatLabel));
  await appendLines(evalSetFile, accepted.map(evalLine));
  return {
    accepted,
    already,
    waiting: drafts.filter(({ review }) => review === 'proposed').length,
    labels: labels.length,
    warnings: [...warnings, ...left],
  };
}

async function readEvalSet(file: string): Promise<Parameters<typeof acceptedDrafts>[1]> {
  const name = path.basename(file);
  const text = await textOrNothing(file);
  return { name, queries: text.trim() === '' ? [] : parseEvalSet(text, file).queries };
}
