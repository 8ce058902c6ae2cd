/** `parallax check`: whether the user's own retrievers can be asked. */
import path from 'node:path';
import { externalParts, retrieverLabel } from '../core/pipeline.ts';
import { Embedders } from '../engine/embedders/embedders.ts';
import { ExternalRetrievers } from '../engine/external/external-retrievers.ts';
import { keysFromEnvironment, readConfig, readPipelines, type NamedPipeline } from './local-corpus.ts';
import { readOptions, writeJson, type Io } from './terminal.ts';

const HELP = `parallax check --pipeline <json|name> [--pipeline …] [--json]

Asks each command, endpoint, run file and store of the pipelines something small, and says how many passages
it holds or what is wrong. Exits with 1 when one of them cannot be asked.

  --pipeline  a pipeline as JSON, or its name in parallax.json; may be given several times
  --json      write the answers as JSON
  --config    parallax.json (default: the one in this folder, if any)
`;

interface Checked {
  readonly pipeline: string;
  readonly retriever: string;
  readonly ok: boolean;
  readonly message: string;
  readonly count?: number | undefined;
}

/** @returns the exit code */
export async function checkCommand(argv: readonly string[], io: Io): Promise<number> {
  const { values } = readOptions(argv, {
    pipeline: { type: 'string', multiple: true },
    json: { type: 'boolean', default: false },
    config: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  });
  if (values.help) {
    io.stdout(HELP);
    return 0;
  }
  const config = await readConfig(values.config);
  const pipelines = readPipelines(values.pipeline, config);
  const base = values.config === undefined ? process.cwd() : path.dirname(path.resolve(values.config));
  const keys = keysFromEnvironment(process.env);
  const embedders = new Embedders({ embedders: config.embedders, keys, base });
  // Who runs the command line on a configuration trusts it.
  const externals = new ExternalRetrievers({ base, trusted: true, keys }, (name) => embedders.get(name));
  try {
    const checked: Checked[] = [];
    for (const pipeline of pipelines) checked.push(...(await checkPipeline(pipeline, externals)));
    if (values.json) await writeJson('-', checked, io);
    else for (const each of checked) io.stdout(lineOf(each));
    return checked.every(({ ok }) => ok) ? 0 : 1;
  } finally {
    await externals.dispose();
    await embedders.dispose();
  }
}

async function checkPipeline(
  { name, pipeline }: NamedPipeline,
  externals: ExternalRetrievers,
): Promise<Checked[]> {
  const checked: Checked[] = [];
  for (const spec of externalParts(pipeline.retriever))
    checked.push({
      pipeline: name,
      retriever: retrieverLabel(spec),
      ...(await externals.check(spec, undefined)),
    });
  if (checked.length > 0) return checked;
  const label = retrieverLabel(pipeline.retriever);
  return [{ pipeline: name, retriever: label, ok: true, message: 'Searches the index of a corpus.' }];
}

function lineOf({ pipeline, retriever, ok, message }: Checked): string {
  return `${ok ? 'ok    ' : 'failed'}  ${pipeline}: ${retriever}. ${message}\n`;
}
