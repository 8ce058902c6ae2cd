/** States of the review, typed as messages are. */
import type { ReviewPair, ReviewState } from '../../src/features/review/contract/panel.ts';

const TEXT = `Stopping an update

An update cannot be cancelled once it has begun: the server answers with the state before it, and the client sees the change with its next request.

• Requests that only read are served from the copy.
• Requests that write wait until the update is done.`;

const spanOf = (text: string): { start: number; end: number } => {
  const start = TEXT.indexOf(text);
  return { start, end: start + text.length };
};

const PAIR: ReviewPair = {
  perspective:
    'A running update has to be finished; stopping it half-way would leave two states of the data.',
  question: 'Can a running update be stopped?',
  place: 'operations/updates.md › Stopping an update, lines 40 to 52',
  text: TEXT,
  evidence: [
    { side: 'yes', ...spanOf('An update cannot be cancelled once it has begun') },
    { side: 'no', ...spanOf('cancelled once it has begun: the server answers with the state before it') },
  ],
  facts: [
    'What counts: it supports the perspective explicitly or implicitly',
    'Why it is here: the agents of the debate "debate" did not agree',
    'Answered by 1 of 3 people',
  ],
  answers: [{ person: 'Ann', verdict: 'unsure', note: 'It says that it cannot, not why.' }],
  opinions: [
    {
      title: 'Debate: debate · Round 2',
      sides: [
        { who: 'scripted', side: 'yes', argument: 'It says that an update cannot be cancelled.' },
        { who: 'scripted', side: 'no', argument: 'It gives no reason, and two states are not mentioned.' },
      ],
    },
  ],
};

const PAIR_STATE: ReviewState = { pair: PAIR, left: 3, answered: 1, waiting: 0 };

export const REVIEW_FIXTURES = {
  starting: undefined,
  pair: PAIR_STATE,
  next: {
    ...PAIR_STATE,
    left: 2,
    pair: { ...PAIR, perspective: 'Updates can be stopped.', answers: [], opinions: [], note: 'Odd.' },
  },
  // Taller than any window.
  long: { ...PAIR_STATE, pair: { ...PAIR, text: `${TEXT}\n\n`.repeat(12) } },
  end: { left: 0, answered: 2, waiting: 1 },
} satisfies Record<string, ReviewState | undefined>;
