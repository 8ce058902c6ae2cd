/**
 * The configuration of the workspace: `parallax.json` or, without one, a corpus of the whole folder and the built-in
 * pipelines. Knows nothing of the editor.
 */
import path from 'node:path';
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../core/errors.ts';
import { parseCommentedJson } from '../../core/formats/commented-json.ts';
import { labelsPassagesOfWords } from '../../core/formats/labels.ts';
import { BUILT_IN_PIPELINES, type Pipeline } from '../../core/pipeline.ts';
import { describeIssue } from '../../core/schema-issue.ts';
import { BERDS_SPLIT, SECTIONS_SPLIT } from '../../core/split/spec.ts';
import type { Perspective } from '../../core/model.ts';
import { configSchema, corpusSchema, parseConfigJson, type ParallaxConfig } from '../../shared/config.ts';

export interface NamedPipeline {
  readonly name: string;
  readonly pipeline: Pipeline;
}

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

/** Where eval sets are looked for, and where new ones go, while nothing else is said. */
export const DEFAULT_EVAL_SETS = ['eval/*.parallax.jsonl'];

/**
 * The configuration of a folder that has no `parallax.json`: everything readable in it is the corpus.
 *
 * @param labels text of its labels file: where passages of 100 words were labelled, as they were the default once, they
 *   stay, since a label of a passage is found again by its text
 */
export function defaultConfig(folder: string, labels = ''): ParallaxConfig {
  const split = labelsPassagesOfWords(labels) ? BERDS_SPLIT : SECTIONS_SPLIT;
  return configSchema.parse({
    version: 2,
    evalSets: DEFAULT_EVAL_SETS,
    corpora: { [path.basename(folder) || 'workspace']: corpusSchema.parse({ roots: ['.'], split }) },
  });
}

/** The workspace's own pipelines, or the built-in ones. */
export function pipelinesOf(config: ParallaxConfig): readonly NamedPipeline[] {
  const named = Object.keys(config.pipelines).length > 0 ? config.pipelines : BUILT_IN_PIPELINES;
  return Object.entries(named).map(([name, pipeline]) => ({ name, pipeline }));
}

/** Statements typed by hand as perspectives; blank ones are left out. */
export function typedPerspectives(texts: readonly string[]): Perspective[] {
  return texts
    .map((text) => text.trim())
    .filter((text) => text.length > 0)
    .map((text, index) => ({ id: `p${index + 1}`, text }));
}
