/** Lists of documents in the JSON of retrievers, frameworks and tools. */
import { aboutRecord } from '../../../core/external/about-record.ts';
import type { ExternalResult } from '../../../core/external/spec.ts';
import { isRecord, unpacked } from '../../../core/text/json.ts';

const LIST_FIELDS = ['documents', 'results', 'docs', 'source_documents', 'nodes', 'matches', 'output'];

/** Real documents are not nested deeper. */
const MAX_DEPTH = 4;

/** @returns `undefined` if this is neither a list of documents nor an object with one */
export function documentsIn(output: unknown): Partial<ExternalResult>[] | undefined {
  if (isRecord(output))
    return LIST_FIELDS.map((field) => output[field])
      .filter(Array.isArray)
      .map(documentsIn)
      .find((documents) => documents !== undefined);
  if (!Array.isArray(output)) return undefined;
  const documents = output.map((value: unknown) => documentIn(value));
  return documents.every((document) => document !== undefined) ? documents : undefined;
}

const TEXT_FIELDS = ['pageContent', 'page_content', 'content', 'text', 'document'];
const SCORE_FIELDS = ['score', 'similarity', 'relevance_score', '_score'];
const ID_FIELDS = ['id', 'id_', 'document_id', 'doc_id', 'chunk_id'];

/** A single word is an id rather than a passage. */
const BARE_ID = /^[!-~]{1,200}$/u;

/** A document in the form of LangChain, LlamaIndex, Haystack or a vector store, optionally paired with its score. */
function documentIn(value: unknown, depth = 0): Partial<ExternalResult> | undefined {
  if (depth > MAX_DEPTH) return undefined;
  if (typeof value === 'string') return BARE_ID.test(value) ? { id: value } : { text: value };
  if (Array.isArray(value)) return withScore(documentIn(value[0], depth + 1), value[1]);
  // Messages of a conversation have a text too.
  if (!isRecord(value) || typeof value['role'] === 'string') return undefined;
  const inner = innerDocument(value);
  if (inner) return withScore(documentIn(inner, depth + 1), scoreIn(value));
  const metadata = isRecord(value['metadata']) ? value['metadata'] : {};
  const resource = isRecord(value['text_resource']) ? value['text_resource'] : {};
  const text =
    textIn(value, TEXT_FIELDS) ??
    textIn(resource, ['text']) ??
    textOfParts(value['content']) ??
    nameWithSimilarity(value);
  const id = textIn(value, ID_FIELDS) ?? textIn(metadata, ID_FIELDS);
  if (text === undefined && id === undefined) return undefined;
  const about = aboutOf(value['metadata'] ?? value['meta']) ?? placeOf(value);
  const document = {
    ...(id === undefined ? {} : { id }),
    ...(text === undefined ? {} : { text }),
    ...(about ? { about } : {}),
  };
  return withScore(document, scoreIn(value) ?? scoreIn(metadata));
}

/** @param metadata an object, or JSON of one; LangChain.js nests the page number in `loc` */
export function aboutOf(metadata: unknown): ExternalResult['about'] {
  const fields = unpacked(metadata);
  if (!isRecord(fields)) return undefined;
  const place = isRecord(fields['loc']) ? fields['loc'] : {};
  return aboutRecord({ metadata: { page: place['pageNumber'], ...fields } });
}

/** A tool of one's own writes the source beside the text. Its other fields are no metadata. */
function placeOf({ title, source, url, page }: Readonly<Record<string, unknown>>): ExternalResult['about'] {
  const { fields: _, ...place } = aboutRecord({ title, source: source ?? url, page }) ?? {};
  return Object.keys(place).length === 0 ? undefined : place;
}

/** The AI SDK's retrieval guide returns texts as `name`, beside their similarity. */
function nameWithSimilarity(value: Readonly<Record<string, unknown>>): string | undefined {
  return typeof value['similarity'] === 'number' ? textIn(value, ['name']) : undefined;
}

function scoreIn(record: Readonly<Record<string, unknown>>): number | undefined {
  return SCORE_FIELDS.map((field) => record[field]).find((each) => typeof each === 'number');
}

/** Genkit writes a text as a list of parts. Images among them have no text. */
export function textOfParts(parts: unknown): string | undefined {
  if (!Array.isArray(parts)) return undefined;
  const texts = parts.flatMap((part: unknown) =>
    isRecord(part) && typeof part['text'] === 'string' ? [part['text']] : [],
  );
  return texts.length === 0 ? undefined : texts.join('\n');
}

/** LlamaIndex puts a node beside its score. LangChain puts the fields of serialized objects into `kwargs`. */
function innerDocument(value: Readonly<Record<string, unknown>>): unknown {
  if (value['type'] === 'constructor' && isRecord(value['kwargs'])) return value['kwargs'];
  const inner = value['node'] ?? value['document'];
  return isRecord(inner) ? inner : undefined;
}

/** The first of several fields that contains a text or a number. */
export function textIn(
  record: Readonly<Record<string, unknown>>,
  fields: readonly string[],
): string | undefined {
  const value = fields
    .map((field) => record[field])
    .find((each) => typeof each === 'string' || typeof each === 'number');
  return value === undefined || value === '' ? undefined : String(value);
}

/** Adds the score to a document if it is a number. */
export function withScore(
  document: Partial<ExternalResult> | undefined,
  score: unknown,
): Partial<ExternalResult> | undefined {
  return document && typeof score === 'number' ? { ...document, score } : document;
}
