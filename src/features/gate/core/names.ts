/** Checks that all names in a gate exist. */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../../core/errors.ts';
import type { GateSpec } from './spec.ts';

export interface KnownNames {
  /** Pipelines that `gate.pipelines` may contain. */
  readonly pipelines: readonly string[];
  readonly corpora: readonly string[];
  readonly judges: readonly string[];
  readonly datasets: readonly NamedDataset[];
}

export interface NamedDataset {
  readonly name: string;
  /** Path relative to parallax.json. */
  readonly evalSet: string;
  readonly queries: readonly { readonly tags?: readonly string[] | undefined }[];
}

/** Eval sets may also be named by their path. */
export function isNamed(
  { name, evalSet }: Pick<NamedDataset, 'name' | 'evalSet'>,
  reference: string,
): boolean {
  return reference === name || reference === evalSet;
}

/**
 * Names of eval sets: the file name without folder and extension, or the path if two files have the same name.
 *
 * @param paths relative to parallax.json, with slashes
 */
export function evalSetNames(paths: readonly string[]): readonly string[] {
  const names = paths.map((file) => file.replace(/^.*\//u, '').replace(/(?<=.)(?:\.parallax)?\.[^.]*$/u, ''));
  return new Set(names).size === names.length ? names : paths;
}

/** @throws ParallaxError `bad-config` with the field, its value, and the existing names */
export function checkNames(spec: GateSpec, known: KnownNames): void {
  const { pipelines, corpora, judge, thresholds } = spec;
  const datasets = known.datasets.map(({ name }) => name);
  pipelines.forEach((name, place) => {
    const field = `pipelines.${place}`;
    mustBeKnown(field, 'pipeline', name, known.pipelines);
    if (pipelines.indexOf(name) < place)
      throw new ParallaxError(
        'bad-config',
        l10n.t`gate.${field}: the pipeline "${name}" occurs a second time.`,
      );
  });
  if (judge !== undefined) mustBeKnown('judge', 'judge', judge, known.judges);
  for (const [dataset, corpus] of Object.entries(corpora)) {
    if (!known.datasets.some((each) => isNamed(each, dataset)))
      throw unknown(`corpora.${dataset}`, 'eval set', dataset, datasets);
    mustBeKnown(`corpora.${dataset}`, 'corpus', corpus, known.corpora);
  }
  thresholds.forEach(({ pipeline, dataset, tag }, place) => {
    const field = `thresholds.${place}`;
    if (pipeline !== undefined) mustBeKnown(`${field}.pipeline`, 'pipeline of the gate', pipeline, pipelines);
    const matches = known.datasets.filter((each) => dataset === undefined || isNamed(each, dataset));
    if (matches.length === 0) throw unknown(`${field}.dataset`, 'eval set', dataset ?? '', datasets);
    if (tag === undefined) return;
    const tags = matches.flatMap(({ queries }) => queries.flatMap((query) => query.tags ?? []));
    mustBeKnown(`${field}.tag`, 'query with the tag', tag, tags);
  });
}

/** The kinds of things that are looked up by name. */
type Named = 'pipeline' | 'pipeline of the gate' | 'judge' | 'corpus' | 'eval set' | 'query with the tag';

function mustBeKnown(field: string, what: Named, name: string, known: readonly string[]): void {
  if (!known.includes(name)) throw unknown(field, what, name, known);
}

function unknown(field: string, what: Named, name: string, known: readonly string[]): ParallaxError {
  const names = [...new Set(known)].sort();
  const missing = thereIsNo(what, name);
  return new ParallaxError(
    'bad-config',
    names.length === 0
      ? l10n.t`gate.${field}: ${missing}; there is none at all.`
      : l10n.t`gate.${field}: ${missing}. Available: ${names.join(', ')}.`,
  );
}

function thereIsNo(what: Named, name: string): string {
  switch (what) {
    case 'pipeline':
      return l10n.t`there is no pipeline "${name}"`;
    case 'pipeline of the gate':
      return l10n.t`there is no pipeline of the gate "${name}"`;
    case 'judge':
      return l10n.t`there is no judge "${name}"`;
    case 'corpus':
      return l10n.t`there is no corpus "${name}"`;
    case 'eval set':
      return l10n.t`there is no eval set "${name}"`;
    case 'query with the tag':
      return l10n.t`there is no question with the tag "${name}"`;
  }
}
