/** Retrievals of running programs: received while a receiver listens, kept until they are forgotten. */
import { once } from 'node:events';
import path from 'node:path';
import * as l10n from '@vscode/l10n';
import { runFigures } from '../core/figures.ts';
import { RunQuestions } from '../core/root-question.ts';
import { searchesRead, searchRunOf, type PicturedRun } from '../core/search-run.ts';
import type { CapturedRetrieval } from '../core/span-reading.ts';
import type { ToolsByName } from '../core/own-tools.ts';
import { UnusedSpans, type CountedUnused } from '../core/unused-spans.ts';
import { ParallaxError, throwIfCancelled } from '../../../core/errors.ts';
import type { Perspective } from '../../../core/model.ts';
import { passageName } from '../../../core/text/passage-name.ts';
import { questionKey } from '../../../core/text/question.ts';
import {
  MAX_CAPTURED,
  retrievalGone,
  type CapturedPassage,
  type CapturedRun,
  type KeptSpans,
} from '../contract/captured.ts';
import { CAPTURED_FILE } from '../contract/kept-file.ts';
import type { ListenAt } from '../contract/listening.ts';
import type { JudgedPair } from '../../../shared/requests/passages.ts';
import type { CorpusIndex } from '../../../engine/corpora/corpus-index.ts';
import { isForeign } from '../../../engine/external/foreign-passages.ts';
import type { MatchCounts } from '../../../engine/external/match-passages.ts';
import type { Judge } from '../../../engine/judges/judge.ts';
import type { JudgementService } from '../../../engine/judgements/judgement-service.ts';
import type { AskedQuery } from '../../../shared/requests/questions.ts';
import { Pace } from '../../../engine/concurrency/pace.ts';
import type { Slot, StoredPassage, WorkOptions } from '../../../engine/types.ts';
import { SpanHearing } from './span-hearing.ts';
import { KeptRetrievals } from './kept-retrievals.ts';
import { readSpanFile } from './span-files.ts';
import { startSpanReceiver } from './span-receiver.ts';

/** The most retrievals, and characters of what is kept of them. Beyond that, the oldest are forgotten. */
const MAX_KEPT = {
  /** For a list that people read. */
  newest: { retrievals: MAX_CAPTURED, characters: 32 * 1024 * 1024 },
  /** Until it is taken. */
  all: { retrievals: 100_000, characters: 512 * 1024 * 1024 },
} as const satisfies Record<KeptSpans, object>;
/** The most calls that answer one question, since a program may have several steps. */
const MAX_ANSWERS = 4;
/** Characters of a passage's beginning, for lists. */
const EXCERPT = 200;

export interface CaptureListener {
  /** Where to listen. Defaults to any port of this machine, for this machine only. */
  readonly listen?: ListenAt | undefined;
  readonly keep: KeptSpans;
  readonly tools: ToolsByName | undefined;
  /** @param url to which spans are sent; contains the token */
  readonly onEndpoint: (url: string) => void;
  /** Called when retrievals, or spans of other kinds, arrive. */
  readonly onArrival: () => void;
}

/** The corpus, labels and questions that captured retrievals are compared with. */
export interface CaptureTerms {
  readonly index: CorpusIndex;
  readonly judgementService: JudgementService;
  /** `undefined` for human labels only. Heuristics are asked; models count only with their stored answers. */
  readonly judge: Judge | undefined;
  /** Questions with known perspectives. If several have the same text, the first counts. */
  readonly queries: readonly (AskedQuery & { readonly perspectives: readonly Perspective[] })[];
  /** Lists only those that came after this one. Defaults to all, also if it has been forgotten. */
  readonly after?: string | undefined;
}

/** The run of a retrieval, and its question if it is known. */
interface OfRun {
  readonly run: string;
  readonly question?: string;
}

/** A retrieval among the passages of one corpus, valid while that corpus does not change. */
interface Recognised {
  readonly corpus: string;
  readonly slots: readonly Slot[];
  readonly matches: MatchCounts;
}

