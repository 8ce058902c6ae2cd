/** Creates a first `parallax.json` with the settings in effect, so that saving it changes nothing. */
import type * as z from 'zod';
import { pipelineSchema, type Pipeline } from '../../core/pipeline.ts';
import { corpusSchema, splitSchema, type ParallaxConfig } from '../config.ts';
import { DEFAULT_EVAL_SETS, pipelinesOf } from './default-config.ts';

/** Lines of JSON to uncomment. */
const EXAMPLES = {
  embedders: [
    '"ollama": { "type": "openai", "baseUrl": "http://127.0.0.1:11434/v1", "model": "nomic-embed-text" }',
    '"minilm": { "type": "onnx", "path": "models/all-MiniLM-L6-v2" }',
  ],
  pipelines: [
    '"ollama": { "retriever": { "type": "dense", "embedder": "ollama" }, "k": 5 }',
    '"store": { "retriever": { "type": "chroma", "collection": "docs", "embedder": "ollama" }, "k": 5 }',
  ],
  judges: [
    '"local": { "type": "openai", "baseUrl": "http://127.0.0.1:11434/v1", "model": "llama3.1" }',
    '"gpt": { "type": "openai", "model": "gpt-4o-mini", "key": "openai" }',
  ],
} as const;

/**
 * @param config the configuration in effect without a file
 * @param judge the chosen judge
 */
export function startingConfig(config: ParallaxConfig, judge: string): string {
  const corpora = Object.entries(config.corpora).map(([name, corpus]) =>
    // The split is always written, as its default depends on the file's version.
    entry(name, {
      ...(essential(corpusSchema, corpus) as object),
      split: essential(splitSchema, corpus.split),
    }),
  );
  const pipelines = pipelinesOf(config).map(({ name, pipeline }) => entry(name, briefPipeline(pipeline)));
  const evalSets = config.evalSets.length > 0 ? config.evalSets : DEFAULT_EVAL_SETS;
  return `{
  "version": 2,
  // The documents that are searched.
  "corpora": {
${block(corpora)}
  },
  // Models that turn text into vectors. "meaning" is built in, for English. "Parallax: Set Up Search by Meaning" finds others.
  "embedders": {
${block([], EXAMPLES.embedders)}
  },
  // How passages are retrieved. Your own vector store or program can be one of them.
  "pipelines": {
${block(pipelines, EXAMPLES.pipelines)}
  },
  // Models that judge and suggest. "Parallax: Set Up a Model" writes one here and tests it.
  "judges": {
${block([], EXAMPLES.judges)}
  },
  // The judge beside people; "labels" is people alone.
  "judge": ${JSON.stringify(judge)},
  // Questions with their perspectives; new files in this folder are picked up.
  "evalSets": ${JSON.stringify(evalSets)}
}
`;
}

/** A pipeline without its defaults, except k, which users change first. */
export function briefPipeline(pipeline: Pipeline): object {
  const brief = essential(pipelineSchema, { ...pipeline, name: undefined }) as object;
  return { ...brief, k: pipeline.k };
}

const entry = (name: string, value: unknown): string => `${JSON.stringify(name)}: ${spaced(value)}`;

/** Entries followed by examples as comments, with commas that make both valid. */
function block(entries: readonly string[], examples: readonly string[] = []): string {
  return [...entries.map((line) => `    ${line},`), ...examples.map((line) => `    // ${line},`)].join('\n');
}

/** JSON on one line with spaces. */
function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).flatMap(([key, member]) =>
    member === undefined ? [] : `${JSON.stringify(key)}: ${spaced(member)}`,
  );
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

/** A value without fields that equal their defaults. */
function essential(schema: z.ZodType, value: unknown): unknown {
  const whole = JSON.stringify(schema.parse(value));
  const means = (candidate: unknown): boolean => {
    const parsed = schema.safeParse(candidate);
    return parsed.success && JSON.stringify(parsed.data) === whole;
  };
  const reduced = (part: unknown, rebuilt: (part: unknown) => unknown): unknown => {
    if (Array.isArray(part))
      return part.reduce<unknown[]>(
        (list, item, place) =>
          list.with(
            place,
            reduced(item, (changed) => rebuilt(list.with(place, changed))),
          ),
        part,
      );
    if (typeof part !== 'object' || part === null) return part;
    return Object.keys(part).reduce<Record<string, unknown>>(
      (object, key) => {
        const { [key]: member, ...without } = object;
        if (means(rebuilt(without))) return without;
        return { ...object, [key]: reduced(member, (changed) => rebuilt({ ...object, [key]: changed })) };
      },
      part as Record<string, unknown>,
    );
  };
  return reduced(value, (part) => part);
}
