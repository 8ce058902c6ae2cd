/** Questions to the process of LanceDB's client. */
import type { LanceDistance } from '../../../../core/external/stores/lancedb.ts';

/** The table to search, and the client to use. */
export interface LancePlace {
  /** Absolute folder of a project that has the client. */
  readonly client: string;
  /** Absolute if it is a folder. */
  readonly uri: string;
  readonly table: string;
  readonly region?: string | undefined;
  readonly host?: string | undefined;
  readonly apiKey?: string | undefined;
}

/** A request for rows. */
export interface RowsQuestion {
  readonly near?: {
    readonly vector: Float32Array;
    readonly column: string;
    readonly distance?: LanceDistance | undefined;
    readonly exact: boolean;
    readonly nprobes?: number | undefined;
    readonly refineFactor?: number | undefined;
    readonly ef?: number | undefined;
  };
  readonly words?: { readonly text: string; readonly column: string };
  /** Merges the two lists if both are requested. */
  readonly rrfK?: number;
  /** A condition of SQL. */
  readonly where?: string | undefined;
  readonly columns: readonly string[];
  /** Whether to return the numbers of rows as well. */
  readonly numbered: boolean;
  /** Missing if the condition names rows: with both, some versions find no rows named by number. */
  readonly limit?: number;
}

/** A column of a table, as the client describes it. */
export interface LanceColumn {
  readonly name: string;
  readonly nullable: boolean;
  /** As Arrow writes it: `Utf8`, `FixedSizeList[384]<Float32>`. */
  readonly type: string;
  /** The length of lists of a fixed length. */
  readonly size?: number | undefined;
}

/** The columns and indexes of a table. */
export interface LanceTable {
  readonly columns: readonly LanceColumn[];
  /** The distance of the index on the vectors. */
  readonly distance?: string | undefined;
}

export interface LanceQuestions {
  /** Answered with a {@link LanceTable}. */
  readonly facts: { readonly vectorField: string };
  /**
   * Answered with the number of rows inside and outside of the index on the words, or undefined without such an
   * index.
   */
  readonly words: { readonly textField: string };
  readonly rows: RowsQuestion;
  readonly count: { readonly where?: string | undefined };
}
