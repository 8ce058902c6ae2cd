/** A server on loopback that answers with the present input. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CUT } from './inputs.ts';

/** @param endpoint last part of the path that is asked */
export type Answer = (endpoint: string) => string;

let answer: Answer = () => '';
let server: Promise<Server> | undefined;

/** Base URL of a server that answers every request so, until other answers are asked of it. */
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
    // Clients that are made anew for each input must not leave many connections behind.
    started.keepAliveTimeout = 2_000;
    started.unref();
  });
  return `http://127.0.0.1:${((await server).address() as AddressInfo).port}`;
}

/** Answers of which each endpoint has its part; the first one is also for all others. */
export function partsAt(endpoints: readonly string[], text: string): Answer {
  const parts = text.split(CUT);
  return (endpoint) => parts[Math.max(0, endpoints.indexOf(endpoint))] ?? '';
}
