/** Notes on the limits of a gate's figures. */
import * as l10n from '@vscode/l10n';
import { labelOrJudge, circularText, failedQueriesText } from '../../../core/facts.ts';
import { counted } from '../../../core/counted.ts';
import { aurocText, thresholdText } from '../../../core/analysis/unanswerable-text.ts';
import { certaintiesText } from '../../../core/external/certainty.ts';
import { shortfallsText } from '../../../core/external/shortfall.ts';
import { footnotesOf } from '../../../core/judging/judgement-tally.ts';
import { isEnoughToTest } from '../../../core/statistics/randomisation.ts';
import type { Baseline } from './baseline.ts';
import type { Scored } from './evaluated.ts';
import { quarantineNotes } from './repeated.ts';
import { baselineMetrics, type GateSpec } from './spec.ts';
import { firstOf, percent } from './wording.ts';

/** @returns sentences without duplicates */
export function gateNotes(all: readonly Scored[], spec: GateSpec, baseline: Baseline | undefined): string[] {
  const datasets = [...new Set(all.map(({ dataset }) => dataset))];
  return [
    ...new Set(datasets.flatMap(storeNotes)),
    ...datasets.flatMap(leftOutNotes),
    ...all.flatMap(queryErrorNotes),
    ...all.flatMap(exactErrorNotes),
    ...all.flatMap(heldBackNotes),
    ...datasets.flatMap(unjudgedNotes),
    ...datasets.flatMap(heuristicNotes),
    ...datasets.flatMap(evidenceNotes),
    ...all.flatMap(circularNotes),
    ...all.flatMap((own) => repeatNotes(own, spec)),
    ...all.flatMap(unanswerableNotes),
    ...(baseline ? baselineNotes(all, baseline) : []),
    ...(baseline ? all.flatMap((result) => quarantineNotes(result, spec, baseline)) : []),
    ...(spec.baseline && baseline ? powerNotes(datasets, spec, all.length) : []),
  ];
}

/** A store is only sampled, so whether it changed since the baseline is known in part. */
function storeNotes({ corpus: { name, passages, sample } }: Scored['dataset']): string[] {
  if (!sample || sample.records >= passages) return [];
  const { store, records, checksum } = sample;
  return [
    checksum === undefined
      ? l10n.t`Whether "${name}" in ${store} changed is only checked by the number of its passages (${passages}); a replaced text goes unnoticed.`
      : l10n.t`Whether "${name}" in ${store} changed is only checked by the number of its passages (${passages}) and the texts of the first ${records}; a text replaced elsewhere goes unnoticed.`,
  ];
}

/** Scored as zero, they would count against the pipelines. */
function leftOutNotes({ name, leftOut = [] }: Scored['dataset']): string[] {
  if (leftOut.length === 0) return [];
  const ids = leftOut.join(', ');
  return [
    counted(
      l10n.t(
        'Left out of "{1}", because the corpus has no pages that were found for [0:it|them]: {0} [0:question|questions] ({2}).',
      ),
      leftOut.length,
      name,
      ids,
    ),
  ];
}

function queryErrorNotes({ dataset: { name, queries }, pipeline }: Scored): string[] {
  const { queryErrors = [] } = pipeline;
  if (queryErrors.length === 0) return [];
  return [failedQueriesText(`"${pipeline.name}", "${name}"`, queryErrors, queries.length)];
}

function exactErrorNotes({ dataset: { name }, pipeline }: Scored): string[] {
  const { exactErrors = [] } = pipeline;
  const [first] = exactErrors;
  if (!first) return [];
  const ids = exactErrors.map(({ query }) => query).join(', ');
  return [
    l10n.t`Whether the approximate search of "${pipeline.name}" missed something on "${name}" is unknown, because the exact one failed (${ids}): ${first.message}`,
  ];
}

/** Notes on passages that a store withheld or may have withheld. */
function heldBackNotes({ dataset: { name, queries }, pipeline }: Scored): string[] {
  const { short, certainty } = pipeline;
  const about = `"${pipeline.name}" on "${name}"`;
  return [
    ...(short ? [shortfallsText(about, short, queries.length)] : []),
    ...(certainty && certainty.certain < certainty.queries ? [certaintiesText(about, certainty)] : []),
  ];
}

/** A threshold is then missed, but the figure does not describe retrieval. */
function unjudgedNotes({ name, judgements }: Scored['dataset']): string[] {
  return judgements.pairs > 0 && judgements.judged === 0
    ? [
        `${l10n.t`Nothing retrieved for "${name}" has been judged: its coverage figures mean nothing yet.`} ${labelOrJudge()}`,
      ]
    : [];
}

function heuristicNotes({ name, judgements }: Scored['dataset']): string[] {
  return judgements.by
    .filter(({ heuristic }) => heuristic)
    .map(({ judge, count: guesses }) =>
      counted(
        l10n.t(
          '{0} of {1} [1:judgement|judgements] on "{2}" [0:is a guess|are guesses] of the offline heuristic "{3}".',
        ),
        guesses,
        judgements.judged,
        name,
        judge,
      ),
    );
}

function evidenceNotes({ name, judgements }: Scored['dataset']): string[] {
  return footnotesOf(judgements.by).map((sentence) => `"${name}": ${sentence}`);
}

/** In a circular ranking the judge's errors rank first and count as gains. */
function circularNotes({ dataset: { name }, pipeline }: Scored): string[] {
  const { circular } = pipeline;
  if (circular === undefined) return [];
  return [`${l10n.t`"${pipeline.name}" on "${name}" is circular.`} ${circularText(circular)}`];
}

