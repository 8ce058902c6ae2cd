/**
 * Answers "does this passage support this perspective?" from everything known or askable: human labels first, then
 * the chosen judge's stored answers, then the judge.
 */
import * as l10n from '@vscode/l10n';
import { counted } from '../../core/counted.ts';
import { ParallaxError } from '../../core/errors.ts';
import {
  isStale,
  type DocumentHash,
  type LabelIndex,
  type LabelledPerspective,
} from '../../core/formats/label-index.ts';
import type { Label } from '../../core/formats/labels.ts';
import { STANDARDS } from '../../core/judging/standard.ts';
import type { Judgement, Perspective, Query, Verdict } from '../../core/model.ts';
import { passageName } from '../../core/text/passage-name.ts';
import type { JudgedPair, Supporter } from '../../shared/requests/passages.ts';
import type { StoredPassage, WorkOptions } from '../types.ts';
import { answerKey, asRead } from './cached-judge.ts';
import type { Budget } from './budget.ts';
import type { Judge, JudgeOptions, JudgePair, JudgeReport, Neighbours, Reading } from '../judges/judge.ts';
import { countingJudge, emptyTally } from '../judges/judge.ts';
import type { JudgementCache } from './judgement-cache.ts';
import { partsText, type LabelsFile } from './labels-file.ts';
import { lostLabels, type LabelledPassages, type LostLabels } from './lost-labels.ts';
import type { AskedQuery } from '../../shared/requests/questions.ts';

/** Passages × perspectives of one query. */
export interface JudgingTask {
  readonly query: AskedQuery;
  readonly perspectives: readonly Perspective[];
  readonly passages: readonly StoredPassage[];
  /** The documents, for judges that are shown the text next to a passage, and for labels of whole documents. */
  readonly index?: NeighbourLookup | undefined;
}

/** Finds the text next to a passage. */
export interface NeighbourLookup {
  neighbours(passage: StoredPassage): Neighbours;
  /** For labels of whole documents; see {@link DocumentHash}. */
  documentHash?(documentId: string): string | undefined;
}

/** A pair with the query of its perspective. */
export interface QueryPair extends Pick<JudgingTask, 'query' | 'index'> {
  readonly passage: StoredPassage;
  readonly perspective: Perspective;
}

/** A pair as a label names it. */
export interface LabelTarget {
  readonly query: AskedQuery;
  readonly passage: Pick<StoredPassage, 'documentId' | 'hash'>;
  readonly perspective: Pick<Perspective, 'id' | 'text'>;
  /** The split type of its corpus. */
  readonly split?: string | undefined;
}

export interface OpenPair {
  readonly passage: StoredPassage;
  readonly perspective: Perspective;
}

/** A person's verdict on a pair, and its circumstances. */
export interface GivenLabel {
  readonly verdict: Verdict;
  readonly by: string;
  /** Id of the support standard that the person applied. Defaults to the default one. */
  readonly standard?: string | undefined;
  readonly note?: string | undefined;
  /** Whether the person had seen the arguments of judges. */
  readonly informed?: boolean | undefined;
  /** The probability in (0, 1] with which the query was drawn for people. `undefined` if it was not drawn. */
  readonly chance?: number | undefined;
}

/** A judge's answers, and why the first unreadable one could not be read. */
export type ReadReport = JudgeReport & { readonly unreadableReason?: string | undefined };

/** The number of labelled documents per perspective that suffices to show where it can be found. */
const SUPPORTING_DOCUMENTS = 50;

export class JudgementService {
  readonly #labels: LabelsFile;
  readonly #cache: JudgementCache;

  constructor(labels: LabelsFile, cache: JudgementCache) {
    this.#labels = labels;
    this.#cache = cache;
  }

  /**
   * Notes on people's labels to show beside the figures of a corpus: labels that name passages by number do not apply
   * to split documents, and labels of whole documents do not apply to rewritten ones.
   *
   * @param index of the corpus
   */
  async notes(index: LabelledCorpus): Promise<string[]> {
    const { parts } = await this.#labels.content();
    const stale = await this.#staleDocuments(index);
    return [
      ...(parts && index.passagesOf(parts.example).length === 0 ? [partsText(parts)] : []),
      ...(stale.length > 0 ? [staleText(stale)] : []),
    ];
  }

