/** `parallax capture`: files, run programs, and its address. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { captureCommand } from '../../../src/features/capture/cli/capture-command.ts';
import { evalCommand } from '../../../src/cli/commands/eval-command.ts';
import { listenOption } from '../../../src/cli/options/listen-option.ts';
import { UsageError } from '../../../src/cli/presentation/terminal.ts';
import { parseEvalSet } from '../../../src/core/formats/queries.ts';
import { parseRetrieved } from '../../../src/core/formats/retrieved.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';
import { lines, run } from './support.ts';

const TRACES = path.join(import.meta.dirname, '../../fixtures/traces');
const requestIn = (name: string): string =>
  JSON.stringify((JSON.parse(readFileSync(path.join(TRACES, name), 'utf8')) as { request: object }).request);
const AT_NIGHT = 'Should the trams run at night?';

/** A program that sends spans to the address in its environment. */
function program(body: string, code = 0): string[] {
  const send = `
    const { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: url } = process.env;
    const headers = { 'content-type': 'application/json' };
    const { status } = await fetch(url, { method: 'POST', headers, body: ${JSON.stringify(body)} });
    console.log('answered ' + status);
    process.exit(status === 200 ? ${code} : 9);
  `;
  return ['--', process.execPath, '--input-type=module', '--eval', send];
}

test('a file that would be lost, or cannot be written, is refused before anything is captured', async (t) => {
  const folder = temporaryFolder(t);
  const evalSet = path.join(folder, 'questions.jsonl');
  const text = lines([{ _id: 'a', text: 'Trams?' }]);
  await writeFile(evalSet, text);
  const spans = path.join(folder, 'core.json');
  await writeFile(spans, requestIn('openinference-core.json'));
  for (const to of [evalSet, path.join(evalSet, 'captured.jsonl')])
    await assert.rejects(
      run(captureCommand, '--from', spans, '--to', to),
      (error: Error) => error instanceof UsageError && error.message.startsWith(to),
    );
  assert.equal(await readFile(evalSet, 'utf8'), text);
  // A file of retrievals is replaced, and a folder made.
  const captured = path.join(folder, 'runs', 'captured.jsonl');
  for (let turn = 0; turn < 2; turn++)
    assert.equal((await run(captureCommand, '--from', spans, '--to', captured)).code, 0);
  assert.equal((await readFile(captured, 'utf8')).trimEnd().split('\n').length, 2);
});

test('files are imported, and eval scores their retrievals', async (t) => {
  const folder = temporaryFolder(t);
  const at = (name: string): string => path.join(folder, name);
  await writeFile(at('core.json'), requestIn('openinference-core.json'));
  await writeFile(at('sdk.json'), requestIn('traceloop-sdk.json'));
  const from = ['--from', at('core.json'), '--from', at('sdk.json'), '--from', at('core.json')];
  const { code, stdout } = await run(captureCommand, ...from, '--to', at('captured.jsonl'));
  assert.equal(code, 0);
  assert.match(stdout, /^4 retrievals of 2 questions, 8 passages\.$/mu);
  assert.match(stdout, /traceloop\.span\.kind=workflow +not a retrieval +1$/mu);
  const written = (await readFile(at('captured.jsonl'), 'utf8')).trimEnd().split('\n');
  assert.deepEqual(written.map((line) => (JSON.parse(line) as { query: string }).query).toSorted(), [
    'Do night trams wake people?',
    'Do night trams wake people?',
    AT_NIGHT,
    AT_NIGHT,
  ]);
  await writeFile(
    at('corpus.jsonl'),
    lines([
      { _id: 'night.md#1', text: 'Night trams bring workers home.' },
      { _id: 'noise.md#4', text: 'Night trams wake people.' },
    ]),
  );
  await writeFile(
    at('queries.jsonl'),
    lines([
      {
        id: 'q',
        text: AT_NIGHT,
        perspectives: [
          { id: 'yes', text: 'They should.' },
          { id: 'no', text: 'They should not.' },
        ],
      },
    ]),
  );
  await writeFile(at('qrels.txt'), 'q yes night.md#1 1\nq no noise.md#4 1\n');
  const scored = await run(
    evalCommand,
    ...['--corpus', at('corpus.jsonl'), '--queries', at('queries.jsonl'), '--qrels', at('qrels.txt')],
    ...['--pipeline', JSON.stringify({ retriever: { type: 'run', file: at('captured.jsonl') }, k: 2 })],
    ...['--k', '2', '--json', '-'],
  );
  assert.equal(scored.code, 0, scored.stderr);
  const { pipelines } = JSON.parse(scored.stdout) as { pipelines: { metrics: Record<string, number> }[] };
  assert.equal(pipelines[0]?.metrics['MRecall@2'], 1);
});

