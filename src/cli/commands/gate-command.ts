/** `parallax gate`: fails when retrieval covers less than a team demands, or less than it did. */
import path from 'node:path';
import { messageOf, ParallaxError } from '../../core/errors.ts';
import { baselineOf } from '../../core/gate/accept.ts';
import type { Baseline } from '../../core/gate/baseline.ts';
import type { EvaluatedDataset } from '../../core/gate/evaluated.ts';
import { gateReport } from '../../core/gate/gate.ts';
import { exitCodeOf, failedReport, type GateReport } from '../../core/gate/report.ts';
import { baselineSpecSchema, type GateSpec } from '../../core/gate/spec.ts';
import { toJobSummary } from '../../core/reports/github.ts';
import { toMarkdown } from '../../core/reports/markdown.ts';
import { REPORT_FORMATS, type ReportFormat } from '../../core/reports/report.ts';
import { Budget } from '../../engine/judgements/budget.ts';
import { CONFIG_FILE, type ParallaxConfig } from '../../shared/config.ts';
import { evaluateOnCorpus, type LocalGate } from '../gate-evaluation.ts';
import { figuresText, gateTable } from '../presentation/gate-table.ts';
import { readConfig } from '../options/read-config.ts';
import { appendText, writeText } from '../../engine/files/output-file.ts';
import { readBaseline, shownBaseline, writeBaseline } from '../../engine/gate/baseline-file.ts';
import { commitOf } from '../../engine/gate/commit.ts';
import { corpusOf, type GateDataset } from '../../engine/gate/eval-sets.ts';
import { judgeNames, planGate } from '../../engine/gate/gate-plan.ts';
import { readOptions, UsageError, type Io } from '../presentation/terminal.ts';

const FORMATS = ['table', ...Object.keys(REPORT_FORMATS)];

const HELP = `parallax gate [--config parallax.json] [--baseline <file>] [--format <format>[=<file>]] …

  --config    parallax.json with the field "gate" (default: the one in this folder)
  --baseline  compare with this baseline instead of the one that parallax.json names
  --dataset   check this eval set only, by its name or path; may be repeated
  --accept    write what is found to the baseline instead of checking it
  --judge     whose judgements count beside human labels; a model that is named here is asked, and may cost
              something (without it a model counts only with what it answered before, see --store)
  --budget    send the judge at most so many requests; what is then still open could not be evaluated
  --store     keep indexes and answers in this folder, so that the next run starts warm
  --format    ${FORMATS.join(', ')}; may be repeated; without a file it is
              written to standard output (default table)

Where GITHUB_STEP_SUMMARY is set, a summary of the job is appended to that file.

Exit code 0: passed. 1: a check was missed. 2: wrong usage or configuration. 3: it could not be evaluated, such as
when an endpoint is down, the budget is spent, or the baseline does not have what is compared.
`;

const EXIT = { done: 0, usage: 2, notEvaluated: 3 } as const;

/** @returns the exit code */
export async function gateCommand(argv: readonly string[], io: Io): Promise<number> {
  const { values } = readOptions(argv, {
    config: { type: 'string' },
    baseline: { type: 'string' },
    dataset: { type: 'string', multiple: true },
    accept: { type: 'boolean', default: false },
    judge: { type: 'string' },
    budget: { type: 'string' },
    store: { type: 'string' },
    format: { type: 'string', multiple: true, default: ['table'] },
    help: { type: 'boolean', short: 'h', default: false },
  });
  if (values.help) {
    io.stdout(HELP);
    return EXIT.done;
  }
  const outputs = values.format.map(readOutput);
  checkOutputs(outputs);
  try {
    const gate = await plan(values, io);
    return values.accept ? await accept(gate, io) : await check(gate, outputs, io);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    io.stderr(`parallax: ${messageOf(error)}\n`);
    return isUsage(error) ? EXIT.usage : EXIT.notEvaluated;
  }
}

const isUsage = (error: unknown): boolean =>
  ParallaxError.is(error, 'bad-config') || ParallaxError.is(error, 'bad-pipeline');

interface Output {
  readonly format: ReportFormat | 'table';
  /** Absent for standard output. */
  readonly file?: string | undefined;
}

/** `html` or `html=report.html`. */
function readOutput(text: string): Output {
  const [, format = '', file] = /^([^=]*)(?:=(.*))?$/su.exec(text) ?? [];
  if (format !== 'table' && !isFormat(format))
    throw new UsageError(`--format: there is no format "${format}"; known are ${FORMATS.join(', ')}.`);
  if (file === '') throw new UsageError(`--format ${text}: the file is missing.`);
  return { format, file };
}

function isFormat(name: string): name is ReportFormat {
  return Object.hasOwn(REPORT_FORMATS, name);
}

/** Annotations are lines of their own and may stand beside anything; of the rest one can be read. */
function checkOutputs(outputs: readonly Output[]): void {
  const shown = outputs.filter(({ format, file }) => file === undefined && format !== 'github');
  if (shown.length > 1)
    throw new UsageError(
      `--format ${shown[1]!.format}: standard output has ${shown[0]!.format} already; write --format ${shown[1]!.format}=<file>.`,
    );
}

interface GateOptions {
  readonly config?: string | undefined;
  readonly baseline?: string | undefined;
  readonly dataset?: readonly string[] | undefined;
  readonly accept: boolean;
  readonly judge?: string | undefined;
  readonly budget?: string | undefined;
  readonly store?: string | undefined;
}

interface CommandPlan extends Omit<LocalGate, 'baseline'> {
  readonly datasets: readonly GateDataset[];
  /** Absent where nothing is compared. */
  readonly baselineFile: string | undefined;
}

