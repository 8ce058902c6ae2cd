/**
 * Another encoder is found on this machine, tried, compared with the current pipeline, and used. Both stay in
 * parallax.json.
 */
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { SAMPLE } from '../../scripts/lib/project.mjs';
import { startModelServer } from '../fixtures/model-server.ts';
import { withEditor, type Editor } from './support/editor.ts';
import { step, takePicture } from './support/journey.ts';

const MODEL = 'nomic-embed-text';
const COMMAND = 'Parallax: Set Up Search by Meaning…';

test('search by meaning is set up with a model of this machine', async (t) => {
  const server = await startModelServer({ models: [MODEL, 'llama3.1'] });
  const home = mkdtempSync(join(tmpdir(), 'parallax-meaning-'));
  try {
    const workspace = workspaceWithServer(home, server.url);
    await withEditor('meaning', { workspace }, (editor) => journey(t, editor));
  } finally {
    await server.close();
    rmSync(home, { recursive: true });
  }
});

async function journey(t: TestContext, editor: Editor): Promise<void> {
  const { workbench, inspector, compare, page } = editor;
  const config = (): {
    embedders: Record<string, { model: string }>;
    pipelines: Record<string, object>;
  } => JSON.parse(readFileSync(join(editor.folder, 'parallax.json'), 'utf8')) as never;
  const before = config().pipelines;

  await step(t, 'encoders of local servers are listed, chat models are not', async () => {
    await workbench.openView('Ask');
    await inspector.index();
    await inspector.ask('Is intermittent fasting a good way to lose weight?');
    await workbench.runCommand(COMMAND);
    await page.locator('.quick-input-list').getByText(MODEL, { exact: true }).waitFor();
    assert.equal(await page.locator('.quick-input-list').getByText('llama3.1').count(), 0);
  });

  await step(t, 'the chosen encoder is compared with the present pipeline on the eval set', async () => {
    await workbench.chooseEntry(MODEL);
    const said = workbench.notification(/MRecall@5 on /u);
    await said.waitFor();
    assert.match(await said.innerText(), /“words and meaning \(nomic-embed-text\)”.*45\.5% with “Words”/u);
    assert.match(await compare.row('Words'), /45\.5%/u);
    assert.match(await compare.row(`words and meaning (${MODEL})`), /%/u);
    await takePicture(editor, 'meaning-compared');
  });

  await step(t, 'the encoder is used on request, and both stay configured', async () => {
    await workbench
      .notification(/MRecall@5/u)
      .getByRole('button', { name: /^Use / })
      .click();
    await inspector.getByTestId('results').waitFor();
    const { embedders, pipelines } = config();
    assert.equal(embedders[MODEL]?.model, MODEL);
    assert.deepEqual(Object.keys(pipelines), [...Object.keys(before), `words and meaning (${MODEL})`]);
    for (const [name, pipeline] of Object.entries(before)) assert.deepEqual(pipelines[name], pipeline);
    await inspector
      .getByTestId('pipeline-picker')
      .getByText(`words and meaning (${MODEL})`)
      .first()
      .waitFor();
  });
}

/** The sample with a judge on the server: servers with a known model are searched for others. */
function workspaceWithServer(home: string, baseUrl: string): string {
  const workspace = join(home, 'sample');
  cpSync(SAMPLE, workspace, { recursive: true });
  const file = join(workspace, 'parallax.json');
  const config = {
    ...(JSON.parse(readFileSync(file, 'utf8')) as object),
    judges: { local: { type: 'openai', baseUrl, model: 'llama3.1', key: 'local' } },
  };
  writeFileSync(file, JSON.stringify(config));
  return workspace;
}
