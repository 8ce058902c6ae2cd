/** The rules that ship, and how a workspace adds to them. */
import type { Language } from '../syntax/language.ts';
import aiSdk from './ai-sdk.json' with { type: 'json' };
import chroma from './chroma.json' with { type: 'json' };
import dspy from './dspy.json' with { type: 'json' };
import elasticsearch from './elasticsearch.json' with { type: 'json' };
import faiss from './faiss.json' with { type: 'json' };
import haystack from './haystack.json' with { type: 'json' };
import lancedb from './lancedb.json' with { type: 'json' };
import langchainJs from './langchain-js.json' with { type: 'json' };
import langchain from './langchain.json' with { type: 'json' };
import llamaIndex from './llama-index.json' with { type: 'json' };
import memory from './memory.json' with { type: 'json' };
import milvus from './milvus.json' with { type: 'json' };
import opensearch from './opensearch.json' with { type: 'json' };
import pgvector from './pgvector.json' with { type: 'json' };
import pinecone from './pinecone.json' with { type: 'json' };
import qdrant from './qdrant.json' with { type: 'json' };
import rankers from './rank-apis.json' with { type: 'json' };
import {
  callSiteRuleSchema,
  type CallRule,
  type CallSiteRuleInput,
  type LibraryRules,
} from '../../core/call-sites/schema.ts';
import sparse from './sparse.json' with { type: 'json' };
import stores from './stores.json' with { type: 'json' };
import webLibraries from './web-libraries.json' with { type: 'json' };
import sentenceTransformers from './sentence-transformers.json' with { type: 'json' };
import weaviate from './weaviate.json' with { type: 'json' };

/** Files as they are read from JSON, where a union of literals is a string. */
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
  ...sparse,
  ...rankers,
  aiSdk,
  lancedb,
  dspy,
  ...memory,
  ...stores,
  ...webLibraries,
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