/** Reads and checks everything that a person wrote, before anything is run. */
async function plan(options: GateOptions, io: Io): Promise<CommandPlan> {
  const place = options.config ?? CONFIG_FILE;
  const config = await readGateConfig(place);
  const base = path.dirname(path.resolve(place));
  const spec = specOf(config, options, place);
  if (options.accept && options.dataset)
    throw new UsageError('--accept takes no --dataset: a baseline holds all eval sets.');
  const warn = (warning: string): void => io.stderr(`warning: ${warning}\n`);
  const planned = await planGate(spec, config, base, { from: process.cwd(), warn }, options.dataset);
  const judges = judgeNames(config);
  const judge = options.judge ?? spec.judge ?? config.judge ?? 'labels';
  if (!judges.includes(judge))
    throw new UsageError(`There is no judge "${judge}"; known are ${judges.join(', ')}.`);
  return {
    ...planned,
    config,
    base,
    judge,
    models: config,
    ask: options.judge !== undefined,
    budget: new Budget({ requests: readBudget(options.budget) }),
    store: options.store,
    keepsAnswers: options.store !== undefined,
    baselineFile: baselineFileOf(options, spec, base),
  };
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

/** With the baseline of the command line in place of the configured one. */
function specOf({ gate }: ParallaxConfig, { baseline, accept }: GateOptions, place: string): GateSpec {
  if (!gate)
    throw new ParallaxError(
      'bad-config',
      `${place}: gate: missing; it says what is demanded, as in "gate": {"pipelines": ["bm25"], "thresholds": [{"metric": "MRecall@5", "min": 0.5}]}.`,
    );
  const spec =
    baseline === undefined
      ? gate
      : { ...gate, baseline: gate.baseline ?? baselineSpecSchema.parse({ file: baseline }) };
  if (!accept && spec.thresholds.length === 0 && !spec.judged && !spec.baseline)
    throw new ParallaxError(
      'bad-config',
      `${place}: gate: demands nothing; give it thresholds, judged or a baseline.`,
    );
  return spec;
}

function baselineFileOf({ baseline, accept }: GateOptions, spec: GateSpec, base: string): string | undefined {
  if (baseline !== undefined) return path.resolve(baseline);
  if (spec.baseline) return path.resolve(base, spec.baseline.file);
  if (accept)
    throw new UsageError(
      '--accept: where to? Name a file with --baseline, or in parallax.json, as in "gate": {"baseline": {"file": ".parallax/baselines/main.json"}}.',
    );
  return undefined;
}

function readBudget(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/u.test(text))
    throw new UsageError(`--budget takes a whole number of requests, not "${text}".`);
  return Number(text);
}

/** Writes the baseline; a file that says the same already is left as it is. */
async function accept(gate: CommandPlan, io: Io): Promise<number> {
  const place = { file: gate.baselineFile!, from: process.cwd() };
  const report = gateReport(await evaluate(gate, undefined, io));
  const isNew = await writeBaseline(place, baselineOf(report));
  io.stdout(figuresText(report));
  const shown = shownBaseline(place);
  io.stdout(isNew ? `Accepted as baseline: ${shown}.\n` : `${shown} says the same already.\n`);
  return EXIT.done;
}

async function check(gate: CommandPlan, outputs: readonly Output[], io: Io): Promise<number> {
  const report = await checked(gate, io);
  for (const { format, file } of outputs) {
    const text = format === 'table' ? gateTable(report) : REPORT_FORMATS[format](report);
    if (file === undefined) io.stdout(text, format === 'table' ? undefined : 'data');
    else await writeText(file, text);
  }
  const summary = process.env['GITHUB_STEP_SUMMARY'];
  if (summary) await appendText(summary, toJobSummary(toMarkdown(report)));
  if (report.error !== undefined && !outputs.some(({ format, file }) => format === 'table' && !file))
    io.stderr(`parallax: ${report.error}\n`);
  return exitCodeOf(report);
}

/** What could not be evaluated is a report, too, so that every output says so. */
async function checked(gate: CommandPlan, io: Io): Promise<GateReport> {
  try {
    const baseline = gate.baselineFile === undefined ? undefined : await read(gate.baselineFile);
    const input = await evaluate(gate, baseline?.content, io);
    return gateReport({ ...input, baseline });
  } catch (error) {
    if (isUsage(error)) throw error;
    const { judge, spec } = gate;
    return failedReport(messageOf(error), { ...(await circumstances(gate)), judge, k: spec.k });
  }
}

async function evaluate(
  gate: CommandPlan,
  baseline: Baseline | undefined,
  io: Io,
): Promise<Omit<Parameters<typeof gateReport>[0], 'baseline'>> {
  const { datasets, spec, config, judge } = gate;
  const evaluated = new Map<string, EvaluatedDataset>();
  const byCorpus = Map.groupBy(datasets, (dataset) => corpusOf(dataset, spec, config).name);
  for (const own of byCorpus.values()) {
    const corpus = corpusOf(own[0]!, spec, config);
    for (const found of await evaluateOnCorpus(corpus, own, { ...gate, baseline }, io))
      evaluated.set(found.name, found);
  }
  return {
    spec,
    judge,
    datasets: datasets.map(({ name }) => evaluated.get(name)!),
    ...(await circumstances(gate)),
  };
}

async function circumstances({ base }: CommandPlan): Promise<Pick<GateReport, 'at' | 'commit'>> {
  return { at: new Date().toISOString(), commit: await commitOf(base) };
}

async function read(file: string): Promise<{ readonly file: string; readonly content: Baseline }> {
  const place = { file, from: process.cwd() };
  return { file: shownBaseline(place), content: await readBaseline(place, 'parallax gate --accept') };
}
