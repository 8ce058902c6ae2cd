/**
 * Measures of the top k that need no judgements. Each is a share of the most that k passages can reach, so it grows
 * with variety. All are 0 if nothing was retrieved. If fewer than k passages were retrieved, those are measured.
 */
import * as l10n from '@vscode/l10n';
import { cosinesOf, meanCosine, vendiScore } from '../likeness/alike.ts';
import type { RankedLikeness } from '../likeness/ranked-likeness.ts';
import type { Topic } from './judgements.ts';
import { SHARE, type MeasureDefinition } from './measure-definition.ts';

/** Computes a figure for n ≥ 1 passages. */
type OfPassages = (passages: RankedLikeness, n: number, field: string) => number;

function ofTop(figure: OfPassages): MeasureDefinition['compute'] {
  return (_ranking, { passages }: Topic, k, field = '') => {
    const n = Math.min(k, passages?.documents.length ?? 0);
    return passages && n > 0 ? figure(passages, n, field) : 0;
  };
}

function distinctShare(values: readonly (string | undefined)[], n: number): number {
  return new Set(values.slice(0, n).filter((value) => value !== undefined)).size / n;
}

function topCosines({ cosines, documents }: RankedLikeness, n: number): Float64Array {
  return cosinesOf(
    cosines,
    documents.length,
    Array.from({ length: n }, (_, place) => place),
  );
}

const OF_LIKENESS = {
  cutoff: 'required',
  needs: 'passages',
  better: 'neither',
  exactWithHeadline: true,
  shown: ['comparisons'],
} as const;

export const LIKENESS_MEASURES = [
  {
    ...OF_LIKENESS,
    family: 'Documents',
    explain: () => l10n.t('From how many different documents the top k come, as a share of their number.'),
    range: SHARE,
    compute: ofTop(({ documents }, n) => distinctShare(documents, n)),
  },
  {
    ...OF_LIKENESS,
    family: 'Folders',
    explain: () => l10n.t('From how many different folders the top k come, as a share of their number.'),
    range: SHARE,
    compute: ofTop(({ folders }, n) => distinctShare(folders, n)),
  },
  {
    ...OF_LIKENESS,
    family: 'Values',
    ofField: true,
    // Comparisons show it for the fields of their corpora.
    shown: [],
    explain: () =>
      l10n.t(
        'How many different values the documents of the top k have in this field, such as an author or a date, as a share of their number. Documents without the field add none.',
      ),
    range: SHARE,
    compute: ofTop(({ fields }, n, field) => distinctShare(fields.get(field) ?? [], n)),
  },
  {
    ...OF_LIKENESS,
    family: 'Unrepeated',
    explain: () => l10n.t('Share of the top k that is not nearly the same text as a passage above.'),
    range: SHARE,
    compute: ofTop(({ repeats }, n) => repeats.slice(0, n).filter((isRepeat) => !isRepeat).length / n),
  },
  {
    ...OF_LIKENESS,
    family: 'nVendi',
    restsOnVectors: true,
    explain: () =>
      l10n.t(
        'How varied the top k are: their Vendi score as a share of their number. It rests on the vectors of the pipeline’s embedder, or on hashed words.',
      ),
    range: SHARE,
    compute: ofTop((passages, n) => vendiScore(topCosines(passages, n), n) / n),
  },
  {
    ...OF_LIKENESS,
    family: 'ILD',
    restsOnVectors: true,
    explain: () =>
      l10n.t(
        'How unlike each other the top k are: 1 less the mean cosine similarity of their pairs (intra-list distance). It rests on the vectors of the pipeline’s embedder, or on hashed words.',
      ),
    range: [0, 2],
    compute: ofTop((passages, n) => 1 - (meanCosine(topCosines(passages, n), n) ?? 1)),
  },
  {
    ...OF_LIKENESS,
    family: 'Themes',
    restsOnVectors: true,
    explain: () =>
      l10n.t(
        'Share of the larger themes of the first 100 candidates that have a passage in the top k. Themes are groups of alike passages, not perspectives.',
      ),
    range: SHARE,
    compute: ofTop(({ themes, larger }, n) => {
      const shown = new Set(themes.slice(0, n).filter((theme) => theme !== undefined));
      return larger === 0 ? 0 : shown.size / larger;
    }),
  },
] as const satisfies readonly MeasureDefinition[];
