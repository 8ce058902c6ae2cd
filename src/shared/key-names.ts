import { externalParts } from '../core/pipeline.ts';
import type { ParallaxConfig } from './config.ts';

/** Names of the stored keys that a configuration asks for: by models, endpoints and stores. */
export function keyNames({ judges, embedders, pipelines }: ParallaxConfig): string[] {
  const models = [...Object.values(judges), ...Object.values(embedders)];
  const retrievers = Object.values(pipelines).flatMap(({ retriever }) => externalParts(retriever));
  return [
    ...new Set([
      ...models.flatMap((model) => (model.type === 'openai' ? [model.key] : [])),
      ...retrievers.flatMap((retriever) => ('key' in retriever ? (retriever.key ?? []) : [])),
    ]),
  ];
}
