/** Fields shared by stores. */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import { mayHoldSecret } from '../text/address-secrets.ts';
import { timeoutMs } from './timeout.ts';

/** Name of the embedder that the collection was built with. Queries are embedded with it. */
export const embedder = z.string().min(1);
/** Name of a stored key; command line: `<NAME>_API_KEY`. */
export const key = z.string().min(1).optional();
export const url = z.string().regex(/^https?:\/\/[^/?#\s@]+(\/[^?#\s@]*)?$/i, {
  error: () =>
    l10n.t('has to be http:// or https:// with host, port and path only; keys are stored, not written here'),
});
/** Files for encrypted connections in PEM format, relative to the folder of `parallax.json`. */
export const tlsFiles = {
  /** Certificate of the server's authority, if the system does not trust it. */
  caFile: z.string().min(1).optional(),
  /** The client certificate, if the server requires one, with its private key. The key must not have a password. */
  certFile: z.string().min(1).optional(),
  keyFile: z.string().min(1).optional(),
};
export type TlsFiles = { readonly [K in keyof typeof tlsFiles]?: string | undefined };

/** A connection string, as accepted by the server's own programs. Passwords are stored separately. */
const connectionString = (scheme: RegExp, begins: () => string): z.ZodString =>
  z
    .string()
    .regex(scheme, { error: begins })
    .refine((text) => !mayHoldSecret(text), {
      error: () =>
        l10n.t(
          'contains a password, or what may be one: take it out, and store it, or the whole connection string, as the key that "key" names (command line: the environment variable <NAME>_API_KEY)',
        ),
    });
export const postgresUrl = connectionString(/^postgres(?:ql)?:\/\//u, () =>
  l10n.t('has to begin with postgres://'),
);
export const mongoUrl = connectionString(/^mongodb(?:\+srv)?:\/\//u, () =>
  l10n.t('has to begin with mongodb:// or mongodb+srv://'),
);
/** A filter in the store's own language. Sent unchanged; queries are never inserted into it. */
export const filter = z.record(z.string(), z.json()).optional();
/** A filter for stores whose language is text. */
export const filterText = z.string().min(1).optional();
/** Breadth of the store's approximate search. Higher values find more and take longer. */
export const ef = z.number().int().min(1).max(10_000).optional();
/** The number of concurrent queries in an evaluation. */
export const connections = z.number().int().min(1).max(32).default(4);
/** Fields besides the address of stores that are accessed over HTTP. */
export const access = { key, ...tlsFiles, connections, timeoutMs };
export const share = z.number().min(0).max(1);

/** These are inserted into requests as names rather than values. */
export const columnName = z.string().regex(/^[A-Za-z_]\w{0,254}$/u, {
  error: () => l10n.t('has to be a name of letters, digits and _ that begins with a letter or _'),
});

/** Vector search needs the embedder that the vectors were made with. */
export function needsEmbedder({
  mode,
  embedder: named,
}: {
  mode: string;
  embedder?: string | undefined;
}): boolean {
  return mode === 'vector' || mode === 'hybrid' ? named !== undefined : true;
}
export const EMBEDDER_MISSING = {
  path: ['embedder'],
  error: () => l10n.t('is missing: modes "vector" and "hybrid" need the embedder that filled the collection'),
};
