import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  concludeDebate,
  debateState,
  opposingSides,
  parseArgument,
} from '../../../src/core/judging/debate.ts';
import {
  adjudicatorPrompt,
  agentPrompt,
  debateCut,
  type DebateCase,
} from '../../../src/core/judging/prompts/debate-prompt.ts';
import { MAX_FENCED_CHARACTERS, neutralise } from '../../../src/core/judging/prompts/fence.ts';
import { askedAgain } from '../../../src/core/judging/prompts/instructions.ts';
import { debateSchema } from '../../../src/core/judging/record.ts';
import { STANDARDS } from '../../../src/core/judging/standard.ts';
import type { Argument, DecidedVerdict, DebateTurn } from '../../../src/core/model.ts';
import { HOSTILE_PASSAGES } from '../../fixtures/hostile-passages.ts';
import { readFenced } from '../../fixtures/model-server.ts';

const MATTER: DebateCase = {
  passage: 'Teams got more done from home.',
  perspective: 'Remote work makes teams more productive.',
  standard: STANDARDS.berds,
};

const argued = (label: DecidedVerdict | undefined, argument: string, model = 'm'): Argument => ({
  model,
  argument,
  evidence: [],
  ...(label === undefined ? { unparsable: 'Not readable.' } : { label }),
});

/** A round from the two labels; `?` is one that could not be read. The second agent quotes 0–5. */
function round(labels: string): DebateTurn[] {
  return labels.split(' ').map((label, agent) => ({
    ...argued(
      label === '?' ? undefined : (label as DecidedVerdict),
      `Agent ${agent} says ${label}.`,
      `m${agent}`,
    ),
    initialStance: agent === 0 ? 'yes' : 'no',
    evidence: [{ start: agent * 10, end: agent * 10 + 5 }],
  }));
}

