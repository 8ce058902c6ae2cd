/** A retriever whose results are already in a file. */
import path from 'node:path';
import * as l10n from '@vscode/l10n';
import { counts } from '../../core/counted.ts';
import { messageOf, ParallaxError, throwIfCancelled } from '../../core/errors.ts';
import type { ExternalResult, RunRetriever } from '../../core/external/spec.ts';
import { RetrievedReading, type RetrievedFile } from '../../core/formats/retrieved.ts';
import { codeOf } from '../files/file-reason.ts';
import { fileVersion } from '../files/file-version.ts';
import { readFileLines } from '../files/reading.ts';
import type { ExternalQuery, ExternalRetriever, RetrieverHealth } from './external-retriever.ts';

/** @param base the folder that the file is relative to */
export function createRunRetriever(spec: RunRetriever, base: string): ExternalRetriever {
  return new RunFile(spec, path.resolve(base, spec.file));
}

class RunFile implements ExternalRetriever {
  readonly #name: string;
  readonly #path: string;
  readonly #hasProgram: boolean;
  readonly #isPerRun: boolean;
  #read: { readonly version: string; readonly file: RetrievedFile } | undefined;

  constructor({ file, program, per = 'run' }: RunRetriever, absolute: string) {
    this.#name = file;
    this.#path = absolute;
    this.#hasProgram = program !== undefined;
    this.#isPerRun = per === 'run';
  }

  async search(
    { id, text }: ExternalQuery,
    k: number,
    signal?: AbortSignal,
  ): Promise<readonly ExternalResult[]> {
    throwIfCancelled(signal);
    const { byId, byText, byQuestion } = await this.#current();
    const ofRun = this.#isPerRun ? byQuestion.get(text) : undefined;
    const results = (id === undefined ? undefined : byId.get(id)) ?? ofRun ?? byText.get(text);
    if (results) return results.slice(0, k);
    throw new ParallaxError(
      'retriever-failed',
      id === undefined
        ? l10n.t`${this.#name} has no results for the query "${text}".`
        : l10n.t`${this.#name} has no results for the query ${id} ("${text}").`,
    );
  }

  async check(signal?: AbortSignal): Promise<RetrieverHealth> {
    throwIfCancelled(signal);
    const { byId, byText, byQuestion } = await this.#current();
    const texts = new Set([...byText.keys(), ...(this.#isPerRun ? byQuestion.keys() : [])]);
    const count = Math.max(byId.size, texts.size);
    return {
      message: l10n.t`${this.#name} holds the results of ${counts.questions(count)}.`,
      count,
    };
  }

  close(): Promise<void> {
    this.#read = undefined;
    return Promise.resolve();
  }

  /** Read again if it has changed. Line by line, since runs can be long. */
  async #current(): Promise<RetrievedFile> {
    try {
      const version = await fileVersion(this.#path);
      if (this.#read?.version !== version) {
        const reading = new RetrievedReading(this.#name);
        for await (const line of readFileLines(this.#path)) reading.take(line);
        this.#read = { version, file: reading.end() };
      }
      return this.#read.file;
    } catch (error) {
      if (ParallaxError.is(error)) throw error;
      if (this.#hasProgram && codeOf(error) === 'ENOENT')
        throw new ParallaxError(
          'not-found',
          l10n.t`${this.#name} is not there yet. Run parallax gate, which measures the program.`,
          { cause: error },
        );
      throw new ParallaxError('bad-file', l10n.t`${this.#name} cannot be read: ${messageOf(error)}.`, {
        cause: error,
      });
    }
  }
}
