/** `parallax eval`: scores pipelines on queries with judgements. The default view. */
import { definitionOf, measureName, measuresAt, type Measure } from '../../../core/metrics/measures.ts';
import type { ParallaxConfig } from '../../../shared/config.ts';
import type { NamedPipeline } from '../../../core/pipeline.ts';
import { DATASETS_HELP, type Dataset } from '../../datasets.ts';
import { reportOf, resultOf, type DatasetResult } from '../../eval-report.ts';
import {
  CORRECTED_OPTION,
  REPEATS_OPTION,
  judgingOptions,
  judgingExitCode,
  readJudging,
  readStepBudget,
  type Judging,
  type SharedBudget,
} from '../../figure-judging.ts';
import { withKnownFigures } from '../../known-figures.ts';
import { readPipelines } from '../../options/pipeline-option.ts';
import { WRITE_QRELS_OPTION, writeQrels } from '../../options/write-qrels.ts';
import { describeEval } from '../../presentation/eval-text.ts';
import { parseCutoffs, UsageError, type Io } from '../../presentation/terminal.ts';
import { isCutShort, queryErrorsExitCode, runExperiment } from '../../run-experiment.ts';
import { VIEWS_HELP } from './names.ts';
import { evaluationView } from './view.ts';
import { keepsAnswers } from '../../kept-answers.ts';

export const figuresView = evaluationView({
  usage: '',
  options: {
    'compare-to': {
      type: 'string',
      help: 'name of the pipeline that the others are compared to (default: the first)',
    },
    k: { type: 'string', default: '5,10', help: 'cutoffs, separated by commas (default 5,10)' },
    ...judgingOptions('figures'),
    corrected: CORRECTED_OPTION,
    repeats: REPEATS_OPTION,
    'write-qrels': WRITE_QRELS_OPTION,
  },
  notes: `${VIEWS_HELP}
${DATASETS_HELP}
Differences are to one pipeline on the same queries: 95% intervals of a paired bootstrap; p of a two-sided
paired randomisation test, Holm-corrected over the pipelines compared, for each measure and data set.
Macro-averages count each data set once; where all queries are asked of all corpora, there is one per corpus.
With --judge and --scope figures, only measures that rest on the judged pairs alone are worked out.
The exit code is 3 when the budget was spent before all was judged, and 1 when pairs have no answer, when
queries could not be asked, which count as finding nothing, when a pipeline could not be run, which has no figures then,
or when nothing is judged at all.
`,
  read(values, config): FiguresTask {
    const pipelines = readPipelines(values.pipeline, config);
    const budget = readStepBudget(values, pipelines);
    const judging = readJudging(budget ? { ...values, budget: undefined } : values, config, 'figures');
    return {
      pipelines,
      baseline: readBaseline(values['compare-to'], pipelines),
      cutoffs: parseCutoffs(values.k),
      judging,
      isJson: values.json !== undefined,
      budget,
      lines: values['write-qrels'] !== undefined,
      config: judging?.config ?? config,
      judged: judging !== undefined,
    };
  },
  evaluate,
  report: reportOf,
  describe: (report, { cutoffs }, results) => describeEval(results, report, cutoffs),
  experiments: (results, { noResult }) =>
    noResult === undefined ? results.map(({ experiment }) => experiment) : [],
  async end(results, values, io, report) {
    const judged = results.map(({ dataset: { name }, experiment: { lines = [] } }) => ({ name, lines }));
    await writeQrels(values['write-qrels'], judged, io);
    const experiments = results.map(({ experiment }) => experiment);
    const isStored = keepsAnswers(values.store);
    const code = judgingExitCode(report.judging ?? [], isStored, io, isCutShort(experiments));
    return code || queryErrorsExitCode(experiments);
  },
});

function readBaseline(name: string | undefined, pipelines: readonly NamedPipeline[]): string {
  const names = pipelines.map((each) => each.name);
  if (name !== undefined && !names.includes(name))
    throw new UsageError(
      `--compare-to: there is no pipeline "${name}" here. Available: ${names.join(', ')}.`,
    );
  return name ?? names[0]!;
}

/** The same for all data sets. */
interface FiguresTask {
  readonly pipelines: readonly NamedPipeline[];
  /** Name of the pipeline with which the others are compared. */
  readonly baseline: string;
  readonly cutoffs: readonly number[];
  readonly judging: Judging | undefined;
  readonly isJson: boolean;
  readonly budget: SharedBudget | undefined;
  /** Whether to write all judgements. */
  readonly lines: boolean;
  readonly config: ParallaxConfig;
  readonly judged: boolean;
}

async function evaluate(dataset: Dataset, task: FiguresTask, io: Io): Promise<DatasetResult> {
  const { pipelines, baseline, cutoffs, judging, budget, lines, config } = task;
  const measures = measuresFor(task).map(measureName);
  const request = {
    pipelines,
    k: Math.max(...cutoffs),
    cutoffs,
    measures,
    judging,
    budget,
    judges: config.judges,
    lines,
    compareTo: baseline,
  };
  const experiment = withKnownFigures(await runExperiment(dataset, request, io));
  return resultOf(dataset, experiment, baseline, cutoffs);
}

/** Measures that compare passages by meaning are in JSON only, because they take longer than everything else. */
function measuresFor({ judging, cutoffs, isJson }: FiguresTask): Measure[] {
  const definitions = measuresAt(cutoffs).map((measure) => ({ measure, ...definitionOf(measure) }));
  return definitions
    .filter(({ needs }) => isJson || needs !== 'passages')
    .filter(({ exactWithHeadline }) => judging?.scope !== 'figures' || exactWithHeadline)
    .map(({ measure }) => measure);
}
