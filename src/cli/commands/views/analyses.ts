/** `parallax eval --view analyses`, or a single analysis by name: how retrieval behaves, beyond a score. */
import type { ParallaxConfig } from '../../../shared/config.ts';
import type { NamedPipeline } from '../../../core/pipeline.ts';
import type { ExperimentReport, View } from '../../../shared/experiment.ts';
import { DATASETS_HELP, type Dataset } from '../../datasets.ts';
import { describeAnalyses, type DatasetAnalyses } from '../../presentation/describe-analyses.ts';
import { analysesTogether, describeTogether } from '../../../features/validation/cli/describe-together.ts';
import {
  describeJudging,
  judgingOptions,
  judgingExitCode,
  readJudging,
  readStepBudget,
  type Judging,
  type SharedBudget,
} from '../../figure-judging.ts';
import { withKnownFigures } from '../../known-figures.ts';
import { readPipelines } from '../../options/pipeline-option.ts';
import { isCutShort, queryErrorsExitCode, runExperiment } from '../../run-experiment.ts';
import { parseCutoff } from '../../presentation/terminal.ts';
import { analysesIn } from './names.ts';
import { evaluationView } from './view.ts';
import { keepsAnswers } from '../../kept-answers.ts';

export const analysesView = evaluationView({
  usage: '--view <analyses> ',
  options: {
    k: { type: 'string', default: '5', help: 'one cutoff (default 5)' },
    ...judgingOptions('everything'),
  },
  notes: `Analyses:
  lost        where the coverage of each perspective is lost: ranked below k, missed by the approximate search,
              not among the candidates, not found yet, or unjudged; and its first rank
  set-size    how many passages it takes to cover all perspectives, and how often 100 are enough (BERDS, Table 17)
  union       what several pipelines cover together within 100 (BERDS, Table 6)
  leaning     shares of top-k sets with only support, only opposition, both, neither (BERDS, Figure 2)
  sycophancy  Δ with the question, the supporting and the opposing perspective as the query (BERDS, Figure 3)
  groups      shares of the groups of perspectives, what is found when a group is asked for, and p-Recall
              (PIR, Tables 3 and 10, Figures 2 and 6)
  fields      values of the documents' fields, such as country or outlet, within the top k, also when a group of
              perspectives is asked for (PIR, Figures 3, 5 and 6); needs no judgements
  unreached   which parts of the corpus no query reaches within the top k of any pipeline

Leaning and sycophancy need queries with two perspectives, one with "stance": "support" (or the id support) and
one with "oppose"; groups need perspectives with a "group", and take any number of sides. For a view that does not apply, the reason is given.
A judge is asked about every pair that the views use, including the searches of sycophancy and groups. Set-size and
union judge down to the first supporting passage of each perspective within 100, which needs the most requests; name
the other views in --view to skip them. Each view reports the share of judged pairs. With a judge or human labels, a
view with less than 90% judged is left out and the reason is given; qrels alone are read as complete. With several
data sets, set-size, union, leaning and sycophancy are also reported over all of them: leaning and sycophancy over all queries, union and the share of set-size as the mean of the data sets.

${DATASETS_HELP}`,
  read(values, config): AnalysesTask {
    const pipelines = readPipelines(values.pipeline, config);
    const budget = readStepBudget(values, pipelines);
    const judging = readJudging(budget ? { ...values, budget: undefined } : values, config, 'everything');
    return {
      pipelines,
      k: parseCutoff(values.k),
      views: analysesIn(values.view),
      judging,
      budget,
      config: judging?.config ?? config,
      judged: judging !== undefined,
    };
  },
  async evaluate(dataset, { config, ...task }, io): Promise<Analysed> {
    const report = await runExperiment(dataset, { ...task, judges: config.judges }, io);
    return { dataset, report: withKnownFigures(report) };
  },
  report(results, { k }) {
    const datasets = results.map(datasetAnalyses);
    return { k, datasets, ...(datasets.length > 1 ? { together: analysesTogether(datasets) } : {}) };
  },
  describe({ k, datasets }, _, results) {
    const together = datasets.length > 1 ? [describeTogether(datasets, k)] : [];
    return [...results.map((each) => describe(each, k)), ...together]
      .filter((section) => section !== '')
      .join('\n');
  },
  experiments: (results) => results.map(({ report }) => report).filter(restsOnJudgements),
  end(results, { store }, io) {
    const reports = results.map(({ report }) => report);
    const judged = reports.flatMap((report) => report.judging ?? []);
    const code = judgingExitCode(judged, keepsAnswers(store), io, isCutShort(reports));
    return code || queryErrorsExitCode(reports);
  },
});

/** Parts that no query reaches do not depend on judgements; neither does a view that the questions have no data for. */
function restsOnJudgements({ pipelines, viewsLeftOut }: ExperimentReport): boolean {
  return (
    pipelines.some(({ analyses }) => analyses.lost !== undefined) ||
    viewsLeftOut.some(({ judged }) => judged !== undefined)
  );
}

interface AnalysesTask {
  readonly pipelines: readonly NamedPipeline[];
  readonly k: number;
  readonly views: View[];
  readonly judging: Judging | undefined;
  readonly budget: SharedBudget | undefined;
  readonly config: ParallaxConfig;
  readonly judged: boolean;
}

interface Analysed {
  readonly dataset: Dataset;
  readonly report: ExperimentReport;
}

function describe(analysed: Analysed, k: number): string {
  const { judging } = analysed.report;
  return (
    (judging && judging.pairs > 0 ? describeJudging(judging) : '') +
    describeAnalyses(datasetAnalyses(analysed), k)
  );
}

/** The part of `--json` for a data set. */
function datasetAnalyses({ dataset, report }: Analysed): DatasetAnalyses {
  const { name, corpus, queriesFile, qrelsFile, labels } = dataset;
  const { queries, pipelines, failed, union, unreached, viewsLeftOut, judging } = report;
  return {
    dataset: {
      name,
      corpus,
      queriesFile,
      ...(qrelsFile === undefined ? {} : { qrelsFile }),
      ...(labels === undefined ? {} : { labels }),
      queries,
    },
    pipelines: pipelines.map(({ name: pipelineName, pipeline, queryErrors, searchErrors, analyses }) => ({
      name: pipelineName,
      pipeline,
      ...analyses,
      ...(queryErrors.length > 0 ? { queryErrors } : {}),
      ...(searchErrors.length > 0 ? { searchErrors } : {}),
    })),
    ...(failed.length > 0 ? { failed } : {}),
    ...(union ? { union } : {}),
    ...(unreached ? { unreached } : {}),
    leftOut: viewsLeftOut,
    ...(judging ? { judging } : {}),
  };
}
