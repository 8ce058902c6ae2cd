/**
 * A look at a document that costs next to nothing: whether it may hold a call that retrieves. Everything
 * else is loaded with the first document that passes. A test holds it against the rules.
 */

/** Documents beyond this are not looked at: the editor gives them no lenses either. */
const MOST_CHARACTERS = 4_000_000;

const MODULES =
  'langchain|@langchain|llama_index|haystack|chromadb|qdrant|pinecone|weaviate|faiss|psycopg|asyncpg|sqlalchemy|sqlmodel|pgvector|databases|django|pg8000|pg\\b|postgres|neondatabase|vercel/postgres|drizzle-orm|kysely|knex|@prisma|typeorm|sequelize|slonik|elastic|opensearch|milvus|zilliz|sentence_transformers|rank_bm25|pyserini|cohere|voyageai|jina|[\'"]ai\\b|lancedb|vectordb|dspy|bm25s|FlagEmbedding|flashrank|ragatouille|rerankers|mem0|mongo|motor|beanie|openai|search[./-]documents|redis|neo4j|typesense|turbopuffer|vespa|txtai|usearch|hnswlib|annoy|marqo|boto3|bedrock|tavily|exa_py|exa-js|supabase|upstash|llamaindex|@mastra|sklearn|<=>|<->|<#>';

const KNOWN = new RegExp(MODULES, 'u');

/** Languages whose calls are detected, as the editor names them. */
export const INLINE_LANGUAGES = [
  'python',
  'typescript',
  'typescriptreact',
  'javascript',
  'javascriptreact',
] as const;

export function mayRetrieve(text: string): boolean {
  return text.length <= MOST_CHARACTERS && KNOWN.test(text);
}
