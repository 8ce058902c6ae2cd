import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  adjudicatorPrompt,
  agentPrompt,
  DEBATE_PROMPT_VERSION,
  GROUP_PROMPT_VERSION,
} from '../../../src/core/judging/prompts/debate-prompt.ts';
import { askedAgain } from '../../../src/core/judging/prompts/instructions.ts';
import { passagePrompt } from '../../../src/core/judging/prompts/passage-prompt.ts';
import { pairPrompt } from '../../../src/core/judging/prompts/prompt.ts';
import {
  DEFAULT_FORM,
  promptVersion,
  type PromptForm,
} from '../../../src/core/judging/prompts/prompt-form.ts';
import { WORD_PROMPT_VERSION, wordPrompt } from '../../../src/core/judging/prompts/word-prompt.ts';
import {
  hydePrompt,
  query2docPrompt,
  REWRITE_PROMPT_VERSION,
  splitPrompt,
} from '../../../src/core/expansion/prompts.ts';
import { GENERATE_PROMPT_VERSION, generatePrompt } from '../../../src/core/judging/generate.ts';
import { STANCE_PROMPT_VERSION, stancePrompt } from '../../../src/core/judging/stance.ts';
import { STANDARDS } from '../../../src/core/judging/standard.ts';
import { SUGGEST_PROMPT_VERSION, suggestPrompt } from '../../../src/core/judging/suggest.ts';
import { textHash } from '../../../src/engine/text-sums.ts';

/** The hash of each version's prompt. A changed prompt needs a new version and a new line here. */
const HASHES: Readonly<Record<string, string>> = {
  'debate-group-1': 'b2a7ffb0d9267a673ade8caa4bf8a829',
  'debate-1': 'fccdf671af28c864f1ccbab4f5861fd9',
  'generate-1': '2619c801c2b9b58f0f5c86ee67006aff',
  'rewrite-1': 'ced3e4fc8fb6486898bf8e0aee786772',
  'stance-1': '7f662f1571e1a83c2a86cff54f4e2da6',
  'suggest-1': '1b1ea38bc91c7fec0f5fa4b9570f155b',
  'pair-1': 'f75f5aff15cdf152ea412e8321dc09f5',
  'pair-shot-1': '5e8a20533be72f61481af9a01f4b7bf1',
  'pair-verdict-1': '31554aa11f3cb0039f0d9e2e04cc419c',
  'pair-verdict-shot-1': '480eb6e738c85fa1dc58856647cb47a9',
  'passage-2': '12aca6d674ccf09571ec84bf17270136',
  'passage-shot-2': 'd21d6abefda52c66b35ba16835b175a8',
  'passage-verdict-2': '57138073067db2b992ed8da4e556f787',
  'passage-verdict-shot-2': 'c5e431ff06464513dc6a172ad405e2f1',
};

/** The same for records with a title. */
const TITLED_HASHES: Readonly<Record<string, string>> = {
  'debate-1': 'aa6a04b6274367aacf5b3cba2dbdfc1a',
  'debate-group-1': '2f67e9083822a9865512efcba8410014',
  'pair-1': 'd9e74ac5d66abbed423a6cb2988aa475',
  'pair-shot-1': 'ea8b61b398e48bfc8480def2ac17ba7f',
  'pair-verdict-1': 'f8d7a3776b56b501c051c8c55be65be2',
  'pair-verdict-shot-1': 'aff97fe8611a1ba37eb3d77395d964ea',
  'word-1': 'c00bed62580e43dd278aa508826f6b26',
};

const PASSAGE = 'Teams got more done from home.';
const STATEMENT = 'Remote work makes teams more productive.';

const AROUND = {
  question: 'Where should we work?',
  context: { title: 'Memo', section: 'A › B', before: 'Before.', after: 'After.' },
};

const FORMS: readonly PromptForm[] = (['pair', 'passage'] as const).flatMap((mode) =>
  [true, false].flatMap((explain) => ([0, 1] as const).map((shots) => ({ mode, explain, shots }))),
);

