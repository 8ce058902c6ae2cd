/** How much of something is judged, in words. Pure. */
import * as l10n from '@vscode/l10n';
import { judgedPercent } from '../platform/numbers.ts';

/** `judged 80%`. @param share in [0, 1] */
export function judgedText(share: number): string {
  return l10n.t`judged ${judgedPercent(share)}`;
}
