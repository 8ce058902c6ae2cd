/** The fetcher over real connections: the addresses that it uses, its waits, and what it skips. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test, type TestContext } from 'node:test';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { ParallaxError } from '../../../src/core/errors.ts';
import { Extraction } from '../../../src/engine/corpus/extraction/extraction.ts';
import type { WebSkipReason } from '../../../src/features/web-corpus/core/snapshot.ts';
import { PageFetcher, type FetcherOptions } from '../../../src/features/web-corpus/engine/page-fetcher.ts';
import { PageSkipped } from '../../../src/features/web-corpus/engine/page-skipped.ts';
import type { Resolve } from '../../../src/features/web-corpus/engine/pinned-client.ts';
import { article, endless, html, redirect, status, text, webFor, type Page, type Web } from './support.ts';

const fetcherFor = (web: Web, more: Partial<FetcherOptions> = {}, signal?: AbortSignal): PageFetcher =>
  new PageFetcher({ ...web.options, ...more }, signal);

async function skips(
  fetching: Promise<unknown>,
  reason: WebSkipReason,
  { message = /./u, passing = false }: { message?: RegExp; passing?: boolean } = {},
): Promise<void> {
  await assert.rejects(fetching, (error: unknown) => {
    assert.ok(error instanceof PageSkipped, String(error));
    assert.equal(error.reason, reason, error.message);
    assert.match(error.message, message);
    assert.equal(error.passing, passing);
    return true;
  });
}

async function textOf(t: TestContext, page: Page): Promise<string> {
  const web = await webFor(t, { 'a.test/': page });
  return (await fetcherFor(web).fetch(web.url('a.test/'))).text;
}

test('a page becomes its main text and title, after redirects', async (t) => {
  const web = await webFor(t, {
    'a.test/old': redirect('/new', 301),
    'a.test/new': html(
      `<html><head><title>The  Title</title></head><body><nav>Menu</nav><div>Subscribe</div>
       <main><h1>Wind</h1><p>${'Turbines turn. '.repeat(40)}</p><aside>Related</aside></main><footer>Imprint</footer></body></html>`,
    ),
  });
  const page = await fetcherFor(web).fetch(web.url('a.test/old'));
  assert.equal(page.title, 'The Title');
  assert.match(page.text, /^# Wind\n\nTurbines turn\. /u);
  assert.doesNotMatch(page.text, /Menu|Subscribe|Related|Imprint/u);
  assert.equal(page.finalUrl, web.url('a.test/new'));
});

test('a page whose main content is an empty frame is read as a whole', async (t) => {
  const page = html('<body><main>Loading</main><p>What it is about.</p></body>');
  assert.match(await textOf(t, page), /Loading[\s\S]*What it is about/u);
});

test('the charset is that of the header, or of the page', async (t) => {
  const latin =
    (headers: string, head: string): Page =>
    (response) =>
      response
        .writeHead(200, { 'content-type': headers })
        .end(
          Buffer.from(
            `<html><head>${head}</head><body><p>Prüfung für Mädchen und Söhne äöüß</p></body>`,
            'latin1',
          ),
        );
  assert.match(await textOf(t, latin('text/html; charset="ISO-8859-1"', '')), /Prüfung für Mädchen/u);
  assert.match(await textOf(t, latin('text/html', '<meta charset="iso-8859-1">')), /Prüfung für Mädchen/u);
});

test('plain text and broken HTML are read in every offered compression', async (t) => {
  assert.equal(await textOf(t, text('Just text.')), 'Just text.');
  assert.match(
    await textOf(t, html('<p>Open <b>never <i>closed <div><table><tr>cell </p></x>')),
    /Open never closed/u,
  );
  const body = '<p>squeezed words</p>';
  for (const [encoding, bytes] of [
    ['gzip', gzipSync(body)],
    ['deflate', deflateSync(body)],
    ['br', brotliCompressSync(body)],
  ] as const)
    assert.equal(
      await textOf(t, (response) =>
        response.writeHead(200, { 'content-type': 'text/html', 'content-encoding': encoding }).end(bytes),
      ),
      'squeezed words',
    );
});

const PDF = 'test/fixtures/corpus/congestion.pdf';

test('PDF is read', async (t) => {
  const page: Page = (response) =>
    response.writeHead(200, { 'content-type': 'application/pdf' }).end(readFileSync(PDF));
  assert.match(await textOf(t, page), /congestion/iu);
});

test('a redirect to a private address is refused, and nothing is sent there', async (t) => {
  for (const target of [
    'http://10.0.0.1/',
    'http://[::1]/',
    'http://169.254.169.254/latest',
    '//192.168.0.1/',
  ]) {
    const web = await webFor(t, { 'a.test/': redirect(target) });
    await skips(fetcherFor(web).fetch(web.url('a.test/')), 'url', {
      message: /not an address of the public/u,
    });
  }
});

test('a name that resolves to a private address is refused, also in a redirect', async (t) => {
  const web = await webFor(t, { 'a.test/': html(article('a')) });
  web.pages['a.test/go'] = redirect(web.url('inside.test/secret'));
  const resolve: Resolve = async (host) => [
    { address: host === 'inside.test' ? '10.1.2.3' : '127.0.0.1', family: 4 },
  ];
  const message = /inside\.test is at 10\.1\.2\.3/u;
  await skips(fetcherFor(web, { resolve }).fetch(web.url('inside.test/')), 'address', { message });
  await skips(fetcherFor(web, { resolve }).fetch(web.url('a.test/go')), 'address', { message });
});

test('a name that changes its address: every connection uses the checked address', async (t) => {
  const web = await webFor(t, { 'a.test/': html(article('a')) });
  const answers = ['127.0.0.1', '192.168.1.1'];
  const asked: string[] = [];
  const resolve: Resolve = async () => {
    const address = answers[asked.length] ?? '192.168.1.1';
    asked.push(address);
    return [{ address, family: 4 }];
  };
  // The first look-up is for robots.txt; it is good for that one connection alone.
  await skips(fetcherFor(web, { resolve }).fetch(web.url('a.test/')), 'address', {
    message: /192\.168\.1\.1/u,
  });
  assert.deepEqual(asked, answers);
  assert.deepEqual(web.requests, ['a.test/robots.txt']);
});

test('of several addresses only public ones are used', async (t) => {
  const web = await webFor(t, { 'a.test/': html(article('a')) });
  const resolve: Resolve = async () => [
    { address: '10.0.0.9', family: 4 },
    { address: '127.0.0.1', family: 4 },
  ];
  assert.match((await fetcherFor(web, { resolve }).fetch(web.url('a.test/'))).text, /a0 a1/u);
});

test('this machine is unreachable without the test option', async (t) => {
  const web = await webFor(t, { 'a.test/': html(article('a')) });
  const fetcher = new PageFetcher({ resolve: web.options.resolve, timing: web.timing }, undefined);
  await skips(fetcher.fetch(web.url('a.test/')), 'url', { message: /Port/u });
  await skips(fetcher.fetch('http://a.test/'), 'address');
  await skips(fetcher.fetch('http://127.0.0.1/'), 'url');
  assert.deepEqual(web.requests, []);
});

test('too many redirects are not followed', async (t) => {
  const web = await webFor(t, { 'a.test/loop': redirect('/loop') });
  await skips(fetcherFor(web).fetch(web.url('a.test/loop')), 'redirects');
  assert.equal(web.requests.filter((place) => place === 'a.test/loop').length, 6);
});

test('robots.txt is requested once for each site and obeyed, also after a redirect', async (t) => {
  const web = await webFor(t, {
    'a.test/robots.txt': text('User-agent: *\nDisallow: /private\n\nUser-agent: Parallax\nDisallow: /ours'),
    'a.test/ours': html(article('ours')),
    'a.test/private': html(article('private')),
    'b.test/': html(article('b')),
  });
  web.pages['b.test/go'] = redirect(web.url('a.test/ours'));
  const fetcher = fetcherFor(web);
  await skips(fetcher.fetch(web.url('a.test/ours')), 'robots', { message: /robots\.txt of a\.test/u });
  await skips(fetcher.fetch(web.url('b.test/go')), 'robots');
  // Its own group counts alone.
  await fetcher.fetch(web.url('a.test/private'));
  await fetcher.fetch(web.url('b.test/'));
  assert.equal(web.requests.filter((place) => place === 'a.test/robots.txt').length, 1);
  assert.ok(!web.requests.includes('a.test/ours'));
});

test('a site without robots.txt allows all, a failing one nothing for now', async (t) => {
  const web = await webFor(t, {
    'a.test/': html(article('a')),
    'b.test/': html(article('b')),
    'b.test/robots.txt': status(503),
  });
  await fetcherFor(web).fetch(web.url('a.test/'));
  await skips(fetcherFor(web).fetch(web.url('b.test/')), 'robots', { passing: true });
  assert.ok(!web.requests.includes('b.test/'));
});

test('expensive rules are obeyed, and with too many rules nothing is fetched', async (t) => {
  const long = 'a'.repeat(1500);
  const many = Array.from({ length: 10_001 }, (_, place) => `Allow: /${place}\n`).join('');
  const web = await webFor(t, {
    'a.test/robots.txt': text(`User-agent: *\n${`Disallow: ${'*a'.repeat(1000)}b\n`.repeat(200)}`),
    [`a.test/${long}`]: html(article('a')),
    'b.test/robots.txt': text(`User-agent: *\n${many}`),
    'b.test/': html(article('b')),
  });
  await fetcherFor(web).fetch(web.url(`a.test/${long}`));
  await skips(fetcherFor(web).fetch(web.url('b.test/')), 'robots', { passing: true });
});

test('requests to a host are sequential, with a pause, or its longer delay', async (t) => {
  let open = 0;
  let most = 0;
  const slow: Page = (response) => {
    most = Math.max(most, ++open);
    setTimeout(() => {
      open--;
      html(article('slow'))(response, response.req);
    }, 5);
  };
  const web = await webFor(t, {
    'a.test/1': slow,
    'a.test/2': slow,
    'a.test/3': slow,
    'b.test/robots.txt': text('User-agent: *\nCrawl-delay: 7'),
    'b.test/1': slow,
    'b.test/2': slow,
  });
  const fetcher = fetcherFor(web);
  await Promise.all(['a.test/1', 'a.test/2', 'a.test/3'].map((place) => fetcher.fetch(web.url(place))));
  assert.equal(most, 1);
  assert.deepEqual(web.timing.sleeps, [1000, 1000]);
  await fetcher.fetch(web.url('b.test/1'));
  await fetcher.fetch(web.url('b.test/2'));
  assert.deepEqual(web.timing.sleeps.slice(2), [7000]);
});

test('a busy server is asked again after its delay, and skipped if that is too long', async (t) => {
  const busyOnce =
    (...answers: readonly Page[]): Page =>
    (response, request) =>
      (answers[served++] ?? answers.at(-1)!)(response, request);
  let served = 0;
  const web = await webFor(t, {
    'a.test/': busyOnce(status(429, { 'retry-after': '9' }), status(503), html(article('a'))),
    'b.test/': status(429, { 'retry-after': '3600' }),
    'c.test/': status(503),
  });
  assert.match((await fetcherFor(web).fetch(web.url('a.test/'))).text, /a0/u);
  assert.deepEqual(web.timing.sleeps, [9000, 5000]);
  await skips(fetcherFor(web).fetch(web.url('b.test/')), 'rate-limit', { passing: true });
  await skips(fetcherFor(web).fetch(web.url('c.test/')), 'rate-limit', { passing: true });
  assert.equal(web.requests.filter((place) => place === 'b.test/').length, 1);
  assert.equal(web.requests.filter((place) => place === 'c.test/').length, 3);
});

test('huge bodies are skipped, announced or not', async (t) => {
  const limits = { maxBytes: 10_000 };
  const web = await webFor(t, {
    'a.test/said': html('x'.repeat(10_001)),
    'a.test/endless': endless('text/html'),
    'a.test/fits': html(`<p>${'x'.repeat(9_000)}</p>`),
  });
  await skips(fetcherFor(web, { limits }).fetch(web.url('a.test/said')), 'too-large');
  await skips(fetcherFor(web, { limits }).fetch(web.url('a.test/endless')), 'too-large');
  await fetcherFor(web, { limits }).fetch(web.url('a.test/fits'));
});

test('a small answer that decompresses to a huge one is skipped', async (t) => {
  const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024));
  assert.ok(bomb.length < 100_000);
  const web = await webFor(t, {
    'a.test/': (response) =>
      response.writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'gzip' }).end(bomb),
  });
  await skips(fetcherFor(web).fetch(web.url('a.test/')), 'too-large');
});

test('wrongly compressed content is broken', async (t) => {
  const web = await webFor(t, {
    'a.test/gzip': html('<p>plain</p>', { 'content-encoding': 'gzip' }),
    'a.test/cut': html('', { 'content-encoding': 'br' }),
    'a.test/zstd': html('<p>plain</p>', { 'content-encoding': 'zstd' }),
  });
  await skips(fetcherFor(web).fetch(web.url('a.test/gzip')), 'broken', { message: /decompressed/u });
  await skips(fetcherFor(web).fetch(web.url('a.test/cut')), 'broken');
  await skips(fetcherFor(web).fetch(web.url('a.test/zstd')), 'broken', { message: /zstd/u });
});

test('slow servers time out, before and after the first byte', async (t) => {
  const limits = { timeoutMs: 100 };
  const drip: Page = (response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    const timer = setInterval(() => response.write('x'), 10);
    response.on('close', () => clearInterval(timer));
  };
  const web = await webFor(t, { 'a.test/silent': () => undefined, 'a.test/drip': drip });
  await skips(fetcherFor(web, { limits }).fetch(web.url('a.test/silent')), 'timeout', { passing: true });
  await skips(fetcherFor(web, { limits }).fetch(web.url('a.test/drip')), 'timeout', { passing: true });
  const never: Resolve = () => new Promise(() => undefined);
  await skips(fetcherFor(web, { limits, resolve: never }).fetch(web.url('a.test/x')), 'timeout', {
    passing: true,
  });
});

test('other types of content are not downloaded', async (t) => {
  const sent =
    (type: string): Page =>
    (response) =>
      response.writeHead(200, { 'content-type': type }).end('x');
  const web = await webFor(t, {
    'a.test/img': endless('image/png'),
    'a.test/zip': sent('application/zip'),
    'a.test/none': (response) => response.writeHead(200).end('x'),
  });
  for (const place of ['a.test/img', 'a.test/zip', 'a.test/none'])
    await skips(fetcherFor(web).fetch(web.url(place)), 'content-type', {
      message: /not HTML, plain text or PDF/u,
    });
});

test('missing, empty, hostile and unreachable pages are skipped', async (t) => {
  const web = await webFor(t, {
    'a.test/empty': html('<body><script>app()</script></body>'),
    'a.test/deep': html('<div>'.repeat(30_000)),
    'a.test/error': status(500),
    'a.test/cut': (response) => {
      response.writeHead(200, { 'content-type': 'text/html', 'content-length': '1000' });
      response.write('x');
      setTimeout(() => response.destroy(), 5);
    },
    'a.test/pdf': (response) => response.writeHead(200, { 'content-type': 'application/pdf' }).end('no PDF'),
  });
  const fetcher = fetcherFor(web);
  await skips(fetcher.fetch(web.url('a.test/gone')), 'status', { message: /404/u });
  await skips(fetcher.fetch(web.url('a.test/error')), 'status', { passing: true });
  await skips(fetcher.fetch(web.url('a.test/empty')), 'empty');
  await skips(fetcher.fetch(web.url('a.test/deep')), 'broken');
  await skips(fetcher.fetch(web.url('a.test/pdf')), 'broken');
  await skips(fetcher.fetch(web.url('a.test/cut')), 'unreachable', { passing: true });
  const resolve: Resolve = () => Promise.reject(new Error('getaddrinfo ENOTFOUND no.test'));
  await skips(fetcherFor(web, { resolve }).fetch(web.url('no.test/')), 'unreachable', {
    message: /ENOTFOUND/u,
    passing: true,
  });
});

test('a page that keeps its parser busy times out without blocking this process', async (t) => {
  const web = await webFor(t, {
    'a.test/slow': html('<p>w</p>'.repeat(400_000)),
    'a.test/': html(article('a')),
  });
  const extraction = new Extraction({ milliseconds: 1_000, megabytes: 1_500 });
  t.after(() => extraction.stop());
  let beats = 0;
  const heart = setInterval(() => beats++, 10);
  await skips(fetcherFor(web, { extraction }).fetch(web.url('a.test/slow')), 'too-large', {
    message: /1 s/u,
  });
  clearInterval(heart);
  assert.ok(beats > 10);
  assert.match((await fetcherFor(web).fetch(web.url('a.test/'))).text, /a0/u);
});

test('cancelling stops a running request', async (t) => {
  const controller = new AbortController();
  const web = await webFor(t, { 'a.test/': () => controller.abort() });
  await assert.rejects(fetcherFor(web, {}, controller.signal).fetch(web.url('a.test/')), (error) =>
    ParallaxError.is(error, 'cancelled'),
  );
});
