/** Runs the suites inside a real extension host, and reports each of their cases as a separate test. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { SAMPLE } from '../../scripts/lib/project.mjs';
import { VSIX } from '../../scripts/lib/vsix.mjs';
import { withEditor } from '../e2e/support/editor.ts';
import { packageCompanion } from './companion/build.mjs';
import type { HostResult } from './companion/host-test.ts';

const PATIENCE = 25 * 60_000;

/** The interval at which the editor's prompts are polled, in milliseconds. Each poll walks the editor's document. */
const LOOK = 400;

/** Small, because the processor draws the window if there is no graphics card. */
const SMALL = { width: 800, height: 500 };

/** If this is logged, no report will be written. */
const BROKEN = /Activating extension \S+host-tests failed/u;

/** Messages that the editor showed while the suites ran. */
const messages = new Set<string>();
const results = await runInHost();

test('the host suites have cases', () => assert.ok(results.length > 0));

for (const { name, error } of results) {
  test(name, () => {
    if (error !== undefined) throw new Error(error);
  });
}

test('setting up a model of the editor ends in a message with the model, or with its refusal', () => {
  const said = [...messages].join('\n');
  assert.match(said, /^Scripted is your judge now\. /mu);
  assert.match(said, /^The language model refused: The requests of this month are used up\.$/mu);
});

async function runInHost(): Promise<HostResult[]> {
  const folder = mkdtempSync(join(tmpdir(), 'parallax-host-'));
  const report = join(folder, 'report.json');
  try {
    const extensions = [VSIX, await packageCompanion(join(folder, 'companion'))];
    const env = { PARALLAX_HOST_REPORT: report };
    await withEditor('host', { workspace: SAMPLE, extensions, env, viewport: SMALL }, (editor) =>
      written(report, async () => {
        if (editor.hostLogs().some((log) => BROKEN.test(log)))
          throw new Error('The companion could not be loaded.');
        await refuseReload(editor.page);
        await agreeToModel(editor.page);
        await agreeToTool(editor.page);
        await chooseProfile(editor.page);
        await chooseModel(editor.page);
        for (const message of await editor.workbench.notifications()) messages.add(message);
      }),
    );
    return JSON.parse(readFileSync(report, 'utf8')) as HostResult[];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The editor offers to reload its window for each setting of its agents that changed. */
async function refuseReload(page: Page): Promise<void> {
  const dialog = page.locator('.monaco-dialog-box').filter({ hasText: 'requires a reload' });
  if (await dialog.isVisible()) await dialog.getByRole('button', { name: 'Cancel' }).click();
}

/** The editor asks every user once whether an extension may use another one's model. */
async function agreeToModel(page: Page): Promise<void> {
  const allow = page.getByRole('button', { name: 'Allow', exact: true });
  if (await allow.isVisible()) await allow.click();
}

/** The editor asks, in Parallax's words, whether an agent may run a tool. Only tools without cost are allowed here. */
async function agreeToTool(page: Page): Promise<void> {
  const dialog = page
    .getByRole('dialog')
    .filter({ hasText: /Parallax: (Evaluate Retrieval|Explain Lost Perspectives)\?/u })
    .filter({ hasText: 'No model is asked, and nothing costs money.' });
  const yes = dialog.getByRole('button', { name: 'Yes', exact: true });
  if (await yes.isVisible()) await yes.click();
}

/** The editor asks which test profiles are the default. From then on it is the other one. */
async function chooseProfile(page: Page): Promise<void> {
  const list = page.locator('.quick-input-widget').filter({ hasText: 'Evaluate, Asking the Judge' });
  if (!(await list.isVisible())) return;
  for (const row of await list.locator('.monaco-list-row').all()) await row.click();
  await list.getByRole('button', { name: 'OK' }).click();
  await list.waitFor({ state: 'hidden' });
}

/** "Set Up a Model…" asks for a provider and a model. */
async function chooseModel(page: Page): Promise<void> {
  const choices = [
    { title: 'Which model should judge?', label: "The editor's models" },
    { title: "Which of the editor's models?", label: 'Scripted' },
  ];
  for (const { title, label } of choices) {
    const list = page.locator('.quick-input-widget').filter({ hasText: title });
    if (!(await list.isVisible())) continue;
    await list.locator('.monaco-list-row').filter({ hasText: label }).first().click();
    await list.waitFor({ state: 'hidden' });
  }
}

async function written(report: string, meanwhile: () => Promise<void>): Promise<void> {
  for (const until = Date.now() + PATIENCE; !existsSync(report); await sleep(LOOK)) {
    await meanwhile();
    if (Date.now() > until) throw new Error('The companion extension wrote no report.');
  }
}
