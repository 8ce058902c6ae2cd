/**
 * Whether an address of a server holds a secret: the one reader of it, wherever addresses are taken, stored or shown. It
 * errs to the safe side: what it cannot make out, or would be read otherwise by somebody else, may hold one.
 */

/** `postgres://`, `postgresql+psycopg://`, `https://`, `s3://` */
const SCHEME = /^[a-z][a-z\d]{0,19}(?:\+\w{1,20})?:\/\//iu;
/** The beginning of an address as it is typed. */
const BEGINNING = /^[\w+]{0,40}:?\/?$/u;
/** One server of several; the address of version 6 in brackets. */
const SERVER = /^(?:\[[\da-f:.%]{0,60}\]|[^:[\]]*)(?::\d{0,5})?$/iu;
const NAME = /[\w.-]{1,60}(?=\s{0,9}=)/gu;
const NAMES_SECRET = /pass|pwd|secret|token|credential|auth|key/iu;
/** Files, and what a client asks of a server. */
const HARMLESS: ReadonlySet<string> = new Set([
  ...['sslkey', 'sslkeylogfile', 'passfile', 'require_auth'],
  ...['authsource', 'authmechanism', 'tlscertificatekeyfile'],
]);
/** Parameters whose values may hold the sign that otherwise ends a password. */
const MAY_HOLD_AT = /^(?:user|options)=/u;

/** Whether a password, or a part of one, may stand in an address or a connection string, whole or half typed. */
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

/** Between the user and the server: `user:password@server:5432,other` */
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

/** Whether a text has a word by which secrets are called, as names of fields do and a line of `password=…`. */
export const mayNameSecret = (text: string): boolean => NAMES_SECRET.test(text);

const namesSecret = (text: string): boolean =>
  (text.match(NAME) ?? []).some((name) => NAMES_SECRET.test(name) && !HARMLESS.has(name.toLowerCase()));

/**
 * Whether a character of a connection string's password ended the part that it stands in: the rest of it would be shown as
 * the database, and what stands before it as the server.
 */
export function isTorn(address: string): boolean {
  const behindTheServer = address.replace(/^\w{1,40}:\/\/[^/?#]*/u, '').split(/[?&]/u);
  return behindTheServer.some(
    (part) => part.includes('@') && !/^(?:user|password|options)=[^#]*$/u.test(part),
  );
}

/** Whether a user or a password stands before the server of an address on the web. */
export function namesUser(address: string): boolean {
  if (/^[^:/?#@\\]{1,40}:[\\/]*[^\\/?#]*@/u.test(address)) return true;
  // Signs that nobody sees are left out by whoever reads it.
  if (!URL.canParse(address)) return false;
  const { username, password } = new URL(address);
  return username !== '' || password !== '';
}

/** An address as messages may show it: without a user, and without parameters, among which keys may stand. */
export function shownAddress(address: string): string {
  const [place = ''] = address.split(/[?#]/u, 1);
  return place.replace(/^([^:/@\\]{1,40}:[\\/]*)[^\\/]*@/u, '$1');
}

/** A part of an address as it is meant; undefined where it cannot be. */
export function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
