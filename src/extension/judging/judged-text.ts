/** How much of something is judged, in words. Pure. */
import * as l10n from '@vscode/l10n';
import type { JudgementSource } from '../../core/model.ts';
import { percent } from '../platform/numbers.ts';

/** `judged 80%`, and whether a heuristic had a part in it. @param share in [0, 1] */
export function judgedText(share: number, sources: readonly JudgementSource[]): string {
  return sources.includes('lexical')
    ? l10n.t`judged ${percent(share)}, heuristic`
    : l10n.t`judged ${percent(share)}`;
}
