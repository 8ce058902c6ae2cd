/** Chooses the pairs of a validation, and the judges to ask about them. */
import path from 'node:path';
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../../core/errors.ts';
import { labelledPair } from '../../../core/formats/labelled-pairs.ts';
import { seededRandom } from '../../../core/statistics/random.ts';
import { referenceSetOf, sampled, stancesOf, withStances, type PassagesOf } from '../core/reference-set.ts';
import type { Params } from '../../../shared/rpc.ts';
import type { ValidationReport } from '../core/report.ts';
import type { WorkOptions } from '../../../engine/types.ts';
import type { JudgesToValidate } from './judges-to-validate.ts';
import { readReference } from './read-reference.ts';
import { validateJudges } from './validate-judge.ts';

export interface ValidationSources {
  readonly judges: JudgesToValidate;
  /** Folder that paths are relative to. */
  readonly base: string;
  /** The workspace's own labels. */
  readonly labelsFile: string | undefined;
  /** `undefined` if the request names no corpus. */
  readonly passagesOf: PassagesOf | undefined;
  /** Receives problems of the labels, before any judge is asked. */
  readonly warn: (message: string) => void;
}

/** Fixed, so that a limit always leaves the same pairs. */
const SAMPLE_SEED = 1;

/** @throws ParallaxError `not-found` and `bad-file` for the labels, and as {@link validateJudges} */
export async function validateRequest(
  params: Params<'validateJudge'>,
  { judges, base, labelsFile, passagesOf, warn }: ValidationSources,
  work: WorkOptions,
): Promise<ValidationReport> {
  const { pairs, judges: names, reference, repeats, swap, limit, queries } = params;
  const labelled = pairs
    ? referenceSetOf(
        { pairs: pairs.map((pair, index) => labelledPair(pair, index + 1)), labels: [], warnings: [] },
        passagesOf,
      )
    : await readReference(requireLabels(params.labelsFile ?? labelsFile), base, passagesOf);
  labelled.warnings.forEach((warning) => warn(warning));
  const set = withStances(labelled, stancesOf(queries ?? []));
  const report = await validateJudges(
    {
      set: limit === undefined ? set : sampled(set, limit, seededRandom(SAMPLE_SEED)),
      judges: names.map((name) => judges.get(name, swap ?? false)),
      reference: reference === undefined ? undefined : judges.judge(reference),
      repeats,
    },
    work,
  );
  report.warnings.slice(set.warnings.length).forEach((warning) => warn(warning));
  return report;
}

export function measuresOwnLabels(
  { pairs, labelsFile }: Pick<Params<'validateJudge'>, 'pairs' | 'labelsFile'>,
  engineSettings: { readonly base: string; readonly labelsFile?: string | undefined },
): boolean {
  if (pairs) return false;
  return (
    labelsFile === undefined || path.resolve(engineSettings.base, labelsFile) === engineSettings.labelsFile
  );
}

/** @throws ParallaxError `not-found` */
export function requireLabels(file: string | undefined): string {
  if (file !== undefined) return file;
  throw new ParallaxError('not-found', l10n.t('There are no labels: no workspace folder is open.'));
}
