import assert from 'node:assert/strict';
import { ParallaxError } from '../../../../src/core/errors.ts';

/** The message that reports an unusable storage and names a way out. `undefined` if the work succeeded. */
export async function refusedInWords(work: Promise<unknown>): Promise<string | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    assert.ok(ParallaxError.is(error, 'store-unusable'), String((error as Error).stack));
    assert.match(error.message, /disk|space|room|writable/i);
    return error.message;
  }
}
