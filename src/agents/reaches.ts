/**
 * What a configuration lets its pipelines and models reach beyond the folder and the index: commands, endpoints, stores and
 * files. An agent reads texts that others wrote, and may edit parallax.json because of them: what it adds there is not used
 * before a person agrees.
 */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../core/errors.ts';
import { externalParts, type Pipeline } from '../core/pipeline.ts';
import { needsOf } from '../core/pipeline-needs.ts';
import type { ParallaxConfig } from '../shared/config.ts';
import { short } from './answer.ts';

const MOST_NAMED = 5;
const MOST_OF_ONE = 200;
/** Judges and embedders that send nothing and read only what ships. */
const OWN_TYPES: readonly string[] = ['labels', 'lexical', 'hashing', 'meaning'];

/** Of a pipeline, as JSON: equal resources have equal texts. */
export function pipelineReaches(pipeline: Pipeline): string[] {
  const { files, crossEncoders } = needsOf(pipeline);
  const models = crossEncoders.map(({ path, file }) => ({ path, file }));
  return [...externalParts(pipeline.retriever), ...models, ...files.map((file) => ({ file }))].map((reach) =>
    JSON.stringify(reach),
  );
}

/**
 * Of a whole configuration, each once.
 *
 * @param everyRoot roots of corpora within the folder as well: one may be a link by the time that it is read
 */
export function configReaches(
  { pipelines, judges, embedders, corpora, evalSets }: ParallaxConfig,
  everyRoot: boolean,
): ReadonlySet<string> {
  const models = [...Object.values(judges), ...Object.values(embedders)].filter(
    ({ type }) => !OWN_TYPES.includes(type),
  );
  const sources = Object.values(corpora).flatMap(({ roots, store, followSymlinks }) => [
    ...roots
      .filter((root) => everyRoot || followSymlinks || leadsOut(root))
      .map((root) => ({ root, followSymlinks })),
    ...(store ? [store] : []),
  ]);
  const outside = evalSets.filter(leadsOut).map((evalSet) => ({ evalSet }));
  return new Set([
    ...Object.values(pipelines).flatMap(pipelineReaches),
    ...[...models, ...sources, ...outside].map((reach) => JSON.stringify(reach)),
  ]);
}

/** For people and for agents: one line each, the first ones. */
export function reachesText(reaches: readonly string[]): string {
  const named = reaches.slice(0, MOST_NAMED).map((reach) => short(reach, MOST_OF_ONE));
  const more = reaches.length - named.length;
  return [...named, ...(more > 0 ? [l10n.t`and ${more} more`] : [])].join('\n');
}

/** @param cure what a person can do, a sentence */
export function notAgreed(reaches: readonly string[], cure: string): ParallaxError {
  const named = reachesText(reaches).replaceAll('\n', '; ');
  return new ParallaxError(
    'untrusted',
    l10n.t`parallax.json names what no person has agreed to: ${named}. Agents may not use it. ${cure}`,
  );
}

/** By name; every part counts, since patterns may begin anywhere. */
function leadsOut(pattern: string): boolean {
  return /^(?:[/\\~]|[A-Za-z]:)/u.test(pattern) || /(?:^|[/\\{,(|])\.\.(?:[/\\},)|]|$)/u.test(pattern);
}
