/** `parallax gate`: fails if retrieval covers less than required, or less than the baseline. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { messageOf, ParallaxError } from '../../../core/errors.ts';
import { expectsDocuments } from '../core/expected-documents.ts';
import { baselineOf, caveatsOf, obstaclesOf } from '../core/accept.ts';
import type { Baseline } from '../core/baseline.ts';
import { gateReport, type GateInput } from '../core/gate.ts';
import { exitCodeOf, failedReport, type GateReport } from '../core/report.ts';
import { baselineSpecSchema, type GateSpec } from '../core/spec.ts';
import { REPORT_FORMATS, type ReportFormat } from '../../../core/reports/report.ts';
import { CONFIG_FILE, type ParallaxConfig } from '../../../shared/config.ts';
import { DEFAULT_BASELINE, gateJudge, gateOf, withDefaultBaseline } from '../../../shared/evaluation.ts';
import { countingJudgeName, judgeNames } from '../../../shared/named-judges.ts';
import type { ProgressNote } from '../../../shared/rpc.ts';
import { readBudget, readRepeats, REPEATS_OPTION, SharedBudget } from '../../../cli/figure-judging.ts';
import { evaluateGate, type LocalGate } from './gate-evaluation.ts';
import { ANSWERS_HELP, keepsAnswers } from '../../../cli/kept-answers.ts';
import { measurePrograms } from '../../live/cli/gate-programs.ts';
import { LocalEngine } from '../../../cli/local-engine.ts';
import { answerHook } from './hook.ts';
import { commentOnPullRequest } from './pull-request/comment-on.ts';
import { writeRunnerFiles } from './pull-request/runner-files.ts';
import { figuresText, gateTable } from './gate-table.ts';
import { readPipeline } from '../../../cli/options/pipeline-option.ts';
import { readConfig } from '../../../cli/options/read-config.ts';
import { writeQrels } from '../../../cli/options/write-qrels.ts';
import { writeText } from '../../../engine/files/output-file.ts';
import { UsageError, type Io, type OutputKind } from '../../../cli/presentation/terminal.ts';
import { DONE, NOT_EVALUATED, USAGE } from '../../../cli/exit-codes.ts';
import { requireUntracked } from '../../../cli/tracked-store.ts';
import { command, type Options, type Values } from '../../../cli/commands/command.ts';

const FORMATS = ['table', ...Object.keys(REPORT_FORMATS)];

const OPTIONS = {
  config: {
    type: 'string',
    help: 'parallax.json, whose field "gate" says what is demanded (default: the one in this folder)',
  },
  baseline: {
    type: 'string',
    help: `compare with this baseline instead of the one that parallax.json names; where it names none,
${DEFAULT_BASELINE} counts, as in the editor`,
  },
  dataset: {
    type: 'string',
    multiple: true,
    help: 'check this eval set only, by its name or path; may be repeated',
  },
  pipeline: {
    type: 'string',
    multiple: true,
    help: `look at this pipeline, by its name or as JSON, in place of those of the gate; may be repeated. Then a
gate that demands nothing, or none in parallax.json, is no error: the report says what was found`,
  },
  passages: {
    type: 'boolean',
    default: false,
    help: 'reports as JSON have the text of every passage in the top k',
  },
  accept: {
    type: 'boolean',
    default: false,
    help: 'write what is found to the baseline instead of checking it',
  },
  judge: {
    type: 'string',
    help: `whose judgements count beside human labels; a model that is named here is asked, and may cost
something (without it a model counts only with what it answered before, see --store)`,
  },
  budget: {
    type: 'string',
    help: 'send the judge at most this many requests, as in 500 or requests=500,tokens=200000; what is then\nstill open counts as not evaluated',
  },
  repeats: REPEATS_OPTION,
  store: {
    type: 'string',
    help: `keep indexes and answers in this folder, so that the next run starts warm;
${ANSWERS_HELP}`,
  },
  'write-qrels': {
    type: 'string',
    help: `also write everything that is judged as diversity qrels, and beside them, as
<file>.judges.jsonl, who judged each line; of several eval sets each gets its own file`,
  },
  format: {
    type: 'string',
    multiple: true,
    default: ['table'],
    help: `${FORMATS.join(', ')}; may be repeated; without a file it is
written to standard output (default table)`,
  },
  comment: {
    type: 'boolean',
    default: false,
    help: `keep one comment of the pull request up to date, in a job of GitHub Actions (token: GITHUB_TOKEN) or
GitLab CI (GITLAB_TOKEN): what was lost and won, figures with intervals, what it cost. Where it
cannot be written, standard error says why, and the exit code stays what it is`,
  },
  hook: {
    type: 'boolean',
    default: false,
    help: `answer an agent's hook that runs when it stops (docs/agents.md): if a check is missed, the agent is sent
back once, with the report. Passes where there is no parallax.json`,
  },
} as const satisfies Options;
type GateOptions = Values<typeof OPTIONS>;

export const gateCommand = command({
  usage: 'parallax gate [--config parallax.json] [--baseline <file>] [--format <format>[=<file>]] …',
  options: OPTIONS,
  column: 10,
  notes: `Where GITHUB_STEP_SUMMARY is set, a summary of the job is appended to that file; where GITHUB_OUTPUT is set, the
outcome (passed, missed, undecided or not-evaluated) and how many perspectives were lost and won since the baseline.

Exit code 0: passed. 1: a check was missed. 2: wrong usage or configuration. 3: it could not be evaluated, such as
when an endpoint is down, the budget is spent, a check hangs on what nobody has judged, lines of an eval set or of the
labels cannot be read, the baseline has queries that are gone, or does not have what is compared.
`,

  async run({ values }, io) {
    const outputs = values.format.map(readOutput);
    checkOutputs(outputs);
    try {
      if (values.hook)
        return await answerHook(values.config ?? CONFIG_FILE, (own) => run(values, outputs, own), io);
      return await run(values, outputs, io);
    } catch (error) {
      if (error instanceof UsageError) throw error;
      io.stderr(`parallax: ${messageOf(error)}\n`);
      return isUsage(error) ? USAGE : NOT_EVALUATED;
    }
  },
});

/** An engine without a corpus reads plans and baselines. */
async function run(options: GateOptions, outputs: readonly Output[], io: Io): Promise<number> {
  const demands = await readDemands(options);
  await requireUntracked(options.store, process.env);
  await using engine = await LocalEngine.open({ base: demands.base, models: demands.config }, io);
  const gate = await plan(demands, options, engine, io);
  if (options.accept) return await accept(gate, engine, io);
  const report = await check(gate, outputs, engine, io);
  if (options.comment) await commentOnPullRequest(report, options.config ?? CONFIG_FILE, process.env, io);
  return exitCodeOf(report);
}

