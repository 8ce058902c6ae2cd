import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../../core/errors.ts';
import type { EngineState } from '../../../engine/engine-state.ts';
import type { Handlers } from '../../../engine/requests/request.ts';

/** Answers requests about programs whose calls are observed while they run. */
export function liveHandlers(engine: EngineState) {
  return {
    async 'live/start'({ texts, sites, measure, program, keep }, { signal, report }) {
      const { base, trusted } = engine.current.config;
      if (!trusted)
        throw new ParallaxError(
          'untrusted',
          l10n.t('Programs are run with Parallax only in a workspace that you trust.'),
        );
      await engine.live.observe(
        {
          base,
          texts,
          sites,
          measure,
          program,
          captured: (retrieval) => {
            if (keep === 'none') return;
            engine.captures.add(retrieval, keep);
            report({ type: 'captured' });
          },
          report: (event) => report({ type: 'live', event }),
        },
        signal,
      );
      return {};
    },

    async 'live/measure-next'({ plan, measure }) {
      await engine.live.measureNext(plan, measure);
      return {};
    },

    async 'live/ask'(question, { signal }) {
      return engine.live.ask(question, signal);
    },
  } satisfies Partial<Handlers>;
}
