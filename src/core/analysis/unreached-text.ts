/** Display names for parts of a corpus. Ids of folders and records contain marks that users do not know. */
import * as l10n from '@vscode/l10n';

const ALL_RECORDS = /^(.+)#…$/u;
const ONE_RECORD = /^(.+)#(\d+)$/u;
const OF_RECORDS = /^(.+)#$/u;

/** @param path of an `UnreachedPart` */
export function partText(path: string): string {
  if (path === './') return l10n.t('the whole corpus');
  const [, file] = ALL_RECORDS.exec(path) ?? [];
  if (file !== undefined) return l10n.t`${file}, all records`;
  const [, one, record] = ONE_RECORD.exec(path) ?? [];
  return one === undefined ? path : l10n.t`${one}, record ${record!}`;
}

/** @param folder of `Unreached.folders` */
export function folderText(folder: string): string {
  if (folder === '') return l10n.t('(in no folder)');
  const [, file] = OF_RECORDS.exec(folder) ?? [];
  return file === undefined ? folder : l10n.t`${file} (records)`;
}
