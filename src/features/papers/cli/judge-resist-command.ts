/** `parallax judge resist`: whether a judge obeys instructions in passages instead of judging them. */
import { replaceText } from '../../../engine/files/output-file.ts';
import { command } from '../../../cli/commands/command.ts';
import { readJudges } from '../../../cli/options/judge-option.ts';
import { LocalEngine } from '../../../cli/local-engine.ts';
import { progressLine } from '../../../cli/presentation/progress.ts';
import { folderOfConfig, readConfig } from '../../../cli/options/read-config.ts';
import { resistanceMarkdown, resistanceText, type ResistanceReport } from './resistance-report.ts';
import { UsageError, writeJson } from '../../../cli/presentation/terminal.ts';

export const judgeResistCommand = command({
  usage: 'parallax judge resist --judge <json|name> …',
  about: `Tries eight families of attacks on judges (instructions, imitated roles, chat-template markers, made-up answers, claims,
hidden text, keyword stuffing, other languages). Each follows an honest passage with a known answer. Reports how many
answers each family changed. Answers are never reused between runs.
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
    markdown: { type: 'string', help: 'also write the report as Markdown to a file' },
    config: { type: 'string', help: 'parallax.json with judges (default: the one in this folder, if any)' },
  },
  notes: 'The exit code is 1 when a judge leaves passages unanswered.\n',

  async run({ values }, io) {
    if (!values.judge) throw new UsageError('--judge is missing.');
    const config = await readConfig(values.config);
    const { names, configs } = readJudges(values.judge, undefined, config);
    await using engine = await LocalEngine.open(
      {
        base: folderOfConfig(values.config),
        models: { ...config, judges: configs },
        // Human labels of a workspace do not concern these passages.
        labelsFile: null,
      },
      io,
    );
    const reports: ResistanceReport[] = [];
    for (const judge of names) {
      const onProgress = progressLine(io, judge);
      reports.push({ judge, ...(await engine.request('judgeResistance', { judge }, { onProgress })) });
    }
    if (values.json !== '-') io.stdout(resistanceText(reports));
    if (values.json !== undefined) await writeJson(values.json, { judges: reports }, io);
    if (values.markdown !== undefined) await replaceText(values.markdown, resistanceMarkdown(reports));
    return reports.some(({ unanswered }) => unanswered > 0) ? 1 : 0;
  },
});
