/** Adds a snapshot to parallax.json as a corpus. */
import { withValue } from '../../../core/formats/json-edit.ts';
import { BERDS_SPLIT } from '../../../core/split/spec.ts';
import { WEB_FOLDER } from './snapshot.ts';

/** The root of a snapshot's corpus, relative to parallax.json. */
export function snapshotRoot(name: string): string {
  return `${WEB_FOLDER}/${name}`;
}

/**
 * Adds the corpus of a snapshot. Keeps every other character.
 *
 * @param json a valid parallax.json
 * @param corpus the corpus's name
 * @param name of the snapshot
 * @param perQuery whether each question is only searched in its own pages
 */
export function withSnapshotCorpus(json: string, corpus: string, name: string, perQuery: boolean): string {
  const entry = {
    roots: [snapshotRoot(name)],
    split: BERDS_SPLIT,
    ...(perQuery ? { perQuery } : {}),
  };
  return withValue(json, ['corpora', corpus], entry);
}
