/** Captured retrievals in a file, one per line. They survive the end of the engine, and reloading the window. */
import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import * as z from 'zod';
import type { CapturedRetrieval } from '../core/span-reading.ts';
import { messageOf } from '../../../core/errors.ts';
import { aboutRecordSchema } from '../../../core/external/about-record.ts';
import { codeOf } from '../../../engine/files/file-reason.ts';
import { readText } from '../../../engine/files/reading.ts';

/** A larger file is rewritten with what is kept. */
const MAX_BYTES = 128 * 2 ** 20;
const OWNER_ONLY = { mode: 0o600 };

const retrievalSchema: z.ZodType<CapturedRetrieval> = z.object({
  id: z.string(),
  name: z.string(),
  service: z.string(),
  scope: z.string(),
  at: z.number(),
  step: z.enum(['retriever', 'reranker']),
  query: z.string(),
  results: z.array(
    z
      .object({
        id: z.string().optional(),
        text: z.string().optional(),
        score: z.number().optional(),
        key: z.string().optional(),
        about: aboutRecordSchema.optional(),
      })
      .transform(({ score, ...result }) => ({ ...result, ...(score === undefined ? {} : { score }) })),
  ),
  code: z.object({ file: z.string(), line: z.number().optional() }).optional(),
  live: z
    .object({
      site: z.string(),
      process: z.string(),
      retrieval: z.string(),
      durationMs: z.number(),
      k: z.number().optional(),
      request: z.string().optional(),
    })
    .optional(),
});

const questionSchema = z.strictObject({ run: z.string(), question: z.string() });
/** The question of a run. The last one counts. */
type KeptQuestion = z.output<typeof questionSchema>;

export class KeptRetrievals {
  readonly #file: string;
  readonly #log: (message: string) => void;
  #bytes = 0;

  constructor(file: string, log: (message: string) => void) {
    this.#file = file;
    this.#log = log;
  }

  /** Oldest first. Leaves out a torn line, as from an ended process. */
  async read(): Promise<{
    readonly retrievals: readonly CapturedRetrieval[];
    readonly questions: readonly KeptQuestion[];
  }> {
    const text = await readText(this.#file, { maxBytes: 2 * MAX_BYTES }).catch((error: unknown) => {
      this.#failed(error);
      return '';
    });
    this.#bytes = Buffer.byteLength(text);
    const lines = text.split('\n').flatMap((line) => jsonIn(line) ?? []);
    return {
      retrievals: lines.flatMap((json) => retrievalSchema.safeParse(json).data ?? []),
      questions: lines.flatMap((json) => questionSchema.safeParse(json).data ?? []),
    };
  }

  addQuestion(question: KeptQuestion): void {
    const line = `${JSON.stringify(question)}\n`;
    this.#bytes += Buffer.byteLength(line);
    this.#unlessItFails(() => appendFileSync(this.#file, line, OWNER_ONLY));
  }

  /** @param all kept retrievals, including this one */
  add(retrieval: CapturedRetrieval, all: readonly CapturedRetrieval[]): void {
    const line = lineOf(retrieval);
    this.#bytes += Buffer.byteLength(line);
    if (this.#bytes > MAX_BYTES) return this.replace(all);
    this.#unlessItFails(() => appendFileSync(this.#file, line, OWNER_ONLY));
  }

  replace(all: readonly CapturedRetrieval[]): void {
    const text = all.map(lineOf).join('');
    this.#bytes = Buffer.byteLength(text);
    this.#unlessItFails(() => writeFileSync(this.#file, text, OWNER_ONLY));
  }

  forget(): void {
    this.#bytes = 0;
    this.#unlessItFails(() => rmSync(this.#file, { force: true }));
  }

  /** Captures are shown even if they cannot be stored. */
  #unlessItFails(use: () => void): void {
    try {
      use();
    } catch (error) {
      this.#failed(error);
    }
  }

  #failed(error: unknown): void {
    if (codeOf(error) !== 'ENOENT')
      this.#log(`Captured retrievals cannot be kept in ${this.#file}: ${messageOf(error)}`);
  }
}

const lineOf = (retrieval: CapturedRetrieval): string => `${JSON.stringify(retrieval)}\n`;

function jsonIn(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
