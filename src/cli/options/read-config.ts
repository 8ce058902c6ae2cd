/** Reads `parallax.json` and the keys of models for the command line. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { ParallaxError } from '../../core/errors.ts';
import { parseCommentedJson } from '../../core/formats/commented-json.ts';
import { describeIssue } from '../../core/schema-issue.ts';
import { readText } from '../../engine/files/reading.ts';
import { CONFIG_FILE, configSchema, parseConfigJson, type ParallaxConfig } from '../../shared/config.ts';

/** Read by {@link readConfig}. */
export const CONFIG_OPTION = {
  type: 'string',
  help: 'parallax.json with pipelines and embedders (default: the one in this folder, if any)',
} as const;

/**
 * Reads `parallax.json` from `--config`, else from the working directory, else returns the defaults.
 *
 * @throws ParallaxError `bad-config` naming the field, `not-found`
 */
export async function readConfig(file: string | undefined): Promise<ParallaxConfig> {
  const place = file ?? (existsSync(CONFIG_FILE) ? CONFIG_FILE : undefined);
  if (place === undefined) return configSchema.parse({});
  const text = await readText(place, { pipes: true }).catch((error: unknown) => {
    throw new ParallaxError('not-found', `Cannot read ${place}.`, { cause: error });
  });
  const read = parseCommentedJson(text);
  if ('problem' in read)
    throw new ParallaxError('bad-config', `${place} is not valid JSON: ${read.problem}.`);
  const json = read.value;
  const parsed = parseConfigJson(json);
  if (!parsed.success)
    throw new ParallaxError('bad-config', `${place}: ${describeIssue(parsed.error, json)}`);
  return parsed.data;
}

/**
 * {@link readConfig} for a command that works in the working directory: relative paths of models start from the folder
 * of the file, even if it is another folder.
 *
 * @throws ParallaxError like {@link readConfig}
 */
export async function readConfigFromHere(file: string | undefined): Promise<ParallaxConfig> {
  const config = await readConfig(file);
  const folder = folderOfConfig(file);
  return folder === process.cwd() ? config : withModelsFrom(folder, config);
}

function withModelsFrom(folder: string, config: ParallaxConfig): ParallaxConfig {
  const { embedders, judges, pipelines } = config;
  const withPath = <T extends { readonly path: string }>(model: T): T => ({
    ...model,
    path: path.resolve(folder, model.path),
  });
  const each = <T>(named: Readonly<Record<string, T>>, change: (value: T) => T): Record<string, T> =>
    Object.fromEntries(Object.entries(named).map(([name, value]) => [name, change(value)]));
  return {
    ...config,
    embedders: each(embedders, (embedder) =>
      embedder.type === 'onnx'
        ? {
            ...withPath(embedder),
            query: embedder.query === undefined ? undefined : path.resolve(folder, embedder.query),
          }
        : embedder,
    ),
    judges: each(judges, (judge) => (judge.type === 'nli' ? withPath(judge) : judge)),
    pipelines: each(pipelines, (pipeline) => ({
      ...pipeline,
      rerank: pipeline.rerank.map((step) => (step.type === 'cross-encoder' ? withPath(step) : step)),
    })),
  };
}

/** The folder that relative paths in parallax.json start from; absolute. */
export function folderOfConfig(file: string | undefined): string {
  return path.dirname(path.resolve(file ?? CONFIG_FILE));
}

/** Keys by name: `OPENAI_API_KEY` is the key named `openai`. */
export function keysFromEnvironment(environment: NodeJS.ProcessEnv): Record<string, string> {
  const suffix = '_API_KEY';
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      name.endsWith(suffix) && value ? [[name.slice(0, -suffix.length).toLowerCase(), value]] : [],
    ),
  );
}
