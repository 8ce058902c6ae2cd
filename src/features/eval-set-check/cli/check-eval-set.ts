/** `parallax check --eval-set`: what an eval set can show, and its problems. */
import type { EvalSetReport } from '../core/report.ts';
import { findingsOf, setHeading, showableLine, showableReason, showableRows } from '../core/wording.ts';
import type { NamedPipeline } from '../../../core/pipeline.ts';
import type { ParallaxConfig } from '../../../shared/config.ts';
import { forEachDataset, type Dataset, type DatasetValues } from '../../../cli/datasets.ts';
import { readJudge } from '../../../cli/options/judge-option.ts';
import { readPipelines } from '../../../cli/options/pipeline-option.ts';
import { oneLine } from '../../../cli/presentation/printable.ts';
import { progressLine } from '../../../cli/presentation/progress.ts';
import { parseCutoff, tableText, writeJson, type Io } from '../../../cli/presentation/terminal.ts';
import { askedDataset } from '../../../cli/run-experiment.ts';

/** The most names listed below a finding; the rest is counted. */
const LISTED = 10;

export interface EvalSetValues extends Omit<DatasetValues, 'corpus' | 'queries' | 'qrels'> {
  readonly 'eval-set': string;
  readonly corpus?: string | undefined;
  readonly qrels?: string | undefined;
  readonly pipeline?: readonly string[] | undefined;
  readonly judge?: string | undefined;
  readonly k: string;
  readonly json: boolean;
}

/** @returns the exit code: 1 if the eval set has a problem to fix */
export async function checkEvalSet(values: EvalSetValues, config: ParallaxConfig, io: Io): Promise<number> {
  const { corpus, qrels, 'eval-set': file, ...rest } = values;
  const k = parseCutoff(values.k);
  const judges = { ...config.judges };
  const judge = values.judge === undefined ? 'labels' : readJudge(values.judge, '--judge', judges);
  const pipelines = values.pipeline
    ? readPipelines(values.pipeline, config)
    : Object.entries(config.pipelines).map(([name, pipeline]): NamedPipeline => ({ name, pipeline }));
  const datasetValues = {
    ...rest,
    queries: [file],
    ...(corpus === undefined ? {} : { corpus: [corpus] }),
    ...(qrels === undefined ? {} : { qrels: [qrels] }),
  };
  const [report] = await forEachDataset(datasetValues, { ...config, judges }, io, (dataset) =>
    reportOf(dataset, { pipelines, judge, k }, io),
  );
  if (values.json) await writeJson('-', report, io);
  else io.stdout(reportText(file, report!));
  return findingsOf(report!).some(({ isFault }) => isFault) ? 1 : 0;
}

interface Wanted {
  readonly pipelines: readonly NamedPipeline[];
  readonly judge: string;
  readonly k: number;
}

function reportOf(dataset: Dataset, options: Wanted, io: Io): Promise<EvalSetReport> {
  return dataset.local.engine.request(
    'checkEvalSet',
    { dataset: askedDataset(dataset), ...options, pipelines: [...options.pipelines] },
    { onProgress: progressLine(io, 'Checking the eval set') },
  );
}

function reportText(file: string, report: EvalSetReport): string {
  const { showable, questions, failed } = report;
  const [first] = showable;
  const findings = findingsOf(report);
  const faults = findings.filter(({ isFault }) => isFault);
  const facts = findings.filter(({ isFault }) => !isFault);
  return [
    `${setHeading(file, report)}\n`,
    ...(first ? [`${showableLine(questions, first)}\n`] : []),
    ...(showable.length > 0
      ? [`${tableText({ ...showableRows(report), names: 1 })}${showableReason(report)}\n`]
      : []),
    ...failed.map(({ name, error }) => oneLine(`${name} could not be run: ${error}`) + '\n'),
    ...(faults.length > 0
      ? [`To fix:\n${faults.map(findingText).join('')}`]
      : ['Nothing to fix was found.\n']),
    ...facts.map(findingText),
  ].join('\n');
}

function findingText({ text, list }: ReturnType<typeof findingsOf>[number]): string {
  const more = list.length - LISTED;
  return [
    `- ${oneLine(text)}`,
    ...list.slice(0, LISTED).map((each) => `    ${oneLine(each)}`),
    ...(more > 0 ? [`    … and ${more} more`] : []),
  ]
    .map((line) => `${line}\n`)
    .join('');
}
