import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RunQuestions } from '../../../src/features/capture/core/root-question.ts';
import type { AttributeValue, CapturedSpan } from '../../../src/features/capture/core/spans.ts';

const span = (startedAt: number, attributes: Record<string, AttributeValue>): CapturedSpan => ({
  traceId: 't',
  spanId: String(startedAt),
  name: 'n',
  startedAt,
  service: '',
  scope: '',
  attributes: new Map(Object.entries(attributes)),
});

function asked(...spans: readonly CapturedSpan[]): string | undefined {
  const questions = new RunQuestions();
  // Exporters send a batch for each span that ends.
  for (const one of spans) questions.add([one]);
  return questions.of('t');
}

const human = (content: string): object => ({
  lc: 1,
  type: 'constructor',
  id: ['langchain_core', 'messages', 'HumanMessage'],
  kwargs: { content },
});

test('the question of a run is the input of its first span, in any order of arrival', () => {
  const inner = span(20, { 'input.value': 'trams night cost' });
  const outer = span(10, { 'input.value': JSON.stringify({ messages: [[human('Should trams run?')]] }) });
  assert.equal(asked(inner, outer), 'Should trams run?');
  assert.equal(asked(outer, inner), 'Should trams run?');
  // Both within a millisecond: spans end from the inside out.
  assert.equal(asked(inner, span(20, { 'input.value': 'Outer?' })), 'Outer?');
});

test('reads the question in every convention', () => {
  const forms: readonly (readonly [string, AttributeValue])[] = [
    ['input.value', 'Q?'],
    ['input.value', JSON.stringify({ question: 'Q?' })],
    [
      'input.value',
      JSON.stringify({
        messages: [
          ['system', 'Be kind.'],
          ['human', 'Q?'],
        ],
      }),
    ],
    ['ai.prompt', JSON.stringify({ system: 'Be kind.', messages: [{ role: 'user', content: 'Q?' }] })],
    ['ai.prompt', JSON.stringify({ prompt: 'Q?' })],
    [
      'gen_ai.input.messages',
      JSON.stringify([
        { role: 'system', parts: [{ type: 'text', content: 'Be kind.' }] },
        { role: 'user', parts: [{ type: 'text', content: 'Q?' }] },
      ]),
    ],
    ['traceloop.entity.input', JSON.stringify({ inputs: { input: 'Q?' }, tags: [] })],
  ];
  for (const [name, value] of forms) assert.equal(asked(span(1, { [name]: value })), 'Q?', String(value));
});

test('a conversation without a person, a document, and an empty text are no question', () => {
  const machine = JSON.stringify({ messages: [{ role: 'assistant', content: 'Yes.' }] });
  for (const value of [machine, 'x'.repeat(3_000), '  ', '{"a":1}'])
    assert.equal(asked(span(1, { 'input.value': value })), undefined, value.slice(0, 40));
});

test('leaves out what a coding agent puts before the question', () => {
  const time = '<current_datetime>2026-11-30T14:27:20Z</current_datetime>\n\n';
  for (const [text, question] of [
    [`${time}Should trams run?`, 'Should trams run?'],
    [`${time}<user_query id="1">Should trams run?</user_query>`, 'Should trams run?'],
    ['<b>Trams</b> at night?', '<b>Trams</b> at night?'],
    ['<system-reminder>Be kind.', '<system-reminder>Be kind.'],
  ] as const)
    assert.equal(asked(span(1, { user_prompt: text })), question);
});

test('very many elements before a question are left out', () => {
  assert.equal(asked(span(0, { 'input.value': `${'<a-b></a-b>'.repeat(18_000)}Why?` })), 'Why?');
});
