import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mostOnOneDocument, uncoverable } from '../../../src/features/eval-set-check/core/ceiling.ts';
import type { EvalSetReport } from '../../../src/features/eval-set-check/core/report.ts';
import { sameStatements } from '../../../src/features/eval-set-check/core/same-statement.ts';
import { sharedWords } from '../../../src/features/eval-set-check/core/shared-words.ts';
import { showableOf } from '../../../src/features/eval-set-check/core/showable.ts';
import { findingsOf, showableLine } from '../../../src/features/eval-set-check/core/wording.ts';
import { parseMeasure } from '../../../src/core/metrics/measures.ts';

const MRECALL = parseMeasure('MRecall@5');

test('statements are equal up to case, endings and filler words', () => {
  const texts = [
    'Later starts help teenagers sleep.',
    'So, later starts help teenagers sleeping!',
    'Buses cost more.',
  ];
  assert.deepEqual(sameStatements(texts, { inOrder: true }), [undefined, 0, undefined]);
});

test('negations, numbers and other terms make different statements', () => {
  const base = 'The home policy of 2023 covers water damage in cellars and garages';
  const others = [
    'The home policy of 2023 never covers water damage in cellars and garages',
    'The home policy of 2024 covers water damage in cellars and garages',
    'The home policy of 2023 covers fire damage in cellars and garages',
  ];
  for (const other of others)
    assert.deepEqual(sameStatements([base, other], { inOrder: false }), [undefined, undefined], other);
});

test('the order of a comparison matters in a statement, not in a question', () => {
  const texts = [
    'Electric guitars are better than acoustic guitars',
    'Acoustic guitars are better than electric guitars',
  ];
  assert.deepEqual(sameStatements(texts, { inOrder: true }), [undefined, undefined]);
  assert.deepEqual(sameStatements(texts, { inOrder: false }), [undefined, 0]);
});

test('a question repeats the words of one passage only', () => {
  const question = 'How does the grandfather clause treat flood barriers?';
  const passage = 'The grandfather clause treats flood barriers as fixtures.';
  const topic = 'Flood insurance is dear.';
  assert.deepEqual(sharedWords(question, passage, [topic]), { shared: 5, terms: 5 });
  assert.equal(
    sharedWords(question, passage, [topic, passage]),
    undefined,
    'the whole topic speaks like this',
  );
  assert.equal(sharedWords('Are flood barriers fixtures?', passage, []), undefined, 'too few words to tell');
});

test('finds a copied question even if other passages share its words', () => {
  const passage = 'It is said that all ships in the harbour must carry a pilot after dark. So they do.';
  const question = 'Why must all ships in the harbour must carry a pilot after dark?';
  const other = 'Ships carry pilots in a harbour when it is dark, and must.';
  assert.ok(sharedWords(question, passage, [other]));
});

const supporting = (documents: Record<string, string[]>): Map<string, Set<string>> =>
  new Map(Object.entries(documents).map(([id, own]) => [id, new Set(own)]));

test('a question that needs more than the corpus has cannot succeed', () => {
  assert.deepEqual(uncoverable(supporting({ a: ['x'], b: [] }), 5), ['b']);
  assert.deepEqual(
    uncoverable(supporting({ a: ['x'], b: ['x'], c: [] }), 2),
    [],
    'two of three are enough at k = 2',
  );
});

test('finds the document that most questions depend on', () => {
  const questions = new Map([
    ['q1', supporting({ a: ['x'], b: ['y', 'z'] })],
    ['q2', supporting({ a: ['x'], b: ['y'] })],
    ['q3', supporting({ a: ['x', 'y'], b: ['y', 'z'] })],
    ['lost', supporting({ a: ['x'], b: [] })],
  ]);
  assert.deepEqual(mostOnOneDocument(questions, 5), { document: 'x', queries: ['q1', 'q2'] });
});

test('twelve questions show 50 points of MRecall and no less', () => {
  const showable = showableOf(MRECALL, 12, 1)!;
  assert.equal(showable.floor, 0.5);
  assert.equal(
    showableLine(12, showable),
    `12 questions: differences below 50 points of MRecall@5 cannot be shown; about ${showable.more} more would show 10.`,
  );
  assert.ok(showable.more! > 100 && showable.more! < 250, String(showable.more));
});

test('the words follow the number of questions', () => {
  const line = (questions: number, tests = 1): string =>
    showableLine(questions, showableOf(MRECALL, questions, tests)!);
  assert.match(
    line(1),
    /^1 question: no difference of MRecall@5 can be shown; about \d+ more would show 10 points\.$/u,
  );
  assert.match(line(7, 5), /^7 questions: no difference/u, 'five comparisons need eight questions');
  assert.equal(
    line(400),
    '400 questions: differences below 1.5 points of MRecall@5 cannot be shown; 10 points usually are.',
  );
});

test('a measure with values between needs pipelines before anything is said of it', () => {
  const measure = parseMeasure('StRecall@5');
  assert.equal(showableOf(measure, 12, 1), undefined);
  const wide = showableOf(measure, 40, 1, [[0.5, -0.5, 0, 0.5, -0.5, 0]])!;
  const narrow = showableOf(measure, 40, 1, [[0.1, -0.1, 0, 0.1, -0.1, 0]])!;
  assert.ok(wide.usual! > 3 * narrow.usual!, 'pipelines that differ more show less');
  assert.match(
    showableLine(40, narrow),
    /^40 questions: differences of StRecall@5 are usually shown from \d[\d.]* points\.$/u,
  );
});

test('findings that can be fixed come first', () => {
  const report: EvalSetReport = {
    questions: 12,
    k: 5,
    pipelines: ['a', 'b'],
    failed: [],
    tests: 1,
    showable: [],
    won: ['q1'],
    unwinnable: [],
    unsupported: 3,
    perspectives: 24,
    sharedWords: [],
    sameQuestions: [{ query: 'q2', as: 'q1' }],
    samePerspectives: [],
    lostLabels: { labels: 4, lost: 1, examples: [{ document: 'old.md', labels: 1 }] },
    onOneDocument: { document: 'x.md', queries: ['q1', 'q2', 'q3'] },
  };
  const findings = findingsOf(report);
  assert.deepEqual(
    findings.map(({ isFault }) => isFault),
    [true, true, true, false, false],
  );
  assert.deepEqual(findings[0]!.list, ['old.md: 1 label']);
  const [fewer] = findingsOf({
    ...report,
    lostLabels: { labels: 4, lost: 0, examples: [] },
    sameQuestions: [],
    questions: 30,
  });
  assert.equal(fewer!.isFault, false, 'three of thirty questions are not much');
});
