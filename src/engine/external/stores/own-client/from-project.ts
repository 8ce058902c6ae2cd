/**
 * Loads packages of the user's own project. Clients of some stores are too large to ship and must match the server's
 * version, so the project's client is loaded, in a separate process.
 */
import { createRequire } from 'node:module';
import path from 'node:path';
import { messageOf } from '../../../../core/errors.ts';
import { ClientError } from './fault.ts';

interface ProjectClient<Client> {
  readonly client: Client;
  /** Loads a package in the version that the client itself loads. @throws ClientError `no-package`, `bad-client` */
  readonly requires: (name: string) => unknown;
}

/**
 * @param folder of the project; absolute
 * @throws ClientError `no-client`, `no-package` for a package that the client needs, `bad-client`
 */
export function fromProject<Client>(folder: string, client: string): ProjectClient<Client> {
  let file: string;
  try {
    file = createRequire(path.join(folder, 'package.json')).resolve(client);
  } catch (error) {
    throw new ClientError('no-client', messageOf(error));
  }
  const load = createRequire(file);
  const requires = (name: string): unknown => {
    try {
      return load(name);
    } catch (error) {
      const missing = missingPackage(error);
      throw missing === undefined
        ? new ClientError('bad-client', messageOf(error))
        : new ClientError('no-package', missing);
    }
  };
  return { client: requires(file) as Client, requires };
}

/** @returns the name of a package that is not installed; `undefined` for any other error, such as a missing file */
function missingPackage(error: unknown): string | undefined {
  if (!(error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND')) return undefined;
  return /^Cannot find module '((?:@[\w.-]+\/)?[\w][\w.-]*)[/']/u.exec(error.message)?.[1];
}