describe('agent prompt', () => {
  test('the first round has the stances and no arguments', () => {
    for (const [stance, own, other] of [
      ['yes', 'supports', 'does not support'],
      ['no', 'does not support', 'supports'],
    ] as const) {
      const { texts, request, system } = readFenced(agentPrompt(MATTER, stance, undefined));
      assert.deepEqual(texts, { statement: MATTER.perspective, passage: MATTER.passage });
      assert.ok(request.includes(`Your initial stance: the passage ${own} the statement.`));
      assert.ok(request.includes(`the opposite stance: the passage ${other} the statement.`));
      for (const criterion of STANDARDS.berds.criteria) assert.ok(system.includes(criterion));
      assert.ok(system.indexOf('"evidence"') < system.indexOf('"verdict"'));
    }
  });

  test('later rounds have both labels and arguments, not who said them, and no initial stance', () => {
    const before = {
      own: argued('no', 'Own words.', 'model-x'),
      other: argued('yes', 'Their words.', 'model-y'),
    };
    const messages = agentPrompt(MATTER, 'yes', before);
    const { texts, request } = readFenced(messages);
    assert.equal(texts['own-argument'], 'Own words.');
    assert.equal(texts['other-argument'], 'Their words.');
    assert.match(request, /your verdict was "no" and the other agent's was "yes"/);
    assert.doesNotMatch(JSON.stringify(messages), /model-x|model-y/);
    assert.doesNotMatch(request, /initial stance/);
  });

  test('says so where an agent gave a label and no argument', () => {
    const before = { own: argued('yes', ''), other: argued('no', 'Words.') };
    assert.equal(
      readFenced(agentPrompt(MATTER, 'yes', before)).texts['own-argument'],
      'No argument was given.',
    );
  });

  test('shows the question where the debate is to see it', () => {
    const { texts, system } = readFenced(
      agentPrompt({ ...MATTER, question: 'Home or office?' }, 'yes', undefined),
    );
    assert.equal(texts['question'], 'Home or office?');
    assert.match(system, /The question shows in what connection/);
    assert.doesNotMatch(agentPrompt(MATTER, 'yes', undefined)[0].content, /The question shows/);
  });

  test('says when a text is too long to be shown whole', () => {
    const long = 'x'.repeat(MAX_FENCED_CHARACTERS + 1);
    assert.equal(debateCut(MATTER), undefined);
    assert.match(debateCut({ ...MATTER, passage: long }) ?? '', /of the passage/);
    assert.match(debateCut({ ...MATTER, perspective: long }) ?? '', /of the perspective/);
  });

  test('asking again repeats the request with a reminder', () => {
    const messages = agentPrompt(MATTER, 'yes', undefined);
    const [system, user] = askedAgain(messages);
    assert.equal(system, messages[0]);
    assert.ok(user.content.startsWith(messages[1].content));
    assert.match(user.content, /could not be read/);
  });
});

describe('adjudicator prompt', () => {
  test('shows the argument for and the one against, whoever made them', () => {
    const messages = adjudicatorPrompt(MATTER, {
      yes: argued('yes', 'It does.', 'model-x'),
      no: argued('no', 'It does not.', 'model-y'),
    });
    const { texts, system } = readFenced(messages);
    assert.deepEqual(texts, {
      statement: MATTER.perspective,
      passage: MATTER.passage,
      'argument-for': 'It does.',
      'argument-against': 'It does not.',
    });
    assert.match(system, /last word/);
    assert.doesNotMatch(JSON.stringify(messages), /model-x|model-y/);
  });
});

describe('debate prompts keep their structure', () => {
  for (const { name, text } of HOSTILE_PASSAGES)
    test(name, () => {
      const shown = neutralise(text.slice(0, MAX_FENCED_CHARACTERS));
      const inArgument = shown === '' ? 'No argument was given.' : shown;
      const debateCase = { ...MATTER, passage: text, perspective: text, question: text };
      const common = { statement: shown, passage: shown, question: shown };
      const [yes, no] = [argued('yes', text), argued('no', text)];
      assert.deepEqual(readFenced(agentPrompt(debateCase, 'no', undefined)).texts, common);
      assert.deepEqual(readFenced(askedAgain(agentPrompt(debateCase, 'no', { own: yes, other: no }))).texts, {
        ...common,
        'own-argument': inArgument,
        'other-argument': inArgument,
      });
      assert.deepEqual(readFenced(adjudicatorPrompt(debateCase, { yes, no })).texts, {
        ...common,
        'argument-for': inArgument,
        'argument-against': inArgument,
      });
    });
});

describe('parseArgument', () => {
  test('reads label, argument and quotations', () => {
    assert.deepEqual(parseArgument('{"evidence": ["a b", "c d"], "reason": "Because.", "verdict": "yes"}'), {
      verdict: 'yes',
      evidence: ['a b', 'c d'],
      rationale: 'Because.',
    });
  });

  test('a side has to be taken', () => {
    assert.ok('unparsable' in parseArgument('{"verdict": "unsure", "reason": "Hm."}'));
    assert.ok('unparsable' in parseArgument(''));
    assert.ok('unparsable' in parseArgument('{"verdict": "yes"} {"verdict": "no"}'));
  });

  for (const { name, text } of HOSTILE_PASSAGES)
    test(`is not led astray by a quotation: ${name}`, () => {
      const answer = JSON.stringify({ evidence: [text], reason: text, verdict: 'no' });
      const parsed = parseArgument(answer);
      assert.equal('verdict' in parsed && parsed.verdict, 'no');
    });

  test('takes any text without throwing (property)', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void parseArgument(text)));
  });
});

describe('debateState', () => {
  const cases: readonly [rounds: readonly string[], maxRounds: number, state: string][] = [
    [[], 2, 'open'],
    [['yes yes'], 2, 'agreed'],
    [['no no'], 1, 'agreed'],
    [['yes no'], 2, 'open'],
    [['no yes'], 2, 'open'],
    [['yes no'], 1, 'disagreed'],
    [['yes no', 'no no'], 2, 'agreed'],
    [['yes no', 'no yes'], 2, 'disagreed'],
    [['yes no', 'no yes'], 3, 'open'],
    [['? yes'], 2, 'unparsable'],
    [['yes ?'], 2, 'unparsable'],
    [['? ?'], 2, 'unparsable'],
    [['yes no', '? no'], 2, 'unparsable'],
  ];
  for (const [rounds, maxRounds, state] of cases)
    test(`${rounds.join(', then ') || 'nothing said'} of ${maxRounds}: ${state}`, () =>
      assert.equal(debateState(rounds.map(round), maxRounds).state, state));

  test('opposing sides go by the label, not by the initial stance', () => {
    assert.equal(opposingSides([round('no yes')]).yes.model, 'm1');
    assert.throws(() => opposingSides([round('yes yes')]));
  });
});

