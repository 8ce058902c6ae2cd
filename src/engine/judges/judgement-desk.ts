/**
 * Everything known, and everything that can be asked, about "does this passage support this
 * perspective?" Human labels come first, then what the chosen judge answered before, then the judge.
 */
import { ParallaxError } from '../../core/errors.ts';
import type { LabelIndex, LabelledPerspective } from '../../core/formats/labels.ts';
import type { Judgement, Perspective, Verdict } from '../../core/model.ts';
import type { JudgedPair } from '../../shared/rpc.ts';
import { textHash } from '../store/store.ts';
import type { StoredPassage, WorkOptions } from '../types.ts';
import type { Judge, JudgeReport } from './judge.ts';
import { emptyTally } from './judge.ts';
import type { JudgementCache } from './judgement-cache.ts';
import type { LabelsFile } from './labels-file.ts';

export interface AskedQuery {
  /** Absent for a query that was typed. */
  readonly id?: string | undefined;
  readonly text: string;
}

/** Passages × perspectives of one query. */
export interface Matter {
  readonly query: AskedQuery;
  readonly perspectives: readonly Perspective[];
  readonly passages: readonly StoredPassage[];
}

interface OpenPair {
  readonly passage: StoredPassage;
  readonly perspective: Perspective;
}

/** A passage that is known to support a perspective; `path` is its document's id. */
export interface Supporter {
  readonly perspectiveId: string;
  readonly passageId: string;
  readonly path: string;
}

/** So many labelled documents per perspective are enough to say where a perspective could be found. */
const SUPPORTING_DOCUMENTS = 50;

export class JudgementDesk {
  readonly #labels: LabelsFile;
  readonly #cache: JudgementCache;

  constructor(labels: LabelsFile, cache: JudgementCache) {
    this.#labels = labels;
    this.#cache = cache;
  }

  /** What can be said without asking anybody. @param judge absent for human labels only */
  async known(matter: Matter, judge: Judge | undefined): Promise<JudgedPair[]> {
    const labels = await this.#labels.read();
    return pairsOf(matter).flatMap(({ passage, perspective }) => {
      const judgement = this.#lookup(labels, matter.query, passage, perspective, judge);
      return judgement
        ? [{ slot: passage.slot, perspectiveId: perspective.id, judgement: plain(judgement) }]
        : [];
    });
  }

  /** How many pairs only the judge can answer. */
  async openPairs(matter: Matter, judge: Judge): Promise<number> {
    return (await this.#open(matter, judge)).length;
  }

  /**
   * Asks the judge about every pair that is not known.
   *
   * @param onJudgement called for each answer, in the order of arrival
   */
  async judge(
    matter: Matter,
    judge: Judge,
    onJudgement: (pair: JudgedPair) => void,
    work: WorkOptions,
  ): Promise<JudgeReport> {
    const open = await this.#open(matter, judge);
    if (open.length === 0) return emptyTally();
    return judge.judge(
      open.map(({ passage, perspective }) => ({ passage, perspective })),
      {
        ...work,
        onJudgement: (index, judgement) => {
          const { passage, perspective } = open[index]!;
          onJudgement({ slot: passage.slot, perspectiveId: perspective.id, judgement: plain(judgement) });
        },
      },
    );
  }

  /** Passages anywhere in the corpus that people labelled as supporting a perspective. */
  async supporters(
    query: AskedQuery,
    perspectives: readonly Perspective[],
    passagesOf: (documentId: string) => readonly StoredPassage[],
  ): Promise<Supporter[]> {
    const labels = await this.#labels.read();
    return perspectives.flatMap((perspective) => {
      const asked = labelledPerspective(query, perspective);
      const documents = new Set(labels.supporting(asked).map(({ document }) => document));
      return [...documents].slice(0, SUPPORTING_DOCUMENTS).flatMap((document) =>
        passagesOf(document)
          .filter((passage) => labels.lookup(asked, passage)?.verdict === 'yes')
          .map(({ id, documentId }) => ({ perspectiveId: perspective.id, passageId: id, path: documentId })),
      );
    });
  }

  /** A person's answer about one passage. It wins over every model's. */
  async label(
    { query, passage, perspective }: { query: AskedQuery; passage: StoredPassage; perspective: Perspective },
    verdict: Verdict,
    by: string,
  ): Promise<void> {
    await this.#labels.append({
      v: 1,
      query: query.id ?? query.text,
      perspective: perspective.id,
      perspectiveText: perspective.text,
      document: passage.documentId,
      hash: passage.hash,
      verdict,
      by: { kind: 'human', name: by },
      at: new Date().toISOString(),
      standard: 'berds-1',
    });
  }

  async #open(matter: Matter, judge: Judge): Promise<OpenPair[]> {
    const labels = await this.#labels.read();
    return pairsOf(matter).filter(
      ({ passage, perspective }) => !this.#lookup(labels, matter.query, passage, perspective, judge),
    );
  }

  #lookup(
    labels: LabelIndex,
    query: AskedQuery,
    passage: StoredPassage,
    perspective: Perspective,
    judge: Judge | undefined,
  ): Judgement | undefined {
    const answer = labels.lookup(labelledPerspective(query, perspective), passage);
    if (answer) {
      const { verdict, evidence, label } = answer;
      const { by, at, standard, note } = label;
      return {
        verdict,
        evidence: [...evidence],
        source: by.kind,
        judge: by.name,
        standard,
        at,
        ...(note === undefined ? {} : { rationale: note }),
      };
    }
    if (!judge) return undefined;
    const key = { passageHash: passage.hash, perspectiveHash: textHash(perspective.text) };
    const cached = this.#cache.get(judge.key, key);
    return cached?.judgement;
  }
}

/** Judges by name, with what the configuration says about each. */
export function requireJudge(judge: Judge | undefined, name: string): Judge {
  if (judge) return judge;
  throw new ParallaxError('bad-argument', `"${name}" holds human labels only; there is nobody to ask.`);
}

function pairsOf({ passages, perspectives }: Matter): OpenPair[] {
  return passages.flatMap((passage) => perspectives.map((perspective) => ({ passage, perspective })));
}

function labelledPerspective(query: AskedQuery, perspective: Perspective): LabelledPerspective {
  return { queryId: query.id, perspectiveId: perspective.id, perspectiveText: perspective.text };
}

/** A mutable copy, as messages want it. */
const plain = (judgement: Judgement): JudgedPair['judgement'] => ({
  ...judgement,
  evidence: [...judgement.evidence],
});