test('a program is run with the required environment', async (t) => {
  const folder = temporaryFolder(t);
  const to = path.join(folder, 'captured.jsonl');
  const { code, stdout } = await run(captureCommand, '--to', to, ...program(requestIn('genkit.json')));
  assert.equal(code, 0);
  assert.match(stdout, /^2 retrievals of 2 questions, 4 passages\.$/mu);
  assert.equal((await readFile(to, 'utf8')).trimEnd().split('\n').length, 2);
});

test('a failing program, or one without retrievals, makes the exit code 1', async () => {
  assert.equal((await run(captureCommand, ...program(requestIn('genkit.json'), 3))).code, 1);
  const idle = await run(captureCommand, ...program(requestIn('traceloop-langchain.json')));
  assert.equal(idle.code, 1);
  assert.match(idle.stdout, /^No retrieval came\.$/mu);
  assert.match(idle.stdout, /gen_ai\.operation\.name=workflow +not a retrieval +2$/mu);
  assert.doesNotMatch(idle.stderr, /any other span/u);
  const silent = await run(captureCommand, '--', process.execPath, '-e', '');
  assert.match(silent.stderr, /^Nor did any other span: is the program instrumented/mu);
});

test('all captured spans are written as JSON', async () => {
  const { stdout } = await run(captureCommand, '--json', ...program(requestIn('gen-ai-conventions.json')));
  const { retrievals, unused, forgotten } = JSON.parse(stdout) as Record<string, unknown>;
  assert.deepEqual(
    (retrievals as { query: string; results: object[] }[]).map(({ query, results }) => [query, results]),
    [
      [
        AT_NIGHT,
        [
          { id: 'night.md#1', text: 'Night trams bring workers home.', score: 0.92 },
          { id: 'noise.md#4', text: 'Night trams wake people.', score: 0.61 },
        ],
      ],
    ],
  );
  assert.deepEqual(unused, [{ kind: 'gen_ai.operation.name=retrieval', reason: 'no-query', count: 1 }]);
  assert.equal(forgotten, 0);
});

test('listening ends after its time', async () => {
  const { code, stderr } = await run(captureCommand, '--for', '0.2');
  assert.equal(code, 1);
  assert.match(stderr, /^OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http:\/\/127\.0\.0\.1:\d+\/.+\/v1\/traces$/mu);
});

test('impossible requests are reported', async (t) => {
  const folder = temporaryFolder(t);
  const bad: [RegExp, ...string[]][] = [
    [/cannot be run/u, '--', path.join(folder, 'no-such-program')],
    [/Cannot read .*none\.json/u, '--from', path.join(folder, 'none.json')],
    [/reads files/u, '--from', 'a.json', '--', 'true'],
    [/number of seconds/u, '--for', 'soon'],
    [/address and a port/u, '--listen', '4318'],
    [/PARALLAX_CAPTURE_TOKEN/u, '--listen', '0.0.0.0:0'],
  ];
  for (const [message, ...argv] of bad) await assert.rejects(run(captureCommand, ...argv), { message });
});

