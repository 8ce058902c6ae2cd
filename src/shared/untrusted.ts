/** Why nothing happens in a workspace that is not trusted: the same sentence in every panel, message and lens. */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../core/errors.ts';

/** A sentence. */
export function untrustedText(): string {
  return l10n.t('Parallax reads documents and runs native code, so it waits until you trust the folder.');
}

/** @throws ParallaxError `untrusted` where the workspace is not trusted */
export function requireTrust(trusted: boolean): void {
  if (!trusted) throw new ParallaxError('untrusted', untrustedText());
}
