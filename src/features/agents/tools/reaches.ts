/**
 * What pipelines and models of a configuration can access beyond the folder and the index: commands, endpoints, stores
 * and files. An agent reads foreign texts and may edit parallax.json because of them, so its additions are not used
 * before a person agrees.
 */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../../core/errors.ts';
import { externalParts, type Pipeline } from '../../../core/pipeline.ts';
import { needsOf } from '../../../core/pipeline-needs.ts';
import type { ParallaxConfig } from '../../../shared/config.ts';
import { short } from './answer.ts';

const MAX_NAMED = 5;
const MAX_OF_ONE = 200;
/** Judges and embedders that send nothing and read only shipped files. */
const OWN_TYPES: readonly string[] = ['labels', 'lexical', 'hashing', 'meaning'];

/** The resources of a pipeline, as JSON: equal resources have equal texts. */
export function pipelineReaches(pipeline: Pipeline): string[] {
  const { files, crossEncoders } = needsOf(pipeline);
  const models = crossEncoders.map(({ path, file }) => ({ path, file }));
  return [...externalParts(pipeline.retriever), ...models, ...files.map((file) => ({ file }))].map((reach) =>
    JSON.stringify(reach),
  );
}

/**
 * The resources of a whole configuration, without duplicates.
 *
 * @param everyRoot includes roots of corpora inside the folder, because one may be a link by the time it is read
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

/** The first resources as text, one per line. */
export function reachesText(reaches: readonly string[]): string {
  const named = reaches.slice(0, MAX_NAMED).map((reach) => short(reach, MAX_OF_ONE));
  const more = reaches.length - named.length;
  return [...named, ...(more > 0 ? [l10n.t`and ${more} more`] : [])].join('\n');
}

/** @param cure what a person can do, as a sentence */
export function notAgreed(reaches: readonly string[], cure: string): ParallaxError {
  const named = reachesText(reaches).replaceAll('\n', '; ');
  return new ParallaxError(
    'untrusted',
    l10n.t`parallax.json refers to resources that no user has approved: ${named}. Agents may not use them. ${cure}`,
  );
}

/** Decides by the text; checks every part, because patterns can have alternatives. */
function leadsOut(pattern: string): boolean {
  return /^(?:[/\\~]|[A-Za-z]:)/u.test(pattern) || /(?:^|[/\\{,(|])\.\.(?:[/\\},)|]|$)/u.test(pattern);
}
