/** Identifies all that the outcome of a search depends on, so that it is repeated exactly when one of it has changed. */
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

/** Raise when the same pipeline would retrieve something else than before. */
const RANKING_VERSION = 3;

export interface IdentitySources {
  readonly config: Pick<EngineConfig, 'base' | 'embedders' | 'generator' | 'labelsFile'>;
  readonly embedders: Embedders;
  readonly judges: Judges;
}

/**
 * A pipeline with everything it depends on except corpus and query, as one text. Names become what they
 * stand for now: the configuration of an embedder, the model that writes, the files as they are.
 *
 * The texts of a model are kept for good under the model's identity (generation-cache.ts), so that identity is
 * enough. A coverage reranker depends on the labels, and is asked anew when their file has changed; where
 * its judge is a model, every further answer may change the order, so nothing is kept: the answers
 * themselves are (judgement-cache.ts), and none is paid for twice.
 *
 * @returns undefined where the outcome may change unnoticed
 * @throws ParallaxError for an embedder, model or judge that is not there
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
    // Neither its name nor how many passages it shows changes what it finds, but that a top of k is to cover.
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
 * @param pipeline as {@link pipelineIdentity} has it
 * @param corpus as `CorpusIndex.fingerprint` has it
 * @param pages of the corpus to which the search is confined; all when left out
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
  // The key tells passage vectors apart, the configuration also prefixes of queries.
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
    // Without one the search fails, and says so.
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

/** Another text whenever the file was written; a file that is not there has one too. */
const namedVersion = async (file: string): Promise<string> => `${file} ${await fileVersion(file)}`;
