/** Finds labels whose passages are no longer in the corpus, so that they count for nothing. */
import { isStale } from '../../core/formats/label-index.ts';
import { normalizePerspective, type Label } from '../../core/formats/labels.ts';
import { locateQuote, squeeze } from '../../core/formats/quotes.ts';
import type { Qrels, Query } from '../../core/model.ts';
import { Pace } from '../concurrency/pace.ts';
import type { StoredPassage, WorkOptions } from '../types.ts';

export interface LostLabels {
  /** The number of labels of the questions' perspectives. */
  readonly labels: number;
  /** The document of each lost label; for qrels, the passage. */
  readonly lost: readonly string[];
}

export interface LabelledPassages {
  passageById(id: string): StoredPassage | undefined;
  passagesOf(documentId: string): readonly StoredPassage[];
  passagesByHash(hashes: ReadonlySet<string>, work: WorkOptions): Promise<ReadonlyMap<string, StoredPassage>>;
  documentHash(documentId: string): string | undefined;
}

/** @throws ParallaxError `cancelled` */
export async function lostLabels(
  labels: Iterable<Label>,
  queries: readonly Query[],
  index: LabelledPassages,
  work: WorkOptions,
): Promise<LostLabels> {
  const statements = new Set(
    queries.flatMap(({ perspectives }) => perspectives.map(({ text }) => normalizePerspective(text))),
  );
  const labelsOfQueries = [...labels].filter(({ perspectiveText }) =>
    statements.has(normalizePerspective(perspectiveText)),
  );
  const hashes = new Set(labelsOfQueries.flatMap(({ hash }) => hash ?? []));
  const byHash =
    hashes.size > 0 ? await index.passagesByHash(hashes, work) : new Map<string, StoredPassage>();
  const pace = new Pace(work);
  const lost: string[] = [];
  for (const label of labelsOfQueries) {
    if (!isThere(label, index, byHash)) lost.push(label.document);
    if (pace.due) await pace.rest();
  }
  return { labels: labelsOfQueries.length, lost };
}

function isThere(label: Label, index: LabelledPassages, byHash: ReadonlyMap<string, StoredPassage>): boolean {
  const { hash, quote, document } = label;
  if (hash !== undefined && byHash.has(hash)) return true;
  const passages = index.passagesOf(document);
  if (quote !== undefined) {
    const squeezed = squeeze(quote);
    return passages.some(({ text }) => locateQuote(squeeze(text), squeezed) !== undefined);
  }
  return hash === undefined && passages.length > 0 && !isStale(label, (id) => index.documentHash(id));
}

/** The same for qrels, which name passages by id. */
export function lostInQrels(
  qrels: Qrels,
  queries: readonly Query[],
  index: Pick<LabelledPassages, 'passageById'>,
): LostLabels {
  let labels = 0;
  const lost: string[] = [];
  for (const { id } of queries)
    for (const judged of qrels.get(id)?.values() ?? [])
      for (const passage of judged.keys()) {
        labels++;
        if (!index.passageById(passage)) lost.push(passage);
      }
  return { labels, lost };
}
