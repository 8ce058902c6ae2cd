/** The eval sets of `parallax.json`, each with its corpus. */
import { isMeasured } from '../../../shared/eval-query.ts';
import { createHash } from 'node:crypto';
import { glob } from 'node:fs/promises';
import path from 'node:path';
import * as l10n from '@vscode/l10n';
import { counted } from '../../../core/counted.ts';
import { ParallaxError } from '../../../core/errors.ts';
import { evalSetPattern, mayMatchNothing } from '../../../core/formats/eval-set-pattern.ts';
import { EvalSetReading } from '../../../core/formats/queries.ts';
import { stableJson } from '../core/baseline.ts';
import { evalSetNames, isNamed } from '../core/names.ts';
import type { GateSpec } from '../core/spec.ts';
import type { Query } from '../../../core/model.ts';
import { missingCorpusText, storeOfPipelines } from '../../../core/pipeline-needs.ts';
import type { CorpusConfig, ParallaxConfig } from '../../../shared/config.ts';
import { globProblem } from '../../../core/text/glob-limits.ts';
import type { Boundary } from '../../../engine/files/boundary.ts';
import { readInputLines } from '../../../engine/files/read-input.ts';
import type { Read } from '../../../core/read.ts';
import type { gateDatasetSchema } from '../contract/requests.ts';

/** An eval set before its corpus is known. */
export type GateDataset = Omit<Read<typeof gateDatasetSchema>, 'corpus'>;

export interface NamedCorpus {
  readonly name: string;
  readonly config: CorpusConfig;
}

export interface ReadEvalSetsOptions {
  /** The folder that {@link GateDataset.file} is relative to. */
  readonly from: string;
  /** Called with a message about everything that is left out. */
  readonly warn: (warning: string) => void;
  /** The folder that neither patterns nor links may lead out of. */
  readonly boundary?: Boundary;
}

/**
 * @param base folder of parallax.json
 * @throws ParallaxError `bad-config` for a pattern that matches no file, or if there is no pattern; `bad-file`,
 *   `not-found`; `untrusted` for what lies beyond the boundary
 */
export async function readEvalSets(
  { evalSets }: Pick<ParallaxConfig, 'evalSets'>,
  base: string,
  { from, warn, boundary }: ReadEvalSetsOptions,
): Promise<GateDataset[]> {
  const paths = await matchingFiles(evalSets, base, boundary);
  const names = evalSetNames(paths);
  const datasets: GateDataset[] = [];
  for (const [place, evalSet] of paths.entries()) {
    const file = path.resolve(base, evalSet);
    const { queries, unreadable } = await readQueries(file, evalSet, { warn, boundary });
    const shown = path.relative(from, file).replaceAll(path.sep, '/');
    datasets.push({ name: names[place]!, evalSet, file: shown, queries, unreadable });
  }
  return datasets;
}

/** Relative to the base, with slashes, in order. */
async function matchingFiles(
  patterns: readonly string[],
  base: string,
  boundary: Boundary,
): Promise<string[]> {
  if (patterns.length === 0)
    throw new ParallaxError('bad-config', l10n.t('evalSets is empty; the gate needs questions.'));
  const files = new Set<string>();
  for (const [place, pattern] of patterns.entries()) {
    let matches = 0;
    const problem = globProblem(pattern);
    if (problem !== undefined) throw new ParallaxError('bad-config', l10n.t`evalSets.${place}: ${problem}`);
    // Rejected before the search, because a pattern that begins outside may walk the whole disk.
    if (boundary !== undefined && leadsOut(pattern)) throw notTrusted(place, pattern);
    for await (const file of glob(evalSetPattern(pattern), { cwd: base })) {
      files.add(file.replaceAll(path.sep, '/'));
      matches++;
    }
    if (matches === 0 && !mayMatchNothing(pattern)) throw unmatched(place, pattern);
  }
  if (files.size === 0) throw unmatched(0, patterns[0]!);
  return [...files].sort();
}

function unmatched(place: number, pattern: string): ParallaxError {
  return new ParallaxError('bad-config', l10n.t`evalSets.${place}: no file matches "${pattern}".`);
}

/** Whether a pattern may match files outside the folder that it starts from. */
function leadsOut(pattern: string): boolean {
  return pattern.includes('..') || path.isAbsolute(pattern);
}

function notTrusted(place: number, pattern: string): ParallaxError {
  return new ParallaxError(
    'untrusted',
    l10n.t`evalSets.${place}: "${pattern}" leads out of this folder. Parallax reads there only once you trust the workspace.`,
  );
}

async function readQueries(
  file: string,
  evalSet: string,
  { warn, boundary }: Pick<ReadEvalSetsOptions, 'warn' | 'boundary'>,
): Promise<Pick<GateDataset, 'queries' | 'unreadable'>> {
  // Read only once: two readings of a file that is being written may differ.
  const reading = new EvalSetReading(evalSet);
  const { queries, warnings } = await readInputLines(file, reading, file, { boundary });
  warnings.forEach(warn);
  const asked = queries.filter(isMeasured);
  if (asked.every(({ perspectives }) => perspectives.length === 0))
    throw new ParallaxError(
      'bad-file',
      l10n.t`No question of ${evalSet} has perspectives; there is nothing to cover.`,
    );
  const bare = queries.length - asked.length;
  if (bare > 0) warn(leftOutText(evalSet, bare));
  return {
    queries: asked.map((query) => ({
      ...query,
      line: reading.places.get(query.id),
      digest: digestOf(query),
    })),
    unreadable: shortened(warnings),
  };
}

function leftOutText(evalSet: string, queries: number): string {
  return counted(
    l10n.t(
      '{1}: {0} [0:question has no perspectives and is|questions have no perspectives and are] left out.',
    ),
    queries,
    evalSet,
  );
}

/** Shortens the messages: a truncated or half-merged file has one for each of its lines. */
export function shortened(sentences: readonly string[]): readonly string[] {
  const most = 10;
  if (sentences.length <= most) return sentences;
  return [...sentences.slice(0, most), l10n.t`… and ${sentences.length - most} more like these.`];
}

/** A digest of the question and what has to be covered. Tags and groups do not change it. */
function digestOf({ text, perspectives }: Query): string {
  const content = [
    text,
    perspectives.map(({ id, text: statement, document }) => [id, statement, ...(document ? [document] : [])]),
  ];
  return createHash('sha256').update(stableJson(content)).digest('hex').slice(0, 16);
}

/**
 * The corpus in which the queries of an eval set are searched.
 *
 * @throws ParallaxError `bad-config` if parallax.json has none
 */
export function corpusOf(
  dataset: Pick<GateDataset, 'name' | 'evalSet'>,
  { corpora }: Pick<GateSpec, 'corpora'>,
  config: ParallaxConfig,
): NamedCorpus {
  const chosen = Object.entries(corpora).find(([key]) => isNamed(dataset, key))?.[1];
  const name = chosen ?? config.corpus ?? Object.keys(config.corpora)[0];
  if (name === undefined)
    throw new ParallaxError(
      'bad-config',
      storeOfPipelines(config)
        ? missingCorpusText(config)
        : l10n.t('corpora is empty; the gate needs passages to retrieve.'),
    );
  const corpus = Object.hasOwn(config.corpora, name) ? config.corpora[name] : undefined;
  if (!corpus) throw new ParallaxError('bad-config', l10n.t`corpus: there is no corpus "${name}".`);
  return { name, config: corpus };
}
