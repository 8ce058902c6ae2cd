import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { after, before, test, type TestContext } from 'node:test';
import {
  commandRetrieverSchema,
  httpRetrieverSchema,
  runRetrieverSchema,
} from '../../../src/core/external/spec.ts';
import { queriesAtOnce } from '../../../src/core/pipeline-needs.ts';
import { parsePipeline } from '../../../src/core/pipeline.ts';
import { childEnvironment } from '../../../src/core/external/child-environment.ts';
import { createCommandRetriever } from '../../../src/engine/external/command-retriever.ts';
import type { ExternalRetriever } from '../../../src/engine/external/external-retriever.ts';
import { createHttpRetriever } from '../../../src/engine/external/http-retriever.ts';
import { createRunRetriever } from '../../../src/engine/external/run-retriever.ts';

let folder = '';
before(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'parallax-external-'));
});
after(() => rmSync(folder, { recursive: true, force: true }));

const HELPERS = path.resolve('media/helpers');

/** A program that answers each line with the given expression over `request`; `starts` counts its starts. */
function program(
  t: TestContext,
  name: string,
  answer: string,
  options: { timeoutMs?: number; inherit?: string[] } = {},
): ExternalRetriever {
  const file = path.join(folder, `${name}.mjs`);
  writeFileSync(
    file,
    `import { createInterface } from 'node:readline';
     const say = (value) => process.stdout.write((typeof value === 'string' ? value : JSON.stringify(value)) + '\\n');
     createInterface({ input: process.stdin }).on('line', async (line) => { const request = JSON.parse(line); ${answer} });`,
  );
  const command = [process.execPath, file];
  const retriever = createCommandRetriever(
    commandRetrieverSchema.parse({
      type: 'command',
      command,
      timeoutMs: 20_000,
      env: { GREETING: 'hello there' },
      ...options,
    }),
    folder,
  );
  t.after(() => retriever.close());
  return retriever;
}

test('a command is started once, kept running, and asked without a shell', async (t) => {
  const retriever = program(
    t,
    'echo',
    `globalThis.count = (globalThis.count ?? 0) + 1;
     say({ id: request.id, results: [{ id: request.query, text: process.env.GREETING + ' ' + count, score: request.k }] });`,
  );
  const query = '$(rm -rf /); "quoted" \n new line';
  assert.deepEqual(await retriever.search({ text: query }, 3), [
    { id: query, text: 'hello there 1', score: 3 },
  ]);
  assert.deepEqual(await retriever.search({ text: 'b' }, 1), [{ id: 'b', text: 'hello there 2', score: 1 }]);
});

test('answers may arrive in any order, and at most k results are used', async (t) => {
  const retriever = program(
    t,
    'late',
    `const wait = request.query === 'slow' ? 300 : 0;
     setTimeout(() => say({ id: request.id, results: [1, 2, 3].map((n) => ({ id: request.query + n })) }), wait);`,
  );
  const order: string[] = [];
  const ask = async (text: string): Promise<void> => {
    const [first, ...rest] = await retriever.search({ text }, 2);
    assert.equal(rest.length, 1);
    order.push(first!.id!);
  };
  await Promise.all([ask('slow'), ask('fast')]);
  assert.deepEqual(order, ['fast1', 'slow1']);
});

test('a failing command reports its error and is restarted for the next query', async (t) => {
  const retriever = program(
    t,
    'dies',
    `if (request.query === 'die') { console.error('out of memory in shard 4'); process.exit(3); }
     if (request.query === 'complain') return say({ id: request.id, error: 'no such index' });
     say('loading model ...'); say({ id: request.id, results: [{ id: 'ok' }] });`,
  );
  await assert.rejects(retriever.search({ text: 'die' }, 1), {
    id: 'retriever-failed',
    message: /ended with exit code 3\. It said: out of memory in shard 4$/,
  });
  await assert.rejects(retriever.search({ text: 'complain' }, 1), { message: /reports: no such index/ });
  assert.deepEqual(await retriever.search({ text: 'fine' }, 1), [{ id: 'ok', score: 0 }]);
});

test('a command with an endless answer is ended before it fills the memory', async (t) => {
  const endless = program(
    t,
    'endless',
    `const more = () => { while (process.stdout.write('x'.repeat(2 ** 20))); process.stdout.once('drain', more); }; more();`,
  );
  await assert.rejects(endless.search({ text: 'q' }, 1), {
    id: 'retriever-failed',
    message: /wrote a line of more than 128 MB, and was stopped\.$/,
  });
});

