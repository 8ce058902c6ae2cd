/**
 * Whether a server address contains a secret. Used wherever addresses are read, stored or shown. Errs on the safe side:
 * an address that it cannot parse, or that others may parse differently, counts as containing one.
 */

/** `postgres://`, `postgresql+psycopg://`, `https://`, `s3://` */
const SCHEME = /^[a-z][a-z\d]{0,19}(?:\+\w{1,20})?:\/\//iu;
/** The beginning of an address while it is typed. */
const BEGINNING = /^[\w+]{0,40}:?\/?$/u;
/** One of several servers. IPv6 addresses are in brackets. */
const SERVER = /^(?:\[[\da-f:.%]{0,60}\]|[^:[\]]*)(?::\d{0,5})?$/iu;
const NAME = /[\w.-]{1,60}(?=\s{0,9}=)/gu;
const NAMES_SECRET = /pass|pwd|secret|token|credential|auth|key/iu;
/** Files and client options, which are harmless despite their names. */
const HARMLESS: ReadonlySet<string> = new Set([
  ...['sslkey', 'sslkeylogfile', 'passfile', 'require_auth'],
  ...['authsource', 'authmechanism', 'tlscertificatekeyfile'],
]);
/** Parameters whose values may contain `@`, which otherwise ends a password. */
const MAY_HOLD_AT = /^(?:user|options)=/u;

/** Whether an address or a connection string, possibly half typed, may contain a password or part of one. */
export function mayHoldSecret(address: string): boolean {
  const begins = SCHEME.exec(address);
  if (!begins) return !BEGINNING.test(address);
  const rest = address.slice(begins[0].length);
  if (/[\s#]/u.test(rest)) return true;
  const [place = '', ...query] = rest.split('?');
  const [servers = '', ...path] = place.split('/');
  return (
    query.length > 1 ||
    path.some((part) => part.includes('@')) ||
    serversMayHoldSecret(servers) ||
    parametersMayHoldSecret(query[0] ?? '')
  );
}

/** The part between scheme and path: `user:password@server:5432,other` */
function serversMayHoldSecret(text: string): boolean {
  const parts = text.split('@');
  const [user, servers] = parts.length === 1 ? ['', text] : parts;
  return (
    parts.length > 2 || user!.includes(':') || servers!.split(',').some((server) => !SERVER.test(server))
  );
}

function parametersMayHoldSecret(text: string): boolean {
  const misplaced = text.split('&').some((part) => part.includes('@') && !MAY_HOLD_AT.test(part));
  return misplaced || text.includes('://') || namesSecret(text) || namesSecret(decoded(text) ?? 'password=');
}

/** Whether a text contains a word for secrets, as in field names or lines like `password=…`. */
export const mayNameSecret = (text: string): boolean => NAMES_SECRET.test(text);

const namesSecret = (text: string): boolean =>
  (text.match(NAME) ?? []).some((name) => NAMES_SECRET.test(name) && !HARMLESS.has(name.toLowerCase()));

/**
 * Whether a character of a connection string's password ends a part too early. The rest of the password would be shown
 * as the database, and its beginning as the server.
 */
export function isTorn(address: string): boolean {
  const behindTheServer = address.replace(/^\w{1,40}:\/\/[^/?#]*/u, '').split(/[?&]/u);
  return behindTheServer.some(
    (part) => part.includes('@') && !/^(?:user|password|options)=[^#]*$/u.test(part),
  );
}

/** Whether a web address contains a user or a password. */
export function namesUser(address: string): boolean {
  if (/^[^:/?#@\\]{1,40}:[\\/]*[^\\/?#]*@/u.test(address)) return true;
  // URL parsers drop invisible characters.
  if (!URL.canParse(address)) return false;
  const { username, password } = new URL(address);
  return username !== '' || password !== '';
}

/** An address for messages, without its user and its parameters, which may contain keys. */
export function shownAddress(address: string): string {
  const [place = ''] = address.split(/[?#]/u, 1);
  return place.replace(/^([^:/@\\]{1,40}:[\\/]*)[^\\/]*@/u, '$1');
}

/** A percent-decoded part of an address. `undefined` if it is malformed. */
export function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
