/** Fields that stores have in common. */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import { mayHoldSecret } from '../text/address-secrets.ts';
import { timeoutMs } from './timeout.ts';

/** The name of the embedder that the collection was built with: queries become vectors by it. */
export const embedder = z.string().min(1);
/** Name of a stored key; command line: `<NAME>_API_KEY`. */
export const key = z.string().min(1).optional();
export const url = z.string().regex(/^https?:\/\/[^/?#\s@]+(\/[^?#\s@]*)?$/i, {
  error: () =>
    l10n.t('has to be http:// or https:// with host, port and path only; keys are stored, not written here'),
});
/** Files for encrypted connections, relative to the folder of `parallax.json`; PEM. */
export const tlsFiles = {
  /** Certificate of the authority that vouches for the server, where it is none that the system knows. */
  caFile: z.string().min(1).optional(),
  /** The client's own certificate, where the server wants one, and its private key, which no password protects. */
  certFile: z.string().min(1).optional(),
  keyFile: z.string().min(1).optional(),
};
export type TlsFiles = { readonly [K in keyof typeof tlsFiles]?: string | undefined };

/** A connection string, as the server's own programs take it. Passwords are stored, not written down. */
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
/** A filter in the store's own language. It is sent as it stands; no query is ever put into it. */
export const filter = z.record(z.string(), z.json()).optional();
/** The same, of stores whose language is a text. */
export const filterText = z.string().min(1).optional();
/** Breadth of the store's approximate search: higher finds more and takes longer. */
export const ef = z.number().int().min(1).max(10_000).optional();
/** How many queries of an evaluation it is asked at once. */
export const connections = z.number().int().min(1).max(32).default(4);
/** How a store that is asked over HTTP is reached, beside its address. */
export const access = { key, ...tlsFiles, connections, timeoutMs };
export const share = z.number().min(0).max(1);

/** They stand in requests as names, not as values. */
export const columnName = z.string().regex(/^[A-Za-z_]\w{0,254}$/u, {
  error: () => l10n.t('has to be a name of letters, digits and _ that begins with a letter or _'),
});

/** A search by vectors takes the embedder that the vectors were made with. */
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
  error: () =>
    l10n.t('is missing: modes "vector" and "hybrid" need the embedder that the collection was filled with'),
};