/** Every text of a version under either standard. */
function wordsOf(form: PromptForm, title?: string): unknown {
  return Object.values(STANDARDS).map((standard) =>
    form.mode === 'pair'
      ? pairPrompt({ passage: PASSAGE, perspective: STATEMENT, title }, standard, form).messages
      : passagePrompt({ passage: PASSAGE, perspectives: [STATEMENT, 'Another.'], ...AROUND }, standard, form)
          .messages,
  );
}

const yes = { model: 'a', label: 'yes', argument: 'Because.', evidence: [] } as const;
const no = { model: 'b', label: 'no', argument: 'But.', evidence: [] } as const;

function debateWords(title?: string): unknown {
  return Object.values(STANDARDS).flatMap((standard) =>
    [undefined, 'A question?'].map((question) => {
      const judgingTask = { passage: PASSAGE, perspective: STATEMENT, title, question, standard };
      const first = (['yes', 'no'] as const).map((stance) => agentPrompt(judgingTask, stance, undefined));
      const later = agentPrompt(judgingTask, 'yes', { ownArgument: yes, otherArguments: [no] });
      return [first, later, askedAgain(later), adjudicatorPrompt(judgingTask, { yes: [yes], no: [no] })];
    }),
  );
}

function groupWords(title?: string): unknown {
  return Object.values(STANDARDS).flatMap((standard) => {
    const judgingTask = { passage: PASSAGE, perspective: STATEMENT, title, standard };
    const seat = { number: 2, of: 3 };
    const first = (['yes', 'no'] as const).map((stance) => agentPrompt(judgingTask, stance, undefined, seat));
    const later = agentPrompt(judgingTask, 'yes', { ownArgument: yes, otherArguments: [no, yes] }, seat);
    return [first, later, adjudicatorPrompt(judgingTask, { yes: [yes, yes], no: [no] })];
  });
}

describe('prompt versions', () => {
  test('the default asks by passage', () => {
    assert.equal(promptVersion(DEFAULT_FORM), 'passage-2');
  });

  test('every form has its own version', () => {
    assert.deepEqual(FORMS.map(promptVersion), [
      'pair-1',
      'pair-shot-1',
      'pair-verdict-1',
      'pair-verdict-shot-1',
      'passage-2',
      'passage-shot-2',
      'passage-verdict-2',
      'passage-verdict-shot-2',
    ]);
  });

  test('each has a fixed text', () => {
    const hashes = FORMS.map((form) => [promptVersion(form), textHash(JSON.stringify(wordsOf(form)))]);
    hashes.push(
      [DEBATE_PROMPT_VERSION, textHash(JSON.stringify(debateWords()))],
      [GROUP_PROMPT_VERSION, textHash(JSON.stringify(groupWords()))],
      [
        GENERATE_PROMPT_VERSION,
        textHash(JSON.stringify((['auto', 1, 3] as const).map((wanted) => generatePrompt('Cats?', wanted)))),
      ],
      [
        REWRITE_PROMPT_VERSION,
        textHash(
          JSON.stringify([
            splitPrompt('Cats?'),
            ...[undefined, { number: 2, of: 3 }].flatMap((place) => [
              hydePrompt('Cats?', place),
              query2docPrompt('Cats?', place),
            ]),
          ]),
        ),
      ],
      [STANCE_PROMPT_VERSION, textHash(JSON.stringify(stancePrompt('Cats?', [STATEMENT, 'Another.'])))],
      [SUGGEST_PROMPT_VERSION, textHash(JSON.stringify(suggestPrompt('Cats?', [PASSAGE, 'Another.'], 6)))],
    );
    assert.deepEqual(Object.fromEntries(hashes), HASHES);
  });

  test('each has a fixed text for a record with a title', () => {
    const words = [
      ...FORMS.filter(({ mode }) => mode === 'pair').map((form) => [
        promptVersion(form),
        wordsOf(form, 'Memo'),
      ]),
      [DEBATE_PROMPT_VERSION, debateWords('Memo')],
      [GROUP_PROMPT_VERSION, groupWords('Memo')],
      [
        WORD_PROMPT_VERSION,
        wordPrompt({ passage: PASSAGE, perspective: STATEMENT, title: 'Memo' }, STANDARDS.berds).messages,
      ],
    ] as const;
    assert.deepEqual(
      Object.fromEntries(words.map(([version, said]) => [version, textHash(JSON.stringify(said))])),
      TITLED_HASHES,
    );
  });
});
