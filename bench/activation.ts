/**
 * Parallax's share of the editor's start: loading its bundle and activating in a real extension host, read from the
 * extension's own log. The engine must not run yet.
 *
 *   npm run bench -- activation     (after npm run build and npm run package)
 */
import { SAMPLE } from '../scripts/lib/project.mjs';
import { launchEditor, type Editor } from '../test/e2e/support/editor.ts';
import { milliseconds } from './support/report.ts';

const STARTS = 5;
const WANTED_MS = 50;

/** The log is written with a delay. */
async function activationTime(editor: Editor): Promise<number> {
  for (let attempt = 0; attempt < 30; attempt++) {
    const found = /Activated in ([\d.]+) ms/u.exec(editor.logs().join('\n'))?.[1];
    if (found !== undefined) return Number(found);
    await editor.page.waitForTimeout(500);
  }
  throw new Error('The log does not say how long the activation took.');
}

const times: number[] = [];
for (let start = 0; start < STARTS; start++) {
  const editor = await launchEditor({ workspace: SAMPLE });
  try {
    await editor.workbench.runCommand('Parallax: Show Log');
    times.push(await activationTime(editor));
  } finally {
    await editor.close();
  }
}
times.sort((a, b) => a - b);
process.stdout.write(
  `Loading and activation: ${times.map(milliseconds).join(', ')} ms; median ${milliseconds(times[STARTS >> 1] ?? 0)} ms ` +
    `(wanted: under ${WANTED_MS} ms).\n`,
);
