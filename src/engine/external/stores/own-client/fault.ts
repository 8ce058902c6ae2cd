/** Reasons why a store's own client does not answer. */

/**
 * `no-client`: it is not installed. `no-package`: a package that it needs is not installed.
 * `bad-client`: it cannot be loaded. `no-place`: the searched table or collection does not exist.
 * `unreachable`: no server answers. `denied`: the user has no permission.
 * `too-large`: the answer exceeds its limit. `refused`: any other error of the store. `ended`: its process ended.
 */
export type ClientFault =
  | 'no-client'
  | 'no-package'
  | 'bad-client'
  | 'no-place'
  | 'unreachable'
  | 'denied'
  | 'too-large'
  | 'refused'
  | 'ended';

export class ClientError extends Error {
  override readonly name = 'ClientError';
  readonly fault: ClientFault;

  /** @param message by the client, or by what failed before it */
  constructor(fault: ClientFault, message: string) {
    super(message);
    this.fault = fault;
  }
}
