/** Explains to a user why a store's own client cannot answer. */
import * as l10n from '@vscode/l10n';
import type { StoreTrouble } from '../store-calls.ts';
import type { ClientFault } from './fault.ts';

interface ProjectClient {
  /** The name of the store: `LanceDB`. */
  readonly name: string;
  /** The name of the package. */
  readonly client: string;
  /** The folder of the project that should have it. */
  readonly folder: string;
}

/**
 * @param detail by the client, shortened to what helps a user
 * @param store its name, at the beginning of the sentence
 */
export function clientTrouble(
  fault: Exclude<ClientFault, 'no-place'>,
  detail: string,
  store: string,
  { name, client, folder }: ProjectClient,
): StoreTrouble {
  switch (fault) {
    case 'no-client':
      return {
        sentence: l10n.t`${store} is read by ${name}'s own client, which ${folder} does not have: run "npm install ${client}" there, or name the folder of a project that has it as "client".`,
      };
    case 'no-package':
      return {
        sentence: l10n.t`${store} is read by ${name}'s own client, which needs the package ${detail}. ${folder} does not have it: run "npm install ${detail}" there.`,
      };
    case 'bad-client':
      return {
        sentence: l10n.t`${store} cannot be read: the client of ${name} in ${folder} could not be loaded (${detail}).`,
      };
    case 'unreachable':
      return { sentence: l10n.t`${store} could not be reached: ${detail}.` };
    case 'denied':
      return { sentence: l10n.t`${store} refuses access (${detail}); check the stored key.` };
    case 'too-large':
      return { sentence: l10n.t`${store} sent more than 128 MB.` };
    case 'refused':
      return { sentence: l10n.t`${store} refuses: ${detail}.` };
    case 'ended':
      return {
        sentence: l10n.t`${store} gave no answer: the process of its client ended (${detail}).`,
        passing: true,
      };
  }
}
