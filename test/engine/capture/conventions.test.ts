/** An example span of every convention, through the real receiver. Written from the documented attributes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CapturedRetrieval } from '../../../src/features/capture/core/span-reading.ts';
import { FORMS, received, type ExampleSpan } from './sent-spans.ts';

const QUESTION = 'Should the trams run at night?';
const HOME = 'Night trams bring workers home.';
const NOISE = 'Night trams wake people.';

interface Example extends ExampleSpan {
  readonly about: string;
  readonly results: CapturedRetrieval['results'];
}

const BOTH = [{ text: HOME }, { text: NOISE }];

const EXAMPLES: readonly Example[] = [
  {
    about: 'OpenTelemetry GenAI, documents as a list',
    name: 'retrieval kb',
    attributes: {
      'gen_ai.operation.name': 'retrieval',
      'gen_ai.data_source.id': 'kb',
      'gen_ai.retrieval.query.text': QUESTION,
      'gen_ai.retrieval.documents': [
        { id: 'docs/night.md', score: 0.9, content: HOME },
        { id: 'docs/noise.md', score: 0.5 },
      ],
    },
    results: [
      { id: 'docs/night.md', text: HOME, score: 0.9 },
      { id: 'docs/noise.md', score: 0.5 },
    ],
  },
  {
    about: 'OpenTelemetry GenAI, documents as JSON',
    name: 'retrieval kb',
    attributes: {
      'gen_ai.operation.name': 'retrieval',
      'gen_ai.retrieval.query.text': QUESTION,
      'gen_ai.retrieval.documents': JSON.stringify([{ id: 'a', score: 1 }, { id: 'b' }]),
    },
    results: [{ id: 'a', score: 1 }, { id: 'b' }],
  },
  {
    about: 'OpenTelemetry GenAI, a retrieval that found nothing',
    name: 'retrieval kb',
    attributes: {
      'gen_ai.operation.name': 'retrieval',
      'gen_ai.retrieval.query.text': QUESTION,
      'gen_ai.retrieval.documents': [],
    },
    results: [],
  },
  {
    about: 'OpenInference, LangChain in JavaScript, documents only in the output',
    name: 'VectorStoreRetriever',
    attributes: {
      'openinference.span.kind': 'RETRIEVER',
      'input.value': QUESTION,
      'output.mime_type': 'application/json',
      'output.value': JSON.stringify({
        documents: [{ pageContent: HOME, metadata: { source: 'night.md' } }, { pageContent: NOISE }],
      }),
    },
    results: [{ text: HOME, about: { source: 'night.md', fields: { source: 'night.md' } } }, { text: NOISE }],
  },
  {
    about: 'OpenInference, LangChain in Python, documents only in the output',
    name: 'VectorStoreRetriever',
    attributes: {
      'openinference.span.kind': 'RETRIEVER',
      'input.value': QUESTION,
      'output.value': JSON.stringify([
        { lc: 1, type: 'constructor', id: ['langchain', 'Document'], kwargs: { page_content: HOME } },
        { id: null, metadata: {}, page_content: NOISE, type: 'Document' },
      ]),
    },
    results: BOTH,
  },
  {
    about: 'OpenInference, LlamaIndex, documents only in the output',
    name: 'VectorIndexRetriever._retrieve',
    attributes: {
      'openinference.span.kind': 'RETRIEVER',
      'input.value': JSON.stringify({ query_bundle: 'x', query: QUESTION }),
      'output.value': JSON.stringify({
        nodes: [
          { node: { id_: 'n1', text: HOME, class_name: 'TextNode' }, score: 0.8 },
          { node: { id_: 'n2', text_resource: { text: NOISE } }, score: 0.7 },
        ],
      }),
    },
    results: [
      { id: 'n1', text: HOME, score: 0.8 },
      { id: 'n2', text: NOISE, score: 0.7 },
    ],
  },
  {
    about: 'OpenTelemetry GenAI, a tool of an agent',
    name: 'execute_tool search_docs',
    attributes: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'search_docs',
      'gen_ai.tool.call.arguments': { query: QUESTION, k: 2 },
      'gen_ai.tool.call.result': [{ content: HOME, score: 0.9 }, { content: NOISE }],
    },
    results: [{ text: HOME, score: 0.9 }, { text: NOISE }],
  },
  {
    about: 'the Model Context Protocol, passages as structured content',
    name: 'tools/call search_docs',
    attributes: {
      'mcp.method.name': 'tools/call',
      'gen_ai.tool.name': 'search_docs',
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.call.arguments': JSON.stringify({ query: QUESTION }),
      'gen_ai.tool.call.result': JSON.stringify({
        content: [{ type: 'text', text: 'two passages' }],
        structuredContent: { result: [{ text: HOME }, { text: NOISE }] },
      }),
    },
    results: BOTH,
  },
  {
    about: 'the Model Context Protocol, passages as parts',
    name: 'tools/call search_docs',
    attributes: {
      'mcp.method.name': 'tools/call',
      'gen_ai.tool.name': 'search_docs',
      'gen_ai.tool.call.arguments': JSON.stringify({ question: QUESTION }),
      'gen_ai.tool.call.result': JSON.stringify({
        content: [
          { type: 'text', text: HOME },
          { type: 'text', text: NOISE },
        ],
      }),
    },
    results: BOTH,
  },
  {
    about: 'the Model Context Protocol, all passages as JSON in one part',
    name: 'tools/call search_docs',
    attributes: {
      'mcp.method.name': 'tools/call',
      'gen_ai.tool.name': 'search_docs',
      'gen_ai.tool.call.arguments': { query: QUESTION },
      'gen_ai.tool.call.result': {
        content: [{ type: 'text', text: JSON.stringify([{ id: 'a', text: HOME }, { text: NOISE }]) }],
      },
    },
    results: [{ id: 'a', text: HOME }, { text: NOISE }],
  },
  {
    about: 'the Vercel AI SDK',
    name: 'ai.toolCall',
    scope: 'ai',
    attributes: {
      'operation.name': 'ai.toolCall my-agent',
      'ai.operationId': 'ai.toolCall',
      'ai.toolCall.name': 'getInformation',
      'ai.toolCall.id': 'call_1',
      'ai.toolCall.args': JSON.stringify({ question: QUESTION }),
      'ai.toolCall.result': JSON.stringify([HOME, NOISE]),
    },
    results: BOTH,
  },
  {
    about: 'OpenLLMetry, a decorated function',
    name: 'retrieve.task',
    attributes: {
      'traceloop.span.kind': 'task',
      'traceloop.entity.name': 'retrieve',
      'traceloop.entity.input': JSON.stringify({ args: [QUESTION, 5], kwargs: {} }),
      'traceloop.entity.output': JSON.stringify([{ page_content: HOME }, { page_content: NOISE }]),
    },
    results: BOTH,
  },
  {
    about: 'OpenLLMetry, LangChain',
    name: 'VectorStoreRetriever.task',
    attributes: {
      'traceloop.span.kind': 'task',
      'traceloop.entity.input': JSON.stringify({ inputs: { query: QUESTION }, tags: [], kwargs: {} }),
      'traceloop.entity.output': JSON.stringify({
        outputs: [
          { lc: 1, type: 'constructor', id: ['langchain', 'Document'], kwargs: { page_content: HOME } },
          { lc: 1, type: 'constructor', id: ['langchain', 'Document'], kwargs: { page_content: NOISE } },
        ],
        kwargs: {},
      }),
    },
    results: BOTH,
  },
];

for (const [form, Exporter] of FORMS)
  for (const { about, results, ...span } of EXAMPLES)
    test(`${about}, ${form}`, async (t) => {
      const { captured } = await received(t, Exporter, [span]);
      assert.deepEqual(
        captured.map(({ name, query, results: found }) => ({ name, query, results: found })),
        [{ name: span.name, query: QUESTION, results }],
      );
    });

for (const [form, Exporter] of FORMS)
  test(`usable spans among a thousand are shown, the others reported, ${form}`, async (t) => {
    const retrieval = EXAMPLES[0]!;
    const broken = { 'gen_ai.retrieval.documents': '[{"id": "a"' };
    const spans = Array.from({ length: 1000 }, (_, place): ExampleSpan => {
      if (place % 100 === 0) return retrieval;
      if (place % 100 === 1) return { name: 'r', attributes: { ...retrieval.attributes, ...broken } };
      return { name: 'chat', attributes: { 'openinference.span.kind': 'LLM' } };
    });
    const { captured, unused } = await received(t, Exporter, spans);
    assert.equal(captured.length, 10);
    assert.deepEqual(
      [...Map.groupBy(unused, ({ kind, reason }) => `${kind} ${reason}`)]
        .map(([kind, { length }]) => [kind, length])
        .sort(),
      [
        ['gen_ai.operation.name=retrieval unreadable', 10],
        ['openinference.span.kind=LLM other-work', 980],
      ],
    );
  });

for (const [form, Exporter] of FORMS)
  test(`a search reported by tool, client and server counts once, ${form}`, async (t) => {
    const tool = {
      'gen_ai.tool.name': 'search_docs',
      'gen_ai.tool.call.arguments': { query: QUESTION },
      'gen_ai.tool.call.result': [{ text: HOME }, { text: NOISE }],
    };
    const retriever = EXAMPLES.find(({ about }) => about.includes('LangChain in JavaScript'))!;
    const trace = [
      retriever,
      { name: 'server', attributes: { 'mcp.method.name': 'tools/call', ...tool } },
      { name: 'agent', attributes: { 'gen_ai.operation.name': 'execute_tool', ...tool } },
    ];
    const told = await received(t, Exporter, trace, { oneTrace: true });
    assert.deepEqual(
      told.captured.map(({ name }) => name),
      ['VectorStoreRetriever'],
    );
    assert.deepEqual(
      told.unused,
      Array(2).fill({ kind: 'gen_ai.tool.name=search_docs', reason: 'repeated' }),
    );
    assert.equal((await received(t, Exporter, trace)).captured.length, 3, 'each in a trace of its own');
  });