const isUsage = (error: unknown): boolean =>
  ParallaxError.is(error, 'bad-config') || ParallaxError.is(error, 'bad-pipeline');

interface Output {
  readonly format: ReportFormat | 'table';
  /** `undefined` for standard output. */
  readonly file?: string | undefined;
}

/** `html` or `html=report.html`. */
function readOutput(text: string): Output {
  const [, format = '', file] = /^([^=]*)(?:=(.*))?$/su.exec(text) ?? [];
  if (format !== 'table' && !isFormat(format))
    throw new UsageError(`--format: there is no format "${format}". Available: ${FORMATS.join(', ')}.`);
  if (file === '') throw new UsageError(`--format ${text}: the file is missing.`);
  return { format, file };
}

function isFormat(name: string): name is ReportFormat {
  return Object.hasOwn(REPORT_FORMATS, name);
}

/** Annotations are separate lines that mix with other output; only one other format can use standard output. */
function checkOutputs(outputs: readonly Output[]): void {
  const shown = outputs.filter(({ format, file }) => file === undefined && format !== 'github');
  if (shown.length > 1)
    throw new UsageError(
      `--format ${shown[1]!.format}: standard output has ${shown[0]!.format} already; write --format ${shown[1]!.format}=<file>.`,
    );
}

/** The requirements in parallax.json and on the command line. */
interface Demands {
  readonly config: ParallaxConfig;
  /** Folder of parallax.json. */
  readonly base: string;
  readonly spec: GateSpec;
  /** parallax.json, as it was named. */
  readonly place: string;
}

