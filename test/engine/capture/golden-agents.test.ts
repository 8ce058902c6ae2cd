/** Runs of real agents, sent again by the protocol that they used: see test/fixtures/traces/README.md. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:http2';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { RunQuestions } from '../../../src/features/capture/core/root-question.ts';
import { searchRunOf } from '../../../src/features/capture/core/search-run.ts';
import type { CapturedRetrieval } from '../../../src/features/capture/core/span-reading.ts';
import { UnusedSpans } from '../../../src/features/capture/core/unused-spans.ts';
import { TOKEN_HEADER } from '../../../src/features/capture/contract/environment.ts';
import { startSpanReceiver, type SpanReceiver } from '../../../src/features/capture/engine/span-receiver.ts';

const FOLDER = path.join(import.meta.dirname, '../../fixtures/traces/agents');
const QUESTION = 'Should the trams run at night?';
const HOME = 'Night trams bring workers home.';
const WAKE = 'Night trams wake people.';

interface Search {
  /** The user's question, as far as a span or a log tells it. */
  readonly question: string;
  readonly query: string;
  readonly texts: readonly string[];
  readonly sources: readonly string[];
}

const search = (query: string, texts: readonly string[], question = QUESTION): Search => ({
  question,
  query,
  texts,
  sources: texts.map((text) => (text === HOME ? 'docs/night.md' : 'docs/noise.md')),
});
const BENEFITS = search('Do night trams bring workers home?', [HOME, WAKE]);
const HARMS = search('Do night trams wake people?', [WAKE, HOME]);
const AGENT = [BENEFITS, HARMS];

/** The searches of each run. */
const GOLDEN: Readonly<Record<string, readonly (readonly Search[])[]>> = {
  langchain: [AGENT, [search(QUESTION, [HOME]), search(QUESTION, [WAKE])]],
  'ai-sdk': [AGENT],
  // Its instrumentation writes no span around the agent, so each search is a run.
  llamaindex: AGENT.map(({ query }) => [search(query, [HOME, WAKE], query)]),
  copilot: [AGENT],
  'claude-code': [AGENT],
  codex: [AGENT],
};

interface Recorded {
  readonly recordedFrom: string;
  readonly requests: Readonly<
    Record<string, readonly { readonly signal: 'traces' | 'logs'; readonly body: string }[]>
  >;
}

test('every agent is recorded by two protocols', () => {
  assert.deepEqual(
    readdirSync(FOLDER)
      .map((name) => path.basename(name, '.json'))
      .sort(),
    Object.keys(GOLDEN).sort(),
  );
  for (const name of Object.keys(GOLDEN)) {
    const { recordedFrom, requests } = recorded(name);
    assert.match(recordedFrom, /\d/u);
    assert.equal(Object.keys(requests).length, 2, name);
  }
});

for (const [name, runs] of Object.entries(GOLDEN))
  for (const [protocol, requests] of Object.entries(recorded(name).requests))
    // What a program sends by logs and by spans may arrive in any order.
    for (const order of ['as sent', 'reversed'] as const)
      test(`${name}, ${protocol}, ${order}: its searches are heard, and the question of each run`, async (t) => {
        const { receiver, captured, questions, unused } = await listen(t);
        for (const { signal, body } of order === 'as sent' ? requests : requests.toReversed())
          await send(receiver, protocol, signal, gunzipSync(Buffer.from(body, 'base64')));
        const found = Object.values(
          Object.groupBy(
            captured.toSorted((a, b) => a.at - b.at),
            searchRunOf,
          ),
        ).map((run) =>
          run!.map(({ id, query, results }) => ({
            question: questions.of(id.split(':', 1)[0]!),
            query,
            texts: results.map(({ text }) => text),
            sources: results.map(({ about }) => about?.source),
          })),
        );
        assert.deepEqual(found, runs);
        const lost = unused
          .list()
          .filter(({ reason }) => !['other-work', 'other-tool', 'repeated'].includes(reason));
        assert.deepEqual(lost, []);
      });

function recorded(name: string): Recorded {
  return JSON.parse(readFileSync(path.join(FOLDER, `${name}.json`), 'utf8')) as Recorded;
}

async function listen(t: TestContext): Promise<{
  readonly receiver: SpanReceiver;
  readonly captured: readonly CapturedRetrieval[];
  readonly questions: RunQuestions;
  readonly unused: UnusedSpans;
}> {
  const captured: CapturedRetrieval[] = [];
  const questions = new RunQuestions();
  const unused = new UnusedSpans();
  const receiver = await startSpanReceiver({
    port: 0,
    questions,
    onRetrieval: (retrieval) => captured.push(retrieval),
    onUnused: (spans, used) => {
      for (const span of spans) unused.add(span);
      for (const span of used) unused.remove(span);
    },
    onRefused: () => assert.fail('a request was refused'),
    log: () => undefined,
  });
  t.after(() => receiver.close());
  return { receiver, captured, questions, unused };
}

async function send(
  receiver: SpanReceiver,
  protocol: string,
  signal: 'traces' | 'logs',
  body: Buffer,
): Promise<void> {
  if (protocol === 'grpc') return sendGrpc(receiver, signal, body);
  const headers = {
    'content-type': protocol === 'http/json' ? 'application/json' : 'application/x-protobuf',
  };
  const url = receiver.url.replace(/traces$/u, signal);
  assert.equal((await fetch(url, { method: 'POST', headers, body: new Uint8Array(body) })).status, 200);
}

async function sendGrpc(
  { port, token }: SpanReceiver,
  signal: 'traces' | 'logs',
  body: Buffer,
): Promise<void> {
  const service = signal === 'traces' ? 'trace.v1.TraceService' : 'logs.v1.LogsService';
  const session = connect(`http://127.0.0.1:${port}`);
  const stream = session.request({
    ':method': 'POST',
    ':path': `/opentelemetry.proto.collector.${service}/Export`,
    'content-type': 'application/grpc',
    te: 'trailers',
    [TOKEN_HEADER]: token,
  });
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(body.length, 1);
  stream.end(Buffer.concat([prefix, body]));
  stream.resume();
  const [trailers] = (await once(stream, 'trailers')) as [Record<string, string>];
  session.close();
  assert.equal(trailers['grpc-status'], '0');
}
