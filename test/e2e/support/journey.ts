/** What every journey through the editor does. */
import type { TestContext } from 'node:test';
import type { Editor } from './editor.ts';

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

/** Into the results of the test run and, where PARALLAX_SCREENSHOTS names a folder, for the README. */
export async function takePicture(editor: Editor, name: string): Promise<void> {
  await editor.screenshot(name);
  const forReadme = process.env['PARALLAX_SCREENSHOTS'];
  if (forReadme) await editor.screenshot(name, forReadme);
}
