import * as l10n from '@vscode/l10n';
import { messageOf } from '../../core/errors.ts';

/** A file that the system could read, but that is refused. Has a code like the system's errors. */
export class RefusedFile extends Error {
  override readonly name = 'RefusedFile';
  readonly code: 'EISDIR' | 'ENOTREG' | 'EFBIG' | 'EBADGZIP' | 'ELINE';
  readonly syscall = 'open';

  /** The most bytes of the file. Set if it is too large. */
  readonly maxBytes: number | undefined;

  constructor(code: RefusedFile['code'], maxBytes?: number) {
    super(code);
    this.code = code;
    this.maxBytes = maxBytes;
    this.message = reasonOf(this);
  }
}

/** Why a file could not be read or written, in words that complete a sentence. */
export function reasonOf(error: unknown): string {
  switch (codeOf(error)) {
    case 'ENOENT':
      return l10n.t('no such file or folder');
    case 'EISDIR':
      return l10n.t('it is a folder');
    case 'ENOTREG':
      return l10n.t('it is a pipe or a device, not a file');
    case 'EFBIG':
      return tooLarge(error);
    case 'ELINE':
      return l10n.t('one of its lines is too long for a file that people edit');
    case 'EBADGZIP':
      return l10n.t('its gzip data is damaged');
    case 'ENOTDIR':
      return l10n.t('part of the path is not a folder');
    case 'EACCES':
    case 'EPERM':
      return l10n.t('permission denied');
    case 'EROFS':
      return l10n.t('the file system is read-only');
    case 'ENOSPC':
      return l10n.t('the disk is full');
    default:
      return messageOf(error);
  }
}

function tooLarge(error: unknown): string {
  const maxBytes = error instanceof RefusedFile ? error.maxBytes : undefined;
  if (maxBytes === undefined) return l10n.t('it is too large');
  return l10n.t`it is larger than ${megabytes(maxBytes)} MB, the most that is read of one file`;
}

/** With one decimal below ten. */
function megabytes(bytes: number): number {
  const exact = bytes / 2 ** 20;
  return exact < 10 ? Math.round(exact * 10) / 10 : Math.round(exact);
}

/** The system's code of an error, such as `ENOENT`. Empty if it has none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
