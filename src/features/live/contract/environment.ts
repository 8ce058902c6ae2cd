/** Environment variables with which a program loads the hooks. They change nothing else. */
import * as l10n from '@vscode/l10n';
import { LIVE_VARIABLE } from './protocol.ts';

export interface HookPlaces {
  /** Path of the plan. */
  readonly plan: string;
  /** `file:` URL of media/live/node/register.mjs. `undefined` if programs of Node do not get the hooks. */
  readonly node: string | undefined;
  /** Folder with `sitecustomize.py`. */
  readonly python: string;
  /** Separates the folders of a path variable: `:`, or `;` on Windows. */
  readonly delimiter: string;
}

/** The variables of new terminals: those of the editor, changed by the setting `terminal.integrated.env`. */
export function terminalVariables(
  present: Readonly<Record<string, string | undefined>>,
  setting: Readonly<Record<string, string | null>> = {},
): Readonly<Record<string, string | undefined>> {
  return {
    ...present,
    ...Object.fromEntries(Object.entries(setting).map(([name, value]) => [name, value ?? undefined])),
  };
}

/** @param present the environment of the program; its values are kept */
export function liveEnvironment(
  { plan, node, python, delimiter }: HookPlaces,
  present: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const pythonPath = present['PYTHONPATH'] ?? '';
  const nodeOptions = present['NODE_OPTIONS'] ?? '';
  return {
    [LIVE_VARIABLE]: plan,
    ...(node === undefined ? {} : { NODE_OPTIONS: `--import=${softly(node)} ${nodeOptions}`.trimEnd() }),
    PYTHONPATH: [python, pythonPath].filter((part) => part !== '').join(delimiter),
  };
}

/** @returns whether a version of Node, such as `v18.17.1`, ends programs that get the hooks, or cannot load them */
export function isTooOld(version: string): boolean {
  const [major = 0, minor = 0] = version.replace('v', '').split('.').map(Number);
  return major < 18 || (major === 18 && minor < 19);
}

export function tooOldText(version: string): string {
  return l10n.t`Programs of Node run as they are: their Node is ${version}, and only 18.19 or newer is observed.`;
}

/**
 * An import that fails without ending the program: the file is gone after an update of the extension, and programs
 * with Node's permission model may not read it. Without blanks and quotes, as programs split NODE_OPTIONS.
 */
function softly(url: string): string {
  const code = encodeURIComponent(`await import(${JSON.stringify(url)}).catch(()=>0)`);
  const hex = (character: string): string => `%${character.charCodeAt(0).toString(16)}`;
  return `data:text/javascript,${code.replaceAll(/[!'()*]/gu, hex)}`;
}
