/** The URI query that identifies an extracted document. Independent of the editor. */
import * as z from 'zod';
import type { Read } from '../../core/read.ts';

const documentSchema = z.object({ corpus: z.string(), documentId: z.string() });
export type ExtractedDocument = Readonly<Read<typeof documentSchema>>;

export function queryOf({ corpus, documentId }: ExtractedDocument): string {
  return JSON.stringify({ corpus, documentId });
}

/** @returns `undefined` for a query that {@link queryOf} did not write */
export function documentNamedBy(query: string): ExtractedDocument | undefined {
  try {
    return documentSchema.safeParse(JSON.parse(query)).data;
  } catch {
    // Any caller can write a URI of this scheme.
    return undefined;
  }
}
