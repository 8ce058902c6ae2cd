/** `parallax analyze`: how retrieval behaves, beyond a score. */
import { analyseDataset, VIEWS, type DatasetAnalyses, type View } from './analyses.ts';
import { DATASET_HELP, DATASET_OPTIONS, DATASETS_HELP, forEachDataset, type Dataset } from './datasets.ts';
import { describeAnalyses } from './describe-analyses.ts';
import {
  describeJudging,
  JUDGING_OPTIONS,
  judgingHelp,
  judgeRuns,
  judgingExitCode,
  readJudging,
  type Judging,
  type JudgingReport,
} from './figure-judging.ts';
import { readPipelines, type NamedPipeline } from './pipeline-option.ts';
import { readConfig } from './read-config.ts';
import { parseCutoff, readOptions, UsageError, writeJson, type Io } from './terminal.ts';
import { topRuns } from './top-runs.ts';

const HELP = `parallax analyze --corpus <file|folder> --queries <file> --qrels <file> --pipeline <json|name> …

${DATASET_HELP}  --pipeline  a pipeline as JSON, or its name; may be repeated
  --k         one cutoff (default 5)
  --view      one of those below, or several, separated by commas (default all that apply)
${judgingHelp('everything')}
Views:
  lost        where the coverage of each perspective is lost: ranked below k, missed by the approximate search,
              not among the candidates, not in the corpus as far as judged, or unjudged; and its first rank
  set-size    how many passages it takes to cover all perspectives, and how often 100 are enough (BERDS, Table 17)
  union       what several pipelines cover together within 100 (BERDS, Table 6)
  leaning     shares of top-k sets with only support, only opposition, both, neither (BERDS, Figure 2)
  sycophancy  Δ with the question, the supporting and the opposing perspective as the query (BERDS, Figure 3)
  groups      shares of the groups of perspectives, what is found when a group is asked for, and p-Recall
              (PIR, Tables 3 and 10, Figures 2 and 6)
  unreached   which parts of the corpus no query reaches within the top k of any pipeline

Leaning and sycophancy take queries with two perspectives, one with "stance": "support" (or the id support) and
one with "oppose"; groups take perspectives with a "group". Views that do not apply say why.
A judge is asked about what the questions retrieve; what other views retrieve beyond that stays as it is judged.

${DATASETS_HELP}`;

/** @returns the exit code */
export async function analyzeCommand(argv: readonly string[], io: Io): Promise<number> {
  const { values } = readOptions(argv, {
    ...DATASET_OPTIONS,
    ...JUDGING_OPTIONS,
    pipeline: { type: 'string', multiple: true },
    k: { type: 'string', default: '5' },
    view: { type: 'string', multiple: true },
  });
  if (values.help) {
    io.stdout(HELP);
    return 0;
  }
  const config = await readConfig(values.config);
  const pipelines = readPipelines(values.pipeline, config);
  const k = parseCutoff(values.k);
  const views = readViews(values.view);
  const judging = readJudging(values, config, 'everything');
  const datasets = await forEachDataset(values, judging?.config ?? config, io, (dataset) =>
    analyse(dataset, pipelines, views, k, judging, io),
  );
  if (values.json !== '-') io.stdout(datasets.map((each) => describe(each, k)).join('\n'));
  if (values.json !== undefined) await writeJson(values.json, { k, datasets }, io);
  const reports = datasets.flatMap(({ judging: report }) => report ?? []);
  return judgingExitCode(reports, values.store !== undefined, io);
}

type Analysed = DatasetAnalyses & { readonly judging?: JudgingReport };

async function analyse(
  dataset: Dataset,
  pipelines: readonly NamedPipeline[],
  views: ReadonlySet<View>,
  k: number,
  judging: Judging | undefined,
  io: Io,
): Promise<Analysed> {
  if (!judging) return analyseDataset(dataset, pipelines, views, k, io);
  const runs = await topRuns(dataset, pipelines, k, io);
  const { qrels, report } = await judgeRuns(dataset, runs, [k], judging, io);
  const analyses = await analyseDataset({ ...dataset, qrels }, pipelines, views, k, io);
  return { ...analyses, judging: report };
}

function describe({ judging, ...analyses }: Analysed, k: number): string {
  return (judging ? describeJudging(judging) : '') + describeAnalyses(analyses, k);
}

function readViews(texts: readonly string[] = VIEWS): Set<View> {
  return new Set(
    texts
      .flatMap((text) => text.split(','))
      .map((text) => {
        const view = VIEWS.find((name) => name === text.trim());
        if (!view) throw new UsageError(`--view is one of ${VIEWS.join(', ')}, not "${text}".`);
        return view;
      }),
  );
}
