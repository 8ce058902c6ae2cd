/** `parallax analyze`: how retrieval behaves, beyond a score. */
import type { NamedPipeline } from '../../core/pipeline.ts';
import { VIEWS, type ExperimentReport, type View } from '../../shared/experiment.ts';
import { DATASET_COLUMN, DATASET_OPTIONS, DATASETS_HELP, forEachDataset, type Dataset } from '../datasets.ts';
import { describeAnalyses, type DatasetAnalyses } from '../presentation/describe-analyses.ts';
import { analysesTogether, describeTogether } from '../presentation/describe-together.ts';
import {
  describeJudging,
  judgingOptions,
  judgingExitCode,
  readJudging,
  type Judging,
} from '../figure-judging.ts';
import { readPipelines } from '../options/pipeline-option.ts';
import { readConfigFromHere } from '../options/read-config.ts';
import { queryErrorsExitCode, runExperiment } from '../run-experiment.ts';
import { parseCutoff, UsageError, writeJson, type Io } from '../presentation/terminal.ts';
import { command } from './command.ts';

export const analyzeCommand = command({
  usage: 'parallax analyze --corpus <file|folder> --queries <file> --qrels <file> --pipeline <json|name> …',
  options: {
    ...DATASET_OPTIONS,
    pipeline: { type: 'string', multiple: true, help: 'a pipeline as JSON, or its name; may be repeated' },
    k: { type: 'string', default: '5', help: 'one cutoff (default 5)' },
    view: {
      type: 'string',
      multiple: true,
      help: 'one of those below, or several, separated by commas (default all that apply)',
    },
    ...judgingOptions('everything'),
  },
  column: DATASET_COLUMN,
  notes: `Views:
  lost        where the coverage of each perspective is lost: ranked below k, missed by the approximate search,
              not among the candidates, not found so far, or unjudged; and its first rank
  set-size    how many passages it takes to cover all perspectives, and how often 100 are enough (BERDS, Table 17)
  union       what several pipelines cover together within 100 (BERDS, Table 6)
  leaning     shares of top-k sets with only support, only opposition, both, neither (BERDS, Figure 2)
  sycophancy  Δ with the question, the supporting and the opposing perspective as the query (BERDS, Figure 3)
  groups      shares of the groups of perspectives, what is found when a group is asked for, and p-Recall
              (PIR, Tables 3 and 10, Figures 2 and 6)
  unreached   which parts of the corpus no query reaches within the top k of any pipeline

Leaning and sycophancy take queries with two perspectives, one with "stance": "support" (or the id support) and
one with "oppose"; groups take perspectives with a "group". Views that do not apply say why.
A judge is asked about all that the views read, the searches of sycophancy and groups included; set-size and union
go down to the first support of every perspective within 100, which is the dearest: --view leaves them out. Every view
says how much of what it rests on was judged. With a judge or people's labels, one below 90% is left out and says so;
qrels alone are read as complete. With several data sets, set-size, union, leaning and sycophancy follow for all of
them together: leaning and sycophancy over all queries, union and the share of set-size as the mean of the data sets.

${DATASETS_HELP}`,
  async run({ values }, io) {
    const config = await readConfigFromHere(values.config);
    const pipelines = readPipelines(values.pipeline, config);
    const k = parseCutoff(values.k);
    const views = readViews(values.view);
    const judging = readJudging(values, config, 'everything');
    const datasets = await forEachDataset(
      values,
      judging?.config ?? config,
      io,
      (dataset) => analyse(dataset, pipelines, views, k, judging, io),
      { judged: judging !== undefined },
    );
    const analyses = datasets.map(datasetAnalyses);
    const isSeveral = analyses.length > 1;
    if (values.json !== '-')
      io.stdout(
        [...datasets.map((each) => describe(each, k)), ...(isSeveral ? [describeTogether(analyses, k)] : [])]
          .filter((section) => section !== '')
          .join('\n'),
      );
    const written = { k, datasets: analyses, ...(isSeveral ? { together: analysesTogether(analyses) } : {}) };
    if (values.json !== undefined) await writeJson(values.json, written, io);
    const reports = datasets.map(({ report }) => report);
    const judged = reports.flatMap((report) => report.judging ?? []);
    const code = judgingExitCode(judged, values.store !== undefined, io);
    return code === 0 ? queryErrorsExitCode(reports) : code;
  },
});

async function analyse(
  dataset: Dataset,
  pipelines: readonly NamedPipeline[],
  views: readonly View[],
  k: number,
  judging: Judging | undefined,
  io: Io,
): Promise<Analysed> {
  const report = await runExperiment(dataset, { pipelines, k, views: [...views], judging }, io);
  return { dataset, report };
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

/** Per data set in `--json`. */
function datasetAnalyses({ dataset, report }: Analysed): DatasetAnalyses {
  const { name, corpus, queriesFile, qrelsFile, labels } = dataset;
  const { queries, pipelines, union, unreached, viewsLeftOut, judging } = report;
  return {
    dataset: {
      name,
      corpus,
      queriesFile,
      ...(qrelsFile === undefined ? {} : { qrelsFile }),
      ...(labels === undefined ? {} : { labels }),
      queries,
    },
    pipelines: pipelines.map(({ name: own, pipeline, queryErrors, searchErrors, analyses }) => ({
      name: own,
      pipeline,
      ...analyses,
      ...(queryErrors.length > 0 ? { queryErrors } : {}),
      ...(searchErrors.length > 0 ? { searchErrors } : {}),
    })),
    ...(union ? { union } : {}),
    ...(unreached ? { unreached } : {}),
    leftOut: viewsLeftOut,
    ...(judging ? { judging } : {}),
  };
}

function readViews(texts: readonly string[] = VIEWS): View[] {
  const views = new Set(
    texts
      .flatMap((text) => text.split(','))
      .map((text) => {
        const view = VIEWS.find((name) => name === text.trim());
        if (!view) throw new UsageError(`--view is one of ${VIEWS.join(', ')}, not "${text}".`);
        return view;
      }),
  );
  return [...views];
}
