/** URLs of HTTP servers, in configuration and in user input. */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import { namesUser } from '../text/address-secrets.ts';

/** For URLs without user and password, as they are stored in shared files and would not be sent anyway. */
export const withoutUser = [
  (address: string): boolean => !namesUser(address),
  {
    error: (): string =>
      l10n.t('contains a user or a password before the server: keys are stored, not written here'),
  },
] as const;

export const endpointUrl = z.url().refine(...withoutUser);
