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

/** @param present the environment of the program; its values are kept */
export function liveEnvironment(
  { plan, node, python, delimiter }: HookPlaces,
  present: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const options = `--import=${node}`;
  const pythonPath = present['PYTHONPATH'] ?? '';
  return {
    [LIVE_VARIABLE]: plan,
    NODE_OPTIONS: [options, present['NODE_OPTIONS'] ?? ''].filter((part) => part !== '').join(' '),
    PYTHONPATH: [python, pythonPath].filter((part) => part !== '').join(delimiter),
  };
}
