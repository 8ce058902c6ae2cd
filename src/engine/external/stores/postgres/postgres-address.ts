/** The address and credentials of a PostgreSQL server, from fields, a connection string, and the stored key. */
import * as l10n from '@vscode/l10n';
import { parse } from 'pg-connection-string';
import { ParallaxError } from '../../../../core/errors.ts';
import type { POSTGRES_SSL_MODES, PostgresRetriever } from '../../../../core/external/stores/postgres.ts';
import type { TlsFiles } from '../../../../core/external/store-fields.ts';
import { isTorn } from '../../../../core/text/address-secrets.ts';

export interface PostgresAddress extends TlsFiles {
  /** A name, or the folder of a Unix socket. */
  readonly host: string;
  readonly port: number;
  /** Defaults to PGDATABASE and PGUSER. */
  readonly database: string | undefined;
  readonly user: string | undefined;
  /** Defaults to PGPASSWORD. */
  readonly password: string | undefined;
  readonly ssl: SslMode;
  /** Options of the server's command line, which some hosts require. */
  readonly options: string | undefined;
}

type Given = { readonly [K in keyof PostgresAddress]?: PostgresAddress[K] };

/** Whether a connection is encrypted, and whether the server's certificate is checked. */
type SslMode = 'off' | 'encrypt' | 'verify';

/** The modes of libpq. `verify-ca` checks the names of servers, too. */
const SSL_MODES: Readonly<Record<(typeof POSTGRES_SSL_MODES)[number], SslMode>> = {
  disable: 'off',
  // In libpq, these two allow plain text if a server has no encryption. Here they require encryption.
  allow: 'encrypt',
  prefer: 'encrypt',
  require: 'encrypt',
  'no-verify': 'encrypt',
  'verify-ca': 'verify',
  'verify-full': 'verify',
};

/** Other clients have `ssl` instead of `sslmode`, with these additional values. */
const SSL_FLAGS: Readonly<Record<string, SslMode>> = { true: 'verify', 1: 'verify', false: 'off', 0: 'off' };

/**
 * A stored secret has priority over the connection string, and that over the fields.
 *
 * @param secret a password, or a connection string
 * @throws ParallaxError `bad-config` for a connection string that cannot be read
 */
export function postgresAddress(spec: PostgresRetriever, secret: string | undefined): PostgresAddress {
  const stored = secret !== undefined && isAddress(secret) ? fromText(secret) : { password: secret };
  const { host, port, database, user, ssl, caFile, certFile, keyFile, url } = spec;
  const mode = ssl in SSL_MODES ? SSL_MODES[ssl as keyof typeof SSL_MODES] : (ssl as SslMode);
  const fields = { host, port, database, user, ssl: mode, caFile, certFile, keyFile };
  const settings = { ...fields, ...(url === undefined ? {} : fromText(url)), ...withoutGaps(stored) };
  const address = { password: undefined, options: undefined, ...settings };
  const named = [address.caFile, address.certFile, address.keyFile].some((file) => file !== undefined);
  return named && address.ssl === 'off' ? { ...address, ssl: 'verify' } : address;
}

const isAddress = (text: string): boolean => /^postgres(?:ql)?:\/\//u.test(text);

function fromText(text: string): Given {
  try {
    return parsed(text);
  } catch (error) {
    if (ParallaxError.is(error)) throw error;
    // Without the cause, which may quote a password.
    throw new ParallaxError(
      'bad-config',
      l10n.t(
        'A connection string of PostgreSQL cannot be read: in its user and password, characters such as @, / and ? are written as %40, %2F and %3F.',
      ),
    );
  }
}

/** The parser itself reads files that a connection string names, so these parts are removed before. */
function parsed(text: string): Given {
  const [place = '', query = ''] = text.split('?');
  const parameters = new URLSearchParams(query);
  const take = (name: string): string | undefined => {
    const value = parameters.get(name) ?? undefined;
    parameters.delete(name);
    return value;
  };
  const [mode, caFile, certFile, keyFile] = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey'].map(take);
  const [otherMode, negotiation] = ['ssl', 'sslnegotiation'].map(take);
  const { host, port, database, user, password, options } = parse(`${place}?${parameters.toString()}`);
  if (isTorn(text)) throw new Error('A password is taken for something else.');
  return withoutGaps({
    host,
    port: port ? Number(port) : undefined,
    database,
    user,
    password,
    options,
    ssl: sslOf(mode ?? otherMode ?? (negotiation === 'direct' ? 'require' : undefined)),
    // Without a file, the system's authorities are used.
    caFile: caFile === 'system' ? undefined : caFile,
    certFile,
    keyFile,
  });
}

function sslOf(mode: string | undefined): SslMode | undefined {
  if (mode === undefined) return undefined;
  const ssl = new Map(Object.entries({ ...SSL_MODES, ...SSL_FLAGS })).get(mode);
  if (ssl !== undefined) return ssl;
  throw new ParallaxError(
    'bad-config',
    l10n.t`A connection string of PostgreSQL has the sslmode "${mode}", which does not exist. Use one of ${Object.keys(SSL_MODES).join(', ')}.`,
  );
}

function withoutGaps(settings: Readonly<Record<string, unknown>>): Given {
  return Object.fromEntries(
    Object.entries(settings).filter(([, value]) => value !== undefined && value !== null && value !== ''),
  );
}