describe('concludeDebate', () => {
  test('an agreed "yes" has the evidence of both and the argument of the agent that was won over', () => {
    assert.deepEqual(concludeDebate({ rounds: [round('yes no'), round('yes yes')] }, 2), {
      verdict: 'yes',
      evidence: [
        { start: 0, end: 5 },
        { start: 10, end: 15 },
      ],
      rationale: 'The agents agreed in round 2. Agent 1 says yes.',
      unparsable: false,
    });
  });

  test('an agreed "no" has no evidence of support', () => {
    const { verdict, evidence, rationale } = concludeDebate({ rounds: [round('no no')] }, 2);
    assert.deepEqual([verdict, evidence], ['no', []]);
    assert.equal(rationale, 'The agents agreed in round 1. Agent 0 says no.');
  });

  test('disagreement goes to people, with both sides', () => {
    assert.deepEqual(concludeDebate({ rounds: [round('yes no'), round('no yes')] }, 2), {
      verdict: 'unsure',
      evidence: [],
      rationale: 'The agents did not agree in 2 rounds. For: Agent 1 says yes. Against: Agent 0 says no.',
      escalated: 'human',
      unparsable: false,
    });
  });

  test('or to the adjudicator, whose word counts', () => {
    const adjudication = { ...argued('yes', 'Decided so.'), evidence: [{ start: 1, end: 4 }] };
    assert.deepEqual(concludeDebate({ rounds: [round('yes no')], adjudication }, 1), {
      verdict: 'yes',
      evidence: [{ start: 1, end: 4 }],
      rationale: 'The agents did not agree in one round; the adjudicator decided. Decided so.',
      escalated: 'adjudicator',
      unparsable: false,
    });
    const no = { ...adjudication, label: 'no' as const };
    assert.deepEqual(concludeDebate({ rounds: [round('yes no')], adjudication: no }, 1).evidence, []);
  });

  test('what could not be read decides nothing', () => {
    const agent = concludeDebate({ rounds: [round('yes ?')] }, 2);
    assert.deepEqual([agent.verdict, agent.unparsable, agent.escalated], ['unsure', true, undefined]);
    assert.equal(agent.rationale, 'Not readable.');
    const adjudicator = concludeDebate({ rounds: [round('yes no')], adjudication: argued(undefined, '') }, 1);
    assert.deepEqual([adjudicator.verdict, adjudicator.unparsable], ['unsure', true]);
    assert.match(adjudicator.rationale, /adjudicator's answer could not be read\. Not readable\./);
  });

  test('the rationale is short, whatever the agents wrote', () => {
    const wordy = (argument: string): string => {
      const turns = round('yes yes').map((turn) => ({ ...turn, argument }));
      return concludeDebate({ rounds: [turns] }, 1).rationale;
    };
    assert.ok(wordy(`${'A sentence of some length. '.repeat(40)}`).length < 340);
    assert.match(wordy(`${'A sentence of some length. '.repeat(40)}`), /length\.$/);
    assert.match(wordy('word '.repeat(100)), /word…$/);
    assert.match(wordy('😀'.repeat(400)), /…$/);
    assert.ok(wordy('😀'.repeat(400)).isWellFormed());
    assert.equal(wordy('First\n\tline.'), 'The agents agreed in round 1. First line.');
    assert.equal(wordy(''), 'The agents agreed in round 1.');
  });

  test('a debate that goes on has no conclusion', () => {
    assert.throws(() => concludeDebate({ rounds: [round('yes no')] }, 2));
  });

  test('its history survives JSON', () => {
    const debate = { rounds: [round('yes ?'), round('no yes')], adjudication: argued(undefined, '') };
    assert.deepEqual(debateSchema.parse(JSON.parse(JSON.stringify(debate))), debate);
    assert.ok(!debateSchema.safeParse({ rounds: [[{ model: 'm', label: 'maybe' }]] }).success);
  });
});