  /**
   * Labels of these questions' perspectives whose passages are no longer in the corpus. @throws ParallaxError
   * `cancelled`
   */
  async lostLabels(
    queries: readonly Query[],
    index: LabelledPassages,
    work: WorkOptions,
  ): Promise<LostLabels> {
    const labels = await this.#labels.read();
    return lostLabels(labels.labels(), queries, index, work);
  }

  /** Documents that were rewritten after they were labelled as a whole. */
  async #staleDocuments(index: LabelledCorpus): Promise<string[]> {
    const labels = await this.#labels.read();
    const stale = [...labels.labels()].filter((label) => isStale(label, (id) => index.documentHash(id)));
    return [...new Set(stale.map(({ document }) => document))];
  }

  /** Known verdicts, without asking the judge. @param judge undefined for human labels only */
  async known(judgingTask: JudgingTask, judge: Judge | undefined): Promise<JudgedPair[]> {
    const labels = await this.#labels.read();
    await judge?.reading?.refresh();
    return pairsOf(judgingTask).flatMap(({ passage, perspective }) => {
      const judgement = this.#lookup(labels, judgingTask, passage, perspective, judge);
      return judgement ? [{ slot: passage.slot, perspectiveId: perspective.id, judgement }] : [];
    });
  }

  /**
   * The judge's stored answers, also on pairs that people labelled, to compare both. A judge that learns from labels
   * is read without those of these perspectives.
   */
  async answered(judgingTask: JudgingTask, judge: Judge): Promise<JudgedPair[]> {
    await judge.reading?.refresh();
    const texts = new Set(judgingTask.perspectives.map(({ text }) => text));
    const reading = judge.reading?.without?.(texts) ?? judge.reading;
    return pairsOf(judgingTask).flatMap(({ passage, perspective }) => {
      const pair = { query: judgingTask.query, passage, perspective };
      const judgement = this.remembered(pair, judge, reading);
      return judgement ? [{ slot: passage.slot, perspectiveId: perspective.id, judgement }] : [];
    });
  }

  /** The pairs without a known verdict. */
  async openPairs(judgingTask: JudgingTask, judge: Judge): Promise<readonly OpenPair[]> {
    return this.#open(judgingTask, judge);
  }

  /**
   * Asks the judge about every pair without a known verdict. A pair whose answer cannot be read stays
   * unjudged.
   *
   * @param onJudgement called for each readable answer, in the order of arrival
   * @param budget pairs beyond it are left for another time
   */
  async judge(
    judgingTask: JudgingTask,
    judge: Judge,
    onJudgement: (pair: JudgedPair) => void,
    { budget, ...work }: WorkOptions & { readonly budget?: Budget | undefined },
  ): Promise<ReadReport> {
    const open = await this.#open(judgingTask, judge);
    if (open.length === 0) return emptyTally();
    let unreadableReason: string | undefined;
    const report = await judge.judge(
      open.map((pair) => asAsked({ ...judgingTask, ...pair })),
      {
        ...work,
        ...budget?.asking,
        repeatUnparsable: true,
        onJudgement: (index, judgement, { cached, unparsable }) => {
          if (!cached) budget?.spend(judgement);
          if (unparsable) {
            unreadableReason ??= judgement.rationale;
            return;
          }
          const { passage, perspective } = open[index]!;
          onJudgement({ slot: passage.slot, perspectiveId: perspective.id, judgement });
        },
      },
    );
    return { ...report, unreadableReason };
  }

  /**
   * Asks the judge about these pairs, even if they have verdicts. Stored answers are not paid for again, unless they
   * could not be read.
   */
  judgePairs(
    pairs: readonly QueryPair[],
    judge: Judge,
    onJudgement: NonNullable<JudgeOptions['onJudgement']>,
    options: Pick<JudgeOptions, 'signal' | 'isAnswered' | 'onRequest' | 'onProgress'>,
  ): Promise<JudgeReport> {
    return judge.judge(pairs.map(asAsked), { ...options, repeatUnparsable: true, onJudgement });
  }

  /**
   * Passages anywhere in the corpus that people labelled as supporting a perspective.
   *
   * @param index of the corpus
   * @param judge beside whose answers they count; undefined for labels under any support standard
   */
  async supporters(
    query: AskedQuery,
    perspectives: readonly Perspective[],
    index: LabelledCorpus,
    judge?: Judge,
  ): Promise<Supporter[]> {
    const labels = await this.#labels.read();
    return perspectives.flatMap((perspective) => {
      if (perspective.document !== undefined)
        return expectedIn(index.passagesOf(perspective.document), perspective);
      const target = labelledPerspective(query, perspective, judge?.standard);
      const documents = new Set(labels.supporting(target).map(({ document }) => document));
      return [...documents].slice(0, SUPPORTING_DOCUMENTS).flatMap((document) =>
        index
          .passagesOf(document)
          .filter((passage) => labels.lookup(target, passage, hashesOf(index))?.verdict === 'yes')
          .map((passage) => ({
            perspectiveId: perspective.id,
            passageId: passage.id,
            name: passageName(passage),
          })),
      );
    });
  }

  /**
   * Stores a person's answer about one passage. It has priority over every model's.
   *
   * @returns the line that was added to the labels file
   */
  async label(
    pair: LabelTarget,
    { verdict, by, standard, note, informed, chance }: GivenLabel,
  ): Promise<Label> {
    const label: Label = {
      ...aboutPair(pair, by, standard),
      verdict,
      ...(note === undefined ? {} : { note }),
      ...(informed === undefined ? {} : { informed }),
      ...(chance === undefined ? {} : { chance }),
    };
    await this.#labels.append(label);
    return label;
  }

  /**
   * @param quote of the passage, so that a "yes" applies to the document however it is split
   * @throws ParallaxError as {@link label}
   */
  async labelAsAgent(
    pair: LabelTarget,
    { verdict, by, quote }: Pick<GivenLabel, 'verdict' | 'by'> & { readonly quote?: string | undefined },
  ): Promise<void> {
    const { hash, split, ...about } = aboutPair(pair, by);
    const anchor = quote === undefined ? { hash, ...(split === undefined ? {} : { split }) } : { quote };
    await this.#labels.append({ ...about, ...anchor, by: { kind: 'agent', name: by }, verdict });
  }

  async #open(judgingTask: JudgingTask, judge: Judge): Promise<OpenPair[]> {
    const labels = await this.#labels.read();
    return pairsOf(judgingTask).filter(
      ({ passage, perspective }) =>
        // A foreign retriever may return an id without its text, which cannot be judged.
        passage.text !== '' && !this.#lookup(labels, judgingTask, passage, perspective, judge),
    );
  }

  #lookup(
    labels: LabelIndex,
    { query, index }: Pick<JudgingTask, 'query' | 'index'>,
    passage: StoredPassage,
    perspective: Perspective,
    judge: Judge | undefined,
  ): Judgement | undefined {
    if (perspective.document !== undefined) return expectation(perspective.document, passage);
    const target = labelledPerspective(query, perspective, judge?.standard);
    const answer = labels.lookup(target, passage, hashesOf(index));
    if (answer) {
      const { verdict, evidence, label } = answer;
      const { by, at, standard, note, chance, quote, hash } = label;
      const isWhole = quote === undefined && hash === undefined;
      return {
        verdict,
        evidence,
        source: by.kind,
        judge: by.name,
        standard,
        at,
        ...(note === undefined ? {} : { rationale: note }),
        ...(chance === undefined ? {} : { chance }),
        ...(isWhole && passage.id !== passage.documentId ? { ofDocument: true } : {}),
      };
    }
    return judge && this.remembered({ query, passage, perspective }, judge);
  }

  /** The judge's stored answers, also on pairs that people labelled, without unreadable ones. */
  remembered(
    { query, passage, perspective }: QueryPair,
    judge: Judge,
    reading: Pick<Reading, 'read'> | undefined = judge.reading,
  ): Judgement | undefined {
    const key = answerKey(judge, { passage, perspective, question: query.text });
    const remembered = this.#cache.get(judge.key, key);
    return remembered && !remembered.unparsable ? asRead({ reading }, remembered.judgement) : undefined;
  }
}

