/** The built-in rules, and how a workspace adds to them. */
import { wrapperRules, type Wrapper } from '../../core/call-sites/wrappers.ts';
import {
  callSiteRuleSchema,
  type CallRule,
  type CallSiteRuleInput,
  type LibraryRules,
} from '../../core/call-sites/schema.ts';
import agents from './frameworks/agents.json' with { type: 'json' };
import aiSdk from './frameworks/ai-sdk.json' with { type: 'json' };
import annoy from './stores/annoy.json' with { type: 'json' };
import astra from './stores/astra.json' with { type: 'json' };
import azureAiSearch from './services/azure-ai-search.json' with { type: 'json' };
import bedrock from './services/bedrock.json' with { type: 'json' };
import bm25s from './ranking/bm25s.json' with { type: 'json' };
import cherche from './ranking/cherche.json' with { type: 'json' };
import byHand from './ranking/by-hand.json' with { type: 'json' };
import chroma from './stores/chroma.json' with { type: 'json' };
import cohere from './ranking/cohere.json' with { type: 'json' };
import cosine from './ranking/cosine.json' with { type: 'json' };
import dspy from './frameworks/dspy.json' with { type: 'json' };
import duckdb from './databases/duckdb.json' with { type: 'json' };
import elasticsearch from './stores/elasticsearch.json' with { type: 'json' };
import elasticsearchDsl from './stores/elasticsearch-dsl.json' with { type: 'json' };
import exa from './services/exa.json' with { type: 'json' };
import faiss from './stores/faiss.json' with { type: 'json' };
import fastembed from './ranking/fastembed.json' with { type: 'json' };
import flagEmbedding from './ranking/flag-embedding.json' with { type: 'json' };
import fuse from './ranking/fuse.json' with { type: 'json' };
import flashrank from './ranking/flashrank.json' with { type: 'json' };
import googleFileSearch from './services/google-file-search.json' with { type: 'json' };
import haystack from './frameworks/haystack.json' with { type: 'json' };
import hnswlib from './stores/hnswlib.json' with { type: 'json' };
import hostedRetrieval from './services/hosted-retrieval.json' with { type: 'json' };
import jina from './ranking/jina.json' with { type: 'json' };
import lancedb from './stores/lancedb.json' with { type: 'json' };
import langchain from './frameworks/langchain.json' with { type: 'json' };
import langchainJs from './frameworks/langchain-js.json' with { type: 'json' };
import llamaIndex from './frameworks/llama-index.json' with { type: 'json' };
import llamaindexTs from './frameworks/llamaindex-ts.json' with { type: 'json' };
import marqo from './stores/marqo.json' with { type: 'json' };
import mastra from './frameworks/mastra.json' with { type: 'json' };
import memory from './services/memory.json' with { type: 'json' };
import mem0 from './frameworks/mem0.json' with { type: 'json' };
import mcp from './services/mcp.json' with { type: 'json' };
import meilisearch from './stores/meilisearch.json' with { type: 'json' };
import milvus from './stores/milvus.json' with { type: 'json' };
import minisearch from './ranking/minisearch.json' with { type: 'json' };
import mongodb from './databases/mongodb.json' with { type: 'json' };
import neo4j from './databases/neo4j.json' with { type: 'json' };
import nodeLlamaCpp from './ranking/node-llama-cpp.json' with { type: 'json' };
import openaiVectorStores from './services/openai-vector-stores.json' with { type: 'json' };
import opensearch from './stores/opensearch.json' with { type: 'json' };
import orama from './stores/orama.json' with { type: 'json' };
import pgvector from './databases/pgvector.json' with { type: 'json' };
import pinecone from './stores/pinecone.json' with { type: 'json' };
import pyserini from './ranking/pyserini.json' with { type: 'json' };
import qdrant from './stores/qdrant.json' with { type: 'json' };
import ragatouille from './ranking/ragatouille.json' with { type: 'json' };
import rankBm25 from './ranking/rank-bm25.json' with { type: 'json' };
import redis from './databases/redis.json' with { type: 'json' };
import rerankers from './ranking/rerankers.json' with { type: 'json' };
import sentenceTransformers from './ranking/sentence-transformers.json' with { type: 'json' };
import similarities from './ranking/similarities.json' with { type: 'json' };
import similarity from './ranking/similarity.json' with { type: 'json' };
import sqliteVec from './databases/sqlite-vec.json' with { type: 'json' };
import supabase from './databases/supabase.json' with { type: 'json' };
import surrealdb from './databases/surrealdb.json' with { type: 'json' };
import tantivy from './ranking/tantivy.json' with { type: 'json' };
import tavily from './services/tavily.json' with { type: 'json' };
import turbopuffer from './stores/turbopuffer.json' with { type: 'json' };
import txtai from './frameworks/txtai.json' with { type: 'json' };
import typesense from './stores/typesense.json' with { type: 'json' };
import upstashVector from './stores/upstash-vector.json' with { type: 'json' };
import usearch from './stores/usearch.json' with { type: 'json' };
import vertexAiSearch from './services/vertex-ai-search.json' with { type: 'json' };
import vespa from './stores/vespa.json' with { type: 'json' };
import voyage from './ranking/voyage.json' with { type: 'json' };
import weaviate from './stores/weaviate.json' with { type: 'json' };
import algolia from './services/algolia.json' with { type: 'json' };
import convex from './databases/convex.json' with { type: 'json' };
import falkordb from './databases/falkordb.json' with { type: 'json' };
import fullTextSql from './databases/full-text-sql.json' with { type: 'json' };
import kendra from './services/kendra.json' with { type: 'json' };
import rerankHttp from './ranking/rerank-http.json' with { type: 'json' };
import textIndexes from './ranking/text-indexes.json' with { type: 'json' };
import vectara from './services/vectara.json' with { type: 'json' };
import vectorSearch from './stores/vector-search.json' with { type: 'json' };
import vectorSql from './databases/vector-sql.json' with { type: 'json' };
import vectorize from './stores/vectorize.json' with { type: 'json' };
import vectra from './stores/vectra.json' with { type: 'json' };
import webSearch from './services/web-search.json' with { type: 'json' };
import whoosh from './ranking/whoosh.json' with { type: 'json' };

