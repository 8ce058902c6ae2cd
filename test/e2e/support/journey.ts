/** Steps of all journeys through the editor. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Locator } from 'playwright-core';
import type { Editor } from './editor.ts';

const PATIENCE = 120_000;

/** Runs a step as a test case. After a failed step the rest of the journey is skipped. */
export async function step(t: TestContext, name: string, body: () => Promise<void>): Promise<void> {
  let failure: unknown;
  await t.test(name, async () => {
    try {
      await body();
    } catch (error) {
      failure = error;
      throw error;
    }
  });
  if (failure) throw new Error(`The journey ended at "${name}".`, { cause: failure });
}

/** Waits for this number of elements: the editor draws in several steps. */
export async function waitForCount(locator: Locator, expected: number): Promise<void> {
  for (const until = Date.now() + PATIENCE; Date.now() < until; await sleep(100))
    if ((await locator.count()) === expected) return;
  assert.equal(await locator.count(), expected);
}

/** Waits until a function returns the expected value, because the editor writes files with a delay. */
export async function waitForEqual<T>(actual: () => T, expected: T): Promise<void> {
  for (const until = Date.now() + PATIENCE; Date.now() < until; await sleep(100))
    if (actual() === expected) return;
  assert.equal(actual(), expected);
}

/** Saves a picture with the test results and, if PARALLAX_SCREENSHOTS names a folder, for the README. */
export async function takePicture(editor: Editor, name: string): Promise<void> {
  await editor.workbench.atRest();
  await editor.screenshot(name);
  const forReadme = process.env['PARALLAX_SCREENSHOTS'];
  if (forReadme) await editor.screenshot(name, forReadme);
}
