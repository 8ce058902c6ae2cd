import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  concludeDebate,
  debateState,
  initialStance,
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
import { judgementSchema } from '../../../src/core/model.ts';
import { STANDARDS } from '../../../src/core/judging/standard.ts';
import type { Argument, DecidedVerdict, DebateTurn } from '../../../src/core/model.ts';
import { HOSTILE_PASSAGES } from '../../fixtures/hostile-passages.ts';
import { readFenced } from '../../fixtures/read-prompts.ts';

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

/** A round from the labels of its agents; `?` is unreadable. Agent n quotes from 10 n to 10 n + 5. */
function round(labels: string): DebateTurn[] {
  return labels.split(' ').map((label, agent) => ({
    ...argued(
      label === '?' ? undefined : (label as DecidedVerdict),
      `Agent ${agent} says ${label}.`,
      `m${agent}`,
    ),
    initialStance: initialStance(agent),
    evidence: [{ start: agent * 10, end: agent * 10 + 5 }],
  }));
}

describe('agent prompt', () => {
  test('the first round has stances and no arguments', () => {
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

  test('later rounds have labels and arguments without agents or stances', () => {
    const before = {
      ownArgument: argued('no', 'Own words.', 'model-x'),
      otherArguments: [argued('yes', 'Their words.', 'model-y')],
    };
    const messages = agentPrompt(MATTER, 'yes', before);
    const { texts, request } = readFenced(messages);
    assert.equal(texts['own-argument'], 'Own words.');
    assert.equal(texts['other-argument'], 'Their words.');
    assert.match(request, /your verdict was "no" and the other agent's was "yes"/);
    assert.doesNotMatch(JSON.stringify(messages), /model-x|model-y/);
    assert.doesNotMatch(request, /initial stance/);
  });

  test('says if an agent gave a label without an argument', () => {
    const before = { ownArgument: argued('yes', ''), otherArguments: [argued('no', 'Words.')] };
    assert.equal(
      readFenced(agentPrompt(MATTER, 'yes', before)).texts['own-argument'],
      'No argument was given.',
    );
  });

  test('shows the question if the debate uses it', () => {
    const { texts, system } = readFenced(
      agentPrompt({ ...MATTER, question: 'Home or office?' }, 'yes', undefined),
    );
    assert.equal(texts['question'], 'Home or office?');
    assert.match(system, /The question shows in what connection/);
    assert.doesNotMatch(agentPrompt(MATTER, 'yes', undefined)[0].content, /The question shows/);
  });

  test('says if a text is shortened', () => {
    const long = 'x'.repeat(MAX_FENCED_CHARACTERS + 1);
    assert.equal(debateCut(MATTER), undefined);
    assert.match(debateCut({ ...MATTER, passage: long }) ?? '', /of the passage/);
    assert.match(debateCut({ ...MATTER, perspective: long }) ?? '', /of the perspective/);
  });

  test('a retry repeats the request with a reminder', () => {
    const messages = agentPrompt(MATTER, 'yes', undefined);
    const [system, user] = askedAgain(messages);
    assert.equal(system, messages[0]);
    assert.ok(user.content.startsWith(messages[1].content));
    assert.match(user.content, /could not be read/);
  });
});

describe('adjudicator prompt', () => {
  test('shows the arguments for and against, whichever agent gave them', () => {
    const messages = adjudicatorPrompt(MATTER, {
      yes: [argued('yes', 'It does.', 'model-x')],
      no: [argued('no', 'It does not.', 'model-y')],
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
      assert.deepEqual(
        readFenced(askedAgain(agentPrompt(debateCase, 'no', { ownArgument: yes, otherArguments: [no] })))
          .texts,
        {
          ...common,
          'own-argument': inArgument,
          'other-argument': inArgument,
        },
      );
      assert.deepEqual(readFenced(adjudicatorPrompt(debateCase, { yes: [yes], no: [no] })).texts, {
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

  test('requires a label', () => {
    assert.ok('unparsable' in parseArgument('{"verdict": "unsure", "reason": "Hm."}'));
    assert.ok('unparsable' in parseArgument(''));
    assert.ok('unparsable' in parseArgument('{"verdict": "yes"} {"verdict": "no"}'));
  });

  for (const { name, text } of HOSTILE_PASSAGES)
    test(`is not misled by a quotation: ${name}`, () => {
      const answer = JSON.stringify({ evidence: [text], reason: text, verdict: 'no' });
      const parsed = parseArgument(answer);
      assert.equal('verdict' in parsed && parsed.verdict, 'no');
    });

  test('accepts any text without throwing (property)', () => {
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
      assert.equal(debateState(rounds.map(round), { rounds: maxRounds }).state, state));

  test('sides depend on labels, not on initial stances', () => {
    assert.equal(opposingSides([round('no yes')]).yes[0].model, 'm1');
    assert.throws(() => opposingSides([round('yes yes')]));
  });
});

describe('concludeDebate', () => {
  test('an agreed "yes" has the evidence of both and the argument of the agent that changed its mind', () => {
    assert.deepEqual(concludeDebate({ rounds: [round('yes no'), round('yes yes')] }, { rounds: 2 }), {
      verdict: 'yes',
      evidence: [
        { start: 0, end: 5 },
        { start: 10, end: 15 },
      ],
      rationale: 'The agents agreed in round 2. Agent 1 says yes.',
      unparsable: false,
    });
  });

  test('the order of agents does not matter', () => {
    const concluded = concludeDebate({ rounds: [round('no yes'), round('no no')] }, { rounds: 2 });
    assert.equal(concluded.rationale, 'The agents agreed in round 2. Agent 0 says no.');
    const turned = round('yes yes').reverse();
    const other = concludeDebate({ rounds: [round('yes no').reverse(), turned] }, { rounds: 2 });
    assert.equal(other.rationale, 'The agents agreed in round 2. Agent 1 says yes.');
  });

  test('an agreed "no" has no evidence of support', () => {
    const { verdict, evidence, rationale } = concludeDebate({ rounds: [round('no no')] }, { rounds: 2 });
    assert.deepEqual([verdict, evidence], ['no', []]);
    assert.equal(rationale, 'The agents agreed in round 1. Agent 0 says no.');
  });

  test('a disagreement goes to people with both sides', () => {
    assert.deepEqual(concludeDebate({ rounds: [round('yes no'), round('no yes')] }, { rounds: 2 }), {
      verdict: 'unsure',
      evidence: [],
      rationale: 'The agents did not agree in 2 rounds. For: Agent 1 says yes. Against: Agent 0 says no.',
      escalated: 'human',
      unparsable: false,
    });
  });

  test('a disagreement goes to the adjudicator, who decides', () => {
    const adjudication = { ...argued('yes', 'Decided so.'), evidence: [{ start: 1, end: 4 }] };
    assert.deepEqual(concludeDebate({ rounds: [round('yes no')], adjudication }, { rounds: 1 }), {
      verdict: 'yes',
      evidence: [{ start: 1, end: 4 }],
      rationale: 'The agents did not agree in one round; the adjudicator decided. Decided so.',
      escalated: 'adjudicator',
      unparsable: false,
    });
    const no = { ...adjudication, label: 'no' as const };
    assert.deepEqual(
      concludeDebate({ rounds: [round('yes no')], adjudication: no }, { rounds: 1 }).evidence,
      [],
    );
  });

  test('an unreadable answer decides nothing', () => {
    const agent = concludeDebate({ rounds: [round('yes ?')] }, { rounds: 2 });
    assert.deepEqual([agent.verdict, agent.unparsable, agent.escalated], ['unsure', true, undefined]);
    assert.equal(agent.rationale, 'Not readable.');
    const adjudicator = concludeDebate(
      { rounds: [round('yes no')], adjudication: argued(undefined, '') },
      { rounds: 1 },
    );
    assert.deepEqual([adjudicator.verdict, adjudicator.unparsable], ['unsure', true]);
    assert.match(adjudicator.rationale, /adjudicator's answer could not be read\. Not readable\./);
  });

  test('the rationale is always short', () => {
    const wordy = (argument: string): string => {
      const turns = round('yes yes').map((turn) => ({ ...turn, argument }));
      return concludeDebate({ rounds: [turns] }, { rounds: 1 }).rationale;
    };
    assert.ok(wordy(`${'A sentence of some length. '.repeat(40)}`).length < 340);
    assert.match(wordy(`${'A sentence of some length. '.repeat(40)}`), /length\.$/);
    assert.match(wordy('word '.repeat(100)), /word…$/);
    assert.match(wordy('😀'.repeat(400)), /…$/);
    assert.ok(wordy('😀'.repeat(400)).isWellFormed());
    assert.equal(wordy('First\n\tline.'), 'The agents agreed in round 1. First line.');
    assert.equal(wordy(''), 'The agents agreed in round 1.');
    assert.equal(wordy(' First. '), 'The agents agreed in round 1. First.');
    const whole = `A sentence. ${'x'.repeat(288)}`;
    assert.equal(wordy(whole), `The agents agreed in round 1. ${whole}`, 'as long as there is room for');
  });

  test('an open debate has no conclusion', () => {
    assert.throws(() => concludeDebate({ rounds: [round('yes no')] }, { rounds: 2 }));
  });

  test('its history survives JSON', () => {
    const debate = { rounds: [round('yes ?'), round('no yes')], adjudication: argued(undefined, '') };
    assert.deepEqual(judgementSchema.shape.debate.parse(JSON.parse(JSON.stringify(debate))), debate);
    assert.ok(
      !judgementSchema.shape.debate.safeParse({ rounds: [[{ model: 'm', label: 'maybe' }]] }).success,
    );
  });
});

describe('more than two agents', () => {
  const seat = { number: 2, of: 4 };

  test('alternate between the two stances', () => {
    assert.deepEqual([0, 1, 2, 3].map(initialStance), ['yes', 'no', 'yes', 'no']);
  });

  test("know their number and everybody's argument, and still not who said it", () => {
    const others = [argued('yes', 'One.', 'x'), argued('no', 'Three.', 'y'), argued('yes', 'Four.', 'z')];
    const messages = agentPrompt(
      MATTER,
      'no',
      { ownArgument: argued('no', 'Mine.'), otherArguments: others },
      seat,
    );
    const { texts, request, system } = readFenced(messages);
    assert.match(system, /^You are agent 2 of 4 agents/);
    assert.deepEqual(
      Object.entries(texts).slice(2),
      Object.entries({
        'own-argument': 'Mine.',
        'argument-of-agent-1': 'One.',
        'argument-of-agent-3': 'Three.',
        'argument-of-agent-4': 'Four.',
      }),
    );
    assert.match(
      request,
      /your verdict was "no"; those of the others were: agent 1 "yes", agent 3 "no", agent 4 "yes"\./,
    );
    const first = readFenced(agentPrompt(MATTER, 'no', undefined, seat)).request;
    assert.match(
      first,
      /Your initial stance: the passage does not support .* Some of the other agents begin/,
    );
  });

  test('must all agree, or have a majority after the last round if that suffices', () => {
    const state = (labels: string[], agreement?: 'all' | 'majority'): string =>
      debateState(labels.map(round), { rounds: 2, agreement }).state;
    assert.equal(state(['yes yes yes no']), 'open');
    assert.equal(state(['yes yes yes yes']), 'agreed');
    assert.equal(state(['yes yes yes no', 'yes yes yes no']), 'disagreed');
    assert.equal(state(['yes yes yes no'], 'majority'), 'open', 'it is not the last round');
    assert.equal(state(['yes yes yes no', 'yes no no no'], 'majority'), 'agreed');
    assert.equal(
      state(['yes yes yes no', 'yes yes no no'], 'majority'),
      'disagreed',
      'two of four are no majority',
    );
    assert.equal(state(['yes yes yes no', 'yes yes yes ?'], 'majority'), 'unparsable');
  });

  test('name a majority, with the evidence of its agents', () => {
    const debate = { rounds: [round('yes no yes'), round('no yes yes')] };
    assert.deepEqual(concludeDebate(debate, { rounds: 2, agreement: 'majority' }), {
      verdict: 'yes',
      evidence: [
        { start: 10, end: 15 },
        { start: 20, end: 25 },
      ],
      rationale: '2 of 3 agents agreed in round 2. Agent 1 says yes.',
      unparsable: false,
    });
  });

  test('show the adjudicator every argument of both sides', () => {
    const { yes, no } = opposingSides([round('yes no yes')]);
    const { texts, system, request } = readFenced(adjudicatorPrompt(MATTER, { yes, no }));
    assert.deepEqual(Object.keys(texts).slice(2), ['argument-for-1', 'argument-for-2', 'argument-against-1']);
    assert.match(system, /^Several agents/);
    assert.match(request, /how many argued for it must not matter/);
  });
});