/** The verdict that follows from the document that an eval set expects. */
function expectation(document: string, { id, documentId }: StoredPassage): Judgement {
  const isOfIt = documentId === document || id === document;
  return {
    verdict: isOfIt ? 'yes' : 'no',
    evidence: [],
    source: 'human',
    judge: 'people',
    standard: STANDARDS.berds.id,
    at: new Date(0).toISOString(),
  };
}

function expectedIn(passages: readonly StoredPassage[], { id }: Perspective): Supporter[] {
  return passages.map((passage) => ({
    perspectiveId: id,
    passageId: passage.id,
    name: passageName(passage),
  }));
}

/** The passages and hashes of documents that labels name. */
export interface LabelledCorpus extends Required<Pick<NeighbourLookup, 'documentHash'>> {
  passagesOf(documentId: string): readonly StoredPassage[];
}

const hashesOf =
  (index: Pick<NeighbourLookup, 'documentHash'> | undefined): DocumentHash =>
  (documentId) =>
    index?.documentHash?.(documentId);

function staleText(documents: readonly string[]): string {
  const [example = ''] = documents;
  return counted(
    l10n.t(
      'Labels of {0} whole [0:document|documents], such as {1}, do not count any more: [0:it|they] changed since. Label [0:it|them] again.',
    ),
    documents.length,
    example,
  );
}

