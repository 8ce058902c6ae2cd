/** Variables that make a program load the hooks. Nothing else of it is changed. */
import { LIVE_VARIABLE } from './protocol.ts';

export interface HookPlaces {
  /** Path of the plan. */
  readonly plan: string;
  /** Address (`file:`) of media/live/node/register.mjs. */
  readonly node: string;
  /** Folder with `sitecustomize.py`. */
  readonly python: string;
  /** Parts the folders of a path: `:`, on Windows `;`. */
  readonly delimiter: string;
}

/** @param present the environment that the program has otherwise; what stands in its variables stays in force */
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
