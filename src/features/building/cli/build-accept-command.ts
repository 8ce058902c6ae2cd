/** `parallax build accept`: adds accepted drafts to an eval set. */
import { configSchema } from '../../../shared/config.ts';
import { command } from '../../../cli/commands/command.ts';
import { LocalEngine } from '../../../cli/local-engine.ts';
import { required, UsageError } from '../../../cli/presentation/terminal.ts';

export const buildAcceptCommand = command({
  usage: 'parallax build accept <drafts.jsonl> --out <eval.parallax.jsonl> [--labels <file>]',
  positionals: true,
  options: {
    out: {
      type: 'string',
      help: 'the eval set: drafts with "review": "accepted" are appended to it, each once, however often this is run',
    },
    labels: {
      type: 'string',
      help: `a labels file such as .parallax/judgements.jsonl: what was proposed of the drafts' passages is appended
to it as imported labels, over which labels of people win; left out when not given`,
    },
  },

  async run({ values, positionals }, io) {
    const [drafts, ...surplus] = positionals;
    if (drafts === undefined || surplus.length > 0) throw new UsageError('Name one file of drafts.');
    const { labels } = values;
    const evalSet = required(values.out, 'out');
    await using engine = await LocalEngine.open({ base: process.cwd(), models: configSchema.parse({}) }, io);
    const report = await engine.request('acceptDrafts', { drafts, evalSet, labels });
    for (const warning of report.warnings) io.stderr(`warning: ${warning}\n`);
    io.stdout(
      `Accepted drafts appended to ${evalSet}: ${report.added} (${report.already} were there). Waiting for review: ${report.waiting}.\n`,
    );
    if (labels !== undefined) io.stdout(`Labels appended to ${labels}: ${report.labels ?? 0}.\n`);
    return 0;
  },
});