test('closing a command ends what it started, too', { skip: process.platform === 'win32' }, async (t) => {
  const [pids, silent] = ['pids.txt', 'setInterval(() => undefined, 1000)'];
  const retriever = program(
    t,
    'parent',
    `const { spawn } = await import('node:child_process');
     const child = spawn(process.execPath, ['-e', ${JSON.stringify(silent)}], { stdio: 'inherit' });
     (await import('node:fs')).writeFileSync(${JSON.stringify(pids)}, String(child.pid));
     say({ id: request.id, results: [] });`,
  );
  await retriever.search({ text: 'q' }, 1);
  const child = Number(readFileSync(path.join(folder, pids), 'utf8'));
  assert.ok(process.kill(child, 0));
  // The child holds the command's output, so that it never closes otherwise.
  await retriever.close();
  assert.throws(() => process.kill(child, 0), { code: 'ESRCH' });
});

test('a missing, silent or faulty command is an error, not a hang', async (t) => {
  const missing = createCommandRetriever(
    commandRetrieverSchema.parse({ type: 'command', command: ['no-such-program-here'] }),
    folder,
  );
  await assert.rejects(missing.search({ text: 'q' }, 1), {
    id: 'retriever-failed',
    message: /could not be started.*ENOENT/,
  });
  await missing.close();
  const silent = program(t, 'silent', '', { timeoutMs: 300 });
  await assert.rejects(silent.search({ text: 'q' }, 1), { message: /did not answer within 0\.3 s/ });
  const wrong = program(t, 'wrong', `say({ id: request.id, results: [{ score: 1 }] });`);
  await assert.rejects(wrong.search({ text: 'q' }, 1), { message: /result 1 has neither id nor text/ });
});

test('a command gets only the tokens and keys that are named', async (t) => {
  const secrets = ['GITHUB_TOKEN', 'GITLAB_TOKEN', 'NPM_TOKEN', 'OPENAI_API_KEY', 'COHERE_API_KEY'];
  const { env } = process;
  process.env = { ...env, ...Object.fromEntries(secrets.map((name) => [name, 'x'])) };
  t.after(() => void (process.env = env));
  const given = async (inherit: string[]): Promise<string | undefined> => {
    const retriever = program(
      t,
      'environment',
      `const given = ${JSON.stringify([...secrets, 'PATH'])}.filter((name) => name in process.env);
       say({ id: request.id, results: [{ id: 'a', text: given.join(' '), score: 1 }] });`,
      { inherit },
    );
    const [result] = await retriever.search({ text: 'q' }, 1);
    return result!.text;
  };
  assert.equal(await given([]), 'PATH');
  assert.equal(await given(['OPENAI_API_KEY']), 'OPENAI_API_KEY PATH');
});

test('names of variables are case-insensitive', () => {
  const env = { GITHUB_TOKEN: 'x', Openai_Api_Key: 'x', AWS_REGION: 'x', gh_token: 'x' };
  assert.deepEqual(childEnvironment(env), { AWS_REGION: 'x' });
  assert.deepEqual(childEnvironment(env, ['openai_api_key']), { Openai_Api_Key: 'x', AWS_REGION: 'x' });
});

test('a token is left out under other names and in addresses', () => {
  const token = 'glcbt-64_token';
  const job = {
    CI_JOB_TOKEN: token,
    CI_REGISTRY_PASSWORD: token,
    CI_REPOSITORY_URL: `https://ci:${token}@h/r`,
  };
  const others = { NPM_TOKEN: '', GH_TOKEN: '1', CI_JOB_ID: '12', HOME: '/root' };
  assert.deepEqual(childEnvironment({ ...job, ...others }), { CI_JOB_ID: '12', HOME: '/root' });
  const { CI_JOB_ID, HOME } = others;
  assert.deepEqual(childEnvironment({ ...job, ...others }, ['CI_JOB_TOKEN']), { ...job, CI_JOB_ID, HOME });
});

test('a search can be cancelled, and closing cancels running searches', async (t) => {
  const retriever = program(t, 'never', '');
  const abort = new AbortController();
  const cancelled = retriever.search({ text: 'q' }, 1, abort.signal);
  abort.abort();
  await assert.rejects(cancelled, { id: 'cancelled' });
  const waiting = assert.rejects(retriever.search({ text: 'q' }, 1), { id: 'retriever-failed' });
  await delay(50);
  await retriever.close();
  await waiting;
});

const python = spawnSync('python3', ['--version']).status === 0;

