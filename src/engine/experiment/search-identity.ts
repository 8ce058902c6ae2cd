/**
 * Identifies everything that the outcome of a search depends on, so that the search is repeated only if some
 * of it changed.
 */
import { createHash } from 'node:crypto';
import path from 'node:path';
import { GENERATE_PROMPT_VERSION } from '../../core/judging/generate.ts';
import { REWRITE_PROMPT_VERSION } from '../../core/expansion/prompts.ts';
import type { Pipeline } from '../../core/pipeline.ts';
import type { EngineConfig } from '../../shared/requests/configuration.ts';
import type { Embedders } from '../embedders/embedders.ts';
import { findEncoder } from '../encoders/encoder-files.ts';
import { fileVersion } from '../files/file-version.ts';
import { validationsBeside } from '../judgements/validations-file.ts';
import type { Judges } from '../judges/judges.ts';
import type { PipelineQuery } from '../retrieval/pipeline-services.ts';
import { needsOf, type PipelineNeeds } from '../../core/pipeline-needs.ts';

/** Raise it if the same pipeline would retrieve something else than before. */
const RANKING_VERSION = 3;

export interface IdentitySources {
  readonly config: Pick<EngineConfig, 'base' | 'embedders' | 'generator' | 'labelsFile'>;
  readonly embedders: Embedders;
  readonly judges: Judges;
}

/**
 * A pipeline with everything it depends on except corpus and query, as one text. Names are replaced by their present
 * meaning: the configuration of an embedder, the model that writes, the contents of files.
 *
 * Texts of a model are stored permanently under the model's identity (generation-cache.ts), so that identity is
 * enough. A coverage reranker depends on the labels, so a change of their file repeats its searches. If its judge is
 * a model, every further answer may change the order, so its rankings are not cached. The answers themselves are
 * (judgement-cache.ts), and none is paid for twice.
 *
 * @returns undefined if the outcome may change unnoticed
 * @throws ParallaxError for a missing embedder, model or judge
 */
export async function pipelineIdentity(
  pipeline: Pipeline,
  sources: IdentitySources,
): Promise<string | undefined> {
  const needs = needsOf(pipeline);
  const judges = needs.judges.map((name) => sources.judges.get(name));
  if (judges.some((judge) => judge && !judge.heuristic)) return undefined;
  // The user may change their own retriever at any time.
  if (needs.external) return undefined;
  const { base, labelsFile } = sources.config;
  return JSON.stringify([
    RANKING_VERSION,
    // Its name does not change what it finds, and the number of shown passages only if a top k is to be
    // covered.
    { ...pipeline, name: undefined, k: judges.length > 0 ? pipeline.k : undefined },
    await embedderIdentities(needs, sources),
    writerIdentities(needs, sources),
    await Promise.all(needs.files.map((file) => namedVersion(path.resolve(base, file)))),
    await Promise.all(needs.crossEncoders.map((spec) => encoderVersion(spec, base))),
    judges.map((judge) => judge?.key),
    judges.length > 0 && labelsFile !== undefined
      ? await Promise.all([labelsFile, validationsBeside(labelsFile)].map(namedVersion))
      : undefined,
  ]);
}

/**
 * Key of one search.
 *
 * @param pipeline as {@link pipelineIdentity} returns it
 * @param corpus as `CorpusIndex.fingerprint` returns it
 * @param pages of the corpus that the search is limited to. Defaults to all
 */
export function searchKey(
  pipeline: string,
  corpus: string,
  { id, text, perspectives, fullTexts }: PipelineQuery,
  {
    readsPerspectives,
    depth,
    pages,
  }: {
    readonly readsPerspectives: boolean;
    readonly depth: number;
    readonly pages?: readonly string[] | undefined;
  },
): Uint8Array {
  // Labels are found by the ids of query and perspective, too.
  const given = readsPerspectives
    ? [id, perspectives.map((perspective) => [perspective.id, perspective.text])]
    : undefined;
  return createHash('sha256')
    .update(JSON.stringify([pipeline, corpus, depth, text, fullTexts, given, ...(pages ? [pages] : [])]))
    .digest();
}

async function embedderIdentities(
  { embedders: names }: PipelineNeeds,
  { config, embedders }: IdentitySources,
): Promise<unknown[]> {
  // The key identifies passage vectors, the configuration also the prefixes of queries.
  return Promise.all(
    names.map(async (name) => [
      Object.hasOwn(config.embedders, name) ? config.embedders[name] : undefined,
      (await embedders.get(name)).key,
    ]),
  );
}

function writerIdentities({ writers }: PipelineNeeds, { config, judges }: IdentitySources): unknown[] {
  return writers.map((name) => {
    const writer = name ?? config.generator;
    // Without a model, the search fails with a message.
    const model = writer === undefined ? undefined : judges.chatModel(writer).model.id;
    return [model, GENERATE_PROMPT_VERSION, REWRITE_PROMPT_VERSION];
  });
}

async function encoderVersion(
  { path: folder, file }: PipelineNeeds['crossEncoders'][number],
  base: string,
): Promise<string[]> {
  const { model, tokenizer } = findEncoder(folder, file, base);
  return Promise.all([model, tokenizer].map(namedVersion));
}

/** Changes with every write of the file. A missing file has a version, too. */
const namedVersion = async (file: string): Promise<string> => `${file} ${await fileVersion(file)}`;
