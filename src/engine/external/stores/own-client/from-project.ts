/**
 * Packages of the user's own project. Clients of some stores are too large to ship, and come in versions that belong to a
 * server: that of the project is loaded, in a process that does nothing else.
 */
import { createRequire } from 'node:module';
import path from 'node:path';
import { messageOf } from '../../../../core/errors.ts';
import { ClientError } from './fault.ts';

/**
 * @param folder of the project; absolute
 * @param besides a package that the client itself loads: it has to be the one that the client knows
 * @throws ClientError `no-client`, `bad-client`
 */
export function fromProject<Client, Besides>(
  folder: string,
  client: string,
  besides: string,
): { readonly client: Client; readonly besides: Besides } {
  const load = createRequire(path.join(folder, 'package.json'));
  let file: string;
  try {
    file = load.resolve(client);
  } catch (error) {
    throw new ClientError('no-client', messageOf(error));
  }
  try {
    return { besides: createRequire(file)(besides) as Besides, client: load(file) as Client };
  } catch (error) {
    throw new ClientError('bad-client', messageOf(error));
  }
}