async function readDemands(options: GateOptions): Promise<Demands> {
  const place = options.config ?? CONFIG_FILE;
  const written = await readGateConfig(place);
  const ownPipelines = options.pipeline?.map((text) => readPipeline(text, written));
  const byName = Object.fromEntries((ownPipelines ?? []).map(({ name, pipeline }) => [name, pipeline]));
  const config = { ...written, pipelines: { ...written.pipelines, ...byName } };
  const pipelines = ownPipelines?.map(({ name }) => name);
  const spec = specOf(config, options, place, pipelines);
  if (options.accept && options.dataset)
    throw new UsageError('--accept takes no --dataset: a baseline has all eval sets.');
  if (options.accept && options.pipeline)
    throw new UsageError('--accept takes no --pipeline: a baseline has all pipelines of the gate.');
  if (options.repeats !== undefined && options.judge === undefined)
    throw new UsageError('--repeats needs a --judge.');
  if (options.accept && options.comment)
    throw new UsageError('--accept takes no --comment: nothing is checked.');
  return { config, base: path.dirname(path.resolve(place)), spec, place };
}

interface CommandPlan extends LocalGate {
  /** `undefined` if nothing is compared. */
  readonly baselineFile: string | undefined;
  /** The file to write judgements to. */
  readonly qrelsFile: string | undefined;
  readonly commit: string | undefined;
}

/** Reads and checks all other user input before anything is run. */
async function plan(
  { config, base, spec, place }: Demands,
  options: GateOptions,
  engine: LocalEngine,
  io: Io,
): Promise<CommandPlan> {
  const params = { config, spec, from: process.cwd(), evalSets: options.dataset && [...options.dataset] };
  const onNote = (note: ProgressNote): void => {
    if (note.type === 'warning') io.stderr(`warning: ${note.message}\n`);
  };
  const { datasets, commit } = await engine.request('gatePlan', params, { onNote });
  if (!options.pipeline) requireDemands({ config, spec, place }, datasets);
  const judges = judgeNames(config);
  const judge = options.judge ?? gateJudge(spec, config);
  if (!judges.includes(judge))
    throw new UsageError(`There is no judge "${judge}". Available: ${judges.join(', ')}.`);
  if (countingJudgeName(judge, config.judges) !== judge) throw new UsageError(guessesRefused(judge));
  return {
    spec,
    datasets,
    commit,
    config,
    base,
    judge,
    ask: options.judge !== undefined,
    repeats: readRepeats(options.repeats),
    budget: new SharedBudget(readBudget(options.budget)),
    store: options.store,
    lines: options['write-qrels'] !== undefined,
    passages: options.passages,
    qrelsFile: options['write-qrels'],
    baselineFile: baselineFileOf(options, spec, base),
  };
}

function guessesRefused(judge: string): string {
  return `"${judge}" guesses by shared words, and no gate rests on guesses. Name a model, or leave --judge out to count human labels.`;
}

async function readGateConfig(place: string): Promise<ParallaxConfig> {
  try {
    return await readConfig(place);
  } catch (error) {
    if (ParallaxError.is(error, 'not-found'))
      throw new UsageError(`${error.message} A gate needs one: name it with --config.`, { cause: error });
    throw error;
  }
}

/**
 * Replaces the configured baseline and pipelines by those of the command line.
 *
 * @param pipelines names of those on the command line
 */
function specOf(
  config: ParallaxConfig,
  options: GateOptions,
  place: string,
  pipelines: string[] | undefined,
): GateSpec {
  const { baseline, accept } = options;
  if (pipelines) return withBaseline({ ...gateOf(config), pipelines }, baseline);
  const named = withBaseline(gateOf(config), baseline);
  const usual = path.resolve(path.dirname(place), DEFAULT_BASELINE);
  return accept || existsSync(usual) ? withDefaultBaseline(named) : named;
}

/** @throws ParallaxError `bad-config` if neither parallax.json nor an eval set requires anything */
function requireDemands(
  { config, spec, place }: Pick<Demands, 'config' | 'spec' | 'place'>,
  datasets: LocalGate['datasets'],
): void {
  if (spec.thresholds.length > 0 || spec.judged || spec.falseRetrieval || spec.baseline) return;
  if (datasets.some(({ queries }) => queries.some(expectsDocuments))) return;
  const problem = config.gate ? 'demands nothing' : 'missing, and no baseline was accepted';
  throw new ParallaxError(
    'bad-config',
    `${place}: gate: ${problem}. Accept today's figures as a baseline (parallax gate --accept, or "Accept as Baseline" in the editor), or demand some, as in "gate": {"pipelines": ["bm25"], "thresholds": [{"metric": "MRecall@5", "min": 0.5}]}.`,
  );
}