/** What is retrieved for questions without an answer, which no check includes. */
function unanswerableNotes({ dataset: { name }, pipeline }: Scored): string[] {
  const { unanswerable: found } = pipeline;
  if (!found) return [];
  const about = counted(
    l10n.t(
      '{0} [0:question|questions] of "{1}" without an answer, "{2}": {3} in 100 have passages in the top {4}; AUROC of the score {5}.',
    ),
    found.questions,
    name,
    pipeline.name,
    percent(found.falseRetrieval),
    found.k,
    aurocText(found),
  );
  return [`${about} ${thresholdText(found)}`];
}

/** Figures in each repeat, of the measures that the gate demands something of. */
function repeatNotes({ dataset: { name, repeats }, pipeline }: Scored, spec: GateSpec): string[] {
  const found = repeats?.pipelines.find((own) => own.name === pipeline.name);
  if (!repeats || !found) return [];
  const demanded = new Set([...baselineMetrics(spec), ...spec.thresholds.map(({ metric }) => metric)]);
  return Object.entries(found.figures)
    .filter(([metric]) => demanded.has(metric))
    .map(([metric, { values, theseQueries, otherQueries }]) => {
      const changed = found.changes.filter(({ values: own }) => metric in own);
      const about = l10n.t`${metric} of "${pipeline.name}" on "${name}" in ${repeats.complete} repeats of the judge: ${values.map(percent).join(', ')}. 95% interval for these questions ${rangeText(theseQueries)}, for other questions of the kind ${rangeText(otherQueries)}.`;
      const flips = changed.map(
        ({ query, values: own }) => `${query} (${own[metric]!.map(percent).join(', ')})`,
      );
      return [
        about,
        ...(flips.length > 0 ? [l10n.t`Questions that change: ${firstOf(flips)}.`] : []),
        ...withinNoise(metric, theseQueries, spec),
      ].join(' ');
    });
}

/** The judge alone may decide a check then. */
function withinNoise(metric: string, { low, high }: Range, { thresholds }: GateSpec): string[] {
  return thresholds
    .filter((own) => own.metric === metric && own.tag === undefined && own.min > low && own.min < high)
    .map(({ min }) => l10n.t`The required ${percent(min)} is within the judge's own variation.`);
}

interface Range {
  readonly low: number;
  readonly high: number;
}

const rangeText = ({ low, high }: Range): string => l10n.t`${percent(low)} to ${percent(high)}`;

/** Parts that only one side has are not compared. */
function baselineNotes(all: readonly Scored[], baseline: Baseline): string[] {
  const gone = baseline.datasets.flatMap(({ name, pipelines }) =>
    pipelines
      .filter(
        (then) =>
          !all.some(
            ({ dataset, pipeline }) => dataset.name === name && isNamed(then.name, { dataset, pipeline }),
          ),
      )
      .map(
        (then) => l10n.t`The baseline has the pipeline "${then.name}" on "${name}", which was not evaluated.`,
      ),
  );
  return [
    ...gone,
    ...new Set(all.flatMap((result) => [...queryNotes(result, baseline), ...holeNotes(result, baseline)])),
  ];
}

/** Failed pipelines are listed in the gaps of the report. */
function isNamed(
  name: string,
  { dataset: { failed = [] }, pipeline }: Pick<Scored, 'dataset' | 'pipeline'>,
): boolean {
  return pipeline.name === name || failed.some((failure) => failure.name === name);
}

/** A baseline with unjudged pairs is easily reached. */
function holeNotes({ dataset: { name } }: Scored, baseline: Baseline): string[] {
  const then = baseline.datasets.find((dataset) => dataset.name === name)?.judgements;
  if (!then || then.judged >= then.pairs) return [];
  return [
    counted(
      l10n.t(
        'When the baseline of "{0}" was accepted, {1} of {2} [2:pair was|pairs were] judged: its figures count the others as not supporting.',
      ),
      name,
      then.judged,
      then.pairs,
    ),
  ];
}

function queryNotes({ dataset, pipeline }: Scored, baseline: Baseline): string[] {
  const then = baseline.datasets
    .find(({ name }) => name === dataset.name)
    ?.pipelines.find(({ name }) => name === pipeline.name);
  if (!then) return [];
  const before = new Set(then.queries.map(({ id }) => id));
  const now = new Set(dataset.queries.map(({ id }) => id));
  const added = [...now].filter((id) => !before.has(id)).length;
  return added > 0 ? [addedNote(added, dataset.name)] : [];
}

function addedNote(queries: number, dataset: string): string {
  return counted(
    l10n.t('New in "{1}" since the baseline, and not compared: {0} [0:question|questions].'),
    queries,
    dataset,
  );
}

/** A test that cannot find anything must not look like one that found nothing. */
function powerNotes(datasets: readonly Scored['dataset'][], spec: GateSpec, pipelines: number): string[] {
  const { alpha } = spec.baseline!;
  const comparisons = baselineMetrics(spec).length * pipelines;
  return datasets.flatMap(({ name, queries }) =>
    isEnoughToTest(queries.length, comparisons, alpha)
      ? []
      : [
          l10n.t`"${name}" is too small to prove a loss (questions: ${queries.length}, comparisons: ${comparisons}, α ${alpha}). Add questions, or use thresholds.`,
        ],
  );
}
