/**
 * From documents to passages with ids.
 */
import type { SplitSpec } from '../../core/split/spec.ts';
import { eachPassage, fitsOnePassage, type SplitTools } from '../../core/split/split.ts';
import type { ExtractedDocument, NewPassage } from '../types.ts';
import { hasMarkdownHeadings } from './readers/table.ts';

/** Corpora that others cut keep their own passages, and so their ids, also where one is a bit longer. */
const RECORD_TOLERANCE = 1.5;

export interface CorpusPassage extends NewPassage {
  /** Titles of the Markdown headings above it, `A › B`, when split by headings. */
  readonly headingPath?: string;
}

/**
 * The passages of a document in order, one by one, so that a long document can be cut in steps.
 * The id is the document's own where the document stays in one piece (no splitting, or a record of up
 * to 1.5 times the size), else `document#p1`, `#p2` …
 *
 * @param tools from `splitToolsFor(spec)`
 */
export function* eachPassageOf(
  document: ExtractedDocument,
  spec: SplitSpec,
  tools: SplitTools,
): Generator<CorpusPassage> {
  const suited = specFor(document, spec);
  const whole = document.isRecord && fitsOnePassage(document.text, suited, tools, RECORD_TOLERANCE);
  const isOnePiece = whole || suited.type === 'none';
  let number = 0;
  for (const passage of eachPassage(document.text, isOnePiece ? { type: 'none' } : suited, tools))
    yield { id: isOnePiece ? document.id : `${document.id}#p${++number}`, ...passage };
}

/** All passages of a document at once: see {@link eachPassageOf}. */
export function passagesOf(document: ExtractedDocument, spec: SplitSpec, tools: SplitTools): CorpusPassage[] {
  return [...eachPassageOf(document, spec, tools)];
}

/** In source code and data a line that begins with `#` is a comment: such files are cut by words instead. */
function specFor(document: ExtractedDocument, spec: SplitSpec): SplitSpec {
  if (spec.type !== 'headings' || document.isRecord) return spec;
  const name = document.id.slice(document.id.lastIndexOf('/') + 1);
  return hasMarkdownHeadings(name) ? spec : { type: 'words', size: spec.maxWords, overlap: 0 };
}
