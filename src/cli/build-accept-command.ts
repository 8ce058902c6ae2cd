/** `parallax build accept`: accepted drafts become part of an eval set. */
import { acceptDrafts } from '../engine/building/accept-drafts.ts';
import { readOptions, required, UsageError, type Io } from './terminal.ts';

const HELP = `parallax build accept <drafts.jsonl> --out <eval.parallax.jsonl> [--labels <file>]

  --out     the eval set: drafts with "review": "accepted" are appended to it, each once, however often this is run
  --labels  a labels file such as .parallax/judgements.jsonl: what was proposed of the drafts' passages is appended
            to it as imported labels, over which labels of people win; left out when not given
`;

/** @returns the exit code */
export async function buildAcceptCommand(argv: readonly string[], io: Io): Promise<number> {
  const { values, positionals } = readOptions(
    argv,
    {
      out: { type: 'string' },
      labels: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
    true,
  );
  if (values.help) {
    io.stdout(HELP);
    return 0;
  }
  const [draftsFile, ...surplus] = positionals;
  if (draftsFile === undefined || surplus.length > 0) throw new UsageError('Name one file of drafts.');
  const { accepted, already, waiting, labels, warnings } = await acceptDrafts({
    draftsFile,
    evalSetFile: required(values.out, 'out'),
    labelsFile: values.labels,
    at: new Date().toISOString(),
  });
  for (const warning of warnings) io.stderr(`warning: ${warning}\n`);
  io.stdout(
    `Accepted drafts appended to ${values.out}: ${accepted.length} (${already} were there). Waiting for review: ${waiting}.\n`,
  );
  if (values.labels !== undefined) io.stdout(`Labels appended to ${values.labels}: ${labels}.\n`);
  return 0;
}
