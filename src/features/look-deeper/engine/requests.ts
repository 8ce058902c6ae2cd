import type { EngineState } from '../../../engine/engine-state.ts';
import {
  requireCounting,
  type JudgingTask,
  type ReadReport,
} from '../../../engine/judgements/judgement-service.ts';
import { judgeUntilFound, probe } from './look-deeper.ts';
import { forReview } from '../../review/engine/requests/for-review.ts';
import { knownOf } from '../../../engine/requests/known.ts';
import { noticedOf, reportView } from '../../../engine/requests/judging.ts';
import { workOf, type Handlers } from '../../../engine/requests/request.ts';

/** Answers requests that search for a perspective beyond the candidates. */
export function probingHandlers(engine: EngineState) {
  return {
    async lookDeeper(params, context) {
      const { current } = engine;
      const { query, perspective, retrievers, passages, requests } = params;
      const { judgementService, judges, probes, servicesOf, remembering } = current;
      const index = await engine.corpora.indexed(params.corpus);
      const searching = { index, services: servicesOf(index), log: engine.log };
      const probed = await probe({ query, perspective }, retrievers, probes, searching, workOf(context));
      const task: JudgingTask = {
        query,
        perspectives: [perspective],
        passages: probed.passages.map(({ passage }) => passage),
        index,
      };
      const report = passages === 0 ? undefined : await judged(task);
      const judge = remembering(params.judge);
      const open = judge ? await judgementService.openPairs(task, judge) : [];
      return {
        known: await knownOf(current, index, { ...task, passages: [] }, params.judge),
        open: open.map(({ passage }) => passage.slot),
        ...(report ? { report: reportView(report) } : {}),
      };

      async function judged(judgingTask: JudgingTask): Promise<ReadReport | undefined> {
        const countingJudge = requireCounting(judges.get(params.judge), params.judge);
        const pairs: Parameters<typeof noticedOf>[1][number][] = [];
        const done = await judgeUntilFound(
          judgementService,
          {
            task: judgingTask,
            judge: countingJudge,
            passages,
            requests,
            onJudgement: (pair) => {
              pairs.push(pair);
              context.report({ type: 'judgement', pair });
            },
          },
          workOf(context),
        );
        await forReview(engine, () =>
          current.review.noticed(params.corpus, query, countingJudge, noticedOf(judgingTask, pairs)),
        );
        return done;
      }
    },
  } satisfies Partial<Handlers>;
}
