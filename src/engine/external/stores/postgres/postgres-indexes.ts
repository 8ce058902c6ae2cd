/** The indexes that pgvector can create, by its version and the vectors. */
import * as l10n from '@vscode/l10n';
import type { PostgresDistance } from '../../../../core/external/stores/postgres.ts';

/** Minor versions of pgvector 0.x: the first with HNSW indexes, and the first with those for L1. */
const HNSW_FROM: Readonly<Record<PostgresDistance, number>> = {
  cosine: 5,
  l2: 5,
  'inner-product': 5,
  l1: 7,
};
/** The most dimensions of an indexed vector with four bytes per number. */
const MAX_DIMENSIONS = 2_000;

/**
 * @param version of pgvector, such as `0.8.0`
 * @param minor of 0.x
 */
export function isFrom(version: string, minor: number): boolean {
  const [major = 0, minorVersion = 0] = version.split('.').map(Number);
  return major > 0 || minorVersion >= minor;
}

/** @returns why an HNSW index is impossible, and what follows; undefined if it is possible */
export function lackOfIndex(
  version: string,
  dimensions: number,
  distance: PostgresDistance,
  table: string,
): string | undefined {
  const from = HNSW_FROM[distance];
  if (!isFrom(version, from))
    return l10n.t`The table ${table} has no index for its vectors, and every search compares all rows: pgvector ${version} has no HNSW for the distance "${distance}", which 0.${from} has.`;
  if (dimensions > MAX_DIMENSIONS)
    return l10n.t`The table ${table} has no index for its vectors, and every search compares all rows: HNSW of pgvector takes ${MAX_DIMENSIONS} dimensions at most, and these have ${dimensions}.`;
  return undefined;
}
