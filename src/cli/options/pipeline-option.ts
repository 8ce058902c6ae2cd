/** Parses pipelines and splits on the command line. */
import {
  BUILT_IN_PIPELINES,
  DEFAULT_PIPELINE,
  type NamedPipeline,
  parsePipeline,
  type Pipeline,
} from '../../core/pipeline.ts';
import { shortSplit } from '../../core/split/spec.ts';
import { describeIssue } from '../../core/schema-issue.ts';
import { splitSchema, type CorpusConfig, type ParallaxConfig, type SplitSpec } from '../../shared/config.ts';
import { readJson } from './read-json.ts';
import { UsageError } from '../presentation/terminal.ts';

/**
 * Parses a pipeline given as JSON, or as a name in `parallax.json` or of a built-in one.
 *
 * @throws UsageError for an unknown name or invalid JSON, ParallaxError `bad-pipeline`
 */
export function readPipeline(text: string, config: ParallaxConfig): NamedPipeline {
  if (text.trimStart().startsWith('{')) {
    const pipeline = parsePipeline(
      readJson(text, (reason) => new UsageError(`--pipeline is not valid JSON: ${reason}.`)),
    );
    return { name: pipeline.name ?? text.trim(), pipeline };
  }
  const named = namedPipelines(config);
  const pipeline = Object.hasOwn(named, text) ? named[text] : undefined;
  if (!pipeline)
    throw new UsageError(
      `There is no pipeline "${text}". Available: ${Object.keys(named).join(', ')}. JSON is accepted, too.`,
    );
  return { name: text, pipeline };
}

function namedPipelines({ pipelines }: ParallaxConfig): Readonly<Record<string, Pipeline>> {
  return { ...BUILT_IN_PIPELINES, ...pipelines };
}

/** The default pipeline of a command. Only a store's own search can search a store. */
export function defaultPipeline({ pipelines }: ParallaxConfig, corpus: CorpusConfig | undefined): string {
  return (corpus?.store && Object.keys(pipelines)[0]) ?? DEFAULT_PIPELINE.name;
}

/**
 * The values of a repeated `--pipeline`. Defaults to the pipelines of `parallax.json`.
 *
 * @throws UsageError if there are none, or two have the same name, and the errors of {@link readPipeline}
 */
export function readPipelines(texts: readonly string[] | undefined, config: ParallaxConfig): NamedPipeline[] {
  const names = texts?.length ? texts : Object.keys(config.pipelines);
  if (names.length === 0)
    throw new UsageError(
      `--pipeline is missing: ${Object.keys(namedPipelines(config)).join(', ')}, or a pipeline as JSON.`,
    );
  const pipelines = names.map((text) => readPipeline(text, config));
  const repeated = pipelines.find(({ name }, index) =>
    pipelines.slice(0, index).some((other) => other.name === name),
  );
  if (repeated)
    throw new UsageError(`Two pipelines are called ${repeated.name}; give one of them another "name".`);
  return pipelines;
}

/**
 * Parses a short form such as `words:100`, or the JSON object of parallax.json.
 *
 * @throws UsageError
 */
export function readSplit(text: string): SplitSpec {
  const value = text.trimStart().startsWith('{')
    ? readJson(text, (reason) => new UsageError(`--split is not valid JSON: ${reason}.`))
    : shortSplit(text);
  const parsed = splitSchema.safeParse(value);
  if (!parsed.success) throw new UsageError(`--split: ${describeIssue(parsed.error, value)}`);
  return parsed.data;
}

export const CODE_OPTION = {
  type: 'string',
  help: 'whether source code and settings of tools are documents, too: true, false, or auto, only where there is\nhardly anything else (default: as an index in --store was made; else auto, as in the editor)',
} as const;

/**
 * Parses `code` of a corpus in parallax.json.
 *
 * @throws UsageError
 */
export function readCode(text: string): CorpusConfig['code'] {
  if (text === 'auto') return text;
  if (text === 'true' || text === 'false') return text === 'true';
  throw new UsageError(`--code is true, false or auto, not "${text}".`);
}
