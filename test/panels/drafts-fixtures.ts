/** States of the review of drafts, typed as messages are. */
import { perspectiveMark } from '../../src/features/inspector/contract/panel.ts';
import type { DraftsState, DraftView } from '../../src/features/building/contract/panel.ts';

const CURRENT: DraftView = {
  id: 'd-2',
  review: 'proposed',
  text: 'Should cities charge cars for driving into the centre?',
  perspectives: [
    { id: 'p1', text: 'A charge clears the streets for those who need them.', stance: 'support' as const },
    {
      id: 'p2',
      text: 'A charge falls hardest on those who cannot choose when they travel.',
      stance: 'oppose' as const,
    },
    { id: 'p3', text: 'Better buses would do the same without a charge.' },
  ].map((each, place) => ({ ...each, ...perspectiveMark(place) })),
  passages: [
    {
      name: 'evaluation-of-the-first-year-of-charging › Traffic in the centre',
      text: 'In the first year traffic in the centre fell by a fifth, and buses were on time more often than before.',
      supports: ['p1'],
    },
    {
      name: 'night-shift',
      text: 'I start at five, when no bus runs. The charge takes an hour of my wage every day.',
      supports: ['p2'],
    },
  ],
  model: 'qwen3-8b',
  reason: 'The report speaks for the charge, the letter against it.',
};

const DRAFTS: DraftsState['drafts'] = [
  { id: 'd-1', text: 'Should schools start later?', review: 'accepted' },
  { id: 'd-2', text: CURRENT.text, review: 'proposed' },
  { id: 'd-3', text: 'Should parks be lit at night?', review: 'proposed' },
  { id: 'd-4', text: 'Should dogs be on a lead?', review: 'rejected' },
  { id: 'd-5', text: 'Have you ever missed a bus?', review: 'filtered' },
];

const REVIEWING: DraftsState = { drafts: DRAFTS, current: CURRENT, unreadable: 0, canUndo: true };

export const DRAFTS_FIXTURES = {
  starting: undefined,
  none: { drafts: [], unreadable: 0, canUndo: false },
  reviewing: REVIEWING,
  bare: {
    ...REVIEWING,
    current: {
      ...CURRENT,
      perspectives: [],
      passages: [],
      review: 'filtered',
      because: 'It asks for an experience.',
    },
    canUndo: false,
  },
  suggested: {
    ...REVIEWING,
    current: {
      ...CURRENT,
      passages: [],
      perspectives: CURRENT.perspectives.map((each) => ({
        ...each,
        ...(each.id === 'p1' ? { from: ['evaluation › Traffic', 'night-shift'] } : {}),
        ...(each.id === 'p3' ? { from: [] } : {}),
      })),
    },
  },
  done: {
    drafts: DRAFTS.map((each) =>
      each.review === 'proposed' ? { ...each, review: 'accepted' as const } : each,
    ),
    unreadable: 2,
    canUndo: true,
  },
  failed: {
    ...REVIEWING,
    error: { message: 'The drafts could not be written. Is the file read-only?', remedies: [] },
  },
} satisfies Record<string, DraftsState | undefined>;
