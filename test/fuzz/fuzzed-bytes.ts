/** The parts of a fuzz test of a parser of bytes. A text stands for bytes, one per character. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type fc from 'fast-check';
import { ParallaxError } from '../../src/core/errors.ts';
import { FileSkipped } from '../../src/engine/corpus/readers/reader.ts';
import { inputsLike } from './inputs.ts';

export interface FuzzedBytes {
  readonly name: string;
  /** Taken as they are; one byte per character. */
  readonly examples: readonly string[];
  /** Makes its inputs; texts like the examples where it is left out. */
  readonly inputs?: fc.Arbitrary<string>;
  /** How many inputs take as long as one of the others. */
  readonly cost: number;
  /** Further complaints after a run; empty for none. */
  readonly notes?: () => string;
  /** @returns whether it took the bytes. @throws whatever is a fault */
  readonly survives: (text: string) => Promise<boolean>;
  /** Ends what would keep the process alive. */
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
 * Whether it took the input.
 *
 * @param run returns false where nothing is wrong with refusing it in silence
 * @throws what is no refusal in words
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

/** The same for what reads files of a corpus. */
export async function takesFile(run: () => unknown): Promise<boolean> {
  try {
    return (await run()) !== false;
  } catch (error) {
    if (!(error instanceof FileSkipped)) throw error;
    return false;
  }
}
