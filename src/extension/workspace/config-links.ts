/** Finds references in parallax.json to other parts of it or to files, and those that are broken. Pure. */
import * as l10n from '@vscode/l10n';
import { BUILT_IN_EMBEDDERS } from '../../core/embedding/built-in.ts';
import type { JsonPath } from '../../core/formats/json-edit.ts';
import { evalSetNames } from '../../features/gate/core/names.ts';
import { isRecord } from '../../core/text/json.ts';
import { FILES_ONLY } from '../../shared/config.ts';
import { BUILT_IN_PIPELINES } from '../../core/pipeline.ts';
import { BUILT_IN_JUDGES } from '../../shared/named-judges.ts';

type Named = 'corpus' | 'judge' | 'embedder' | 'pipeline' | 'gate pipeline' | 'binding';

/** The places of names. `*` matches any key or index. */
const NAMES: readonly (readonly [pattern: string, what: Named])[] = [
  ['corpus', 'corpus'],
  ['gate.corpora.*', 'corpus'],
  ['judge', 'judge'],
  ['generator', 'judge'],
  ['gate.judge', 'judge'],
  ['judges.*.agents', 'judge'],
  ['judges.*.agents.*', 'judge'],
  ['judges.*.adjudicator', 'judge'],
  ['judges.*.judges.*', 'judge'],
  ['judges.*.then', 'judge'],
  ['judges.*.judge', 'judge'],
  ['pipelines.*.expansion.model', 'judge'],
  ['pipelines.*.projection.model', 'judge'],
  ['pipelines.*.rerank.*.model', 'judge'],
  ['pipelines.*.rerank.*.judge', 'judge'],
  ['pipelines.*.rerank.*.embedder', 'embedder'],
  ['pipelines.*.retriever.embedder', 'embedder'],
  ['pipelines.*.retriever.retrievers.*.embedder', 'embedder'],
  ['gate.pipelines.*', 'pipeline'],
  ['gate.thresholds.*.pipeline', 'gate pipeline'],
  ['bindings.*.pipeline', 'binding'],
];

/** The places of paths; those of eval sets are patterns. */
const PATHS: readonly string[] = [
  'corpora.*.roots.*',
  'embedders.*.path',
  'judges.*.path',
  'judges.*.calibration',
  'pipelines.*.expansion.file',
  'pipelines.*.projection.file',
  'pipelines.*.rerank.*.path',
  'pipelines.*.retriever.file',
  'pipelines.*.retriever.retrievers.*.file',
  'bindings.*.file',
];
const BASELINE = 'gate.baseline.file';
const EVAL_SETS = 'evalSets.*';
const DATASETS = 'gate.thresholds.*.dataset';
const CORPORA_OF_DATASETS = 'gate.corpora.*';

/** A name that is not defined. */
export interface BrokenName {
  readonly path: JsonPath;
  /** The name is the key at this path, not the value. */
  readonly isKey?: true;
  /** A sentence. */
  readonly message: string;
}

/** A path that must exist. */
export interface NamedPath {
  readonly path: JsonPath;
  readonly target: string;
  readonly kind: 'path' | 'baseline' | 'pattern';
}

/**
 * @param config the content of parallax.json; the schema reports invalid parts
 * @param evalSets relative paths of the eval sets that it names; `undefined` if unknown
 */
export function brokenNames(config: unknown, evalSets?: readonly string[]): BrokenName[] {
  return [...brokenReferences(config), ...(evalSets ? brokenDatasets(config, evalSets) : [])];
}

/**
 * Corpora whose passages are split as in old files, which authors of hand-written files do not expect.
 *
 * @param config the content of parallax.json
 */
export function oldSplits(config: unknown): readonly JsonPath[] {
  if (!isRecord(config) || config['version'] !== undefined || !isRecord(config['corpora'])) return [];
  return Object.entries(config['corpora']).flatMap(([name, corpus]) =>
    isRecord(corpus) && 'roots' in corpus && !('split' in corpus) ? [['corpora', name]] : [],
  );
}

export const oldSplitMessage = (): string =>
  l10n.t(
    'Without "version": 2 its documents are cut after every 100 words. With it, passages are whole sentences of one section.',
  );

