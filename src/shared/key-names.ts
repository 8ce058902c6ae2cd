import { externalParts } from '../core/pipeline.ts';
import type { ParallaxConfig } from './config.ts';

/** Names of the stored keys that a configuration uses for models, endpoints and stores. */
export function keyNames({ judges, embedders, pipelines }: ParallaxConfig): string[] {
  const models = [...Object.values(judges), ...Object.values(embedders)];
  const retrievers = Object.values(pipelines).flatMap(({ retriever }) => externalParts(retriever));
  return [
    ...new Set([
      ...models.flatMap((model) => ('key' in model ? model.key : [])),
      ...retrievers.flatMap((retriever) => ('key' in retriever ? (retriever.key ?? []) : [])),
    ]),
  ];
}

/** The key with a name. Ignores inherited properties such as `constructor`. */
export function keyOf(keys: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(keys, name) ? keys[name] : undefined;
}
