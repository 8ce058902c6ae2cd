/** Addresses of servers that are asked over HTTP, in configuration and where a user types them. */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import { namesUser } from '../text/address-secrets.ts';

/** For addresses that no user and no password may stand in: they are files that others read, and nobody sends these. */
export const withoutUser = [
  (address: string): boolean => !namesUser(address),
  {
    error: (): string =>
      l10n.t('contains a user or a password before the server: keys are stored, not written here'),
  },
] as const;

export const endpointUrl = z.url().refine(...withoutUser);
