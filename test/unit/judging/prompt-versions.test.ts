import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  adjudicatorPrompt,
  agentPrompt,
  DEBATE_PROMPT_VERSION,
} from '../../../src/core/judging/prompts/debate-prompt.ts';
import { askedAgain } from '../../../src/core/judging/prompts/instructions.ts';
import { passagePrompt } from '../../../src/core/judging/prompts/passage-prompt.ts';
import { pairPrompt } from '../../../src/core/judging/prompts/prompt.ts';
import {
  DEFAULT_FORM,
  promptVersion,
  type PromptForm,
} from '../../../src/core/judging/prompts/prompt-form.ts';
import { STANDARDS } from '../../../src/core/judging/standard.ts';
import { textHash } from '../../../src/engine/store/store.ts';

/** What each version says, as a hash. A prompt that changes gets a new version, and a new line here. */
const HASHES: Readonly<Record<string, string>> = {
  'debate-1': 'fccdf671af28c864f1ccbab4f5861fd9',
  'pair-1': 'f75f5aff15cdf152ea412e8321dc09f5',
  'pair-shot-1': '5e8a20533be72f61481af9a01f4b7bf1',
  'pair-verdict-1': '31554aa11f3cb0039f0d9e2e04cc419c',
  'pair-verdict-shot-1': '480eb6e738c85fa1dc58856647cb47a9',
  'passage-1': '8e9df0bf12ea7c727a0dde373616a650',
  'passage-shot-1': '20500b5fee3193f9f0540ec512dd0f91',
  'passage-verdict-1': 'cd366595f3295bce7d4be01a97bd4a0f',
  'passage-verdict-shot-1': '0bf5bcb41c38cc3a0f80885262e37789',
};

const PASSAGE = 'Teams got more done from home.';
const STATEMENT = 'Remote work makes teams more productive.';

const FORMS: readonly PromptForm[] = (['pair', 'passage'] as const).flatMap((mode) =>
  [true, false].flatMap((explain) => ([0, 1] as const).map((shots) => ({ mode, explain, shots }))),
);

/** Everything that a version can say under either standard. */
function wordsOf(form: PromptForm): unknown {
  return Object.values(STANDARDS).map((standard) =>
    form.mode === 'pair'
      ? pairPrompt(PASSAGE, STATEMENT, standard, form).messages
      : passagePrompt(PASSAGE, [STATEMENT, 'Another.'], standard, form).messages,
  );
}

function debateWords(): unknown {
  const yes = { model: 'a', label: 'yes', argument: 'Because.', evidence: [] } as const;
  const no = { model: 'b', label: 'no', argument: 'But.', evidence: [] } as const;
  return Object.values(STANDARDS).flatMap((standard) =>
    [undefined, 'A question?'].map((question) => {
      const judgingTask = { passage: PASSAGE, perspective: STATEMENT, question, standard };
      const first = (['yes', 'no'] as const).map((stance) => agentPrompt(judgingTask, stance, undefined));
      const later = agentPrompt(judgingTask, 'yes', { own: yes, other: no });
      return [first, later, askedAgain(later), adjudicatorPrompt(judgingTask, { yes, no })];
    }),
  );
}

describe('prompt versions', () => {
  test('the default is pair-1', () => {
    assert.equal(promptVersion(DEFAULT_FORM), 'pair-1');
    assert.equal(promptVersion(DEFAULT_FORM), 'pair-1');
  });

  test('every form has a version of its own', () => {
    assert.deepEqual(FORMS.map(promptVersion), [
      'pair-1',
      'pair-shot-1',
      'pair-verdict-1',
      'pair-verdict-shot-1',
      'passage-1',
      'passage-shot-1',
      'passage-verdict-1',
      'passage-verdict-shot-1',
    ]);
  });

  test('each is word for word what it was', () => {
    const hashes = FORMS.map((form) => [promptVersion(form), textHash(JSON.stringify(wordsOf(form)))]);
    hashes.push([DEBATE_PROMPT_VERSION, textHash(JSON.stringify(debateWords()))]);
    assert.deepEqual(Object.fromEntries(hashes), HASHES);
  });
});
