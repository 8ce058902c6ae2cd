/** Reads `parallax.json` and typed perspectives for the editor. Independent of the editor. */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../core/errors.ts';
import { parseCommentedJson } from '../../core/formats/commented-json.ts';
import { describeIssue } from '../../core/schema-issue.ts';
import type { Perspective } from '../../core/model.ts';
import { parseConfigJson, type ParallaxConfig } from '../../shared/config.ts';

/**
 * Reads the text of `parallax.json`.
 *
 * @throws ParallaxError `bad-config` naming the first wrong field
 */
export function parseConfig(text: string): ParallaxConfig {
  const read = parseCommentedJson(text);
  if ('problem' in read)
    throw new ParallaxError('bad-config', l10n.t`parallax.json is not valid JSON: ${read.problem}.`);
  const json = read.value;
  const parsed = parseConfigJson(json);
  if (!parsed.success)
    throw new ParallaxError('bad-config', l10n.t`parallax.json: ${describeIssue(parsed.error, json)}`);
  return parsed.data;
}

/**
 * Text that is optional. A folder, a pipe or an oversized file in its place must not block the user: the engine reports
 * the problem when the labels are needed.
 */
export async function textWhereReadable(
  read: () => Promise<string | undefined>,
): Promise<string | undefined> {
  try {
    return await read();
  } catch {
    return undefined;
  }
}

/** Statements typed by hand, as perspectives; blank ones are left out. */
export function typedPerspectives(texts: readonly string[]): Perspective[] {
  return texts
    .map((text) => text.trim())
    .filter((text) => text.length > 0)
    .map((text, index) => ({ id: `p${index + 1}`, text }));
}
