/**
 * A look at a document that costs next to nothing: whether it may hold a call that retrieves. Everything
 * else is loaded with the first document that passes. A test holds it against the rules.
 */
import { isTooLarge } from '../../sites/limits.ts';

const MODULES =
  'langchain|@langchain|llama_index|haystack|chromadb|qdrant|pinecone|weaviate|faiss|psycopg|asyncpg|sqlalchemy|sqlmodel|pgvector|databases|django|pg8000|pg\\b|postgres|neondatabase|vercel/postgres|drizzle-orm|kysely|knex|@prisma|typeorm|sequelize|slonik|elastic|opensearch|milvus|zilliz|sentence_transformers|rank_bm25|pyserini|cohere|voyageai|jina|[\'"]ai\\b|lancedb|vectordb|dspy|bm25s|FlagEmbedding|flashrank|ragatouille|rerankers|mem0|mongo|motor|beanie|openai|search[./-]documents|redis|neo4j|typesense|turbopuffer|vespa|txtai|usearch|hnswlib|annoy|marqo|boto3|bedrock|tavily|exa_py|exa-js|supabase|upstash|llamaindex|@mastra|sklearn|astra|duckdb|\\bvecs\\b|sqlite|sqlean|apsw|libsql|google[./-]|@google|vertexai|genai|fastembed|@orama|minisearch|ml-distance|cosine|tantivy|surreal|similarity|fn::|kendra|aws-sdk|algolia|azure-search|convex|_generated/server|vectra|vectara|vectorize|whoosh|lunr|flexsearch|wink-bm25|duck-?duck|ddgs|serpapi|serper|searchapi|search\\.brave|bing\\.microsoft|customsearch|searx|format=json|langsearch|bocha|ydc-index|linkup|perplexity|googlesearch|firecrawl|arxiv|eutils|semanticscholar|meili|rerank|vector|embedding|bm25|(?:\\b|_)fts|tsquery|against\\s*\\(|containstable|freetexttable|L2Distance|\\bann\\s+of|KDTree|BallTree|retriev|argsort|argpartition|\\btopk|/search[\'"`?]|compute_score|get_scores|/_search\\b|corpus_?key|more_like_this|multi_match|logits|cross[-_ ]?encoder|call_?tool|linear_kernel|SearchRank|trigram|mikro-orm|supermemory|\\bzep|getzep|graphiti|cognee|ragie|\\br2r\\b|nuclia|trieve|llama_cloud|(?:from\\s+|import\\s+|[\'"])agents\\b|autorag|ai_?search|crewai|smolagents|\\bagno\\b|from\\s+phi\\b|autogen|genkit|langgraph|embedchain|lightrag|graphrag|semantic_kernel|byaldi|@ai-sdk|@agentic|\\bk1\\b|<=>|<->|<#>';

const KNOWN = new RegExp(MODULES, 'iu');

/** Languages whose calls are detected, as the editor names them. */
export const INLINE_LANGUAGES = [
  'python',
  'typescript',
  'typescriptreact',
  'javascript',
  'javascriptreact',
] as const;

export function mayRetrieve(text: string): boolean {
  return !isTooLarge(text) && KNOWN.test(text);
}