test('addresses other than this machine’s need a long token', () => {
  for (const own of ['127.0.0.1:0', 'localhost:4318', '[::1]:4318', '127.1.2.3:1'])
    assert.equal(listenOption(own, undefined).listen.token, undefined, own);
  for (const other of [
    '0.0.0.0:4318',
    '192.168.0.2:1',
    '[::]:4318',
    'example.com:1',
    '127.0.0.1.example.com:1',
  ]) {
    assert.throws(() => listenOption(other, undefined), UsageError);
    assert.throws(() => listenOption(other, 'short'), UsageError);
    assert.equal(listenOption(other, 'a'.repeat(16)).listen.token?.length, 16);
  }
  for (const bad of ['', ':1', 'a', '127.0.0.1:', '127.0.0.1:70000'])
    assert.throws(() => listenOption(bad, 'a'.repeat(16)), UsageError);
});

test('tools with a custom format are read as parallax.json describes them', async (t) => {
  const folder = await temporaryFolder(t);
  const text = (key: string, value: object): object => ({
    key,
    value: { stringValue: JSON.stringify(value) },
  });
  const attributes = [
    { key: 'gen_ai.operation.name', value: { stringValue: 'execute_tool' } },
    { key: 'gen_ai.tool.name', value: { stringValue: 'find' } },
    text('gen_ai.tool.call.arguments', { q: AT_NIGHT }),
    text('gen_ai.tool.call.result', { hits: [{ ref: 'a', body: 'Yes.' }] }),
  ];
  const spans = [{ traceId: 't', spanId: 's', attributes }];
  const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
  const config = path.join(folder, 'parallax.json');
  await writeFile(config, '{}');
  assert.equal((await run(captureCommand, '--config', config, ...program(body))).code, 1);
  const find = { results: 'hits', id: 'ref', text: 'body' };
  await writeFile(config, JSON.stringify({ capture: { tools: { find } } }));
  const { code, stdout } = await run(captureCommand, '--config', config, '--json', ...program(body));
  assert.equal(code, 0);
  const { retrievals } = JSON.parse(stdout) as { retrievals: { results: object[] }[] };
  assert.deepEqual(retrievals[0]?.results, [{ id: 'a', text: 'Yes.' }]);
});

test('a captured passage keeps its source, and gets no score, also when read as a run', async (t) => {
  const folder = await temporaryFolder(t);
  const documents = [
    {
      pageContent: 'Night trams bring workers home.',
      metadata: { source: 'docs/night.md', loc: { pageNumber: 7 } },
    },
  ];
  const attributes = Object.entries({
    'openinference.span.kind': 'RETRIEVER',
    'input.value': AT_NIGHT,
    'output.value': JSON.stringify({ documents }),
  }).map(([key, stringValue]) => ({ key, value: { stringValue } }));
  const spans = [{ traceId: 't', spanId: 's', attributes }];
  const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
  const file = path.join(folder, 'captured.jsonl');
  assert.equal((await run(captureCommand, '--to', file, ...program(body))).code, 0);
  const line = await readFile(file, 'utf8');
  const { results } = JSON.parse(line) as { results: object[] };
  assert.deepEqual(results, [
    { text: documents[0]!.pageContent, metadata: { source: 'docs/night.md', page: '7' } },
  ]);
  const read = parseRetrieved(line, 'captured.jsonl').byText.get(AT_NIGHT)!;
  assert.deepEqual([read[0]!.about?.source, read[0]!.about?.page], ['docs/night.md', '7']);
});

test('the questions become an eval set, and those that it has stay as they are', async (t) => {
  const folder = await temporaryFolder(t);
  const span = (spanId: string, kind: string, input: string, more: object[] = []): object => ({
    traceId: 't',
    spanId,
    ...(spanId === 'root' ? {} : { parentSpanId: 'root' }),
    startTimeUnixNano: spanId === 'root' ? '1' : '2',
    endTimeUnixNano: '3',
    attributes: [
      { key: 'openinference.span.kind', value: { stringValue: kind } },
      { key: 'input.value', value: { stringValue: input } },
      ...more,
    ],
  });
  const found = [{ key: 'retrieval.documents.0.document.content', value: { stringValue: 'Yes.' } }];
  const spans = [
    span('a', 'RETRIEVER', 'trams cost', found),
    span('b', 'RETRIEVER', 'trams noise', found),
    span('root', 'AGENT', 'Should trams run?'),
  ];
  const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
  const file = path.join(folder, 'eval/asked.parallax.jsonl');
  const capture = (): ReturnType<typeof run> => run(captureCommand, '--questions', file, ...program(body));
  const { stderr } = await capture();
  assert.match(stderr, /^The questions are in /mu);
  const first = await readFile(file, 'utf8');
  const { queries } = parseEvalSet(first, file);
  assert.deepEqual(
    queries.map(({ text }) => text),
    ['Should trams run?'],
  );
  await capture();
  assert.equal(await readFile(file, 'utf8'), first);
});

