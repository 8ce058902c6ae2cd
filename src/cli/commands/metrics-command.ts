/** `parallax metrics`: scores a TREC run against judgements. */
import { counted } from '../../core/counted.ts';
import { QrelsReading, RunReading } from '../../core/formats/exchange/trec.ts';
import { evaluateRun } from '../../core/metrics/evaluate.ts';
import { MEASURES, measureName, measuresAt } from '../../core/metrics/measures.ts';
import { readArgumentLines } from '../../engine/files/read-input.ts';
import { command } from './command.ts';
import { formatTable, parseCutoffs, required, UsageError, writeJson } from '../presentation/terminal.ts';

/** The format of `--json`. */
export interface MetricsReport {
  readonly topics: number;
  readonly topicsInRun: number;
  readonly metrics: Readonly<Record<string, number>>;
}

export const metricsCommand = command({
  usage: 'parallax metrics --run <file> --qrels <file> [--k 5,10] [--missing zero|drop] [--json <file|->]',
  options: {
    run: { type: 'string', help: 'TREC run: query Q0 passage rank score tag' },
    qrels: {
      type: 'string',
      help: 'TREC qrels (query 0 passage relevance) or diversity qrels (query perspective passage relevance)',
    },
    k: { type: 'string', default: '5,10', help: 'cutoffs, separated by commas (default 5,10)' },
    missing: {
      type: 'string',
      default: 'zero',
      help: 'topics that are missing from the run: zero counts them 0 (default), drop leaves them out',
    },
    json: {
      type: 'string',
      help: 'also write the figures as JSON to a file; - writes JSON, and nothing else, to standard output',
    },
  },

  async run({ values }, io) {
    const runFile = required(values.run, 'run');
    const qrelsFile = required(values.qrels, 'qrels');
    const cutoffs = parseCutoffs(values.k);
    const missing = parseMissing(values.missing);

    const { run, warnings: runWarnings } = await readArgumentLines(runFile, new RunReading());
    const { qrels, kind, warnings: qrelsWarnings } = await readArgumentLines(qrelsFile, new QrelsReading());
    const { topics, topicsInRun, mean, warnings } = evaluateRun(run, qrels, measuresAt(cutoffs), {
      missing,
      kind,
    });

    for (const warning of runWarnings) io.stderr(`warning: ${runFile}: ${warning}\n`);
    for (const warning of qrelsWarnings) io.stderr(`warning: ${qrelsFile}: ${warning}\n`);
    for (const warning of warnings) io.stderr(`warning: ${warning}\n`);
    const report: MetricsReport = { topics, topicsInRun, metrics: mean };
    if (values.json !== '-') io.stdout(describe(report, cutoffs));
    if (values.json !== undefined) await writeJson(values.json, report, io);
    return 0;
  },
});

function parseMissing(value: string): 'zero' | 'drop' {
  if (value !== 'zero' && value !== 'drop')
    throw new UsageError(`--missing is zero or drop, not "${value}".`);
  return value;
}

/** One row per measure, one column per cutoff; measures over the whole ranking have a separate column. */
function describe({ topics, topicsInRun, metrics }: MetricsReport, cutoffs: readonly number[]): string {
  const columns = [...cutoffs, undefined];
  const rows = MEASURES.map(({ family }) => [
    family,
    ...columns.map((k) => metrics[measureName({ family, k })]?.toFixed(4) ?? ''),
  ]).filter(([, ...cells]) => cells.some((cell) => cell !== ''));
  const table = formatTable(['measure', ...cutoffs.map((k) => `@${k}`), 'all'], rows);
  return `${counted('{0} of {1} [1:topic is|topics are] in the run.', topicsInRun, topics)}\n\n${table}`;
}
