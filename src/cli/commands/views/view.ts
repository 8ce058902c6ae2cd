/** The frame of every view of `parallax eval`: reads data sets and pipelines, then prints and writes the result. */
import type { ParallaxConfig } from '../../../shared/config.ts';
import type { ExperimentReport } from '../../../shared/experiment.ts';
import { DATASET_COLUMN, DATASET_OPTIONS, forEachDataset, type Dataset } from '../../datasets.ts';
import { isNothingJudged, NOTHING_JUDGED } from '../../known-figures.ts';
import { queriesOrConfigured } from '../../configured-eval-sets.ts';
import { readConfigFromHere } from '../../options/read-config.ts';
import { writeJson, type Io } from '../../presentation/terminal.ts';
import { command, type Command, type Options, type Values } from '../command.ts';
import { VIEW_OPTION } from './names.ts';

const SHARED_OPTIONS = {
  ...DATASET_OPTIONS,
  pipeline: {
    type: 'string',
    multiple: true,
    help: 'a pipeline as JSON, or its name: bm25, dense, hybrid, or one of parallax.json; may be repeated\n(default: all of parallax.json)',
  },
  view: VIEW_OPTION,
} as const;

type ViewValues<T extends Options> = Values<typeof SHARED_OPTIONS & T>;

/** Options that every view reads. */
interface ViewTask {
  /** Includes judges given as JSON. */
  readonly config: ParallaxConfig;
  /** Whether a judge fills gaps in the qrels, so that queries without qrels count too. */
  readonly judged?: boolean;
}

interface View<T extends Options, W extends ViewTask, R, J> {
  /** The usage after `parallax eval`, without the options of all views. */
  readonly usage: string;
  readonly options: T;
  readonly notes: string;
  /** @throws UsageError for options that do not fit together */
  read(values: ViewValues<T>, config: ParallaxConfig): W;
  evaluate(dataset: Dataset, task: W, io: Io): Promise<R>;
  /** The content of `--json`. */
  report(results: readonly R[], task: W): J;
  /** The text output. */
  describe(report: J, task: W, results: readonly R[]): string;
  /**
   * The shown experiments whose figures depend on judgements. If none has any judgements, the command says so and the
   * exit code is not 0. `undefined` if the view shows no figures without a judge.
   */
  experiments?(results: readonly R[], report: J): readonly ExperimentReport[];
  /** Prints and writes the remaining output; returns the exit code. */
  end(results: readonly R[], values: ViewValues<T>, io: Io, report: J): Promise<number> | number;
}

/** @returns the command that shows this view */
export function evaluationView<const T extends Options, W extends ViewTask, R, J>(
  view: View<T, W, R, J>,
): Command {
  return command({
    usage: `parallax eval ${view.usage}[--corpus <file|folder>] [--queries <file>] [--qrels <file>] [--pipeline <json|name> …]`,
    options: { ...SHARED_OPTIONS, ...view.options },
    column: DATASET_COLUMN,
    notes: view.notes,
    async run(read, io) {
      const { json, config: configFile, queries: queryFiles } = read.values as ViewValues<Options>;
      const config = await readConfigFromHere(configFile);
      const queries = await queriesOrConfigured(queryFiles, config, configFile, io);
      const values = { ...read.values, queries } as ViewValues<T>;
      const task = view.read(values, config);
      const results = await forEachDataset(
        values as ViewValues<Options>,
        task.config,
        io,
        (dataset) => view.evaluate(dataset, task, io),
        { judged: task.judged ?? false },
      );
      const report = view.report(results, task);
      const experiments = view.experiments?.(results, report) ?? [];
      const isUnjudged = experiments.length > 0 && experiments.every(isNothingJudged);
      const unjudged = isUnjudged ? `\n${NOTHING_JUDGED}\n` : '';
      if (json !== '-') io.stdout(`${view.describe(report, task, results)}${unjudged}`);
      if (json !== undefined) await writeJson(json, report, io);
      return (await view.end(results, values, io, report)) || (isUnjudged ? 1 : 0);
    },
  });
}
