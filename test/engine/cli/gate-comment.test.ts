/** The comment of a pull request, with stand-ins for the runner's files and for the API. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { labelWorse, workspace, WORSE, type GateWorkspace } from './gate-support.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

const TOKEN = 'ghs_planted-0123456789';
const COMMENTS = '/repos/kim/handbook/issues/7/comments';
const SHA = 'a'.repeat(40);

interface Comment {
  readonly id: number;
  body: string;
  readonly author_association: string;
  readonly user: { readonly type: string };
  readonly author: { readonly id: number };
}

interface Api {
  readonly url: string;
  readonly comments: Comment[];
  /** `POST /repos/…` and other writes, in order. */
  readonly writes: string[];
}

/** Stores comments like both services. @param refuses the status of every answer to a write */
async function api(t: TestContext, refuses?: number): Promise<Api> {
  const comments: Comment[] = [];
  const writes: string[] = [];
  const server = createServer((request, response) => {
    void answer(request).then(({ status, body }) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
    );
  });
  async function answer(request: IncomingMessage): Promise<{ status: number; body: unknown }> {
    const { method = '', url = '', headers } = request;
    const given = headers.authorization ?? `Bearer ${String(headers['private-token'])}`;
    if (given !== `Bearer ${TOKEN}`) return { status: 401, body: {} };
    const { pathname, searchParams } = new URL(url, 'http://localhost');
    if (pathname.endsWith('/user')) return { status: 200, body: { id: 1 } };
    if (method === 'GET') {
      const page = Number(searchParams.get('page')) - 1;
      return { status: 200, body: comments.slice(page * 100, page * 100 + 100) };
    }
    writes.push(`${method} ${pathname}`);
    if (refuses) return { status: refuses, body: { message: `No: ${given}` } };
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const { body } = JSON.parse(text) as { body: string };
    if (method === 'POST') comments.push(comment(comments.length + 1, body));
    else comments.find(({ id }) => pathname.endsWith(`/${id}`))!.body = body;
    return { status: 200, body: {} };
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, comments, writes };
}

function comment(id: number, body: string, type = 'Bot', author = 1): Comment {
  return { id, body, author_association: 'NONE', user: { type }, author: { id: author } };
}

/** The variables and files that a runner provides to a step for a pull request. */
async function runner(t: TestContext, own: GateWorkspace, apiUrl: string): Promise<Record<string, string>> {
  const folder = temporaryFolder(t);
  const file = (name: string): string => path.join(folder, name);
  await writeFile(file('event.json'), JSON.stringify({ pull_request: { number: 7, head: { sha: SHA } } }));
  await writeFile(file('output'), '');
  await writeFile(file('summary'), '');
  return {
    GITHUB_ACTIONS: 'true',
    GITHUB_API_URL: apiUrl,
    GITHUB_SERVER_URL: 'https://forge.example',
    GITHUB_REPOSITORY: 'kim/handbook',
    GITHUB_WORKSPACE: own.folder,
    GITHUB_EVENT_PATH: file('event.json'),
    GITHUB_OUTPUT: file('output'),
    GITHUB_STEP_SUMMARY: file('summary'),
    GITHUB_TOKEN: TOKEN,
    RUNNER_TEMP: folder,
  };
}

function set(t: TestContext, variables: Readonly<Record<string, string>>): void {
  const before = process.env;
  process.env = { ...before, ...variables };
  t.after(() => {
    process.env = before;
  });
}

/** Eight topics, accepted as a baseline, and then a worse retriever. */
async function pullRequest(t: TestContext): Promise<GateWorkspace> {
  const own = await workspace(t, 8, { baseline: { file: '.parallax/baselines/main.json' } });
  assert.equal((await own.gate('--accept')).code, 0);
  await labelWorse(own, 8);
  await own.configure({ pipelines: { mine: WORSE } });
  return own;
}

