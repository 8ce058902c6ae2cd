/** Texts for the share of judged pairs and their judges. Pure. */
import * as l10n from '@vscode/l10n';
import type { JudgedBy } from '../../core/model.ts';
import { allOf } from '../../core/text/enumeration.ts';
import { judgedPercent } from '../platform/numbers.ts';

/** `judged 80%`. @param share in [0, 1] */
export function judgedText(share: number): string {
  return l10n.t`judged ${judgedPercent(share)}`;
}

/**
 * `80% of the top 5 judged by people and gpt`
 *
 * @param judged share in [0, 1]
 */
export function judgedShareText(judged: number, depth: string, sources: readonly JudgeOf[]): string {
  const share = judgedPercent(judged);
  if (sources.length === 0) return l10n.t`${share} of the top ${depth} judged`;
  const whose = sources.map(sourceName);
  return l10n.t`${share} of the top ${depth} judged by ${allOf([...new Set(whose)])}`;
}

type JudgeOf = Pick<JudgedBy, 'source' | 'judge'>;

/** The same names as in the comparison. */
function sourceName({ source, judge }: JudgeOf): string {
  switch (source) {
    case 'human':
      return l10n.t('people');
    case 'imported':
      return l10n.t('imported labels');
    case 'lexical':
      return l10n.t('word overlap');
    case 'agent':
      return l10n.t`${judge} (agent)`;
    case 'debate':
    case 'llm':
    case 'nli':
      return judge;
  }
}
