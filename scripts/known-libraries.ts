/**
 * Writes src/features/lens/host/known-libraries.gen.ts, with which the editor tests a text before any rule is loaded,
 * from the rules: `node scripts/known-libraries.ts`. Loading the rules themselves for every document would take too
 * long.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { format, type FormatConfig } from 'oxfmt';
import type { LibraryRules } from '../src/core/call-sites/schema.ts';
import { builtInRules } from '../src/sites/rules/library.ts';
import { isMain } from './lib/processes.mjs';
import { ROOT } from './lib/project.mjs';

export const FILE = 'src/features/lens/host/known-libraries.gen.ts';

/** The content of the generated file. */
export async function knownLibraries(): Promise<string> {
  const rules = builtInRules();
  const imported = rules.filter(({ imports }) => imports.length > 0).map(lookOf);
  const proofs = [...new Set(rules.flatMap(proofsOf))];
  const text = `/** Written by scripts/known-libraries.ts from the rules of src/sites/rules. */

/** Modules of the libraries, and what is called of them; both are sources of regular expressions. */
export const LIBRARIES: readonly (readonly [modules: string, calls: string])[] = ${JSON.stringify(imported)};

/** Signs of a search without an import. */
export const PROOFS: readonly string[] = ${JSON.stringify(proofs)};
`;
  const style = JSON.parse(readFileSync(path.join(ROOT, '.oxfmtrc.json'), 'utf8')) as FormatConfig;
  const { code, errors } = await format(FILE, text, style);
  if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join('\n'));
  return code;
}

/** For a library with calls that are not recognised by name, every text with the import passes. */
function lookOf({ imports, calls }: LibraryRules): [string, string] {
  const isByName = calls.every(
    ({ callee, named }) => callee !== 'sql' && callee !== 'url' && named === undefined,
  );
  return [
    imports
      .map((root) => (root.endsWith('*') ? escaped(root.slice(0, -1)) : `${escaped(root)}(?![\\w-])`))
      .join('|'),
    isByName ? [...new Set(calls.flatMap(({ names }) => names.map(lastName)))].map(escaped).join('|') : '',
  ];
}

function proofsOf({ imports, mentions, calls }: LibraryRules): readonly string[] {
  const names = calls.flatMap((call) => (call.unmistakable ? call.names : []));
  const texts = calls.flatMap(({ callee, contains, carries, names: called }) => {
    if (contains !== undefined) return imports.length === 0 || callee === 'sql' ? [contains] : [];
    if (imports.length > 0) return [];
    const call = `\\b(?:${called.map(escaped).join('|')})\\(`;
    // If the pattern is for all arguments together, they may come from another file.
    const isHere = carries !== undefined && !carries.startsWith('^');
    return [isHere ? `^(?=[^]*?${call})(?=[^]*?(?:${carries}))` : call];
  });
  return [
    ...(mentions === undefined ? [] : [mentions]),
    ...(names.length > 0 ? [`\\.(?:${names.map(escaped).join('|')})\\(`] : []),
    ...texts,
  ];
}

function lastName(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/gu, '\\$&');
}

if (isMain(import.meta.url)) writeFileSync(path.join(ROOT, FILE), await knownLibraries());
