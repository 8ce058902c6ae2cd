/** The MCP App in Chromium: the page of the built server in the sandboxed frame of a host that speaks SEP-1865. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { Browser, Frame, Page } from 'playwright-core';
import { APP_TYPE, APP_URI } from '../../src/features/agents/contract/app-answer.ts';
import { launchBrowser } from './panel-preview.ts';

/** What hosts demand of such a page. */
const POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:";

/** The page around the frame. Keeps what the frame sends. */
const HOST = `<!DOCTYPE html><body><iframe sandbox="allow-scripts" style="width: 100%; border: 0"></iframe><script>
const frame = document.querySelector('iframe');
window.sent = [];
window.show = (html, look, result) => {
  window.addEventListener('message', ({ source, data }) => {
    if (source !== frame.contentWindow) return;
    window.sent.push(data);
    const post = (message) => source.postMessage({ jsonrpc: '2.0', ...message }, '*');
    if (data.method === 'ui/initialize')
      post({ id: data.id, result: { protocolVersion: '2026-01-26', hostInfo: { name: 'host', version: '1' }, hostCapabilities: {}, hostContext: look } });
    if (data.method === 'ui/notifications/initialized') post({ method: 'ui/notifications/tool-result', params: result });
    if (data.method === 'ui/notifications/size-changed') frame.style.height = data.params.height + 'px';
  });
  frame.srcdoc = html;
};
</script></body>`;

const LOOKS = {
  dark: { theme: 'dark', styles: { variables: { '--color-text-primary': 'rgb(250, 250, 210)' } } },
  light: { theme: 'light' },
} as const;

describe('the MCP App of answers', () => {
  let client: Client;
  let browser: Browser;
  let html = '';

  before(async () => {
    client = new Client({ name: 'test', version: '1' });
    const args = [path.resolve('dist/cli.js'), 'mcp', '--config', 'media/sample/parallax.json'];
    await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'ignore' }));
    browser = await launchBrowser();
  });
  after(async () => {
    await browser.close();
    await client.close();
  });

  test('two tools name it, and the server hands it out', async () => {
    const { tools } = await client.listTools();
    const drawn = tools.filter(
      ({ _meta }) => (_meta?.['ui'] as { resourceUri?: string })?.resourceUri === APP_URI,
    );
    assert.deepEqual(drawn.map(({ name }) => name).sort(), ['evaluate_retrieval', 'explain_missing']);
    const { resources } = await client.listResources();
    assert.deepEqual(
      resources.map(({ uri, mimeType }) => [uri, mimeType]),
      [[APP_URI, APP_TYPE]],
    );
    const { contents } = await client.readResource({ uri: APP_URI });
    const [content] = contents as { readonly mimeType?: string; readonly text: string }[];
    assert.equal(content?.mimeType, APP_TYPE);
    html = content!.text;
    await assert.rejects(client.readResource({ uri: 'ui://parallax/other' }), /no resource/u);
  });

  test('draws why a document is missing, in the colours of the host', async () => {
    const result = await client.callTool({
      name: 'explain_missing',
      arguments: {
        query: 'Is intermittent fasting a good way to lose weight?',
        document: 'docs/fasting/counsellor-interview.md',
      },
    });
    assert.equal(result.isError ?? false, false);
    const { says } = result.structuredContent as { readonly says: string };
    for (const theme of ['dark', 'light'] as const) {
      const { page, frame, problems } = await shown(LOOKS[theme], result, `missing-${theme}`);
      assert.ok((await frame.locator('[data-testid=missing]').innerText()).includes(says.slice(0, 60)));
      const colour = await frame
        .locator('.says')
        .first()
        .evaluate((each) => getComputedStyle(each).color);
      assert.equal(colour, theme === 'dark' ? 'rgb(250, 250, 210)' : 'rgb(31, 31, 31)');
      assert.match(await frame.locator('.price').innerText(), /Precision 94\.5% → /u);
      assert.deepEqual(problems, []);
      await page.close();
    }
  });

  test('draws the figures of several pipelines with their differences, and fits into 300 pixels', async () => {
    const result = await client.callTool({
      name: 'evaluate_retrieval',
      arguments: {
        pipelines: ['bm25', { retriever: { type: 'bm25' }, rerank: [{ type: 'mmr', lambda: 0.5 }] }],
      },
    });
    assert.equal(result.isError ?? false, false, JSON.stringify(result.content));
    const { page, frame } = await shown(LOOKS.light, result, 'evaluation', 300);
    await frame.locator('summary').first().click();
    assert.equal(await frame.locator('tbody tr').count(), 2);
    assert.ok((await frame.locator('.interval-bar').count()) > 0);
    assert.match(await frame.locator('tbody').innerText(), /%/u);
    const wide = await frame.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= 300, `${wide} pixels`);
    await page.close();
  });

  test('shows the sentence of an error, and is asked to end politely', async () => {
    const result = await client.callTool({ name: 'explain_missing', arguments: {} });
    assert.equal(result.isError, true);
    const { page, frame } = await shown(LOOKS.dark, result, 'error');
    const [{ text }] = result.content as [{ readonly text: string }];
    assert.equal((await frame.locator('[data-testid=text]').innerText()).trim(), text);
    await page.evaluate(() => {
      const target = document.querySelector('iframe')!.contentWindow!;
      target.postMessage({ jsonrpc: '2.0', id: 7, method: 'ui/resource-teardown', params: {} }, '*');
    });
    await page.waitForFunction(() =>
      (window as unknown as { sent: { id?: number; result?: object }[] }).sent.some(
        ({ id, result: answer }) => id === 7 && answer !== undefined,
      ),
    );
    await page.close();
  });

  async function shown(
    look: object,
    result: object,
    name: string,
    width = 700,
  ): Promise<{ readonly page: Page; readonly frame: Frame; readonly problems: readonly string[] }> {
    const page = await browser.newPage({ viewport: { width: width + 16, height: 500 } });
    const problems: string[] = [];
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') problems.push(message.text());
    });
    await page.setContent(HOST);
    const guarded = html.replace(
      '<meta charset="utf-8">',
      `<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${POLICY}">`,
    );
    await page.evaluate(
      ([text, context, answer]) =>
        (window as unknown as { show: (...each: unknown[]) => void }).show(text, context, answer),
      [guarded, look, result] as const,
    );
    const frame = page.frames()[1] ?? (await page.waitForEvent('frameattached'));
    await frame.waitForSelector('.top');
    const folder = process.env['PARALLAX_SCREENSHOTS'];
    if (folder) await page.screenshot({ path: path.join(folder, `answer-${name}.png`), fullPage: true });
    return { page, frame, problems };
  }
});
