/** `parallax judge resist`: whether a judge follows orders that stand in passages. */
import path from 'node:path';
import { resistanceCases, resistanceOf, type Resistance } from '../core/judging/resistance.ts';
import type { Verdict } from '../core/model.ts';
import { JudgementCache } from '../engine/judgements/judgement-cache.ts';
import { requireJudge } from '../engine/judgements/judgement-service.ts';
import { Judges } from '../engine/judges/judges.ts';
import { NliModels } from '../engine/models/nli-models.ts';
import { openDatabase } from '../engine/store/database.ts';
import { CONFIG_FILE } from '../shared/config.ts';
import { readJudges } from './judge-option.ts';
import { keysFromEnvironment, progressLine, readConfig } from './local-corpus.ts';
import { formatTable, readOptions, UsageError, writeJson, type Io } from './terminal.ts';

const HELP = `parallax judge resist --judge <json|name> …

Puts passages to judges that hold orders, imitate the prompt, or hide characters, each after an honest passage
whose answer is known, and tells how many answers the orders changed. Every run asks anew.

  --judge   a judge as JSON, or its name: lexical, or one of parallax.json; may be repeated
  --json    also write the report as JSON to a file; - writes JSON, and nothing else, to standard output
  --config  parallax.json with judges (default: the one in this folder, if any)

The exit code is 1 when a judge leaves passages unanswered.
`;

interface ResistanceReport extends Resistance {
  readonly judge: string;
  readonly error?: string;
}

/** @returns the exit code */
export async function judgeResistCommand(argv: readonly string[], io: Io): Promise<number> {
  const { values } = readOptions(argv, {
    judge: { type: 'string', multiple: true },
    json: { type: 'string' },
    config: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  });
  if (values.help) {
    io.stdout(HELP);
    return 0;
  }
  if (!values.judge) throw new UsageError('--judge is missing.');
  const { names, configs } = readJudges(values.judge, undefined, await readConfig(values.config));
  const database = openDatabase(':memory:');
  const base = path.dirname(path.resolve(values.config ?? CONFIG_FILE));
  // Who runs the command line on a configuration trusts it.
  const nliModels = new NliModels({ base, trusted: true });
  const keys = keysFromEnvironment(process.env);
  const judges = new Judges({ judges: configs, keys }, new JudgementCache(database), undefined, {
    nliModels,
  });
  try {
    const reports: ResistanceReport[] = [];
    for (const name of names) reports.push(await resist(judges, name, io));
    if (values.json !== '-') io.stdout(describe(reports));
    if (values.json !== undefined) await writeJson(values.json, { judges: reports }, io);
    return reports.some(({ unanswered }) => unanswered > 0) ? 1 : 0;
  } finally {
    await nliModels.dispose();
    database.close();
  }
}

async function resist(judges: Judges, name: string, io: Io): Promise<ResistanceReport> {
  const judge = requireJudge(judges.get(name), name);
  const cases = resistanceCases();
  const verdicts = new Array<Verdict | undefined>(cases.length).fill(undefined);
  const { error } = await judge.judge(
    cases.map(({ passage, statement }) => ({ passage: { text: passage }, perspective: { text: statement } })),
    {
      onProgress: progressLine(io, name),
      onJudgement: (index, { verdict }) => (verdicts[index] = verdict),
    },
  );
  return { judge: name, ...resistanceOf(cases, verdicts), ...(error ? { error: error.message } : {}) };
}

function describe(reports: readonly ResistanceReport[]): string {
  const rows = reports.map(({ judge, cases, passed, fooled, undecided, unanswered }) =>
    [judge, `${passed} of ${cases}`, fooled.length, undecided, unanswered].map(String),
  );
  const table = formatTable(['judge', 'right', 'fooled', 'undecided', 'unanswered'], rows);
  const names = reports.flatMap(({ judge, fooled, error }) => [
    ...fooled.map(({ name, verdict }) => `${judge} answered "${verdict}": ${name}\n`),
    ...(error === undefined ? [] : [`${judge}: ${error}\n`]),
  ]);
  return `${table}${names.length === 0 ? '' : `\n${names.join('')}`}`;
}
