/**
 * A look at a document that costs next to nothing: whether it may hold a call that retrieves. It is loaded with the first
 * program, everything else with the first one that passes. What is looked for is written from the rules.
 */
import { isTooLarge } from '../../sites/limits.ts';
import { LIBRARIES, PROOFS } from './known-libraries.gen.ts';

/** Only what stands there names a module. */
const IMPORTS =
  /^[ \t>]*(?:from|import)[ \t][^\n]*|\bimport_module\([ \t]{0,2}["'][\w.]+|(?:\bfrom|\bimport|\brequire)\s*(?:\(\s*)?(?:'[^'\n]*'|"[^"\n]*")/gmu;
/** Stands before a module. */
const BEFORE = String.raw`(?:\b(?:from|import)[ \t]+|,[ \t]*|["'](?:npm:|jsr:|https?://[^/'"]+/(?:v\d+/|stable/)?)?)`;
/** A program that only runs what other files of its workspace make says so. */
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
