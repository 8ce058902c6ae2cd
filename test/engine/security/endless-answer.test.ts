/** An endpoint whose answer does not end. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { it } from 'node:test';
import { httpRetrieverSchema } from '../../../src/core/external/spec.ts';
import { createHttpRetriever } from '../../../src/engine/external/http-retriever.ts';

it('is cancelled before it fills the memory', async (t) => {
  let sent = 0;
  const part = Buffer.alloc(1024 * 1024, ' ');
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const send = (): void => {
      while (!response.destroyed && sent < 1024) {
        sent++;
        if (!response.write(part)) return void response.once('drain', send);
      }
    };
    send();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.closeAllConnections());
  t.after(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const retriever = createHttpRetriever(httpRetrieverSchema.parse({ type: 'http', url }), undefined);
  await assert.rejects(retriever.search({ text: 'q' }, 5), /sent more than 32 MB/u);
  assert.ok(sent < 200, `${sent} MB were taken`);
});