describe('a pull request whose retriever is worse', () => {
  test('gets one comment, which the next run updates', async (t) => {
    const own = await pullRequest(t);
    const { url, comments, writes } = await api(t);
    const variables = await runner(t, own, url);
    set(t, variables);
    const first = await own.gate('--comment');
    assert.equal(first.code, 1);
    assert.match(first.stderr, /^A comment was written\.$/mu);
    const [{ body }] = comments as [Comment];
    assert.match(body, /^## Parallax: Failed: 1 of 1 check\.$/mu);
    assert.match(body, /^### Perspectives lost since the baseline: 8$/mu);
    assert.match(
      body,
      new RegExp(
        `^- \\*\\*third\\*\\*: First supported at rank 3, below 2\\.<br>mine, “topic3” \\(\\[.*questions\\.jsonl:3\\]\\(<https://forge\\.example/kim/handbook/blob/${SHA}/questions\\.jsonl#L3>\\)\\)$`,
        'mu',
      ),
    );
    assert.match(
      body,
      /\| 0\.0 \\\[0\.0, 36\.9\\\] \| 100\.0 \| −100\.0 \\\[−100\.0, −26\.1\\\] \| \.008 \| 0 \/ 8 \|$/mu,
    );
    assert.match(body, /^The judge was asked nothing in this run\.$/mu);
    assert.equal(await readFile(variables['GITHUB_OUTPUT']!, 'utf8'), 'outcome=missed\nlost=8\nwon=0\n');
    assert.match(await readFile(variables['GITHUB_STEP_SUMMARY']!, 'utf8'), /^# Parallax gate\n/u);

    await own.gate('--accept');
    const second = await own.gate('--comment');
    assert.deepEqual([second.code, comments.length], [0, 1]);
    assert.match(second.stderr, /^The comment was brought up to date\.$/mu);
    assert.match(comments[0]!.body, /^No perspective was lost or won since the baseline\.$/mu);
    assert.deepEqual(writes, [`POST ${COMMENTS}`, 'PATCH /repos/kim/handbook/issues/comments/1']);
    assert.ok(![first, second].some(({ stdout, stderr }) => `${stdout}${stderr}`.includes(TOKEN)));
  });

  test('finds its comment behind a hundred others, and ignores those of other users', async (t) => {
    const own = await pullRequest(t);
    const { url, comments, writes } = await api(t);
    set(t, await runner(t, own, url));
    await own.gate('--comment');
    const { body } = comments.pop()!;
    comments.push(
      comment(1, body, 'User'),
      ...Array.from({ length: 150 }, (_, id) => comment(id + 2, 'Nice.')),
    );
    comments.push(comment(152, `${body.split('\n')[0]}\nOld.`));
    await own.gate('--comment');
    assert.equal(writes.at(-1), 'PATCH /repos/kim/handbook/issues/comments/152');
  });

  for (const [status, sentence] of [
    [
      403,
      /^No comment was written: GitHub does not let this token write one \(403\)\. Give the job "permissions: pull-requests: write"\./mu,
    ],
    [500, /^No comment was written: GitHub could not take it: it answered 500\.$/mu],
  ] as const)
    test(`keeps its result if the API answers ${status}, gives the reason once, and hides the token`, async (t) => {
      const own = await pullRequest(t);
      const { url } = await api(t, status);
      set(t, await runner(t, own, url));
      const { code, stdout, stderr } = await own.gate('--comment');
      assert.equal(code, 1);
      assert.match(stderr, sentence);
      assert.equal(stderr.match(/No comment/gu)!.length, 1);
      assert.ok(!`${stdout}${stderr}`.includes(TOKEN));
    });

  for (const [what, change, sentence] of [
    ['without a token', { GITHUB_TOKEN: '' }, /there is no token\. Give the step GITHUB_TOKEN/u],
    ['on a push', { GITHUB_EVENT_PATH: '' }, /the job was not started by a pull request\./u],
    ['outside of a job', { GITHUB_ACTIONS: '' }, /this is not a job of GitHub Actions or GitLab CI\./u],
    ['without a server', { GITHUB_API_URL: 'http://127.0.0.1:9' }, /GitHub could not be reached: /u],
  ] as const)
    test(`${what} is reported, and the result kept`, async (t) => {
      const own = await pullRequest(t);
      set(t, { ...(await runner(t, own, 'http://127.0.0.1:9')), ...change });
      const { code, stderr } = await own.gate('--comment');
      assert.equal(code, 1);
      assert.match(stderr, sentence);
    });
});

test('a merge request of GitLab', async (t) => {
  const own = await pullRequest(t);
  const { url, comments, writes } = await api(t);
  set(t, {
    GITLAB_CI: 'true',
    GITLAB_TOKEN: TOKEN,
    CI_API_V4_URL: url,
    CI_PROJECT_ID: '3',
    CI_PROJECT_URL: 'https://forge.example/kim/handbook',
    CI_MERGE_REQUEST_IID: '7',
    CI_COMMIT_SHA: SHA,
    CI_PROJECT_DIR: own.folder,
  });
  await own.gate('--comment');
  assert.match(comments[0]!.body, new RegExp(`/-/blob/${SHA}/questions\\.jsonl#L1>`, 'u'));
  comments.unshift(comment(9, comments[0]!.body, 'User', 2));
  await own.configure({ pipelines: { mine: { ...WORSE, retriever: { type: 'bm25', k1: 0.5 } } } });
  await own.gate('--accept');
  await own.gate('--comment');
  const notes = '/projects/3/merge_requests/7/notes';
  assert.deepEqual(writes, [`POST ${notes}`, `PUT ${notes}/1`]);
});

describe('the action', () => {
  /** The script of a step of action.yml. */
  async function scriptOf(step: string): Promise<string> {
    const action = await readFile('action.yml', 'utf8');
    const [, script] = new RegExp(`name: ${step}\\n[^]*?      run: \\|\\n((?:        .*\\n)+)`, 'u').exec(
      action,
    )!;
    return script!.replaceAll(/^ {8}/gmu, '');
  }

  test('runs the gate with its inputs, in a step like those of a runner', async (t) => {
    const own = await pullRequest(t);
    const { url, comments } = await api(t);
    const variables = await runner(t, own, url);
    const bin = path.join(variables['RUNNER_TEMP']!, 'parallax/node_modules/.bin');
    await mkdir(bin, { recursive: true });
    const main = path.resolve('src/cli/main.ts');
    await writeFile(path.join(bin, 'parallax-rag'), `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`);
    await chmod(path.join(bin, 'parallax-rag'), 0o755);
    const inputs = {
      PARALLAX_CONFIG: 'parallax.json',
      PARALLAX_COMMENT: 'true',
      PARALLAX_REPORTS: 'my reports',
    };
    const none = { PARALLAX_JUDGE: '', PARALLAX_BUDGET: '' };
    const step = spawn('bash', ['-e', '-o', 'pipefail', '-c', await scriptOf('Check retrieval')], {
      cwd: own.folder,
      env: { ...process.env, ...variables, ...inputs, ...none },
    });
    let output = '';
    for (const stream of [step.stdout, step.stderr]) stream.on('data', (text) => (output += String(text)));
    const code = await new Promise((resolve) => step.on('close', resolve));
    assert.equal(code, 1, output);
    assert.match(output, /^::error file=questions\.jsonl,line=1,title=mine%3A MRecall@2 vs\. baseline::/mu);
    assert.match(comments[0]!.body, /^### Perspectives lost since the baseline: 8$/mu);
    for (const report of ['retrieval.xml', 'retrieval.sarif', 'retrieval.html'])
      assert.ok((await readFile(path.join(own.folder, 'my reports', report), 'utf8')).length > 0);
    assert.ok(!output.includes(TOKEN));
  });

  test('and similar files name no registry package, run no scripts and pin what they use', async () => {
    const { name } = JSON.parse(await readFile('package.json', 'utf8')) as { name: string };
    const examples = ['gitlab-ci/retrieval-gate.yml', 'pre-commit/pre-commit-config.yaml'];
    for (const file of ['action.yml', ...examples.map((each) => `media/examples/${each}`)]) {
      const text = await readFile(file, 'utf8');
      assert.doesNotMatch(text, new RegExp(`\\b${name}@\\d`, 'u'), file);
      for (const [line] of text.matchAll(/npm install .*/gu)) assert.match(line, /--ignore-scripts/u, file);
    }
    // The first versions that run on Node 24: runners have no Node 20 any more.
    const least = { 'setup-node': 5, cache: 5, checkout: 5, 'upload-artifact': 6, 'codeql-action': 4 };
    const used = /uses: (?:actions|github)\/([\w-]+)[\w/-]*@(\S+) # v(\d+)/gu;
    for (const file of ['action.yml', 'media/examples/github-actions/retrieval-gate.yml']) {
      const text = await readFile(file, 'utf8');
      const all = [...text.matchAll(used)];
      assert.equal(all.length, [...text.matchAll(/uses: (?!\.)/gu)].length, file);
      for (const [action, name, commit, major] of all) {
        assert.match(commit!, /^[0-9a-f]{40}$/u, file);
        assert.ok(Number(major) >= least[name as keyof typeof least], action);
      }
    }
  });

  test('leaves the job with the Node that it had before', async (t) => {
    const action = await readFile('action.yml', 'utf8');
    const places = ['id: before', 'uses: actions/setup-node', 'name: Check retrieval', 'name: Restore Node'];
    const order = places.map((part) => action.indexOf(part));
    assert.deepEqual(
      order,
      [...order].sort((a, b) => a - b),
    );
    const file = path.join(temporaryFolder(t), 'path');
    const [, script] = /name: Restore Node\n[^]*?run: (.*)\n/u.exec(action)!;
    const env = { ...process.env, NODE_BEFORE: '/opt/node18/bin', GITHUB_PATH: file };
    execFileSync('bash', ['-e', '-c', script!], { env });
    assert.equal(await readFile(file, 'utf8'), '/opt/node18/bin\n');
  });

  test('of pre-commit names a Node that Parallax runs on', async () => {
    const text = await readFile('media/examples/pre-commit/pre-commit-config.yaml', 'utf8');
    assert.match(text, /^ +language_version: 22\.13\.0$/mu);
  });
});
