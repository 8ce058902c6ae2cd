/** Every prompt of building, and every parser of its answers, with hostile texts and useless answers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CONTRAST_PROMPT_VERSION, contrastPrompt } from '../../../src/features/building/core/contrast.ts';
import {
  DISAGREEMENT_PROMPT_VERSION,
  disagreementPrompt,
  parseDisagreement,
} from '../../../src/features/building/core/disagreement.ts';
import {
  NEGATION_PROMPT_VERSION,
  negationPrompt,
  parseNegation,
} from '../../../src/features/building/core/negation.ts';
import {
  parsePersonal,
  PERSONAL_PROMPT_VERSION,
  personalPrompt,
} from '../../../src/features/building/core/personal.ts';
import { neutralise } from '../../../src/core/judging/prompts/fence.ts';
import { HOSTILE_PASSAGES } from '../../fixtures/hostile-passages.ts';
import { askedAgain, type Messages } from '../../../src/core/judging/prompts/instructions.ts';
import { textHash } from '../../../src/engine/text-sums.ts';
import { readFenced, type FencedPrompt } from '../../fixtures/read-prompts.ts';

const QUESTION_PROMPTS = {
  [PERSONAL_PROMPT_VERSION]: personalPrompt,
  [NEGATION_PROMPT_VERSION]: negationPrompt,
  [CONTRAST_PROMPT_VERSION]: (question: string) => contrastPrompt(question, 3),
};
/** The part of a prompt that is the same for every text, and the texts. */
function structureOf(messages: Messages): FencedPrompt {
  const read = readFenced(messages);
  return { ...read, request: read.request.replace(/the code [0-9a-f]{16}/, 'the code') };
}

const PARSERS = { parseDisagreement, parseNegation, parsePersonal };

/** A changed prompt needs a new version and a new line here. */
const HASHES: Readonly<Record<string, string>> = {
  'contrast-1': 'cf2048cf79344d2cdb2ecd3420c6b040',
  'disagreement-1': '3ed0f42e6daf592e4d24f485d70922d2',
  'negation-1': '8d361b413d26fca7be2ff35a32bb06eb',
  'personal-1': '4adc6e80844c05601bb2681bcdc29e9c',
};

test('each version has a fixed text', () => {
  const question = 'Should trams run at night?';
  const words: [string, unknown][] = Object.entries(QUESTION_PROMPTS).map(([version, prompt]) => [
    version,
    [prompt(question), askedAgain(prompt(question))],
  ]);
  words.push([DISAGREEMENT_PROMPT_VERSION, disagreementPrompt('Trams wake people.', 'Nobody hears trams.')]);
  const hashes = words.map(([version, said]) => [version, textHash(JSON.stringify(said))]);
  assert.deepEqual(Object.fromEntries(hashes), HASHES);
});

for (const { name, text } of HOSTILE_PASSAGES) {
  const shown = neutralise(text.slice(0, 16_000));
  test(`hostile: ${name}`, () => {
    for (const [version, prompt] of Object.entries(QUESTION_PROMPTS)) {
      const honest = structureOf(prompt('Should trams run at night?'));
      const read = structureOf(prompt(text));
      assert.deepEqual(read, { ...honest, texts: { question: shown } }, version);
    }
    const honest = structureOf(disagreementPrompt('One.', 'Two.'));
    assert.deepEqual(structureOf(disagreementPrompt(text, 'Two.')), {
      ...honest,
      texts: { first: shown, second: 'Two.' },
    });
    assert.deepEqual(structureOf(disagreementPrompt('One.', text)).texts, { first: 'One.', second: shown });
    assert.deepEqual(structureOf(disagreementPrompt(text, text)).texts, { first: shown, second: shown });
    // A model that repeats them has not answered either.
    for (const [parser, parse] of Object.entries(PARSERS)) assert.ok('unparsable' in parse(text), parser);
  });
}

const DISAGREE = {
  reason: 'About noise.',
  disagree: true,
  question: 'Are trams loud?',
  yes: 'Trams are loud.',
  no: 'Trams are not loud.',
  speaksForYes: 'second',
};

test('a disagreement: the question, both sides, and the source of each', () => {
  assert.deepEqual(parseDisagreement(`Here: \`\`\`json\n${JSON.stringify(DISAGREE)}\n\`\`\``), DISAGREE);
  assert.deepEqual(
    parseDisagreement(
      JSON.stringify({
        ...DISAGREE,
        disagree: 'Yes',
        question: ' Are\ntrams loud? ',
        speaksForYes: 'First ',
      }),
    ),
    { ...DISAGREE, speaksForYes: 'first' },
  );
  assert.deepEqual(parseDisagreement('{"disagree": false, "question": null, "reason": 3}'), {
    disagree: false,
    reason: undefined,
  });
  assert.deepEqual(
    parseDisagreement(`<think>{"disagree": true}</think>{"disagree": "no", "reason": "Both."}`),
    {
      disagree: false,
      reason: 'Both.',
    },
  );
  // The same conclusion twice, with different reasons.
  assert.equal(
    'disagree' in parseDisagreement('{"disagree": false, "reason": "a"} {"disagree": false, "reason": "b"}'),
    true,
  );
});

test('an incomplete disagreement is refused', () => {
  for (const answer of [
    '',
    'They disagree about trams.',
    JSON.stringify({ ...DISAGREE, question: null }),
    JSON.stringify({ ...DISAGREE, yes: '?' }),
    JSON.stringify({ ...DISAGREE, no: '' }),
    JSON.stringify({ ...DISAGREE, speaksForYes: 'both' }),
    JSON.stringify({ ...DISAGREE, speaksForYes: null }),
    JSON.stringify({ ...DISAGREE, no: 'trams ARE loud' }),
    JSON.stringify({ ...DISAGREE, disagree: 'perhaps' }),
    JSON.stringify(DISAGREE).slice(0, -10),
    JSON.stringify(DISAGREE) + JSON.stringify({ ...DISAGREE, speaksForYes: 'first' }),
    `${JSON.stringify(DISAGREE)} {"disagree": false}`,
    `[${JSON.stringify('disagree')}]`,
  ])
    assert.ok('unparsable' in parseDisagreement(answer), answer);
});

test('a personal question, and invalid answers', () => {
  assert.deepEqual(parsePersonal('{"reason": "It asks what one owns.", "personal": true}'), {
    reason: 'It asks what one owns.',
    personal: true,
  });
  assert.equal((parsePersonal('{"personal": "No."}') as { personal: boolean }).personal, false);
  for (const answer of [
    '',
    'Yes',
    '{"personal": null}',
    '{"personal": true} {"personal": false}',
    '{"personal"',
  ])
    assert.ok('unparsable' in parsePersonal(answer), answer);
});

test('a statement and its negation, or the answer that there are none', () => {
  assert.deepEqual(parseNegation('{"reason": null, "yes": "Cats swim.", "no": "Cats do not swim."}'), {
    statements: { yes: 'Cats swim.', no: 'Cats do not swim.' },
    reason: undefined,
  });
  assert.deepEqual(parseNegation('{"reason": "It asks which.", "yes": null, "no": null}'), {
    statements: undefined,
    reason: 'It asks which.',
  });
  for (const answer of [
    '',
    '{"yes": "Cats swim."}',
    '{"yes": "Cats swim.", "no": null}',
    '{"yes": "Cats swim.", "no": "cats swim"}',
    '{"yes": "Cats swim.", "no": "Cats sink."} {"yes": null, "no": null}',
  ])
    assert.ok('unparsable' in parseNegation(answer), answer);
});
