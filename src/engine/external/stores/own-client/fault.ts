/** Reasons why a store's own client does not answer. */

/**
 * `no-client`: it is not installed. `no-package`: a package that it needs is not. `bad-client`: it cannot be loaded. `no-place`: what is searched is not there.
 * `unreachable`: nothing answers where it looks. `denied`: whoever asks may not. `refused`: what the store itself says.
 * `ended`: its process did.
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

  /** @param said by the client, or whatever kept it from saying anything */
  constructor(fault: ClientFault, said: string) {
    super(said);
    this.fault = fault;
  }
}
