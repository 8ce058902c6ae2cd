/** The rules that ship, and how a workspace adds to them. */
import type { Language } from '../syntax/language.ts';
import {
  callSiteRuleSchema,
  type CallRule,
  type CallSiteRuleInput,
  type LibraryRules,
} from '../../core/call-sites/schema.ts';
import aiSdk from './ai-sdk.json' with { type: 'json' };
import annoy from './annoy.json' with { type: 'json' };
import astra from './astra.json' with { type: 'json' };
import azureAiSearch from './azure-ai-search.json' with { type: 'json' };
import bedrock from './bedrock.json' with { type: 'json' };
import bm25s from './bm25s.json' with { type: 'json' };
import chroma from './chroma.json' with { type: 'json' };
import cohere from './cohere.json' with { type: 'json' };
import cosine from './cosine.json' with { type: 'json' };
import dspy from './dspy.json' with { type: 'json' };
import duckdb from './duckdb.json' with { type: 'json' };
import elasticsearch from './elasticsearch.json' with { type: 'json' };
import exa from './exa.json' with { type: 'json' };
import faiss from './faiss.json' with { type: 'json' };
import flagEmbedding from './flag-embedding.json' with { type: 'json' };
import flashrank from './flashrank.json' with { type: 'json' };
import googleFileSearch from './google-file-search.json' with { type: 'json' };
import haystack from './haystack.json' with { type: 'json' };
import hnswlib from './hnswlib.json' with { type: 'json' };
import jina from './jina.json' with { type: 'json' };
import lancedb from './lancedb.json' with { type: 'json' };
import langchain from './langchain.json' with { type: 'json' };
import langchainJs from './langchain-js.json' with { type: 'json' };
import llamaIndex from './llama-index.json' with { type: 'json' };
import llamaindexTs from './llamaindex-ts.json' with { type: 'json' };
import marqo from './marqo.json' with { type: 'json' };
import mastra from './mastra.json' with { type: 'json' };
import mem0 from './mem0.json' with { type: 'json' };
import milvus from './milvus.json' with { type: 'json' };
import mongodb from './mongodb.json' with { type: 'json' };
import neo4j from './neo4j.json' with { type: 'json' };
import openaiVectorStores from './openai-vector-stores.json' with { type: 'json' };
import opensearch from './opensearch.json' with { type: 'json' };
import pgvector from './pgvector.json' with { type: 'json' };
import pinecone from './pinecone.json' with { type: 'json' };
import pyserini from './pyserini.json' with { type: 'json' };
import qdrant from './qdrant.json' with { type: 'json' };
import ragatouille from './ragatouille.json' with { type: 'json' };
import rankBm25 from './rank-bm25.json' with { type: 'json' };
import redis from './redis.json' with { type: 'json' };
import rerankers from './rerankers.json' with { type: 'json' };
import sentenceTransformers from './sentence-transformers.json' with { type: 'json' };
import sqliteVec from './sqlite-vec.json' with { type: 'json' };
import supabase from './supabase.json' with { type: 'json' };
import tavily from './tavily.json' with { type: 'json' };
import turbopuffer from './turbopuffer.json' with { type: 'json' };
import txtai from './txtai.json' with { type: 'json' };
import typesense from './typesense.json' with { type: 'json' };
import upstashVector from './upstash-vector.json' with { type: 'json' };
import usearch from './usearch.json' with { type: 'json' };
import vertexAiSearch from './vertex-ai-search.json' with { type: 'json' };
import vespa from './vespa.json' with { type: 'json' };
import voyage from './voyage.json' with { type: 'json' };
import weaviate from './weaviate.json' with { type: 'json' };

/** Files as they are read from JSON, where a union of literals is a string; one each, or one for each language. */
const FILES: readonly unknown[] = [
  langchain,
  langchainJs,
  llamaIndex,
  haystack,
  chroma,
  qdrant,
  pinecone,
  weaviate,
  faiss,
  pgvector,
  elasticsearch,
  opensearch,
  milvus,
  sentenceTransformers,
  aiSdk,
  lancedb,
  dspy,
  rankBm25,
  pyserini,
  bm25s,
  cohere,
  voyage,
  ...jina,
  flagEmbedding,
  flashrank,
  ragatouille,
  rerankers,
  mem0,
  mongodb,
  openaiVectorStores,
  azureAiSearch,
  redis,
  neo4j,
  typesense,
  turbopuffer,
  vespa,
  txtai,
  usearch,
  hnswlib,
  annoy,
  marqo,
  bedrock,
  tavily,
  exa,
  supabase,
  upstashVector,
  llamaindexTs,
  mastra,
  cosine,
  astra,
  sqliteVec,
  duckdb,
  vertexAiSearch,
  googleFileSearch,
];

let builtIn: readonly LibraryRules[] | undefined;

/** The rules that ship, checked once. */
export function builtInRules(): readonly LibraryRules[] {
  builtIn ??= FILES.map((file) => callSiteRuleSchema.parse(file));
  return builtIn;
}

/**
 * A workspace's rules on top of the built-in ones. An entry with the name of a library that is already
 * there, for the same languages, is tried before it and adds its imports; any other entry is a library of
 * its own.
 */
export function mergeRules(
  base: readonly LibraryRules[],
  added: readonly (LibraryRules | CallSiteRuleInput)[],
): readonly LibraryRules[] {
  const merged = [...base];
  for (const entry of added) {
    const rules = callSiteRuleSchema.parse(entry);
    const at = merged.findIndex(
      ({ library, languages }) =>
        library === rules.library && languages.some((language) => rules.languages.includes(language)),
    );
    const existing = merged[at];
    if (existing)
      merged[at] = {
        ...existing,
        imports: [...new Set([...rules.imports, ...existing.imports])],
        matching: [...rules.matching, ...existing.matching],
        constructors: [...new Set([...rules.constructors, ...existing.constructors])],
        calls: [...rules.calls, ...existing.calls],
      };
    else merged.push(rules);
  }
  return merged;
}

/** A call rule together with the library it belongs to. */
export interface Rule {
  readonly library: LibraryRules;
  readonly call: CallRule;
}

export function rulesFor(rules: readonly LibraryRules[], language: Language): readonly LibraryRules[] {
  return rules.filter(({ languages }) => languages.includes(language));
}

/** Whether a module, e.g. `langchain_core.vectorstores` or `@langchain/core/tools`, belongs to the library. */
export function ownsModule({ imports }: LibraryRules, module: string): boolean {
  return imports.some((root) =>
    root.endsWith('*')
      ? module.startsWith(root.slice(0, -1))
      : module === root || module.startsWith(`${root}.`) || module.startsWith(`${root}/`),
  );
}