test('a program that fails or is killed is reported as such, not only as sending nothing', async () => {
  const ended = (script: string): ReturnType<typeof run> =>
    run(captureCommand, '--', process.execPath, '--eval', script);
  const failed = await ended('process.exit(3)');
  assert.equal(failed.code, 1);
  assert.match(failed.stderr, /^\S+ ended with exit code 3\.$/mu);
  const killed = await ended("process.kill(process.pid, 'SIGKILL'); setTimeout(() => {}, 60_000)");
  assert.equal(killed.code, 1);
  assert.match(killed.stderr, /^\S+ was killed by SIGKILL\.$/mu);
  assert.doesNotMatch((await ended('')).stderr, /ended with|killed/u);
});

/** A program that sends as many retrievals of five documents at once as exporters do by default. */
function batch(spans: number, bytes: number): string[] {
  const send = `
    const text = 'x'.repeat(${bytes});
    const attribute = (key, stringValue) => ({ key, value: { stringValue } });
    const spans = Array.from({ length: ${spans} }, (_, n) => ({
      traceId: n.toString(16).padStart(32, '0'), spanId: (n + 1).toString(16).padStart(16, '0'), name: 'retriever',
      startTimeUnixNano: '1', endTimeUnixNano: '2',
      attributes: [
        attribute('openinference.span.kind', 'RETRIEVER'),
        attribute('input.value', 'Question ' + n),
        ...[0, 1, 2, 3, 4].map((m) => attribute('retrieval.documents.' + m + '.document.content', m + text)),
      ],
    }));
    const { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: url } = process.env;
    const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
    await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body }).catch(() => undefined);
  `;
  return ['--', process.execPath, '--input-type=module', '--eval', send];
}

test('a batch of the exporters’ default size is read completely', async () => {
  const { code, stdout } = await run(captureCommand, ...batch(512, 2000));
  assert.match(stdout, /^512 retrievals of 512 questions, 2,560 passages\.$/mu);
  assert.equal(code, 0);
});

test('a refused batch is counted, and a run that lost one is not green', async () => {
  const { code, stderr } = await run(captureCommand, ...batch(512, 14_000));
  assert.match(stderr, /1 request with spans could not be read, and what they held is lost/u);
  assert.equal(code, 1);
});

test('searches of a run are joined: two retrievers, reranked results, and all for a question', () => {
  const line = (run: string, query: string, ids: readonly string[], more: object = {}): string =>
    JSON.stringify({
      query,
      run,
      question: 'Should trams run?',
      results: ids.map((id) => ({ id })),
      ...more,
    });
  const idsOf = (
    text: string,
    query: string,
    by: 'byText' | 'byQuestion' = 'byText',
  ): (string | undefined)[] | undefined =>
    parseRetrieved(text, 'run.jsonl')
      [by].get(query)
      ?.map(({ id }) => id);
  const text = [
    line('t1', 'cost', ['old']),
    line('t2', 'cost', ['a', 'b']),
    line('t2', 'cost', ['b', 'c']),
    line('t2', 'noise', ['d', 'e', 'a']),
    line('t2', 'noise', ['e'], { step: 'reranker' }),
  ].join('\n');
  assert.deepEqual(idsOf(text, 'cost'), ['a', 'b', 'c']);
  assert.deepEqual(idsOf(text, 'noise'), ['e']);
  assert.deepEqual(idsOf(text, 'Should trams run?', 'byQuestion'), ['a', 'b', 'c', 'e']);
});
