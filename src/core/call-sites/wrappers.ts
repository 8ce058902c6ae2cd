/** Retrieving functions of a workspace, declared in `parallax.json` in one line each. */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import type { Read } from '../read.ts';
import type { CallSiteRuleInput } from './schema.ts';

/** The default library name of such calls. */
const WORKSPACE = 'workspace';

const NAME = /^[\p{ID_Start}_$][\p{ID_Continue}$]*$/u;

/** `{"name": "search_docs", "k": "limit"}` */
export const wrapperSchema = z.strictObject({
  name: z
    .string()
    .regex(NAME, { error: () => l10n.t('must be the name of a function or method, such as "search_docs"') })
    .describe('Function or method of your own that retrieves.'),
  k: z
    .string()
    .regex(/^(?:#\d+|[\p{ID_Start}_$][\p{ID_Continue}$]*)$/u, {
      error: () => l10n.t('must be the name of an argument, or its position such as "#1" for the second'),
    })
    .optional()
    .describe('The argument that says how many, by name or by position ("#1" is the second).'),
  default: z.number().int().min(1).optional().describe('How many it returns when the call does not say.'),
  library: z.string().min(1).optional().describe('What it is shown under; "workspace" when left out.'),
});
export type Wrapper = Read<typeof wrapperSchema>;

/** Rules for calls of a module's function, an object's method, or the object itself. */
export function wrapperRules(wrappers: readonly Wrapper[]): readonly CallSiteRuleInput[] {
  return wrappers.map(({ name, k, default: usual, library = WORKSPACE }) => {
    const call = { names: [name], k: { from: k === undefined ? [] : pathsOf(k), default: usual } };
    return {
      library,
      languages: ['python', 'javascript'],
      calls: [
        { ...call, callee: 'function', options: 9 },
        { ...call, callee: 'method', distinctive: true, options: 9 },
      ],
    };
  });
}

/** In JavaScript the argument may be an entry of an options object in any position. */
function pathsOf(k: string): string[] {
  return k.startsWith('#') ? [k] : [k, `#1.${k}`, `#2.${k}`, `#0.${k}`];
}
