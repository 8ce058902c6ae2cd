/** The parts of a fuzz test of a parser of bytes. A text represents bytes, one for each character. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type fc from 'fast-check';
import { ParallaxError } from '../../src/core/errors.ts';
import { FileSkipped } from '../../src/engine/corpus/readers/reader.ts';
import { inputsLike } from './inputs.ts';

export interface FuzzedBytes {
  readonly name: string;
  /** Accepted unchanged; one byte per character. */
  readonly examples: readonly string[];
  /** Generates its inputs. Defaults to texts like the examples. */
  readonly inputs?: fc.Arbitrary<string>;
  /** The cost of an input, relative to the other parsers. */
  readonly cost: number;
  /** Further problems after a run. Empty if there are none. */
  readonly notes?: () => string;
  /** @returns whether it accepted the bytes. @throws on a fault */
  readonly survives: (text: string) => Promise<boolean>;
  /** Stops what would keep the process alive. */
  readonly close?: () => Promise<void>;
}

/** Inputs of a parser. */
export function inputsOf({ inputs, examples }: FuzzedBytes): fc.Arbitrary<string> {
  return inputs ?? inputsLike(examples);
}

export const bytesOf = (text: string): Buffer => Buffer.from(text, 'latin1');
export const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');
export const fixture = (name: string): string =>
  textOf(readFileSync(path.join(import.meta.dirname, '../fixtures/corpus', name)));

/**
 * Returns whether the parser accepted the input.
 *
 * @param run returns false if a silent refusal is allowed
 * @throws any error that is no `ParallaxError`
 */
export async function takes(run: () => unknown): Promise<boolean> {
  try {
    return (await run()) !== false;
  } catch (error) {
    if (!ParallaxError.is(error)) throw error;
    assert.ok(error.message.trim() !== '' && error.message.length < 2_000, error.message.slice(0, 200));
    return false;
  }
}

/** The same for readers of corpus files. */
export async function takesFile(run: () => unknown): Promise<boolean> {
  try {
    return (await run()) !== false;
  } catch (error) {
    if (!(error instanceof FileSkipped)) throw error;
    return false;
  }
}
