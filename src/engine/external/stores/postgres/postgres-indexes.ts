/** Which indexes pgvector can make, by its version and what is to be indexed. */
import * as l10n from '@vscode/l10n';
import type { PostgresDistance } from '../../../../core/external/stores/postgres.ts';

/** Minor versions of pgvector 0.x: the first with HNSW indexes, and with those by L1. */
const HNSW_FROM: Readonly<Record<PostgresDistance, number>> = {
  cosine: 5,
  l2: 5,
  'inner-product': 5,
  l1: 7,
};
/** The most that an index takes of a vector with four bytes a number. */
const MOST_DIMENSIONS = 2_000;

/**
 * @param version of pgvector, e.g. `0.8.0`
 * @param minor of 0.x
 */
export function isFrom(version: string, minor: number): boolean {
  const [major = 0, own = 0] = version.split('.').map(Number);
  return major > 0 || own >= minor;
}

/** @returns why there can be no HNSW index, and what follows; nothing where there can */
export function lackOfIndex(
  version: string,
  dimensions: number,
  distance: PostgresDistance,
  table: string,
): string | undefined {
  const from = HNSW_FROM[distance];
  if (!isFrom(version, from))
    return l10n.t`The table ${table} has no index for its vectors, and every search compares all rows: pgvector ${version} has no HNSW for the distance "${distance}", which 0.${from} has.`;
  if (dimensions > MOST_DIMENSIONS)
    return l10n.t`The table ${table} has no index for its vectors, and every search compares all rows: HNSW of pgvector takes ${MOST_DIMENSIONS} dimensions at most, and these have ${dimensions}.`;
  return undefined;
}