/** Judges by name, with what the configuration says about each. */
export function requireJudge(judge: Judge | undefined, name: string): Judge {
  if (judge) return judge;
  throw new ParallaxError('bad-argument', l10n.t`"${name}" has human labels only and cannot be asked.`);
}

/**
 * The judge, for judging what figures rest on.
 *
 * @throws ParallaxError `bad-argument` if there is no judge to ask, and for a judge that guesses
 */
export function requireCounting(judge: Judge | undefined, name: string): Judge {
  if (countingJudge(judge)) return judge!;
  if (!judge) return requireJudge(judge, name);
  throw new ParallaxError(
    'bad-argument',
    l10n.t`"${name}" guesses by shared words, and guesses do not count. Choose a model, or label passages yourself.`,
  );
}

function asAsked({ query, passage, perspective, index }: QueryPair): JudgePair {
  return {
    passage,
    perspective,
    question: query.text,
    ...(index && { neighbours: () => index.neighbours(passage) }),
  };
}

function pairsOf({ passages, perspectives }: JudgingTask): OpenPair[] {
  return passages.flatMap((passage) => perspectives.map((perspective) => ({ passage, perspective })));
}

/** How labels are looked up. @param standard undefined for labels under any standard */
export function labelledPerspective(
  query: AskedQuery,
  { id, text }: Pick<Perspective, 'id' | 'text'>,
  standard?: string,
): LabelledPerspective {
  return { queryId: query.id, queryText: query.text, perspectiveId: id, perspectiveText: text, standard };
}

/** The part of a labels file's line that does not depend on the verdict. */
export function aboutPair(
  { query, passage, perspective, split }: LabelTarget,
  by: string,
  standard: string = STANDARDS.berds.id,
): Omit<Label, 'verdict' | 'note' | 'informed' | 'quote'> {
  return {
    v: 1,
    query: query.id ?? query.text,
    ...(query.id === undefined ? {} : { queryText: query.text }),
    perspective: perspective.id,
    perspectiveText: perspective.text,
    document: passage.documentId,
    hash: passage.hash,
    ...(split === undefined ? {} : { split }),
    by: { kind: 'human', name: by },
    at: new Date().toISOString(),
    standard,
  };
}
