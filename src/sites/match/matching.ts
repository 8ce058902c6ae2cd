/** How a call finds passages, according to the library's rules. */
import type { Matching } from '../model.ts';
import { patternOf } from '../rules/pattern.ts';
import { dotted, originOf } from '../resolve/origin.ts';
import { holds } from '../resolve/parameters.ts';
import type { CallContext } from '../resolve/path.ts';
import type { Match } from './match.ts';

/** `undefined` if no rule applies, or if it is unknown whether one does. */
export function readMatching(
  callContext: CallContext,
  { rule, call, calledAs }: Match,
): Matching | undefined {
  const called = calledAs ?? calledName(callContext, call);
  for (const { by, called: pattern, when } of rule.library.matching) {
    if (pattern !== undefined && !patternOf(pattern).test(called)) continue;
    const applies = holds(callContext, when);
    if (applies === undefined) return undefined;
    if (applies) return by === 'children' ? undefined : by;
  }
  return undefined;
}

/** The imported name if known, because an alias has no meaning. */
function calledName({ program }: CallContext, { callee, node }: Match['call']): string {
  const origin = originOf(program, callee);
  if (origin?.kind === 'imported') return dotted(origin);
  const written = node.childForFieldName('function') ?? node.childForFieldName('constructor');
  return written?.text ?? '';
}