export class Captures {
  readonly #log: (message: string) => void;
  readonly #closing = new AbortController();
  /** Oldest first. */
  #kept: CapturedRetrieval[] = [];
  readonly #unused = new UnusedSpans();
  readonly #questions = new RunQuestions((run, question) => {
    if (this.#kept.some((retrieval) => searchRunOf(retrieval) === run))
      this.#file?.retrievalsFile.addQuestion({ run, question });
  });
  /** Characters of the kept retrievals. */
  #characters = 0;
  /** The number of retrievals that were dropped for lack of room. */
  #forgotten = 0;
  /** The number of requests whose spans could not be read. */
  #refused = 0;
  #imported: SpanHearing | undefined;
  #file: { readonly folder: string; readonly retrievalsFile: KeptRetrievals } | undefined;
  #recognised = new WeakMap<CorpusIndex, Map<string, Recognised>>();
  #listening = false;

  constructor(log: (message: string) => void) {
    this.#log = log;
  }

  /** Loads what earlier engines captured, and stores what comes from here on. @param folder of the editor */
  async keepIn(folder: string): Promise<void> {
    if (this.#file?.folder === folder) return;
    const retrievalsFile = new KeptRetrievals(path.join(folder, CAPTURED_FILE), this.#log);
    const { retrievals: before, questions } = await retrievalsFile.read();
    // Another change of the configuration may have been faster.
    if (this.#file?.folder === folder) return;
    const newer = this.#kept;
    this.#kept = [];
    this.#characters = 0;
    for (const retrieval of [...before, ...newer]) this.#keep(retrieval, 'newest');
    for (const { run, question } of questions) this.#questions.restore(run, question);
    this.#file = { folder, retrievalsFile };
    if (newer.length === 0 && before.length <= this.#kept.length) return;
    retrievalsFile.replace(this.#kept);
    for (const question of questions) retrievalsFile.addQuestion(question);
  }

  /**
   * Receives spans until the signal fires or {@link close} is called. The port is closed when this returns. Every
   * receiver has its own token.
   *
   * @throws ParallaxError `bad-argument` if a receiver is listening already, or no port is free
   */
  async receive(
    { listen, keep, tools, onEndpoint, onArrival }: CaptureListener,
    signal: AbortSignal,
  ): Promise<void> {
    if (this.#listening)
      throw new ParallaxError('bad-argument', l10n.t('Retrievals are already being captured.'));
    this.#listening = true;
    try {
      const ending = AbortSignal.any([signal, this.#closing.signal]);
      const receiver = await startSpanReceiver({
        port: 0,
        ...listen,
        tools,
        questions: this.#questions,
        onRetrieval: (retrieval) => {
          this.#keep(retrieval, keep);
          onArrival();
        },
        onUnused: (spans, used) => {
          for (const span of spans) this.#unused.add(span);
          for (const span of used) this.#unused.remove(span);
          onArrival();
        },
        onRefused: () => this.#refused++,
        log: this.#log,
      });
      onEndpoint(receiver.url);
      if (!ending.aborted) await once(ending, 'abort');
      await receiver.close();
    } finally {
      this.#listening = false;
    }
  }

  /**
   * Reads a file of spans, in the order in which they began. Spans that a file contained before are not counted
   * again.
   *
   * @param shown the file's name in errors
   * @returns the numbers of new retrievals and of other new spans
   * @throws ParallaxError `not-found`, `bad-file`, `too-large`, `cancelled`
   */
  async import(
    file: string,
    { shown, keep, tools }: Pick<CaptureListener, 'keep' | 'tools'> & { readonly shown: string },
    signal: AbortSignal,
  ): Promise<{ readonly retrievals: number; readonly unused: number }> {
    this.#imported ??= new SpanHearing(tools, this.#questions);
    const { retrievals, unused, used } = this.#imported.hear(await readSpanFile(file, shown, signal));
    for (const retrieval of retrievals.toSorted((a, b) => a.at - b.at)) this.#keep(retrieval, keep);
    for (const span of unused) this.#unused.add(span);
    for (const span of used) this.#unused.remove(span);
    return { retrievals: retrievals.length, unused: unused.length - used.length };
  }

  /** Returns everything unchanged, oldest first, and forgets it. */
  take(): {
    readonly retrievals: readonly (CapturedRetrieval & OfRun)[];
    readonly unused: readonly CountedUnused[];
    readonly forgotten: number;
    readonly refused: number;
  } {
    const capture = {
      retrievals: this.#kept.map((retrieval) => ({ ...retrieval, ...this.#runOf(retrieval) })),
      unused: this.unused(),
      forgotten: this.#forgotten,
      refused: this.#refused,
    };
    this.forget();
    return capture;
  }

  /**
   * Captured retrievals, newest first, with their results matched to passages of a corpus.
   *
   * @throws ParallaxError `cancelled`
   */
  async list(terms: CaptureTerms, work: WorkOptions): Promise<CapturedRun[]> {
    const questions = new Map<string, CaptureTerms['queries'][number]>();
    for (const query of terms.queries) {
      const key = questionKey(query.text);
      if (query.perspectives.length > 0 && !questions.has(key)) questions.set(key, query);
    }
    const pace = new Pace(work);
    const runs: CapturedRun[] = [];
    const before = this.#kept.findIndex(({ id }) => id === terms.after);
    for (const retrieval of this.#kept.slice(before + 1).toReversed()) {
      const { question = '' } = this.#runOf(retrieval);
      const known = questions.get(questionKey(question)) ?? questions.get(questionKey(retrieval.query));
      runs.push(await this.#told(retrieval, terms, known, work));
      throwIfCancelled(work.signal);
      if (pace.due) await pace.rest();
    }
    return runs;
  }

  /** The results for a question, newest first: the newest answer of each retriever, or of each call. */
  answersTo(question: string): CapturedRetrieval[] {
    const key = questionKey(question);
    const answers = new Map<string, CapturedRetrieval>();
    for (const retrieval of this.#kept.toReversed()) {
      if (questionKey(retrieval.query) !== key) continue;
      const { name, service, step, code, live } = retrieval;
      const call = live?.site ?? JSON.stringify([name, service, step, code]);
      if (!answers.has(call)) answers.set(call, retrieval);
    }
    return [...answers.values()].slice(0, MAX_ANSWERS);
  }

  /**
   * The results of a retrieval as a line of a run.
   *
   * @param question that it answered
   * @throws ParallaxError `not-found`
   */
  answer(id: string, question: string): Readonly<Record<string, unknown>> {
    const retrieval = this.#kept.find((each) => each.id === id);
    if (!retrieval) throw retrievalGone();
    const results = retrieval.results.map(({ id: name, text, about }) => ({
      id: name,
      text,
      metadata: about,
    }));
    return { query: question, results: results.filter(({ id: name, text }) => name || text) };
  }

  /** The searches of a run, oldest first. @throws ParallaxError `not-found` if they were forgotten */
  run(id: string): PicturedRun {
    const searches = searchesRead(this.#kept.filter((retrieval) => searchRunOf(retrieval) === id));
    if (searches.length > 0) return { question: this.#questions.of(id), searches };
    throw new ParallaxError(
      'not-found',
      l10n.t('This run is no longer in the list, because newer retrievals replaced it.'),
    );
  }

  /** Spans that cannot be shown as retrievals, the most frequent kind first. */
  unused(): CountedUnused[] {
    return this.#unused.list();
  }

  forget(): void {
    this.#file?.retrievalsFile.forget();
    this.#kept = [];
    this.#characters = 0;
    this.#forgotten = 0;
    this.#refused = 0;
    this.#imported = undefined;
    this.#unused.clear();
    this.#questions.clear();
    this.#recognised = new WeakMap();
  }

  /** Ends receiving. */
  close(): void {
    this.#closing.abort();
  }

  /** Adds a retrieval that was observed in a running program. */
  add(retrieval: CapturedRetrieval, keep: KeptSpans): void {
    this.#keep(retrieval, keep);
  }

  /** The question of a run comes with its last span. */
  #runOf(retrieval: CapturedRetrieval): OfRun {
    const run = searchRunOf(retrieval);
    const question = this.#questions.of(run);
    return { run, ...(question === undefined ? {} : { question }) };
  }

  #keep(retrieval: CapturedRetrieval, keep: KeptSpans): void {
    const most = MAX_KEPT[keep];
    this.#kept.push(retrieval);
    this.#characters += charactersOf(retrieval);
    while (
      this.#kept.length > 1 &&
      (this.#kept.length > most.retrievals || this.#characters > most.characters)
    ) {
      this.#characters -= charactersOf(this.#kept.shift()!);
      this.#forgotten++;
    }
    this.#file?.retrievalsFile.add(retrieval, this.#kept);
    const { run, question } = this.#runOf(retrieval);
    if (question !== undefined) this.#file?.retrievalsFile.addQuestion({ run, question });
  }

  async #told(
    retrieval: CapturedRetrieval,
    { index, judgementService, judge }: CaptureTerms,
    question: CaptureTerms['queries'][number] | undefined,
    work: WorkOptions,
  ): Promise<CapturedRun> {
    const { results, query: text, code, live, ...about } = retrieval;
    const { slots, matches } = await this.#recognise(retrieval, index, work);
    const passages = index.passages(slots);
    const reference: AskedQuery = question ? { id: question.id, text: question.text } : { text };
    const perspectives = question?.perspectives ?? [];
    const known =
      perspectives.length > 0
        ? await judgementService.known({ query: reference, perspectives, passages, index }, judge)
        : [];
    const views = passages.map((passage) => passageView(passage, known));
    const figures = runFigures(
      { perspectives: perspectives.map(({ id }) => id), passages: views },
      results.length,
    );
    return {
      ...about,
      ...this.#runOf(retrieval),
      ...(code ? { code } : {}),
      ...(live ? { live } : {}),
      query: text,
      k: results.length,
      matches,
      asked: reference,
      perspectives: perspectives.map(({ id, text: statement, stance, group }) => ({
        id,
        text: statement,
        ...(stance === undefined ? {} : { stance }),
        ...(group === undefined ? {} : { group }),
      })),
      passages: views,
      ...(figures ? { figures } : {}),
    };
  }

  async #recognise(
    { id, results }: CapturedRetrieval,
    index: CorpusIndex,
    work: WorkOptions,
  ): Promise<Recognised> {
    const cache = this.#recognised.get(index) ?? new Map<string, Recognised>();
    this.#recognised.set(index, cache);
    const corpus = index.fingerprint;
    const before = cache.get(id);
    if (before?.corpus === corpus) return before;
    const recognition = { corpus, ...(await index.recognised(results, work)) };
    cache.set(id, recognition);
    return recognition;
  }
}

function charactersOf(retrieval: CapturedRetrieval): number {
  return JSON.stringify(retrieval).length;
}

function passageView(passage: StoredPassage, known: readonly JudgedPair[]): CapturedPassage {
  const { slot, id, documentId, text, lines, verbatim } = passage;
  return {
    slot,
    id,
    documentId,
    // A passage outside of the corpus is shown by its retriever's name for it, if there is one.
    title: isForeign(slot) ? passage.title : passageName(passage),
    excerpt: text.slice(0, EXCERPT),
    characters: text.length,
    ...(verbatim ? { lines: { first: lines.startLine + 1, last: lines.endLine + 1 } } : {}),
    recognised: !isForeign(slot),
    judged: known
      .filter((pair) => pair.slot === slot)
      .map(({ perspectiveId, judgement: { verdict, source, judge } }) => ({
        perspectiveId,
        verdict,
        source,
        judge,
      })),
  };
}
