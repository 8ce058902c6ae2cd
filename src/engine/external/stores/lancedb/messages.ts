/** Questions to the process that LanceDB's client runs in. */
import type { LanceDistance } from '../../../../core/external/stores/lancedb.ts';

/** The table to search, and the client to use. */
export interface LancePlace {
  /** Folder of a project that has the client; absolute. */
  readonly client: string;
  /** Of a folder: absolute. */
  readonly uri: string;
  readonly table: string;
  readonly region?: string | undefined;
  readonly host?: string | undefined;
  readonly apiKey?: string | undefined;
}

/** Rows, as LanceDB is asked for them. */
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
  /** Joins the two lists where both are asked for. */
  readonly rrfK?: number;
  /** A condition of SQL. */
  readonly where?: string | undefined;
  readonly columns: readonly string[];
  /** Whether rows are asked for their numbers as well. */
  readonly numbered: boolean;
  /** Left out where the condition names rows: with both, some versions find none of the rows that are named by number. */
  readonly limit?: number;
}

/** A column of a table, as the client describes it. */
export interface LanceColumn {
  readonly name: string;
  readonly nullable: boolean;
  /** As Arrow writes it: `Utf8`, `FixedSizeList[384]<Float32>`. */
  readonly type: string;
  /** Of lists that all have the same. */
  readonly size?: number | undefined;
}

/** The columns and indexes of a table. */
export interface LanceTable {
  readonly columns: readonly LanceColumn[];
  /** Of the index on the vectors. */
  readonly distance?: string | undefined;
}

export interface LanceQuestions {
  /** Answered with a {@link LanceTable}. */
  readonly facts: { readonly vectorField: string };
  /** Answered with how many rows the index on the words has and lacks; undefined where there is none. */
  readonly words: { readonly textField: string };
  readonly rows: RowsQuestion;
  readonly count: { readonly where?: string | undefined };
}