function brokenReferences(config: unknown): BrokenName[] {
  return NAMES.flatMap(([pattern, what]) => {
    const known = knownNames(config, what);
    return stringsAt(config, pattern)
      .filter(({ value }) => !known.includes(value) && !(what === 'binding' && isCaptured(value)))
      .map(({ path, value }) => ({ path, message: thereIsNo(what, value, known) }));
  });
}

/** Eval sets are referred to by name or path; keys that choose their corpora do the same. */
function brokenDatasets(config: unknown, evalSets: readonly string[]): BrokenName[] {
  const names = [...evalSetNames(evalSets)].sort();
  const keys = stringsAt(config, CORPORA_OF_DATASETS).map(({ path }) => ({
    path,
    isKey: true as const,
    value: String(path.at(-1)),
  }));
  return [...stringsAt(config, DATASETS), ...keys]
    .filter(({ value }) => !names.includes(value) && !evalSets.includes(value))
    .map(({ value, ...at }) => ({ ...at, message: thereIsNo('eval set', value, names) }));
}

export function namedPaths(config: unknown): NamedPath[] {
  const of = (pattern: string, kind: NamedPath['kind']): NamedPath[] =>
    stringsAt(config, pattern).map(({ path, value }) => ({ path, target: withoutFilesOnly(value), kind }));
  return [
    ...PATHS.flatMap((pattern) => of(pattern, 'path')),
    ...of(BASELINE, 'baseline'),
    ...of(EVAL_SETS, 'pattern'),
  ];
}

/** The folder of a root that is read without its subfolders. */
const withoutFilesOnly = (root: string): string =>
  root.endsWith(FILES_ONLY) ? root.slice(0, -FILES_ONLY.length) : root;

/** The message for a path that does not exist. */
export function missingPath({ target, kind }: NamedPath): string {
  switch (kind) {
    case 'path':
      return l10n.t`There is no file or folder "${target}".`;
    case 'baseline':
      return l10n.t`There is no baseline "${target}" yet. Write one: "Parallax: Accept as Baseline".`;
    case 'pattern':
      return l10n.t`No eval set matches "${target}".`;
  }
}

function knownNames(config: unknown, what: Named): string[] {
  const keysOf = (field: string): string[] => Object.keys(recordOf(recordOf(config)[field]));
  switch (what) {
    case 'corpus':
      return keysOf('corpora');
    case 'judge':
      return [...Object.keys(BUILT_IN_JUDGES), ...keysOf('judges')];
    case 'embedder':
      return [...BUILT_IN_EMBEDDERS, ...keysOf('embedders')];
    case 'pipeline':
    case 'binding':
      return [...new Set([...Object.keys(BUILT_IN_PIPELINES), ...keysOf('pipelines')])];
    case 'gate pipeline':
      return stringsAt(config, 'gate.pipelines.*').map(({ value }) => value);
  }
}

const isCaptured = (name: string): boolean => name === 'captured' || name.startsWith('captured:');

function thereIsNo(what: Named | 'eval set', name: string, known: readonly string[]): string {
  const list = known.length === 0 ? l10n.t('none at all') : known.join(', ');
  switch (what) {
    case 'corpus':
      return l10n.t`There is no corpus "${name}". Available: ${list}.`;
    case 'judge':
      return l10n.t`There is no judge "${name}". Available: ${list}.`;
    case 'embedder':
      return l10n.t`There is no embedder "${name}". Available: ${list}.`;
    case 'pipeline':
    case 'binding':
      return l10n.t`There is no pipeline "${name}". Available: ${list}.`;
    case 'eval set':
      return l10n.t`There is no eval set "${name}". Available: ${list}.`;
    case 'gate pipeline':
      return l10n.t`The gate has no pipeline "${name}"; it has: ${list}.`;
  }
}

interface JsonText {
  readonly path: JsonPath;
  readonly value: string;
}

function stringsAt(config: unknown, pattern: string): JsonText[] {
  let nodes: { readonly path: JsonPath; readonly value: unknown }[] = [{ path: [], value: config }];
  for (const step of pattern.split('.'))
    nodes = nodes.flatMap(({ path, value }) =>
      membersOf(value)
        .filter(([key]) => step === '*' || step === key)
        .map(([key, member]) => ({ path: [...path, key], value: member })),
    );
  return nodes.filter((one): one is JsonText => typeof one.value === 'string');
}

function membersOf(value: unknown): (readonly [string | number, unknown])[] {
  return Array.isArray(value) ? [...value.entries()] : Object.entries(recordOf(value));
}

function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}
