/** Steps of every journey through the editor. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Locator } from 'playwright-core';
import type { Editor } from './editor.ts';

const PATIENCE = 20_000;

/** A step is a test case of its own; after a failed one the rest of the journey makes no sense. */
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

/** Waits until there are so many: the editor draws in several steps, and draws again when it likes. */
export async function waitForCount(locator: Locator, expected: number): Promise<void> {
  for (const until = Date.now() + PATIENCE; Date.now() < until; await sleep(100))
    if ((await locator.count()) === expected) return;
  assert.equal(await locator.count(), expected);
}

/** Waits until what a function gives is as expected: files are written when the editor likes. */
export async function waitForEqual<T>(actual: () => T, expected: T): Promise<void> {
  for (const until = Date.now() + PATIENCE; Date.now() < until; await sleep(100))
    if (actual() === expected) return;
  assert.equal(actual(), expected);
}

/** Into the results of the test run and, where PARALLAX_SCREENSHOTS names a folder, for the README. */
export async function takePicture(editor: Editor, name: string): Promise<void> {
  await editor.workbench.atRest();
  await editor.screenshot(name);
  const forReadme = process.env['PARALLAX_SCREENSHOTS'];
  if (forReadme) await editor.screenshot(name, forReadme);
}