/** Files as imported from JSON, which widens unions of literals to strings; one per library, or one per language. */
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
  elasticsearchDsl,
  opensearch,
  milvus,
  sentenceTransformers,
  aiSdk,
  lancedb,
  dspy,
  rankBm25,
  cherche,
  pyserini,
  bm25s,
  cohere,
  voyage,
  ...jina,
  fastembed,
  flagEmbedding,
  flashrank,
  fuse,
  ragatouille,
  rerankers,
  mem0,
  mongodb,
  ...openaiVectorStores,
  azureAiSearch,
  redis,
  neo4j,
  falkordb,
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
  ...cosine,
  ...similarity,
  astra,
  sqliteVec,
  duckdb,
  vertexAiSearch,
  googleFileSearch,
  orama,
  minisearch,
  tantivy,
  surrealdb,
  algolia,
  convex,
  ...fullTextSql,
  kendra,
  ...rerankHttp,
  textIndexes,
  ...vectorSearch,
  vectorSql,
  vectorize,
  vectra,
  ...webSearch,
  whoosh,
  nodeLlamaCpp,
  similarities,
  meilisearch,
  vectara,
  mcp,
  ...memory,
  ...hostedRetrieval,
  ...agents,
  ...byHand,
];

let builtIn: readonly LibraryRules[] | undefined;

/** The built-in rules, validated once. */
export function builtInRules(): readonly LibraryRules[] {
  builtIn ??= FILES.map((file) => callSiteRuleSchema.parse(file));
  return builtIn;
}

/**
 * A workspace's rules on top of the built-in ones. An entry with the name and languages of an existing library takes
 * precedence over it and adds its imports; any other entry is a separate library.
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

/** The rules of a workspace: the built-in ones with the additions of its `parallax.json`. */
export function rulesOf({
  callSites,
  sites,
}: {
  readonly callSites: readonly (LibraryRules | CallSiteRuleInput)[];
  readonly sites: { readonly calls: readonly Wrapper[] };
}): readonly LibraryRules[] {
  const wrappers = wrapperRules(sites.calls).map((rules) => callSiteRuleSchema.parse(rules));
  return [...mergeRules(builtInRules(), callSites), ...wrappers];
}

/** A call rule with its library. */
export interface Rule {
  readonly library: LibraryRules;
  readonly call: CallRule;
}

/** Whether a module, e.g. `langchain_core.vectorstores` or `@langchain/core/tools`, belongs to the library. */
export function ownsModule({ imports }: LibraryRules, module: string): boolean {
  return imports.some((root) =>
    root.endsWith('*')
      ? module.startsWith(root.slice(0, -1))
      : module === root || module.startsWith(`${root}.`) || module.startsWith(`${root}/`),
  );
}
