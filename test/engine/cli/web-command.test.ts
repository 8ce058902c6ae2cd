import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { test } from 'node:test';
import { UsageError } from '../../../src/cli/presentation/terminal.ts';
import { webCommand } from '../../../src/features/web-corpus/cli/web-command.ts';
import { run } from './support.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

test('a page on this machine is skipped with its reason; a failing provider ends in 1', async (t) => {
  let pages = 0;
  const server = createServer(({ url }, response) => {
    if (!url?.startsWith('/search')) pages++;
    const { port } = server.address() as AddressInfo;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ results: [{ url: `http://127.0.0.1:${port}/page`, title: 'Here' }] }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const provider = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const out = path.join(temporaryFolder(t), 'web');
  const argv = ['--provider', 'searxng', '--url', provider, '--out', out];
  const { code, stdout } = await run(webCommand, '--query', 'Cats?', ...argv);
  assert.equal(code, 0);
  assert.match(stdout, /0 fetched \(0\.0 MB\), 0 kept from earlier, 1 skipped\./u);
  assert.equal(pages, 0, 'nothing but the search was asked for');
  await new Promise((resolve) => server.close(resolve));
  assert.equal((await run(webCommand, '--query', 'Dogs?', ...argv)).code, 1);
});

test('wrong usage', async () => {
  const rest = ['--provider', 'searxng', '--url', 'http://localhost:1', '--out', 'web'];
  await assert.rejects(run(webCommand, '--query', 'a', '--queries', 'b', ...rest), UsageError);
  await assert.rejects(run(webCommand, '--query', 'a', '--provider', 'nobody', '--out', 'web'), UsageError);
  await assert.rejects(run(webCommand, '--query', 'a', '--provider', 'searxng', '--out', 'web'), UsageError);
});
