/** Names the pipelines whose vectors are hashed words, not embeddings of a model. */
import { HASHED_WORDS } from '../../core/embedding/built-in.ts';
import { needsOf } from '../../core/pipeline-needs.ts';
import type { NamedPipeline } from '../../core/pipeline.ts';

/** Empty if every vector comes from a model. */
export function describeStandIns(pipelines: readonly NamedPipeline[]): string {
  const standing = pipelines
    .filter(({ pipeline }) => needsOf(pipeline).embedders.includes(HASHED_WORDS))
    .map(({ name }) => name);
  if (standing.length === 0) return '';
  return (
    `${[...new Set(standing)].join(', ')}: with hashed words in the place of an embedding model, which compare spelling and\n` +
    `not meaning. "embedder" of the pipeline names a model.\n`
  );
}
