/** The address and credentials of a MongoDB server, from a connection string and the stored key. */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../../../core/errors.ts';
import { MONGO_HERE, type MongoRetriever } from '../../../../core/external/stores/mongodb.ts';
import { decoded } from '../../../../core/text/address-secrets.ts';

export interface MongoAddress {
  /** Includes the password. */
  readonly url: string;
  /** The servers, for messages. */
  readonly servers: string;
  readonly password: string | undefined;
}

const PARTS =
  /^(?<scheme>mongodb(?:\+srv)?:\/\/)(?:(?<user>[^:@/?#]+)(?::(?<password>[^:@/?#]*))?@)?(?<servers>[^@/?#]+)(?<rest>\/[^?@#]*)?(?<query>\?[^@#]*)?$/u;

/**
 * A stored secret has priority over the connection string.
 *
 * @param secret a password, or a connection string
 * @throws ParallaxError `bad-config` for a connection string that cannot be read, or accepts no password
 */
export function mongoAddress(
  { url: named = MONGO_HERE }: Pick<MongoRetriever, 'url'>,
  secret: string | undefined,
): MongoAddress {
  const isWhole = secret !== undefined && /^mongodb(?:\+srv)?:\/\//u.test(secret);
  const text = isWhole ? secret : named;
  const { scheme, user, password, servers, rest, query } = partsOf(text);
  if (isWhole || secret === undefined) return { url: text, servers, password };
  if (user === undefined)
    throw new ParallaxError(
      'bad-config',
      l10n.t`The connection string of MongoDB at ${servers} has no user for the stored password. Write mongodb://user@…`,
    );
  const signed = `${scheme}${user}:${encodeURIComponent(secret)}@${servers}${rest}${query}`;
  return { url: signed, servers, password: secret };
}

interface Parts {
  readonly scheme: string;
  /** In its escaped form. */
  readonly user: string | undefined;
  /** Unescaped. */
  readonly password: string | undefined;
  readonly servers: string;
  readonly rest: string;
  readonly query: string;
}

/** @throws ParallaxError `bad-config` */
function partsOf(text: string): Parts {
  const { scheme, user, password = '', servers, rest = '/', query = '' } = PARTS.exec(text)?.groups ?? {};
  const plain = decoded(password);
  if (scheme !== undefined && servers !== undefined && plain !== undefined)
    return { scheme, user, password: plain === '' ? undefined : plain, servers, rest, query };
  // Without the text, which may contain a password.
  throw new ParallaxError(
    'bad-config',
    l10n.t(
      'A connection string of MongoDB cannot be read: in its user and password, characters such as @, / and ? are written as %40, %2F and %3F.',
    ),
  );
}
