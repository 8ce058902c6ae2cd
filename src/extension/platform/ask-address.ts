import * as vscode from 'vscode';
import { mayHoldSecret } from '../../core/text/address-secrets.ts';

export interface AskedAddress {
  readonly title: string;
  readonly prompt: string;
  readonly value: string;
  /** Returns a sentence if the address is invalid. */
  readonly problemOf: (address: string) => string | undefined;
  /** Accepts an address that is a folder instead of a server. Defaults to accepting none. */
  readonly isFolder?: (address: string) => boolean;
}

/**
 * Asks for the address of a server. Masks the input while it may contain a password.
 *
 * @returns `undefined` if the user cancels
 */
export function askForAddress({
  problemOf,
  isFolder = () => false,
  ...options
}: AskedAddress): Promise<string | undefined> {
  const box = Object.assign(vscode.window.createInputBox(), options, { ignoreFocusOut: true });
  const look = (): void => {
    const address = box.value.trim();
    box.password = !isFolder(address) && mayHoldSecret(address);
    box.validationMessage = problemOf(address);
  };
  look();
  box.onDidChangeValue(look);
  return new Promise((resolve) => {
    box.onDidAccept(() => {
      if (box.validationMessage !== undefined) return;
      resolve(box.value.trim());
      box.hide();
    });
    box.onDidHide(() => {
      resolve(undefined);
      box.dispose();
    });
    box.show();
  });
}
