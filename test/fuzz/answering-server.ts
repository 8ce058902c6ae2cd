/** A loopback server that answers with the current input. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CUT } from './inputs.ts';

/** @param endpoint last part of the requested path */
export type Answer = (endpoint: string) => string;

let answer: Answer = () => '';
let server: Promise<Server> | undefined;

/** The base URL of a server that answers every request this way until the next call. */
export async function answering(next: Answer): Promise<string> {
  answer = next;
  server ??= new Promise((resolve) => {
    const started = createServer((request, response) => {
      request.resume().once('end', () => {
        const { pathname } = new URL(request.url ?? '/', 'http://a.example');
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(answer(pathname.slice(pathname.lastIndexOf('/') + 1)));
      });
    }).listen(0, '127.0.0.1', () => resolve(started));
    // Each input has a new client, which must not leave connections open for long.
    started.keepAliveTimeout = 2_000;
    started.unref();
  });
  return `http://127.0.0.1:${((await server).address() as AddressInfo).port}`;
}

/** Splits a text into an answer for each endpoint. The first also answers all other paths. */
export function partsAt(endpoints: readonly string[], text: string): Answer {
  const parts = text.split(CUT);
  return (endpoint) => parts[Math.max(0, endpoints.indexOf(endpoint))] ?? '';
}
