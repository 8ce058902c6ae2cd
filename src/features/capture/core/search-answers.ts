/**
 * Documented answer forms of search services. Each is recognised by the path of its list and a field that is unique to
 * it.
 */
import { aboutRecord } from '../../../core/external/about-record.ts';
import { valueAt } from '../../../core/external/results.ts';
import type { ExternalResult } from '../../../core/external/spec.ts';
import { isRecord } from '../../../core/text/json.ts';
import { textOfParts } from './documents.ts';

interface Form {
  readonly list: string;
  /** A field that every result has. */
  readonly mark: string;
  readonly text: readonly string[];
  readonly id: readonly string[];
  readonly source: readonly string[];
  readonly score?: string;
}

const LINKS = ['link', 'url', 'href'];

const FORMS: readonly Form[] = [
  // Amazon Bedrock, Retrieve.
  {
    list: 'retrievalResults',
    mark: 'content',
    text: ['content.text'],
    id: [],
    source: ['location.s3Location.uri', 'location.webLocation.url', 'location.confluenceLocation.url'],
    score: 'score',
  },
  // Azure AI Search. The index owner names the fields; these are the names of its import wizard.
  {
    list: 'value',
    mark: '@search.score',
    text: ['chunk', 'content', 'text', 'merged_content'],
    id: ['chunk_id', 'id', 'key'],
    source: ['title', 'filepath', 'metadata_storage_path', 'url'],
    score: '@search.score',
  },
  // OpenAI, vector store search.
  {
    list: 'data',
    mark: 'file_id',
    text: ['content'],
    id: [],
    source: ['filename'],
    score: 'score',
  },
  // Vertex AI, retrieveContexts.
  {
    list: 'contexts.contexts',
    mark: 'sourceUri',
    text: ['text'],
    id: [],
    source: ['sourceUri'],
    score: 'score',
  },
  {
    list: 'contexts.contexts',
    mark: 'source_uri',
    text: ['text'],
    id: [],
    source: ['source_uri'],
    score: 'score',
  },
  // Brave, Serper, Google Programmable Search, DuckDuckGo and others.
  { list: 'web.results', mark: 'description', text: ['description'], id: LINKS, source: LINKS },
  ...['organic', 'organic_results', 'items', 'results', 'webPages.value', ''].map((list) => ({
    list,
    mark: 'snippet',
    text: ['snippet'],
    id: LINKS,
    source: LINKS,
  })),
];

/** @returns `undefined` for other forms, or if results have no texts */
export function searchAnswer(output: unknown): Partial<ExternalResult>[] | undefined {
  for (const form of FORMS) {
    const list = form.list === '' ? output : isRecord(output) ? valueAt(output, form.list) : undefined;
    if (!Array.isArray(list) || list.length === 0) continue;
    const results = list.map((result: unknown) => resultOf(result, form));
    if (results.every((result) => result !== undefined)) return results;
  }
  return undefined;
}

function resultOf(result: unknown, form: Form): Partial<ExternalResult> | undefined {
  // Field names may contain dots.
  if (!isRecord(result) || result[form.mark] === undefined) return undefined;
  const text = firstText(result, form.text);
  if (text === undefined) return undefined;
  const id = firstText(result, form.id);
  const score = form.score === undefined ? undefined : result[form.score];
  const about = aboutRecord({ metadata: { source: firstText(result, form.source) } });
  return {
    ...(id === undefined ? {} : { id }),
    text,
    ...(typeof score === 'number' ? { score } : {}),
    ...(about ? { about } : {}),
  };
}

function firstText(result: Readonly<Record<string, unknown>>, paths: readonly string[]): string | undefined {
  for (const path of paths) {
    const value = result[path] ?? valueAt(result, path);
    const text = typeof value === 'string' ? value : textOfParts(value);
    if (text !== undefined && text !== '') return text;
  }
  return undefined;
}
