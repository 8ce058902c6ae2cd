/**
 * A cheap check whether a document may contain a call that retrieves. Loaded with the first program; the rest is loaded
 * with the first program that passes. The search terms are generated from the rules.
 */
import { isTooLarge } from '../../../sites/limits.ts';
import { LIBRARIES, PROOFS } from './known-libraries.gen.ts';

/** The only places that name modules. */
const IMPORTS =
  /^[ \t>]*(?:from|import)[ \t][^\n]*|\bimport_module\([ \t]{0,2}["'][\w.]+|(?:\bfrom|\bimport|\brequire)\s*(?:\(\s*)?(?:'[^'\n]*'|"[^"\n]*")/gmu;
/** What precedes a module name. */
const BEFORE = String.raw`(?:\b(?:from|import)[ \t]+|,[ \t]*|["'](?:npm:|jsr:|https?://[^/'"]+/(?:v\d+/|stable/)?)?)`;
/** Matches a program that only runs retrievers made in other files of its workspace. */
const RETRIEVES = /retriev/iu;

let looks: readonly { readonly modules: RegExp; readonly calls: RegExp }[] | undefined;
let proof: RegExp | undefined;

export function mayRetrieve(text: string): boolean {
  if (isTooLarge(text)) return false;
  return RETRIEVES.test(text) || isImported(text) || isProven(text);
}

function isImported(text: string): boolean {
  const imports = text.match(IMPORTS)?.join('\n') ?? '';
  if (imports === '') return false;
  looks ??= LIBRARIES.map(([modules, calls]) => ({
    modules: new RegExp(`${BEFORE}(?:${modules})`, 'u'),
    calls: new RegExp(calls, 'u'),
  }));
  return looks.some(({ modules, calls }) => modules.test(imports) && calls.test(text));
}

function isProven(text: string): boolean {
  proof ??= new RegExp(PROOFS.join('|'), 'u');
  return proof.test(text);
}
