/** Certificates and keys for encrypted connections, from the files in a store's settings. */
import * as l10n from '@vscode/l10n';
import { messageOf, ParallaxError } from '../../../core/errors.ts';
import type { TlsFiles } from '../../../core/external/store-fields.ts';
import { reasonOf } from '../../files/file-reason.ts';
import { readText } from '../../files/reading.ts';
import { requireUsable, type Credentials } from '../../network/http-client.ts';

/** A bundle of all public authorities has some 250 kB. */
const MAX_BYTES = 4 * 2 ** 20;

export const namesTlsFiles = ({ caFile, certFile, keyFile }: TlsFiles): boolean =>
  [caFile, certFile, keyFile].some((file) => file !== undefined);

/** @throws ParallaxError `bad-file` for files that cannot be read, are not PEM, or do not match */
export async function readTlsFiles({ caFile, certFile, keyFile }: TlsFiles): Promise<Credentials> {
  const [ca, cert, key] = await Promise.all([caFile, certFile, keyFile].map(readPem));
  const credentials = {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  };
  try {
    requireUsable(credentials);
  } catch (error) {
    const files = [certFile ?? keyFile ?? caFile, keyFile].filter((file) => file !== undefined);
    throw new ParallaxError(
      'bad-file',
      l10n.t`${[...new Set(files)].join(', ')}: no encrypted connection can be made with that (${messageOf(error)}).`,
      { cause: error },
    );
  }
  return credentials;
}

async function readPem(file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined;
  let text: string;
  try {
    text = await readText(file, { maxBytes: MAX_BYTES });
  } catch (error) {
    throw new ParallaxError('bad-file', l10n.t`${file} cannot be read: ${reasonOf(error)}.`, {
      cause: error,
    });
  }
  if (text.includes('-----BEGIN ')) return text;
  throw new ParallaxError('bad-file', l10n.t`${file} has neither a certificate nor a key in PEM.`);
}
