/** A judge that learns from the labels of its escalated pairs is measured as it is used. */
import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import type { ReferenceSet } from '../../../src/features/validation/core/reference-set.ts';
import type { ValidationReport } from '../../../src/features/validation/core/report.ts';
import { JudgementCache } from '../../../src/engine/judgements/judgement-cache.ts';
import { LabelsFile } from '../../../src/engine/judgements/labels-file.ts';
import { Judges } from '../../../src/engine/judges/judges.ts';
import { openDatabase } from '../../../src/engine/store/database.ts';
import { JudgesToValidate } from '../../../src/features/validation/engine/judges-to-validate.ts';
import { validateJudges } from '../../../src/features/validation/engine/validate-judge.ts';
import { judgeSchema } from '../../../src/shared/judge-config.ts';
import { wordReply, type ChatRequest } from '../../fixtures/model-server.ts';
import { readPairPrompt } from '../../fixtures/read-prompts.ts';
import { serverFor } from '../judges/support.ts';

const PAIRS = 80;

/** Every second pair supports. The model leans to yes: it gives others 0.6 to 0.8, and these 0.9 to 0.98. */
function probabilityOf(place: number): number {
  const step = (place % 9) / 8;
  return place % 2 === 0 ? 0.9 + 0.08 * step : 0.6 + 0.2 * step;
}

const SET: ReferenceSet = {
  pairs: Array.from({ length: PAIRS }, (_, place) => ({
    item: String(place),
    passage: `Passage ${place}: p=${probabilityOf(place).toFixed(4)}.`,
    perspective: 'It is.',
    verdict: place % 2 === 0 ? 'yes' : 'no',
  })),
  votes: [],
  warnings: [],
};

function scripted({ messages }: ChatRequest) {
  return wordReply(Number(/p=([\d.]+)\./u.exec(readPairPrompt(messages).passage)?.[1]));
}

type View = ValidationReport['judges'][number];

interface Setup {
  readonly share: number;
  readonly batch?: number;
  readonly times?: number;
  readonly repeats?: number;
}

/**
 * Validates a `lara` judge this many times with one cache. Returns the result of each validation, and the requests
 * made.
 */
async function validations(t: TestContext, { share, batch = 16, times = 1, repeats = 1 }: Setup) {
  const server = await serverFor(t, { chat: scripted });
  const model = { type: 'openai', baseUrl: server.url, model: 'scripted', key: 'none', maxRetries: 0 };
  const configs = {
    model: judgeSchema.parse(model),
    lara: judgeSchema.parse({ type: 'lara', judge: 'model', share, batch }),
  };
  const cache = new JudgementCache(openDatabase(':memory:'));
  const none = new LabelsFile(undefined, (warning) => assert.fail(warning));
  const views: View[] = [];
  for (let time = 0; time < times; time++) {
    const judges = new JudgesToValidate(
      configs,
      cache,
      none,
      (named, own, labels) => new Judges({ judges: named, keys: {} }, own, undefined, { labels }),
    );
    const report = await validateJudges({ set: SET, judges: [judges.get('lara', false)], repeats });
    views.push(report.judges[0]!);
  }
  return { views, requests: server.chatRequests.length };
}

describe('a judge that learns from labels', () => {
  test('is calibrated by labels of escalated pairs', async (t) => {
    const [alone] = (await validations(t, { share: 0 })).views;
    assert.equal(alone!.calibrationLabels, 0);
    assert.equal(alone!.balancedAccuracy, 0.5);
    const [fed] = (await validations(t, { share: 0.2 })).views;
    assert.equal(fed!.calibrationLabels, 16);
    assert.equal(fed!.escalated, 0.2);
    assert.ok(fed!.balancedAccuracy! > 0.8, String(fed!.balancedAccuracy));
  });

  test('escalates later batches by what it learned from earlier ones', async (t) => {
    const inOne = (await validations(t, { share: 0.2, batch: PAIRS })).views[0]!;
    const inTurns = (await validations(t, { share: 0.2, batch: 10 })).views[0]!;
    // Uncalibrated, the pairs nearest to 0.5 all lack support.
    assert.equal(inOne.confusion.yes.escalated, 0);
    assert.ok(inTurns.confusion.yes.escalated > 0);
  });

  test('has the same result from the cache', async (t) => {
    const { views, requests } = await validations(t, { share: 0.2, times: 2 });
    assert.deepEqual(views[1]!.confusion, views[0]!.confusion);
    assert.equal(views[1]!.calibrationLabels, views[0]!.calibrationLabels);
    assert.equal(requests, PAIRS);
  });

  test('learns again in every repeat', async (t) => {
    const [view] = (await validations(t, { share: 0.2, repeats: 2 })).views;
    assert.equal(view!.consistency!.same, PAIRS);
    assert.equal(view!.calibrationLabels, 16);
  });
});
