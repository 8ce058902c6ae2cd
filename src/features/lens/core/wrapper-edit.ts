/** Declares a function of the workspace in parallax.json. */
import * as z from 'zod';
import type { Wrapper } from '../../../core/call-sites/wrappers.ts';
import { parseCommentedJson } from '../../../core/formats/commented-json.ts';
import { withValue } from '../../../core/formats/json-edit.ts';

/**
 * Adds the call to `sites.calls`, or replaces the one with this name. Keeps every other character.
 *
 * @param json a valid parallax.json; may have comments
 */
export function withWrapper(json: string, wrapper: Wrapper): string {
  const parsed = parseCommentedJson(json);
  const held = withCallsSchema.safeParse('value' in parsed ? parsed.value : undefined).data?.sites.calls;
  if (!held) return withValue(json, ['sites', 'calls'], [wrapper]);
  const at = held.findIndex(({ name }) => name === wrapper.name);
  return withValue(json, ['sites', 'calls', at], wrapper);
}

const withCallsSchema = z.object({ sites: z.object({ calls: z.array(z.object({ name: z.string() })) }) });
