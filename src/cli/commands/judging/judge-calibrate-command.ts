/** `parallax judge calibrate`: chooses the threshold of an NLI judge on labelled pairs. */
import {
  CALIBRATION_OBJECTIVES,
  type CalibrationObjective,
} from '../../../features/validation/core/threshold.ts';
import type { Figures } from '../../../features/validation/core/confusion.ts';
import type { CalibrationReport } from '../../../shared/calibration.ts';
import type { JudgeConfig } from '../../../shared/judge-config.ts';
import { command } from '../command.ts';
import { readJudges } from '../../options/judge-option.ts';
import { fileFor, LocalEngine } from '../../local-engine.ts';
import { progressLine, warningsAbout } from '../../presentation/progress.ts';
import { folderOfConfig, readConfig } from '../../options/read-config.ts';
import { formatTable, required, UsageError, writeJson } from '../../presentation/terminal.ts';

export const judgeCalibrateCommand = command({
  usage: 'parallax judge calibrate --labels <file> --judge <json|name> …',
  options: {
    labels: { type: 'string', help: 'JSONL with document, perspective and label (0 or 1) per line' },
    judge: { type: 'string', help: 'an NLI judge as JSON, or its name in parallax.json' },
    objective: {
      type: 'string',
      default: 'balanced-accuracy',
      help: 'what the threshold is chosen for: balanced-accuracy (default), the mean recall of both classes,\nor f1, of "yes"',
    },
    store: { type: 'string', help: 'remember probabilities in this folder' },
    json: {
      type: 'string',
      help: `also write the result to a file, which the judge's "calibration" may name; - writes JSON, and\nnothing else, to standard output`,
    },
    config: { type: 'string', help: 'parallax.json with judges (default: the one in this folder, if any)' },
  },

  async run({ values }, io) {
    const labels = required(values.labels, 'labels');
    const objective = readObjective(values.objective);
    const config = await readConfig(values.config);
    const { names, configs } = readJudges([required(values.judge, 'judge')], undefined, config);
    const judge = names[0]!;
    const models = { ...config, judges: withoutCalibration(judge, configs) };
    const base = folderOfConfig(values.config);
    await using engine = await LocalEngine.open(
      { base, storage: values.store, models, labelsFile: null },
      io,
    );
    const report = await engine.request(
      'calibrateJudge',
      { judge, labelsFile: fileFor(base, labels), objective },
      { onProgress: progressLine(io, 'Judging'), onNote: warningsAbout(labels, io) },
    );
    if (values.json !== '-') io.stdout(describe(report));
    if (values.json !== undefined) await writeJson(values.json, report, io);
    return 0;
  },
});

function readObjective(text: string): CalibrationObjective {
  const match = CALIBRATION_OBJECTIVES.find((objective) => objective === text);
  if (match) return match;
  throw new UsageError(`--objective is ${CALIBRATION_OBJECTIVES.join(' or ')}, not "${text}".`);
}

/** The calibration file to be written may not exist yet, or may not fit the judge. */
function withoutCalibration(
  name: string,
  configs: Readonly<Record<string, JudgeConfig>>,
): Record<string, JudgeConfig> {
  const judge = Object.hasOwn(configs, name) ? configs[name] : undefined;
  if (judge?.type !== 'nli')
    throw new UsageError(`"${name}" has no threshold; --judge takes a judge of type "nli".`);
  return { ...configs, [name]: { ...judge, calibration: undefined } };
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