test(
  'the Python helper wraps any callable',
  { skip: python ? false : 'cannot run here: python3 is absent' },
  async (t) => {
    writeFileSync(
      path.join(folder, 'retrieve.py'),
      `import sys
sys.path.insert(0, ${JSON.stringify(HELPERS)})
from parallax_retriever import serve

class Node:
    node_id = 7
    def get_content(self):
        return "from a node"

class Scored:
    node = Node()
    score = 0.25

def retrieve(query, k):
    print("printing is allowed")
    if query == "fail":
        raise ValueError("no index")
    return [("a", "text ü", 0.5), {"id": "b", "score": 1}, Scored()][:k]

serve(retrieve)
`,
    );
    const retriever = createCommandRetriever(
      commandRetrieverSchema.parse({ type: 'command', command: ['python3', 'retrieve.py'] }),
      folder,
    );
    t.after(() => retriever.close());
    assert.deepEqual(await retriever.search({ text: 'q' }, 3), [
      { id: 'a', text: 'text ü', score: 0.5 },
      { id: 'b', score: 1 },
      { id: '7', text: 'from a node', score: 0.25 },
    ]);
    await assert.rejects(retriever.search({ text: 'fail' }, 1), { message: /reports: ValueError: no index/ });
  },
);

test('the TypeScript helper wraps any callable', async (t) => {
  const file = path.join(folder, 'retrieve.ts');
  writeFileSync(
    file,
    `import { serve } from ${JSON.stringify(path.join(HELPERS, 'parallax-retriever.ts'))};
     serve(async (query, k) => { console.log('printing is allowed'); if (query === 'fail') throw new Error('no index');
       return [{ id: 'a', text: query, score: k }]; });`,
  );
  const retriever = createCommandRetriever(
    commandRetrieverSchema.parse({ type: 'command', command: [process.execPath, file] }),
    folder,
  );
  t.after(() => retriever.close());
  assert.deepEqual(await retriever.search({ text: 'q' }, 3), [{ id: 'a', text: 'q', score: 3 }]);
  await assert.rejects(retriever.search({ text: 'fail' }, 1), { message: /no index/ });
});

type Handler = (request: IncomingMessage & { body: string }, response: ServerResponse) => void;

