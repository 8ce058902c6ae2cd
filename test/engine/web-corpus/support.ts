/** The web on loopback: every host name ends in .test, resolves to this machine, and answers from one server. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { isPublicAddress } from '../../../src/features/web-corpus/core/page-url.ts';
import type { Resolve } from '../../../src/features/web-corpus/engine/pinned-client.ts';
import type { FetcherOptions } from '../../../src/features/web-corpus/engine/page-fetcher.ts';
import { QuickTiming } from '../judges/support.ts';

export type Page = (response: ServerResponse, request: IncomingMessage) => void;

export interface Web {
  readonly port: number;
  /** Pages by host and path, such as `a.test/page`; all else is not found. Search answers too. */
  readonly pages: Record<string, Page>;
  /** Requests that arrived, as `a.test/page`. */
  readonly requests: string[];
  readonly timing: QuickTiming;
  /** For the fetcher: the real one, whose public internet is this server. */
  readonly options: FetcherOptions;
  url(place: string): string;
}

const LOOPBACK = '127.0.0.1';
const resolveHere: Resolve = async () => [{ address: LOOPBACK, family: 4 }];

export async function webFor(t: TestContext, pages: Record<string, Page> = {}): Promise<Web> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const host = (request.headers.host ?? '').replace(/:\d+$/, '');
    const place = `${host}${request.url ?? ''}`;
    requests.push(place);
    const page = pages[place] ?? pages[place.replace(/\?.*$/, '')];
    if (page) page(response, request);
    else response.writeHead(404).end();
  });
  await new Promise<void>((listening) => server.listen(0, LOOPBACK, listening));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const timing = new QuickTiming();
  return {
    port,
    pages,
    requests,
    timing,
    options: {
      timing,
      resolve: resolveHere,
      reach: {
        allowsAddress: (address) => address === LOOPBACK || isPublicAddress(address),
        allowsPort: (asked) => asked === port || asked === 80,
      },
    },
    url: (place) => `http://${place.replace(/^[^/]+/, (host) => `${host}:${port}`)}`,
  };
}

export const html =
  (body: string, headers: Record<string, string> = {}): Page =>
  (response) =>
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(body);

export const redirect =
  (location: string, status = 302): Page =>
  (response) =>
    response.writeHead(status, { location }).end();

export const status =
  (code: number, headers: Record<string, string> = {}): Page =>
  (response) =>
    response.writeHead(code, headers).end();

export const text =
  (body: string): Page =>
  (response) =>
    response.writeHead(200, { 'content-type': 'text/plain' }).end(body);

/** An answer of SearXNG for every query: these URLs, on the first page. */
export const found =
  (...urls: readonly string[]): Page =>
  (response, request) => {
    const first = new URL(request.url ?? '', 'http://x').searchParams.get('pageno') === '1';
    const results = first ? urls.map((url) => ({ url, title: `Title of ${url}` })) : [];
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ results }));
  };

/** A page of some words, all different from those of other names. */
export function article(name: string, words = 150): string {
  const sentence = Array.from({ length: words }, (_, i) => `${name}${i}`).join(' ');
  return `<html><head><title>About ${name}</title></head><body><main><h1>${name}</h1><p>${sentence}</p></main></body></html>`;
}

/** A body that continues until the reader stops. */
export const endless =
  (type: string): Page =>
  (response) => {
    response.writeHead(200, { 'content-type': type });
    const more = (): void => {
      while (!response.destroyed && response.write('x'.repeat(1000)));
    };
    response.on('drain', more);
    more();
  };
