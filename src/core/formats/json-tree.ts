/**
 * The one way to the trees of jsonc-parser, which takes a text apart level by level and overflows the stack over one that is
 * nested without end: levels are counted before.
 */
import * as l10n from '@vscode/l10n';
import {
  applyEdits,
  createScanner,
  getLocation,
  modify,
  parseTree,
  type Location,
  type ModificationOptions,
  type Node,
  type ParseError,
  type ParseOptions,
} from 'jsonc-parser';
import { ParallaxError } from '../errors.ts';

/** Nobody nests so deep by hand, and whatever reads a tree has the stack for it. */
export const MOST_LEVELS = 100;

/** Where a text is nested deeper than {@link MOST_LEVELS}. */
export function tooDeepAt(json: string): number | undefined {
  const scanner = createScanner(json, true);
  let levels = 0;
  for (scanner.scan(); scanner.getTokenOffset() < json.length; scanner.scan()) {
    const sign = json[scanner.getTokenOffset()]!;
    if ('[{'.includes(sign)) levels++;
    if (']}'.includes(sign)) levels--;
    if (levels > MOST_LEVELS) return scanner.getTokenOffset();
  }
  return undefined;
}

/** @returns nothing for a text that holds no value, or is nested too deep */
export function treeOf(json: string, errors: ParseError[] = [], options?: ParseOptions): Node | undefined {
  return tooDeepAt(json) === undefined ? parseTree(json, errors, options) : undefined;
}

/** @throws ParallaxError `bad-file` for a text that is nested too deep to be changed in place */
export function treeToEdit(json: string): Node | undefined {
  requireShallow(json);
  return parseTree(json);
}

/** Where an offset is in a text; at its beginning where that is nested too deep. */
export function locationIn(json: string, offset: number): Location {
  return tooDeepAt(json) === undefined ? getLocation(json, offset) : getLocation('', 0);
}

/** @throws ParallaxError as {@link treeToEdit} */
export function modified(
  json: string,
  path: readonly (string | number)[],
  value: unknown,
  options: ModificationOptions = {},
): string {
  requireShallow(json);
  return applyEdits(json, modify(json, [...path], value, options));
}

function requireShallow(json: string): void {
  if (tooDeepAt(json) !== undefined)
    throw new ParallaxError(
      'bad-file',
      l10n.t`It is nested more than ${MOST_LEVELS} levels deep, and cannot be changed in place.`,
    );
}
