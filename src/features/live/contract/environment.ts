/** Environment variables with which a program loads the hooks. They change nothing else. */
import { LIVE_VARIABLE } from './protocol.ts';

export interface HookPlaces {
  /** Path of the plan. */
  readonly plan: string;
  /** `file:` URL of media/live/node/register.mjs. */
  readonly node: string;
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
  const options = `--import=${softly(node)}`;
  const pythonPath = present['PYTHONPATH'] ?? '';
  return {
    [LIVE_VARIABLE]: plan,
    NODE_OPTIONS: [options, present['NODE_OPTIONS'] ?? ''].filter((part) => part !== '').join(' '),
    PYTHONPATH: [python, pythonPath].filter((part) => part !== '').join(delimiter),
  };
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