async function serve(t: TestContext, handler: Handler): Promise<string> {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += String(chunk)));
    request.on('end', () => handler(Object.assign(request, { body }), response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('an endpoint is asked by a template, and its answer is read by paths', async (t) => {
  const seen: unknown[] = [];
  const url = await serve(t, (request, response) => {
    seen.push([request.method, request.url, request.headers.authorization, JSON.parse(request.body)]);
    response.end(JSON.stringify({ hits: { hits: [{ _id: 'd1', _score: 2, _source: { body: 'text' } }] } }));
  });
  const spec = httpRetrieverSchema.parse({
    type: 'http',
    url: `${url}/idx?size={k}`,
    body: { query: { match: { body: '{query}' } }, size: '{k}' },
    results: 'hits.hits',
    id: '_id',
    text: '_source.body',
    score: '_score',
  });
  const retriever = createHttpRetriever(spec, 'secret');
  assert.deepEqual(await retriever.search({ text: 'a "b"' }, 4), [{ id: 'd1', text: 'text', score: 2 }]);
  assert.deepEqual(seen, [
    ['POST', '/idx?size=4', 'Bearer secret', { query: { match: { body: 'a "b"' } }, size: 4 }],
  ]);
});

test('faults of an endpoint are reported', async (t) => {
  const url = await serve(t, (request, response) => {
    if (request.url === '/500') response.writeHead(500).end('database is on fire');
    else if (request.url === '/html') response.end('<html>');
    else if (request.url === '/shape') response.end('{"found": []}');
    else if (request.url === '/break') response.destroy();
  });
  const search = (place: string, timeoutMs = 5000): Promise<unknown> => {
    const spec = httpRetrieverSchema.parse({ type: 'http', url: url + place, method: 'GET', timeoutMs });
    return createHttpRetriever(spec, undefined).search({ text: 'q' }, 1);
  };
  await assert.rejects(search('/500'), {
    id: 'retriever-failed',
    message: /answered 500: database is on fire/,
  });
  await assert.rejects(search('/html'), { message: /did not answer with JSON: <html>/ });
  await assert.rejects(search('/shape'), { message: /no list at "results" in its answer: \{"found":\[\]\}/ });
  await assert.rejects(search('/break'), { message: /could not be reached/ });
  await assert.rejects(search('/hang', 200), { message: /did not answer within 0\.2 s/ });
  const abort = new AbortController();
  const spec = httpRetrieverSchema.parse({ type: 'http', url: `${url}/hang` });
  const cancelled = createHttpRetriever(spec, undefined).search({ text: 'q' }, 1, abort.signal);
  setTimeout(() => abort.abort(), 20);
  await assert.rejects(cancelled, { id: 'cancelled' });
});

test('a busy endpoint is asked again after its delay, and then one question at a time', async (t) => {
  let [asked, running, most] = [0, 0, 0];
  const url = await serve(t, (request, response) => {
    most = Math.max(most, ++running);
    const { query } = JSON.parse(request.body) as { query: string };
    const isRefused = asked++ < 3;
    setTimeout(() => {
      running--;
      if (isRefused) response.writeHead(429, { 'retry-after': '0.1' }).end('later');
      else response.end(JSON.stringify({ results: [{ id: query, text: query }] }));
    }, 20);
  });
  const retriever = createHttpRetriever(httpRetrieverSchema.parse({ type: 'http', url }), undefined);
  const search = (): Promise<(string | undefined)[]> =>
    Promise.all(['a', 'b', 'c'].map(async (text) => (await retriever.search({ text }, 1))[0]?.id));
  assert.deepEqual(await search(), ['a', 'b', 'c']);
  assert.equal(most, 3);
  most = 0;
  assert.deepEqual(await search(), ['a', 'b', 'c']);
  assert.equal(most, 1);
});

test('an evaluation sends as many concurrent questions to an endpoint as allowed', () => {
  const atOnce = (extra: object): number =>
    queriesAtOnce(parsePipeline({ retriever: { type: 'http', url: 'http://localhost:1', ...extra }, k: 5 }));
  assert.deepEqual([atOnce({}), atOnce({ connections: 1 })], [4, 1]);
});

test('a results file answers by query id or text, and is read again when it changes', async () => {
  const file = path.join(folder, 'run.jsonl');
  writeFileSync(
    file,
    '{"id": "q1", "results": [{"id": "a"}, {"id": "b"}]}\n{"query": "why?", "results": []}\n',
  );
  const retriever = createRunRetriever(runRetrieverSchema.parse({ type: 'run', file: 'run.jsonl' }), folder);
  assert.deepEqual(await retriever.search({ id: 'q1', text: 'x' }, 1), [{ id: 'a', score: 0 }]);
  assert.deepEqual(await retriever.search({ text: 'why?' }, 1), []);
  await assert.rejects(retriever.search({ id: 'q2', text: 'how?' }, 1), {
    id: 'retriever-failed',
    message: /run\.jsonl has no results for the query q2 \("how\?"\)/,
  });
  writeFileSync(file, '{"id": "q1", "results": [{"id": "c"}]}');
  utimesSync(file, new Date(), new Date(Date.now() + 5000));
  assert.deepEqual(await retriever.search({ id: 'q1', text: 'x' }, 1), [{ id: 'c', score: 0 }]);
  // With the same size and the same modification time, only the file system's change time differs.
  const { atime, mtime } = statSync(file);
  await delay(20);
  writeFileSync(file, '{"id": "q1", "results": [{"id": "d"}]}');
  utimesSync(file, atime, mtime);
  assert.deepEqual(await retriever.search({ id: 'q1', text: 'x' }, 1), [{ id: 'd', score: 0 }]);
  const missing = createRunRetriever(runRetrieverSchema.parse({ type: 'run', file: 'gone.txt' }), folder);
  await assert.rejects(missing.search({ text: 'q' }, 1), {
    id: 'bad-file',
    message: /gone\.txt cannot be read/,
  });
});

test('a question that an agent searched for several times has the passages of its run, or of its own search', async () => {
  const line = (query: string, ids: readonly string[]): string =>
    JSON.stringify({ query, run: 't1', question: 'Trams?', results: ids.map((id) => ({ id, score: 1 })) });
  writeFileSync(
    path.join(folder, 'agent.jsonl'),
    [line('Trams?', ['a']), line('noise', ['b', 'a'])].join('\n'),
  );
  const found = async (per: object): Promise<unknown> => {
    const spec = runRetrieverSchema.parse({ type: 'run', file: 'agent.jsonl', ...per });
    const results = await createRunRetriever(spec, folder).search({ text: 'Trams?' }, 5);
    return results.map(({ id }) => id);
  };
  assert.deepEqual(await found({}), ['a', 'b']);
  assert.deepEqual(await found({ per: 'run' }), ['a', 'b']);
  assert.deepEqual(await found({ per: 'search' }), ['a']);
});
