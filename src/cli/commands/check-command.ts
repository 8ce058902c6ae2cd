/** `parallax check`: whether the user's own retrievers can be asked. */
import { externalParts, type NamedPipeline, retrieverLabel } from '../../core/pipeline.ts';
import { command } from './command.ts';
import { LocalEngine } from '../local-engine.ts';
import { readPipelines } from '../options/pipeline-option.ts';
import { folderOfConfig, readConfig } from '../options/read-config.ts';
import { writeJson } from '../presentation/terminal.ts';

interface Checked {
  readonly pipeline: string;
  readonly retriever: string;
  readonly ok: boolean;
  readonly message: string;
  readonly count?: number | undefined;
}

export const checkCommand = command({
  usage: 'parallax check --pipeline <json|name> [--pipeline …] [--json]',
  about: `Asks each command, endpoint, run file and store of the pipelines something small, and says how many passages
it holds or what is wrong. Exits with 1 when one of them cannot be asked.
`,
  options: {
    pipeline: {
      type: 'string',
      multiple: true,
      help: 'a pipeline as JSON, or its name in parallax.json; may be given several times',
    },
    json: { type: 'boolean', default: false, help: 'write the answers as JSON' },
    config: { type: 'string', help: 'parallax.json (default: the one in this folder, if any)' },
  },

  async run({ values }, io) {
    const config = await readConfig(values.config);
    const pipelines = readPipelines(values.pipeline, config);
    const engine = await LocalEngine.open({ base: folderOfConfig(values.config), models: config }, io);
    try {
      const checked: Checked[] = [];
      for (const pipeline of pipelines) checked.push(...(await checkPipeline(pipeline, engine)));
      if (values.json) await writeJson('-', checked, io);
      else for (const each of checked) io.stdout(lineOf(each));
      return checked.every(({ ok }) => ok) ? 0 : 1;
    } finally {
      await engine.close();
    }
  },
});

async function checkPipeline({ name, pipeline }: NamedPipeline, engine: LocalEngine): Promise<Checked[]> {
  const checked: Checked[] = [];
  for (const retriever of externalParts(pipeline.retriever))
    checked.push({
      pipeline: name,
      retriever: retrieverLabel(retriever),
      ...(await engine.request('checkRetriever', { retriever })),
    });
  if (checked.length > 0) return checked;
  const label = retrieverLabel(pipeline.retriever);
  return [{ pipeline: name, retriever: label, ok: true, message: 'Searches the index of a corpus.' }];
}

function lineOf({ pipeline, retriever, ok, message }: Checked): string {
  return `${ok ? 'ok    ' : 'failed'}  ${pipeline}: ${retriever}. ${message}\n`;
}
