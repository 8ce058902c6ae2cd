/** Files and folders in the settings of a store. */
import path from 'node:path';
import { isLanceFolder } from '../../../core/external/stores/lancedb.ts';
import type { StoreRetriever } from '../../../core/external/stores.ts';

const PATHS: readonly string[] = ['caFile', 'certFile', 'keyFile', 'client'];

/** The same settings with paths that do not depend on the working directory. @param base of `parallax.json` */
export function withAbsolutePaths(spec: StoreRetriever, base: string): StoreRetriever {
  const isPath = (field: string, value: unknown): value is string =>
    typeof value === 'string' && (PATHS.includes(field) || (field === 'uri' && isLanceFolder(value)));
  const absolute = Object.entries(spec).map(([field, value]): [string, unknown] => [
    field,
    isPath(field, value) ? path.resolve(base, value) : value,
  ]);
  return Object.fromEntries(absolute) as StoreRetriever;
}
