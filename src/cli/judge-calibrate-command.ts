/** `parallax judge calibrate`: the threshold of an NLI judge, chosen on labelled pairs. */
import path from 'node:path';
import { parseLabelledPairs } from '../core/formats/labelled-pairs.ts';
import { CALIBRATION_OBJECTIVES, type CalibrationObjective } from '../core/judging/threshold.ts';
import type { Figures } from '../core/validation/confusion.ts';
import { referenceSetOf, type ReferenceSet } from '../core/validation/reference-set.ts';
import { calibrateJudge } from '../engine/validation/calibrate-judge.ts';
import { requireJudge } from '../engine/judgements/judgement-service.ts';
import { JudgementCache } from '../engine/judgements/judgement-cache.ts';
import { Judges } from '../engine/judges/judges.ts';
import { NliModels } from '../engine/models/nli-models.ts';
import { openDatabase } from '../engine/store/database.ts';
import type { CalibrationReport } from '../shared/calibration.ts';
import { CONFIG_FILE, type JudgeConfig } from '../shared/config.ts';
import { readInput } from '../engine/files/read-input.ts';
import { readJudges } from './judge-option.ts';
import { progressLine, readConfig } from './local-corpus.ts';
import { formatTable, readOptions, required, UsageError, writeJson, type Io } from './terminal.ts';

const HELP = `parallax judge calibrate --labels <file> --judge <json|name> …

  --labels     JSONL with document, perspective and label (0 or 1) per line
  --judge      an NLI judge as JSON, or its name in parallax.json
  --objective  what the threshold is chosen for: balanced-accuracy (default), the mean recall of both classes,
               or f1, of "yes"
  --store      remember probabilities in this folder
  --json       also write the result to a file, which the judge's "calibration" may name; - writes JSON, and
               nothing else, to standard output
  --config     parallax.json with judges (default: the one in this folder, if any)
`;

/** @returns the exit code */
export async function judgeCalibrateCommand(argv: readonly string[], io: Io): Promise<number> {
  const { values } = readOptions(argv, {
    labels: { type: 'string' },
    judge: { type: 'string' },
    objective: { type: 'string', default: 'balanced-accuracy' },
    store: { type: 'string' },
    json: { type: 'string' },
    config: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  });
  if (values.help) {
    io.stdout(HELP);
    return 0;
  }
  const labelsFile = required(values.labels, 'labels');
  const objective = readObjective(values.objective);
  const config = await readConfig(values.config);
  const { names, configs } = readJudges([required(values.judge, 'judge')], undefined, config);
  const set = await readInput(labelsFile, (text) => referenceSetOf(parseLabelledPairs(text), undefined));
  for (const warning of set.warnings) io.stderr(`warning: ${labelsFile}: ${warning}\n`);
  const options = {
    name: names[0]!,
    configs: withoutCalibration(names[0]!, configs),
    base: path.dirname(path.resolve(values.config ?? CONFIG_FILE)),
    store: values.store,
    objective,
  };
  const report = await calibrate(set, options, io);
  if (values.json !== '-') io.stdout(describe(report));
  if (values.json !== undefined) await writeJson(values.json, report, io);
  return 0;
}

function readObjective(text: string): CalibrationObjective {
  const found = CALIBRATION_OBJECTIVES.find((objective) => objective === text);
  if (found) return found;
  throw new UsageError(`--objective is ${CALIBRATION_OBJECTIVES.join(' or ')}, not "${text}".`);
}

/** The file that is about to be written need not be there, nor fit. */
function withoutCalibration(
  name: string,
  configs: Readonly<Record<string, JudgeConfig>>,
): Record<string, JudgeConfig> {
  const judge = Object.hasOwn(configs, name) ? configs[name] : undefined;
  if (judge?.type !== 'nli')
    throw new UsageError(`"${name}" has no threshold; --judge takes a judge of type "nli".`);
  return { ...configs, [name]: { ...judge, calibration: undefined } };
}

interface CalibrationOptions {
  readonly name: string;
  readonly configs: Record<string, JudgeConfig>;
  /** Where relative paths start. */
  readonly base: string;
  readonly store: string | undefined;
  readonly objective: CalibrationObjective;
}

async function calibrate(
  { pairs }: ReferenceSet,
  { name, configs, base, store, objective }: CalibrationOptions,
  io: Io,
): Promise<CalibrationReport> {
  const database = openDatabase(store === undefined ? ':memory:' : path.join(store, 'judgements.sqlite'));
  // Who runs the command line on a configuration trusts it.
  const nliModels = new NliModels({ base, trusted: true });
  try {
    const cache = new JudgementCache(database);
    const judges = new Judges({ judges: configs, keys: {} }, cache, undefined, { nliModels });
    const judge = requireJudge(judges.get(name), name);
    return await calibrateJudge(judge, pairs, objective, { onProgress: progressLine(io, 'Judging') });
  } finally {
    await nliModels.dispose();
    database.close();
  }
}

function describe({
  judge,
  threshold,
  objective,
  counts,
  figures,
  heldOut,
  leftOut,
}: CalibrationReport): string {
  const rows = [row('on these pairs (flattering)', figures)];
  if (heldOut) rows.push(row('on perspectives held out', heldOut));
  return `"threshold": ${threshold} for the judge ${judge}, chosen for ${objective} on ${counts.yes} pairs with "yes" and ${counts.no} with "no"${leftOut > 0 ? `; ${leftOut} were left out` : ''}.

${formatTable(['', 'accuracy', 'balanced', 'F1', 'κ'], rows)}`;
}

function row(title: string, { accuracy, balancedAccuracy, f1, kappa }: Figures): string[] {
  const shown = (figure: number | null, factor: number, digits: number): string =>
    figure === null ? '–' : (figure * factor).toFixed(digits);
  return [
    title,
    shown(accuracy, 100, 1),
    shown(balancedAccuracy, 100, 1),
    shown(f1, 100, 1),
    shown(kappa, 1, 3),
  ];
}
