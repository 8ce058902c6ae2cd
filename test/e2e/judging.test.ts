/**
 * From a model's debate to a person's answer: a key decides the pair on which two agents disagree, and the answer
 * counts.
 */
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { SAMPLE } from '../../scripts/lib/project.mjs';
import { argumentReply, startModelServer, type ChatRequest } from '../fixtures/model-server.ts';
import { withEditor, type Editor } from './support/editor.ts';
import { PanelFrame } from './support/panel-frame.ts';
import { step, takePicture, waitForCount } from './support/journey.ts';

const QUESTION = 'Is intermittent fasting a good way to lose weight?';
/** Words of the perspective that the sample's first five passages miss. */
const MISSED = 'prone to disordered eating';
/** Words of the passage about which the agents argue: a thread in which people disagree. */
const ARGUED = 'tansy_44';
const QUOTES = { yes: 'intermittent fasting, does it work', no: 'has anyone managed to lose weight' };

test('a debate is judged, reviewed by keyboard, and counts', async (t) => {
  const server = await startModelServer({ chat: agent });
  const home = mkdtempSync(join(tmpdir(), 'parallax-judging-'));
  try {
    const workspace = workspaceWithDebate(home, server.url);
    await withEditor('judging', { workspace, theme: 'dark' }, (editor) =>
      journey(t, editor, () => server.chatRequests.length),
    );
  } finally {
    await server.close();
    rmSync(home, { recursive: true });
  }
});

async function journey(t: TestContext, editor: Editor, calls: () => number): Promise<void> {
  const { workbench, inspector, page } = editor;
  const review = new PanelFrame(page, 'editor area');
  const labels = join(editor.folder, '.parallax', 'judgements.jsonl');

  await step(t, 'the agents decide every pair but one, at the announced cost', async () => {
    await workbench.openView('Ask');
    await workbench.widenSideBar(420);
    await inspector.index();
    await inspector.ask(QUESTION);
    await inspector.getByTestId('judge-button').click();
    await workbench.answerDialog(/30 to 60 requests/, 'Judge');
    await inspector.showMore();
    await inspector.getByTestId('unsure-pairs').getByText('1 unsure').waitFor();
    // Two agents; agreement ends a debate after one round, and one pair takes both rounds.
    assert.equal(calls(), 14 * 2 + 2 * 2);
    assert.equal((await inspector.metric('mrecall')).value, '0');
    await inspector.getByTestId('perspective-harms-some').getByText('Not found yet:').waitFor();
    await takePicture(editor, 'debate-dark');
  });

  await step(t, 'the pair opens with its passage, both arguments, and their evidence marked', async () => {
    await workbench.runCommand('Parallax: Review Next Pair');
    await workbench.tab('Review').waitFor();
    await review.getByTestId('perspective').getByText(MISSED).waitFor();
    await review.frame.getByText('The passage warns').first().waitFor();
    await review.frame.getByText('The passage asks, and warns of nothing').first().waitFor();
    for (const [side, quotation] of Object.entries(QUOTES))
      await review
        .getByTestId('passage')
        .locator(`mark[data-side=${side}]`)
        .filter({ hasText: quotation })
        .waitFor();
    await page.locator('.statusbar-item').filter({ hasText: 'Review: 1 left' }).waitFor();
    await takePicture(editor, 'review-dark');
  });

  await step(t, 'a key answers it, and the figures follow', async () => {
    await page.keyboard.press('y');
    await inspector.coverageBecomes(/^(\d+) of \1$/);
    await waitForCount(inspector.getByTestId('unsure-pairs'), 0);
    assert.match(await inspector.getByTestId('basis').innerText(), /1 by people/);
    await page.locator('.statusbar-item').filter({ hasText: 'Review: 0 left' }).waitFor();
    await takePicture(editor, 'review-answered');
    assert.match(readFileSync(labels, 'utf8'), /"verdict":"yes"/);
  });

  await step(t, 'another key takes the answer back', async () => {
    await page.keyboard.press('z');
    await inspector.coverageBecomes(/^(?!(\d+) of \1$)/);
    assert.equal(calls(), 14 * 2 + 2 * 2, 'nothing is asked twice');
  });
}

/** Gives the obvious verdict on each passage, but keeps its first position on one. */
function agent({ messages }: ChatRequest): ReturnType<typeof argumentReply> {
  const text = messages.map(({ content }) => content).join('\n');
  if (!text.includes(MISSED)) return argumentReply('yes', 'The passage says so.');
  if (!text.includes(ARGUED)) return argumentReply('no', 'The passage speaks of something else.');
  const begins = /Your initial stance: the passage (supports|does not support) /u.exec(text)?.[1];
  const said = /your verdict was "(yes|no)"/u.exec(text)?.[1];
  return begins === 'supports' || said === 'yes'
    ? argumentReply('yes', 'The passage warns those whom it may harm.', [QUOTES.yes])
    : argumentReply('no', 'The passage asks, and warns of nothing.', [QUOTES.no]);
}

/** The sample without judgements, with a debate between two agents of a model server. */
function workspaceWithDebate(home: string, baseUrl: string): string {
  const workspace = join(home, 'sample');
  cpSync(SAMPLE, workspace, { recursive: true });
  rmSync(join(workspace, '.parallax'), { recursive: true });
  const file = join(workspace, 'parallax.json');
  const config = {
    ...(JSON.parse(readFileSync(file, 'utf8')) as object),
    judge: 'debate',
    judges: {
      agent: { type: 'openai', baseUrl, model: 'scripted' },
      debate: { type: 'debate', agents: 'agent' },
    },
  };
  writeFileSync(file, JSON.stringify(config));
  return workspace;
}