function withBaseline(spec: GateSpec, file: string | undefined): GateSpec {
  return file === undefined || spec.baseline
    ? spec
    : { ...spec, baseline: baselineSpecSchema.parse({ file }) };
}

function baselineFileOf({ baseline }: GateOptions, spec: GateSpec, base: string): string | undefined {
  if (baseline !== undefined) return path.resolve(baseline);
  return spec.baseline && path.resolve(base, spec.baseline.file);
}

/** Writes the baseline, unless the file has the same content already. */
async function accept(gate: CommandPlan, engine: LocalEngine, io: Io): Promise<number> {
  const report = gateReport(await evaluate(gate, undefined, io));
  const obstacles = obstaclesOf(report);
  if (obstacles.length > 0) {
    io.stderr(obstacles.map((why) => `parallax: not accepted as a baseline: ${why}\n`).join(''));
    return NOT_EVALUATED;
  }
  const place = { file: gate.baselineFile!, from: process.cwd() };
  const content = baselineOf(report);
  const { shown, isNew } = await engine.request('writeBaseline', { ...place, content });
  io.stdout(figuresText(report));
  io.stdout(isNew ? `Accepted as baseline: ${shown}.\n` : `${shown} says the same already.\n`);
  io.stderr(
    caveatsOf(content)
      .map((caveat) => `parallax: ${caveat}\n`)
      .join(''),
  );
  return DONE;
}

async function check(
  gate: CommandPlan,
  outputs: readonly Output[],
  engine: LocalEngine,
  io: Io,
): Promise<GateReport> {
  const report = await checked(gate, engine, io);
  for (const { format, file } of outputs) {
    const text = format === 'table' ? gateTable(report) : REPORT_FORMATS[format](report);
    if (file === undefined) io.stdout(text, kindOf(format));
    else await writeText(file, text);
  }
  await writeRunnerFiles(report, process.env);
  if (report.error !== undefined && !outputs.some(({ format, file }) => format === 'table' && !file))
    io.stderr(`parallax: ${report.error}\n`);
  io.stderr(unaskedNote(gate, report));
  return report;
}

/** Model answers obtained in the editor are in the editor's storage, which may surprise users here. */
function unaskedNote({ ask, judge, store }: CommandPlan, { outcome }: GateReport): string {
  if (ask || judge === 'labels' || (outcome !== 'not-evaluated' && outcome !== 'undecided')) return '';
  const beyond = keepsAnswers(store)
    ? ` beyond what it answered before ${store === undefined ? 'on the command line' : `in ${store}`}`
    : '';
  return `The judge "${judge}" was not asked${beyond}, and its answers in the editor are not known here: --judge ${judge} asks it.\n`;
}

function kindOf(format: Output['format']): OutputKind | undefined {
  if (format === 'table') return undefined;
  return format === 'github' ? 'commands' : 'data';
}

/** A failed evaluation also results in a report, so that every output shows the failure. */
async function checked(gate: CommandPlan, engine: LocalEngine, io: Io): Promise<GateReport> {
  try {
    const baseline = await readBaseline(gate, engine);
    return gateReport({ ...(await evaluate(gate, baseline?.content, io)), baseline });
  } catch (error) {
    if (isUsage(error)) throw error;
    const { judge, spec } = gate;
    return failedReport(messageOf(error), { ...circumstances(gate), judge, k: spec.k });
  }
}

async function evaluate(
  gate: CommandPlan,
  baseline: Baseline | undefined,
  io: Io,
): Promise<Omit<GateInput, 'baseline'>> {
  await measurePrograms(gate, io);
  const datasets = await evaluateGate(gate, baseline, io);
  const judged = datasets.map(({ name, lines = [] }) => ({ name, lines }));
  await writeQrels(gate.qrelsFile, judged, io);
  const { spec, judge } = gate;
  return { spec, judge, datasets, asked: gate.budget.spent, ...circumstances(gate) };
}

function circumstances({ commit }: CommandPlan): Pick<GateReport, 'at' | 'commit'> {
  return { at: new Date().toISOString(), commit };
}

async function readBaseline(
  { baselineFile: file }: CommandPlan,
  engine: LocalEngine,
): Promise<GateInput['baseline']> {
  if (file === undefined) return undefined;
  const place = { file, from: process.cwd(), remedy: 'parallax gate --accept' };
  const { shown, content } = await engine.request('readBaseline', place);
  return { file: shown, content };
}
