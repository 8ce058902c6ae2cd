/** Which pages of a snapshot were found for which question, for a corpus with separate pages per question. */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import * as l10n from '@vscode/l10n';
import { counted } from '../../../core/counted.ts';
import { ParallaxError } from '../../../core/errors.ts';
import { parseManifest, SNAPSHOT_MANIFEST, type Manifest } from '../core/snapshot.ts';
import type { CorpusRef } from '../../../shared/requests/configuration.ts';
import type { CorpusIndex } from '../../../engine/corpora/corpus-index.ts';
import { isInside } from '../../../engine/files/boundary.ts';
import { codeOf } from '../../../engine/files/file-reason.ts';
import { fileVersion } from '../../../engine/files/file-version.ts';
import { readInput } from '../../../engine/files/read-input.ts';
import type { PipelineQuery } from '../../../engine/retrieval/pipeline-services.ts';
import type { StoredPassage } from '../../../engine/types.ts';
import { QueryCorpus } from './query-corpus.ts';

/** Creating a corpus takes a fraction of a second, and pipelines run one after the other on all questions. */
const CORPORA_KEPT = 16;

/** The part of a query that, with the corpus, decides which pages it has. */
type Asked = Pick<PipelineQuery, 'text' | 'pagesOf'>;

export class QueryPages {
  readonly #index: CorpusIndex;
  readonly #manifest: Manifest;
  /** By question, the most recently used last. */
  readonly #corpora = new Map<string, QueryCorpus>();
  #fingerprint = '';

  private constructor(index: CorpusIndex, manifest: Manifest) {
    this.#index = index;
    this.#manifest = manifest;
  }

  /**
   * @returns undefined for a corpus that answers every question from all of its passages
   * @throws ParallaxError `bad-config` if the corpus is no snapshot, `bad-file`, `not-found`
   */
  static async of(index: CorpusIndex): Promise<QueryPages | undefined> {
    if (!index.ref.config.perQuery) return undefined;
    const file = await manifestOf(index.ref);
    const known = readManifests.get(index);
    const version = await fileVersion(file);
    if (known?.version === version) return known.pages;
    const manifest = await readInput(file, (text) => parseManifest(wholeLines(text), file));
    const pages = new QueryPages(index, manifest);
    readManifests.set(index, { version, pages });
    return pages;
  }

  /** Equal if every question has the same pages. */
  get identity(): string {
    const questions = this.#manifest.questions.sort();
    return JSON.stringify(questions.map((question) => [question, this.#manifest.pagesFor(question)?.sort()]));
  }

  /** Ids of the documents to search for a question. Empty if there are none. */
  documentsFor({ pagesOf, text }: Asked): readonly string[] {
    return this.#manifest.pagesFor(pagesOf ?? text) ?? [];
  }

  /**
   * The corpus of a question.
   *
   * @throws ParallaxError `not-found` if it has none
   */
  corpusFor(query: Asked): QueryCorpus {
    // `status` also loads what another window has indexed.
    const { passages } = this.#index.status;
    const { fingerprint } = this.#index;
    if (fingerprint !== this.#fingerprint) this.#corpora.clear();
    this.#fingerprint = fingerprint;
    const question = query.pagesOf ?? query.text;
    const corpus =
      this.#corpora.get(question) ??
      new QueryCorpus(this.#index.searches, this.#passages(query), {
        compare: this.#index.compare,
        passages,
      });
    this.#corpora.delete(question);
    this.#corpora.set(question, corpus);
    const [oldest] = this.#corpora.keys();
    if (this.#corpora.size > CORPORA_KEPT) this.#corpora.delete(oldest!);
    return corpus;
  }

  /** @throws ParallaxError `not-found` */
  #passages(query: Asked): StoredPassage[] {
    const question = query.pagesOf ?? query.text;
    const documents = this.documentsFor(query);
    const passages = documents.flatMap((id) => this.#index.passagesOf(id));
    if (passages.length > 0) return passages;
    throw new ParallaxError('not-found', this.#whyNone(question, documents.length));
  }

  #whyNone(question: string, documents: number): string {
    if (documents > 0)
      return l10n.t`The pages that were found for "${question}" are not indexed yet. Update the index.`;
    return this.#manifest.pagesFor(question)
      ? l10n.t`None of the pages that were found for "${question}" could be fetched, and this corpus answers each question from its own pages only.`
      : l10n.t`The web has not been searched for "${question}" yet, and this corpus answers each question from its own pages only. Fetch them into the same snapshot.`;
  }
}

/**
 * Separates the queries that a corpus can answer from those without pages, if it has separate pages per question. The
 * latter must be left out and named, since finding nothing for them shows nothing about a pipeline.
 *
 * @throws ParallaxError as {@link QueryPages.of}; `not-found` if no query has pages
 */
export async function splitByPages<Q extends Asked & { readonly id: string }>(
  index: CorpusIndex,
  queries: readonly Q[],
): Promise<{ readonly asked: readonly Q[]; readonly leftOut: readonly Q[] }> {
  const pages = await QueryPages.of(index);
  if (!pages) return { asked: queries, leftOut: [] };
  const hasPages = (query: Q): boolean => pages.documentsFor(query).length > 0;
  const asked = queries.filter(hasPages);
  if (asked.length > 0 || queries.length === 0)
    return { asked, leftOut: queries.filter((query) => !hasPages(query)) };
  throw new ParallaxError('not-found', noPageText(queries.length, index.ref.name));
}

function noPageText(queries: number, corpus: string): string {
  return counted(
    l10n.t(
      'No page of the snapshot was found for [0:the question|any of the {0} questions]: the corpus "{1}" answers each question from its own pages only. Fetch them into the same snapshot.',
    ),
    queries,
    corpus,
  );
}

/** By corpus, the manifest as it was last read. */
const readManifests = new WeakMap<CorpusIndex, { readonly version: string; readonly pages: QueryPages }>();

/** @throws ParallaxError `bad-config` */
async function manifestOf({ name, base, config, fenced }: CorpusRef): Promise<string> {
  const [root, another] = config.roots;
  const file = path.join(path.resolve(base, root!), SNAPSHOT_MANIFEST);
  const isSnapshot = another === undefined && (await isFile(file));
  if (isSnapshot && (await isInside(fenced ? base : undefined, file))) return file;
  throw new ParallaxError(
    'bad-config',
    l10n.t`corpora.${name}.perQuery needs a single root: the folder of a snapshot of the web, which has a ${SNAPSHOT_MANIFEST}.`,
  );
}

async function isFile(file: string): Promise<boolean> {
  try {
    return (await stat(file)).isFile();
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error))) return false;
    throw error;
  }
}

/** Drops an incomplete last line: a snapshot may be growing, or its run may have been interrupted. */
function wholeLines(text: string): string {
  return text.slice(0, text.lastIndexOf('\n') + 1);
}
