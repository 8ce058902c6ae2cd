import path from 'node:path';
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../core/errors.ts';
import type { NamedDocument } from '../../features/explain/core/explanation.ts';
import { firstSentence, lastSentence } from '../../core/judging/prompts/passage-context.ts';
import { ForeignPassages, isForeign } from '../external/foreign-passages.ts';
import { FOREIGN_PREFIX } from '../external/kept-passage.ts';
import { Pace } from '../concurrency/pace.ts';
import { openDatabase } from '../store/database.ts';
import type { Neighbours } from '../judges/judge.ts';
import type { Store } from '../store/store.ts';
import type { Slot, StoredPassage, WorkOptions } from '../types.ts';

const FOREIGN_FILE = 'foreign.sqlite';
/** Hashes read from the store at a time. */
const PORTION = 1_000;

/** The passages of a corpus by slot or id: those of its store, and those known only from foreign retrievers. */
export class CorpusPassages {
  readonly #store: Store;
  readonly #folder: string;
  readonly #livesElsewhere: boolean;
  #opened: ForeignPassages | undefined;

  /**
   * @param folder of the index
   * @param livesElsewhere whether the corpus is a store, so that no passage is in the index
   */
  constructor(store: Store, folder: string, livesElsewhere: boolean) {
    this.#livesElsewhere = livesElsewhere;
    this.#store = store;
    this.#folder = folder;
  }

  /** Opened when the first foreign retriever answers. */
  get foreign(): ForeignPassages {
    this.#opened ??= new ForeignPassages(openDatabase(path.join(this.#folder, FOREIGN_FILE)));
    return this.#opened;
  }

  bySlot(slot: Slot): StoredPassage | undefined {
    return isForeign(slot) ? this.foreign.passage(slot) : this.#store.passages.bySlot(slot);
  }

  byId(id: string): StoredPassage | undefined {
    return this.#isElsewhere(id) ? this.foreign.passageById(id) : this.#store.passages.byId(id);
  }

  /** @throws ParallaxError `not-found` */
  idOf(slot: Slot): string {
    const id = isForeign(slot) ? this.foreign.idOf(slot) : this.#store.idOf(slot);
    if (id === undefined)
      throw new ParallaxError('not-found', l10n.t('A retrieved passage has been deleted. Search again.'));
    return id;
  }

  /** In the order of the slots. Empty for passages that are gone. */
  textsOf(slots: readonly Slot[]): string[] {
    return slots.some(isForeign)
      ? slots.map((slot) => this.bySlot(slot)?.text ?? '')
      : this.#store.passages.textsOf(slots);
  }

  ofDocument(documentId: string): StoredPassage[] {
    if (!this.#isElsewhere(documentId)) return this.#store.passages.ofDocument(documentId);
    const foreign = this.foreign.passageById(documentId);
    return foreign ? [foreign] : [];
  }

  /** Passages of the documents in a file, by its absolute path. */
  ofFile(file: string): StoredPassage[] {
    return this.#livesElsewhere ? [] : this.#store.passages.ofFile(file);
  }

  titled(title: string): StoredPassage[] {
    return this.#livesElsewhere ? [] : this.#store.passages.titled(title);
  }

  /** Documents whose name or title contains a text. */
  documentsNamed(part: string, most: number): NamedDocument[] {
    return this.#livesElsewhere ? [] : this.#store.passages.documentsNamed(part, most);
  }

  /** The sentences next to a passage in its document. Empty for a passage known only from a foreign retriever. */
  neighbours(passage: StoredPassage): Neighbours {
    if (isForeign(passage.slot)) return {};
    const { start, end } = passage.span;
    const [before, after] = this.#store.passages.beside(passage);
    return {
      before: before && lastSentence(before.text.slice(0, start - before.span.start)),
      after: after && firstSentence(after.text.slice(Math.max(0, end - after.span.start))),
    };
  }

  /**
   * One passage for each of these hashes whose text occurs in the corpus. Reads all hashes.
   *
   * @throws ParallaxError `cancelled`
   */
  async byHash(hashes: ReadonlySet<string>, work: WorkOptions): Promise<Map<string, StoredPassage>> {
    const pace = new Pace(work);
    const slots = await slotsByHash(this.#store.passages, hashes, pace);
    const missing = new Set([...hashes].filter((hash) => !slots.has(hash)));
    const keptPassages = this.#kept;
    if (keptPassages && missing.size > 0)
      for (const [hash, slot] of await slotsByHash(keptPassages, missing, pace)) slots.set(hash, slot);
    const passagesByHash = new Map<string, StoredPassage>();
    for (const [hash, slot] of slots) {
      const passage = this.bySlot(slot);
      if (passage) passagesByHash.set(hash, passage);
      if (pace.due) await pace.rest();
    }
    return passagesByHash;
  }

  /** Whether the index of the corpus does not contain what has this id. */
  #isElsewhere(id: string): boolean {
    return this.#livesElsewhere || id.startsWith(FOREIGN_PREFIX);
  }

  get #kept(): ForeignPassages | undefined {
    return this.#livesElsewhere ? this.foreign : this.#opened;
  }

  /** Leaves the store open, which belongs to the caller. */
  close(): void {
    this.#opened?.close();
  }
}

interface WithHashes {
  hashes(from: number, limit: number): { hashes: { slot: Slot; hash: string }[]; next: number | undefined };
}

/** The first slot of each of these hashes. */
async function slotsByHash(
  passages: WithHashes,
  hashes: ReadonlySet<string>,
  pace: Pace,
): Promise<Map<string, Slot>> {
  const slots = new Map<string, Slot>();
  for (let from: number | undefined = 0; from !== undefined;) {
    const portion = passages.hashes(from, PORTION);
    for (const { slot, hash } of portion.hashes)
      if (hashes.has(hash) && !slots.has(hash)) slots.set(hash, slot);
    from = portion.next;
    if (pace.due) await pace.rest();
  }
  return slots;
}
