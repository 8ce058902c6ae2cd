/** Reads one stored document again, to show it. */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../core/errors.ts';
import type { CorpusConfig } from '../../shared/config.ts';
import { numberedId, preferredId } from './document-ids.ts';
import { isInside } from '../files/boundary.ts';
import { openFile } from './read-file.ts';
import type { DraftDocument } from './readers/reader.ts';
import { findFile } from './walk.ts';

/** The location of a corpus, and how it is read. */
export interface CorpusSource {
  readonly base: string;
  readonly config: CorpusConfig;
  /** Whether reading outside of `base` is forbidden. */
  readonly fenced?: boolean | undefined;
}

/**
 * The text and title of a document as a scan would read them now.
 *
 * @param file absolute path of the document's file
 * @throws ParallaxError `not-found` if the file or the document within it is gone or cannot be read
 */
export async function readDocument(
  { base, config, fenced }: CorpusSource,
  file: string,
  documentId: string,
  signal?: AbortSignal,
): Promise<{ text: string; title: string }> {
  const entry = findFile(config, base, file);
  // The file may have become a link since it was indexed.
  if (!entry || !(await isInside(fenced ? base : undefined, file))) throw gone(documentId);
  try {
    const { items } = await openFile(entry, config, signal);
    for await (const item of items())
      if ('document' in item && isCalled(item.document, documentId, entry.relativePath))
        return { text: item.document.text, title: item.document.title };
  } catch (error) {
    throw new ParallaxError('not-found', l10n.t`${documentId} cannot be read any more. Update the index.`, {
      cause: error,
    });
  }
  throw gone(documentId);
}

/** Whether a scan gives the document this id. A number after `~` distinguishes documents with the same id. */
function isCalled(draft: DraftDocument, documentId: string, relativePath: string): boolean {
  const numbered = numberedId(draft, relativePath);
  return (
    [preferredId(draft, relativePath), numbered].includes(documentId) || documentId.startsWith(`${numbered}~`)
  );
}

function gone(documentId: string): ParallaxError {
  return new ParallaxError('not-found', l10n.t`${documentId} is no longer in the corpus. Update the index.`);
}
