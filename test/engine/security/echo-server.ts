/** A server that repeats the key it received, in all the ways that servers do. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

export interface EchoServer {
  readonly url: string;
  /** The number of requests that contained the key. */
  readonly keyed: () => number;
}

/** The answer to a request, made from all its parts. */
export type Echo = (said: string, request: IncomingMessage) => { status: number; body: unknown };

/** @param key to be seen in the headers of the requests, in any encoding */
export async function echoServer(t: TestContext, key: string, echo: Echo): Promise<EchoServer> {
  let keyed = 0;
  const server = createServer((request, response) => {
    const said = Object.values(request.headers).flat().join(' ');
    const decoded =
      said +
      said
        .split(' ')
        .map((word) => Buffer.from(word, 'base64').toString())
        .join(' ');
    if (decoded.includes(key)) keyed++;
    const { status, body } = echo(`You sent: ${said}`, request);
    request.resume().once('end', () => {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      const type = typeof body === 'string' ? 'text/plain' : 'application/json';
      response.writeHead(status, { 'content-type': type }).end(text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, keyed: () => keyed };
}
