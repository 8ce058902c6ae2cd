/** Why nothing happens in an untrusted workspace, as one sentence for panels, messages and lenses. */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../core/errors.ts';

export function untrustedText(): string {
  return l10n.t('Parallax reads documents and runs native code, so it waits until you trust the folder.');
}

/** @throws ParallaxError `untrusted` if the workspace is not trusted */
export function requireTrust(trusted: boolean): void {
  if (!trusted) throw new ParallaxError('untrusted', untrustedText());
}
