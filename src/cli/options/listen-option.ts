/** Parses the address at which a command listens for spans. */
import { isLoopback, MIN_TOKEN_LENGTH } from '../../features/capture/contract/listening.ts';
import { UsageError } from '../presentation/terminal.ts';

export interface Listening {
  readonly listen: {
    readonly host: string;
    readonly port: number;
    /** `undefined` if only programs of this machine can connect; the receiver then generates one. */
    readonly token?: string | undefined;
  };
}

/**
 * @param text `127.0.0.1:4318`, `[::1]:4318`
 * @throws UsageError for anything else, and for a public address without a token
 */
export function listenOption(text: string, token: string | undefined): Listening {
  const [, host = '', port = ''] = /^(.+):(\d{1,5})$/u.exec(text) ?? [];
  if (host === '' || Number(port) > 65_535)
    throw new UsageError(`--listen is an address and a port, such as 127.0.0.1:4318, not "${text}".`);
  const plain = host.replace(/^\[(.*)\]$/u, '$1');
  if (isLoopback(plain)) return { listen: { host: plain, port: Number(port) } };
  if (token === undefined || token.length < MIN_TOKEN_LENGTH)
    throw new UsageError(
      `Programs on other machines can reach ${host}: put a token of at least ${MIN_TOKEN_LENGTH} characters, which they ` +
        'have to send, into PARALLAX_CAPTURE_TOKEN.',
    );
  return { listen: { host: plain, port: Number(port), token } };
}
