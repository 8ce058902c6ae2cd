/** Accepted drafts become part of an eval set file. */
import path from 'node:path';
import { acceptedDrafts, evalLine, proposedLabels, type AcceptedDraft } from '../../core/building/accept.ts';
import { formatLabel } from '../../core/formats/labels.ts';
import { parseEvalSet } from '../../core/formats/queries.ts';
import { textHash } from '../text-sums.ts';
import { appendLines } from '../files/append-lines.ts';
import { appendLabels } from '../judgements/append-labels.ts';
import { readDrafts, textOrNothing } from './drafts-file.ts';

export interface AcceptRequest {
  readonly draftsFile: string;
  /** Appended to; begun where it is not there. */
  readonly evalSetFile: string;
  /** Where the proposed labels of passages go, as imported ones; nowhere when left out. */
  readonly labelsFile?: string | undefined;
  /** ISO 8601, now. */
  readonly at: string;
}

export interface AcceptReport {
  readonly accepted: readonly AcceptedDraft[];
  /** Accepted before. */
  readonly already: number;
  /** Drafts that still wait for a person. */
  readonly waiting: number;
  readonly labels: number;
  readonly warnings: readonly string[];
}

/**
 * Adds to the eval set what was accepted since; lines that are there stay as they are. Doing it again adds nothing.
 *
 * @throws ParallaxError `bad-file` when the drafts are none, the eval set is something else, or a file cannot be
 *   written
 */
export async function acceptDrafts(request: AcceptRequest): Promise<AcceptReport> {
  const { draftsFile, evalSetFile, labelsFile, at } = request;
  const { drafts, warnings } = await readDrafts(draftsFile);
  const evalSet = await readEvalSet(evalSetFile);
  const { accepted, already, warnings: left } = acceptedDrafts(drafts, evalSet, textHash);
  const labels = labelsFile === undefined ? [] : accepted.flatMap((each) => proposedLabels(each, at));
  // Labels first: who is interrupted in between does it again, and nothing counts that is not in the eval set.
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
