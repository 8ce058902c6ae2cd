/** Splits documents into passages with ids. */
import type { SplitSpec } from '../../core/split/spec.ts';
import { eachPassage, fitsOnePassage, type SplitTools, type TextForm } from '../../core/split/split.ts';
import type { ExtractedDocument, NewPassage } from '../types.ts';
import { textFormOf } from './readers/table.ts';

/** Corpora that are already split keep their own passages, and so their ids, even if one is a bit longer. */
const RECORD_TOLERANCE = 1.5;

/**
 * The passages of a document in order, one by one, so that a long document can be split in steps. The id is the
 * document's own if the document stays whole (no splitting, or a record of up to 1.5 times the size), else
 * `document#p1`, `#p2` …
 *
 * @param tools from `splitToolsFor(spec)`
 */
export function* eachPassageOf(
  document: ExtractedDocument,
  spec: SplitSpec,
  tools: SplitTools,
): Generator<NewPassage> {
  const form = formOf(document);
  const suited = specFor(form, spec);
  const whole = document.isRecord && fitsOnePassage(document.text, suited, tools, RECORD_TOLERANCE);
  if (whole || suited.type === 'none')
    for (const passage of eachPassage(document.text, { type: 'none' })) yield { id: document.id, ...passage };
  else {
    let number = 0;
    for (const passage of eachPassage(document.text, suited, tools, form))
      yield { id: `${document.id}#p${++number}`, ...passage };
  }
}

function formOf({ id, text, isRecord, pages }: ExtractedDocument): TextForm {
  if (isRecord) return { headings: 'markdown' };
  return { ...textFormOf(id.slice(id.lastIndexOf('/') + 1), text), pages };
}

/** In source code and data, a line starting with `#` is a comment, so such files are split by words instead. */
function specFor({ headings = 'none' }: TextForm, spec: SplitSpec): SplitSpec {
  if (spec.type !== 'headings' || headings !== 'none') return spec;
  return { type: 'words', size: spec.maxWords, overlap: 0 };
}
