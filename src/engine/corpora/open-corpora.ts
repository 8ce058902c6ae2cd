import { rm } from 'node:fs/promises';
import * as l10n from '@vscode/l10n';
import { messageOf, ParallaxError } from '../../core/errors.ts';
import type { SplitSpec } from '../../core/split/spec.ts';
import type { CorpusRef, EngineConfig } from '../../shared/requests/configuration.ts';
import { CorpusIndex } from './corpus-index.ts';
import { besideStore, rebuildLock, replaceStore, resplitLock, resplitStore } from './corpus-store.ts';
import type { Embedders } from '../embedders/embedders.ts';
import type { ExternalRetrievers } from '../external/external-retrievers.ts';
import type { CrossEncoders } from '../rerankers/cross-encoders.ts';
import type { IndexReport } from '../../shared/requests/corpora.ts';
import { asOnlyWriter } from '../store/writer-lock.ts';
import type { WorkOptions } from '../types.ts';

/** What an open corpus works with. */
export interface CorpusParts {
  readonly config: EngineConfig;
  readonly embedders: Embedders;
  readonly crossEncoders: CrossEncoders;
  readonly externals: ExternalRetrievers;
}

/** The corpora of the current configuration. Opened at the first request, closed when the configuration drops them. */
export class OpenCorpora {
  readonly #log: (message: string) => void;
  #parts: CorpusParts | undefined;
  #opened = new Map<string, Promise<CorpusIndex>>();

  constructor(log: (message: string) => void) {
    this.#log = log;
  }

  /**
   * Makes `parts` current. Corpora that did not change stay open, so that an edit elsewhere in `parallax.json` does
   * not interrupt work on them. The others are closed.
   *
   * @param sameModels whether embedders, cross-encoders and retrievers are unchanged
   */
  async reconfigure(parts: CorpusParts, sameModels: boolean): Promise<void> {
    const former = this.#opened;
    const unchangedNames = sameModels && this.#parts ? unchanged(this.#parts.config, parts.config) : [];
    this.#opened = new Map(
      unchangedNames.flatMap((name) => {
        const opened = former.get(name);
        return opened && former.delete(name) ? [[name, opened]] : [];
      }),
    );
    this.#parts = parts;
    await this.#closeAll(former);
  }

  /** @throws ParallaxError `not-found` if the configuration has no such corpus */
  async get(name: string): Promise<CorpusIndex> {
    const opened = this.#opened.get(name);
    if (opened && !(await opened).isSuperseded) return opened;
    if (opened && this.#opened.get(name) === opened) await this.#forget(name);
    const again = this.#opened.get(name);
    if (again) return again;
    const opening = this.#open(findCorpus(this.#current().config, name));
    const corpora = this.#opened;
    corpora.set(name, opening);
    // A failure is not remembered: the disk may be writable next time.
    opening.catch(() => corpora.delete(name));
    return opening;
  }

  /** As {@link get}. @throws ParallaxError also `not-indexed` */
  async indexed(name: string): Promise<CorpusIndex> {
    const index = await this.get(name);
    if (index.isIndexed) return index;
    throw new ParallaxError('not-indexed', l10n.t`The corpus "${name}" is not indexed yet.`, {
      corpus: name,
    });
  }

  /**
   * Rebuilds the index of a corpus beside the present one, which answers until the new one is complete. If this is
   * cancelled or fails, the present one stays.
   *
   * @throws ParallaxError `not-found` as {@link get}, as `CorpusIndex.update`
   */
  async rebuild(name: string, work: WorkOptions): Promise<IndexReport> {
    const ref = findCorpus(this.#current().config, name);
    if (ref.config.store) return (await this.get(name)).update(work);
    const fresh = besideStore(ref);
    return asOnlyWriter(rebuildLock(ref), work, async () => {
      try {
        // Left by a window that was killed while it rebuilt.
        await rm(fresh.store, { recursive: true, force: true });
        const report = await this.#built(fresh, work);
        await this.#forget(name);
        await replaceStore(ref, work);
        return report;
      } finally {
        await rm(fresh.store, { recursive: true, force: true });
      }
    });
  }

  /**
   * Indexes a corpus with another split in a separate folder, which is removed after use. The present index stays.
   *
   * @throws ParallaxError `not-found` as {@link get}, as `CorpusIndex.update`
   */
  async withSplit<T>(
    name: string,
    split: SplitSpec,
    use: (index: CorpusIndex) => Promise<T>,
    work: WorkOptions,
  ): Promise<T> {
    const ref = findCorpus(this.#current().config, name);
    const variant = resplitStore(ref, split);
    return asOnlyWriter(resplitLock(ref), work, async () => {
      try {
        // Left by a window that was killed.
        await rm(variant.store, { recursive: true, force: true });
        const index = await this.#open(variant);
        try {
          await index.update(work);
          return await use(index);
        } finally {
          await index.close();
        }
      } finally {
        await rm(variant.store, { recursive: true, force: true });
      }
    });
  }

  async #built(ref: CorpusRef, work: WorkOptions): Promise<IndexReport> {
    const index = await this.#open(ref);
    try {
      return await index.update(work);
    } finally {
      await index.close();
    }
  }

  #open(ref: CorpusRef): Promise<CorpusIndex> {
    const { config, embedders, crossEncoders, externals } = this.#current();
    return CorpusIndex.open(ref, {
      embedder: (embedder) => embedders.get(embedder),
      crossEncoders,
      externals,
      approximateAbove: config.approximateAbove,
      log: this.#log,
    });
  }

  async #forget(name: string): Promise<void> {
    const opened = this.#opened.get(name);
    this.#opened.delete(name);
    if (opened) await (await opened).close();
  }

  async close(): Promise<void> {
    const former = this.#opened;
    this.#opened = new Map();
    this.#parts = undefined;
    await this.#closeAll(former);
  }

  #current(): CorpusParts {
    if (!this.#parts)
      throw new ParallaxError('internal', l10n.t('A corpus was asked for before the engine was configured.'));
    return this.#parts;
  }

  async #closeAll(corpora: ReadonlyMap<string, Promise<CorpusIndex>>): Promise<void> {
    for (const corpus of corpora.values())
      await corpus
        .then((index) => index.close())
        .catch((error: unknown) => this.#log(`Closing a corpus: ${messageOf(error)}`));
  }
}

/** The corpora that both configurations define identically. */
function unchanged(former: EngineConfig, config: EngineConfig): string[] {
  const before = new Map(former.corpora.map((ref) => [ref.name, JSON.stringify(ref)]));
  return config.corpora.filter((ref) => before.get(ref.name) === JSON.stringify(ref)).map(({ name }) => name);
}

function findCorpus({ corpora }: EngineConfig, name: string): CorpusRef {
  const ref = corpora.find((corpus) => corpus.name === name);
  if (!ref) throw new ParallaxError('not-found', l10n.t`There is no corpus "${name}" in parallax.json.`);
  return ref;
}
