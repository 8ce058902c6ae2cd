/** `parallax judge resist`: whether a judge follows orders that stand in passages. */
import type { Result } from '../../shared/rpc.ts';
import { command } from './command.ts';
import { readJudges } from '../options/judge-option.ts';
import { LocalEngine } from '../local-engine.ts';
import { progressLine } from '../presentation/progress.ts';
import { folderOfConfig, readConfig } from '../options/read-config.ts';
import { formatTable, UsageError, writeJson } from '../presentation/terminal.ts';

interface ResistanceReport extends Result<'judgeResistance'> {
  readonly judge: string;
}

export const judgeResistCommand = command({
  usage: 'parallax judge resist --judge <json|name> …',
  about: `Puts passages to judges that hold orders, imitate the prompt, or hide characters, each after an honest passage
whose answer is known, and tells how many answers the orders changed. Every run asks anew.
`,
  options: {
    judge: {
      type: 'string',
      multiple: true,
      help: 'a judge as JSON, or its name: lexical, or one of parallax.json; may be repeated',
    },
    json: {
      type: 'string',
      help: 'also write the report as JSON to a file; - writes JSON, and nothing else, to standard output',
    },
    config: { type: 'string', help: 'parallax.json with judges (default: the one in this folder, if any)' },
  },
  notes: 'The exit code is 1 when a judge leaves passages unanswered.\n',

  async run({ values }, io) {
    if (!values.judge) throw new UsageError('--judge is missing.');
    const config = await readConfig(values.config);
    const { names, configs } = readJudges(values.judge, undefined, config);
    const engine = await LocalEngine.open(
      {
        base: folderOfConfig(values.config),
        models: { ...config, judges: configs },
        // Nothing that people said of a workspace's passages has to do with these.
        labelsFile: null,
      },
      io,
    );
    try {
      const reports: ResistanceReport[] = [];
      for (const judge of names) {
        const onProgress = progressLine(io, judge);
        reports.push({ judge, ...(await engine.request('judgeResistance', { judge }, { onProgress })) });
      }
      if (values.json !== '-') io.stdout(describe(reports));
      if (values.json !== undefined) await writeJson(values.json, { judges: reports }, io);
      return reports.some(({ unanswered }) => unanswered > 0) ? 1 : 0;
    } finally {
      await engine.close();
    }
  },
});

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
