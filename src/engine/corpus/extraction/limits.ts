import * as l10n from '@vscode/l10n';
import { FileSkipped } from '../readers/reader.ts';

/** Limits on reading one document. */
export interface ExtractionLimits {
  readonly milliseconds: number;
  /** Memory limit of the process that reads it. */
  readonly megabytes: number;
}

export const EXTRACTION_LIMITS: ExtractionLimits = { milliseconds: 60_000, megabytes: 1_500 };

/** The longest text, in UTF-16 code units: ten times a long encyclopaedia volume. */
const MAX_CHARACTERS = 32 * 1024 * 1024;

/** @throws FileSkipped `too-large` */
export function checkLength(characters: number): void {
  if (characters > MAX_CHARACTERS)
    throw new FileSkipped(
      'too-large',
      l10n.t`Its text has more than ${MAX_CHARACTERS >> 20} million characters.`,
    );
}
