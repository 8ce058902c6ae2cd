/** Decides whether an update of a corpus is large enough to need the user's confirmation. */
import type { FileChanges } from '../../../shared/requests/corpora.ts';

/** Growth below these limits is small for any corpus. */
const MIN_FILES = 20;
const MIN_BYTES = 1_000_000;
const SHARE = 0.5;

/** Whether new and changed files add more than half of what was indexed, by number or by size. */
export function growsByHalf({ added, addedBytes, indexed }: FileChanges): boolean {
  return (
    (added >= MIN_FILES && added > SHARE * indexed.files) ||
    (addedBytes >= MIN_BYTES && addedBytes > SHARE * indexed.bytes)
  );
}
