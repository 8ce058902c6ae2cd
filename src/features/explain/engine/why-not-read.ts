/** Explains why a file is not in the index of a corpus. */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import * as l10n from '@vscode/l10n';
import { storeLabel } from '../../../core/external/store-types.ts';
import { extensionOf, kindOfFile } from '../../../core/text/file-kinds.ts';
import type { CorpusIndex } from '../../../engine/corpora/corpus-index.ts';
import { readerFor } from '../../../engine/corpus/readers/table.ts';
import { walkCorpus } from '../../../engine/corpus/walk.ts';
import { relativeInside } from '../../../engine/files/paths.ts';
import type { WorkOptions } from '../../../engine/types.ts';

export interface Absence {
  readonly cause: 'not-read' | 'not-indexed' | 'unknown';
  /** A sentence. */
  readonly reason: string;
}

/**
 * @param file absolute; undefined if the target cannot be a file
 * @throws ParallaxError `bad-config`, `cancelled`
 */
export async function whyNotRead(
  index: CorpusIndex,
  file: string | undefined,
  work: WorkOptions,
): Promise<Absence> {
  const { base, config, excludeGlobs, fenced } = index.ref;
  if (config.store)
    return {
      cause: 'unknown',
      reason: l10n.t`${storeLabel(config.store)} has no record with this id. Its documents are found only by the id of a record.`,
    };
  if (file === undefined) return { cause: 'unknown', reason: noDocument() };
  const skipped = index.skipped.find((each) => each.path === file);
  if (skipped) return { cause: 'not-read', reason: skipped.message };
  if (!(await isFile(file))) return { cause: 'unknown', reason: noDocument() };
  const boundary = fenced ? base : undefined;
  const walk = await walkCorpus(config, { base, excludeGlobs, boundary, signal: work.signal });
  if (walk.files.some((each) => each.path === file))
    return { cause: 'not-indexed', reason: l10n.t('The next indexing will read it.') };
  return { cause: 'not-read', reason: leftOutReason(index, file, walk.ignored) };
}

const noDocument = (): string =>
  l10n.t(
    'The corpus has no document, passage or text of this name. Type a part of its path or title, or copy a sentence from it.',
  );

function leftOutReason(
  { ref: { base, config } }: CorpusIndex,
  file: string,
  ignored: Awaited<ReturnType<typeof walkCorpus>>['ignored'],
): string {
  const name = path.basename(file);
  const rule = ignored.find(
    (each) => each.path === file || (each.isFolder && relativeInside(each.path, file) !== undefined),
  );
  if (rule) return l10n.t('.gitignore leaves it out. Name it in "roots" to read it anyway.');
  const isInRoots = config.roots.some((root) => relativeInside(path.resolve(base, root), file) !== undefined);
  if (!isInRoots) return l10n.t`It is outside of the folders that are indexed: ${config.roots.join(', ')}.`;
  if (readerFor(name) === undefined)
    return l10n.t`No reader reads files of the kind "${extensionOf(name) || name}".`;
  if (kindOfFile(name) === 'code' && config.code !== true)
    return l10n.t('Source code and settings are left out of this corpus ("code" in parallax.json).');
  return l10n.t(
    'A pattern of the corpus ("include", "exclude") or of the setting files.exclude leaves it out.',
  );
}

const isFile = (file: string): Promise<boolean> =>
  stat(file).then(
    (stats) => stats.isFile(),
    () => false,
  );
