/** Fields that stores have in common. */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';

/** Of the embedder that the collection was built with: queries become vectors by it. */
export const embedder = z.string().min(1);
/** Name of a stored key; command line: `<NAME>_API_KEY`. */
export const key = z.string().min(1).optional();
export const url = z.string().regex(/^https?:\/\/[^/?#\s@]+(\/[^?#\s@]*)?$/i, {
  error: () =>
    l10n.t('has to be http:// or https:// with host, port and path only; keys are stored, not written here'),
});
/** A filter in the store's own language. It is sent as it stands; no query is ever put into it. */
export const filter = z.record(z.string(), z.json()).optional();
/** The same, of stores whose language is a text. */
export const filterText = z.string().min(1).optional();
/** Breadth of the store's approximate search: higher finds more and takes longer. */
export const ef = z.number().int().min(1).max(10_000).optional();
export const share = z.number().min(0).max(1);
