/** By what a call finds passages, as the library's rules say. */
import type { Matching } from '../model.ts';
import { patternOf } from '../rules/pattern.ts';
import { dotted, originOf } from '../resolve/origin.ts';
import { holds } from '../resolve/parameters.ts';
import type { Asked } from '../resolve/path.ts';
import type { Match } from './match.ts';

/** Undefined where no rule applies, or where whether one does is not known. */
export function readMatching(asked: Asked, { rule, call, calledAs }: Match): Matching | undefined {
  const called = calledAs ?? calledName(asked, call);
  for (const { by, called: pattern, when } of rule.library.matching) {
    if (pattern !== undefined && !patternOf(pattern).test(called)) continue;
    const applies = holds(asked, when);
    if (applies === undefined) return undefined;
    if (applies) return by === 'children' ? undefined : by;
  }
  return undefined;
}

/** Under the name that it was imported by, where that is known: an alias says nothing. */
function calledName({ program }: Asked, { callee, node }: Match['call']): string {
  const origin = originOf(program, callee);
  if (origin?.kind === 'imported') return dotted(origin);
  const written = node.childForFieldName('function') ?? node.childForFieldName('constructor');
  return written?.text ?? '';
}
