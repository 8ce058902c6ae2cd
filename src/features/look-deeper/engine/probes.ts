/**
 * Stores the results of searching deeper for a perspective, so that all surfaces show the same after a restart.
 * Verdicts on the passages are stored with all other verdicts.
 */
import * as z from 'zod';
import type { Read } from '../../../core/read.ts';
import type { ProbeResults } from '../../../core/coverage.ts';
import { probeSearchSchema, type ProbeSearch } from '../../../core/coverage-states.ts';
import type { Perspective } from '../../../core/model.ts';
import { passageNames } from '../../../core/text/passage-name.ts';
import type { Probe } from '../../../shared/requests/passages.ts';
import type { CorpusIndex } from '../../../engine/corpora/corpus-index.ts';
import { sealed, unsealed } from '../../../engine/store/checksums.ts';
import type { Database, Statement } from '../../../engine/store/database.ts';
import { textHash } from '../../../engine/text-sums.ts';
import { createTables } from '../../../engine/store/tables.ts';
import type { StoredPassage } from '../../../engine/types.ts';

const TABLE = `CREATE TABLE IF NOT EXISTS probes_1 (
  id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, found TEXT NOT NULL)`;

/** About 4 kB each. The oldest are deleted. */
const CAPACITY = 20_000;

const keptSchema = z.object({
  /** The fingerprint of the corpus at the time of the search. */
  fingerprint: z.string(),
  searches: z.array(probeSearchSchema),
  /** The most promising first. */
  passages: z.array(
    z.object({
      id: z.string(),
      /** The index of each search that found it, and its rank there. */
      ranks: z.array(z.tuple([z.number(), z.number()])),
    }),
  ),
});
type StoredProbe = Read<typeof keptSchema>;

/** Passages that searches for a perspective found. */
export type ProbeFindings = Omit<StoredProbe, 'fingerprint'>;

/** A question with a perspective to search for. */
type ProbeText = Pick<Perspective, 'text'>;

export class Probes {
  readonly #db: Database;
  readonly #found: Statement;

  /** Creates its table if it is missing. The database may have other tables. */
  constructor(db: Database) {
    createTables(db, TABLE);
    this.#db = db;
    this.#found = db.prepare('SELECT found FROM probes_1 WHERE key = ?');
  }

  /** Stored for this generation of the corpus. A rebuilt one is searched again. */
  put(
    index: CorpusIndex,
    question: ProbeText,
    perspective: ProbeText,
    { searches, passages }: ProbeFindings,
  ): void {
    const record: StoredProbe = { fingerprint: index.fingerprint, searches, passages };
    this.#db
      .prepare('INSERT OR REPLACE INTO probes_1 (key, found) VALUES (?, ?)')
      .run(keyOf(index, question, perspective), sealed(JSON.stringify(record)));
    this.#db.exec(`DELETE FROM probes_1 WHERE id <= (SELECT max(id) FROM probes_1) - ${CAPACITY}`);
  }

  /**
   * The results for perspectives that were searched for. If the corpus has changed since, the searches are left out:
   * passages that still exist are known, but nothing follows from what was not found.
   */
  of(index: CorpusIndex, question: ProbeText, perspectives: readonly Perspective[]): Probed[] {
    return perspectives.flatMap((perspective) => {
      const record = this.#read(keyOf(index, question, perspective));
      if (!record) return [];
      const isCurrent = record.fingerprint === index.fingerprint;
      const passages = record.passages.flatMap(({ id, ranks }) => {
        const passage = index.passageById(id);
        if (!passage) return [];
        return [{ passage, ranks: isCurrent ? ranks.map(([place, rank]) => ({ place, rank })) : [] }];
      });
      return [{ perspectiveId: perspective.id, searches: isCurrent ? record.searches : [], passages }];
    });
  }

  #read(key: string): StoredProbe | undefined {
    const row = this.#found.get(key);
    const text = row && unsealed(String(row['found']));
    if (text === undefined) return undefined;
    try {
      return keptSchema.safeParse(JSON.parse(text)).data;
    } catch (error) {
      // Damaged, so it is searched again.
      if (error instanceof SyntaxError) return undefined;
      throw error;
    }
  }
}

/** The stored searches for one perspective, with the passages as they are in the corpus now. */
export interface Probed {
  readonly perspectiveId: string;
  readonly searches: readonly ProbeSearch[];
  readonly passages: readonly {
    readonly passage: StoredPassage;
    readonly ranks: readonly { readonly place: number; readonly rank: number }[];
  }[];
}

/** In the form that `coverageOf` reads. */
export function probeResults(probed: Probed): ProbeResults {
  const { searches, passages } = probed;
  return {
    searches,
    passages: passages.map(({ passage, ranks }) => ({
      passageId: passage.id,
      ranks: ranks.map(({ place, rank }) => ({ ...searches[place]!, rank })),
    })),
  };
}

/** In the form for other processes. */
export function probeView(probed: Probed): Probe {
  const { perspectiveId, searches, passages } = probed;
  const { passages: ranked } = probeResults(probed);
  const names = passageNames(passages.map(({ passage }) => passage));
  return {
    perspectiveId,
    searches,
    passages: passages.map(({ passage }, place) => ({
      slot: passage.slot,
      passageId: passage.id,
      name: names[place]!,
      documentId: passage.documentId,
      lines: passage.lines,
      verbatim: passage.verbatim,
      text: passage.text,
      ranks: ranked[place]!.ranks,
    })),
  };
}

function keyOf(index: CorpusIndex, question: ProbeText, perspective: ProbeText): string {
  return textHash(JSON.stringify([index.generation, question.text.trim(), perspective.text.trim()]));
}
