/** Naming a snapshot as a corpus in parallax.json. */
import { withValue } from '../formats/json-edit.ts';
import { BERDS_SPLIT } from '../split/spec.ts';
import { WEB_FOLDER } from './snapshot.ts';

/** The root of a snapshot's corpus, relative to parallax.json. */
export function snapshotRoot(name: string): string {
  return `${WEB_FOLDER}/${name}`;
}

/**
 * Adds the corpus of a snapshot and leaves every other character as it is.
 *
 * @param json a valid parallax.json
 * @param corpus its name there
 * @param name of the snapshot
 * @param perQuery whether every question has its own pages as a corpus of its own
 */
export function withSnapshotCorpus(json: string, corpus: string, name: string, perQuery: boolean): string {
  const entry = {
    roots: [snapshotRoot(name)],
    split: BERDS_SPLIT,
    ...(perQuery ? { perQuery } : {}),
  };
  return withValue(json, ['corpora', corpus], entry);
}
