import { messageOf } from '../../../core/errors.ts';
import { errorRates, validationLine } from '../core/error-rates.ts';
import type { TogetherLine } from '../core/joint-errors.ts';
import type { ValidationReport } from '../core/report.ts';
import type { Configured } from '../../../engine/configured.ts';
import type { EngineState } from '../../../engine/engine-state.ts';
import { JudgementCache } from '../../../engine/judgements/judgement-cache.ts';
import { requireJudge } from '../../../engine/judgements/judgement-service.ts';
import { LabelsFile } from '../../../engine/judgements/labels-file.ts';
import { Judges } from '../../../engine/judges/judges.ts';
import { recordTitle } from '../../../engine/judges/record-title.ts';
import { calibrateJudge } from './calibrate-judge.ts';
import { judgeResistance } from '../../papers/engine/door.ts';
import { JudgesToValidate } from './judges-to-validate.ts';
import { readLabelledPairs, readReference } from './read-reference.ts';
import { measuresOwnLabels, requireLabels, validateRequest } from './validate-request.ts';
import { workOf, type Handlers, type RequestContext } from '../../../engine/requests/request.ts';
import type { ParsedLabelledPairs } from '../../../core/formats/labelled-pairs.ts';
import { normalizePerspective } from '../../../core/formats/labels.ts';
import type { Workload } from '../../../shared/judge-effort.ts';

/** Characters of a passage if its label does not state the length: about a hundred words. */
const USUAL_PASSAGE = 600;

/** Labelled pairs without duplicates. Labels of a workspace identify passages by document and text. */
export function labelledWorkload({ pairs, labels }: ParsedLabelledPairs): Workload {
  const places = labels.map(({ document, hash, quote }) => JSON.stringify([document, hash, quote]));
  const keys = new Set(
    labels.map(({ perspectiveText }, index) => `${normalizePerspective(perspectiveText)}\n${places[index]}`),
  );
  const texts = new Set(pairs.map(({ passage }) => passage));
  const placed = new Set(places);
  const characters = [...texts].reduce((sum, { length }) => sum + length, placed.size * USUAL_PASSAGE);
  const passages = texts.size + placed.size;
  return {
    pairs: pairs.length + keys.size,
    passages,
    passageLength: passages === 0 ? 0 : characters / passages,
  };
}

/** Answers requests about the quality of judges. */
export function validationHandlers(engine: EngineState) {
  return {
    async validateJudge(params, context) {
      const { current } = engine;
      const { config, answered, claims, nliModels } = current;
      const index = params.corpus === undefined ? undefined : await engine.corpora.indexed(params.corpus);
      // A judge is not measured on the labels that calibrated it.
      const known = measuresOwnLabels(params, config) ? undefined : config.labelsFile;
      const judges = new JudgesToValidate(
        config.judges,
        new JudgementCache(answered, claims),
        new LabelsFile(known, engine.log),
        (named, cache, labels) =>
          new Judges({ ...config, judges: named }, cache, engine.host, { nliModels, labels }),
      );
      const sources = {
        judges,
        base: config.base,
        labelsFile: config.labelsFile,
        passagesOf:
          index &&
          ((documentId: string) =>
            index.passagesOf(documentId).map((passage) => ({
              documentId,
              hash: passage.hash,
              text: passage.text,
              title: recordTitle(passage),
            }))),
        warn: warningsOf(context),
      };
      const report = await validateRequest(params, sources, workOf(context));
      if (measuresOwnLabels(params, config))
        await keep(report, current).catch((error: unknown) => sources.warn(messageOf(error)));
      return report;
    },

    async labelledWork({ labelsFile }) {
      const { config } = engine.current;
      const labels = await readLabelledPairs(requireLabels(labelsFile ?? config.labelsFile), config.base);
      return { ...labelledWorkload(labels), ofCorpus: labels.labels.length > 0 };
    },

    async calibrateJudge({ judge: name, labelsFile, objective }, context) {
      const { config, judges } = engine.current;
      const judge = requireJudge(judges.get(name), name);
      const { pairs, warnings } = await readReference(labelsFile, config.base, undefined);
      warnings.forEach(warningsOf(context));
      return calibrateJudge(judge, pairs, objective, workOf(context));
    },

    async judgeResistance({ judge: name }, context) {
      const judge = requireJudge(engine.current.judges.get(name), name);
      return judgeResistance(judge, workOf(context));
    },
  } satisfies Partial<Handlers>;
}

/**
 * Stores validations against people, so that a reranker has the judges' error rates. A reference judge is not people.
 */
async function keep(report: ValidationReport, { judges, validations }: Configured): Promise<void> {
  if (report.labels.by !== 'people') return;
  const at = new Date().toISOString();
  const lines = report.judges.flatMap((view) => {
    const key = judges.get(view.judge)?.key;
    const line = key === undefined ? undefined : validationLine(view, key, at);
    return line && errorRates(line, []) ? line : [];
  });
  const together = report.together.flatMap(({ of, judges: names, votes, byPerspective }): TogetherLine[] => {
    const [first = '', second = first] = names;
    const [firstKey, secondKey] = [judges.get(first)?.key, judges.get(second)?.key];
    // Agents are no judges that could be asked.
    if (of === 'agents' || firstKey === undefined || secondKey === undefined) return [];
    return [
      {
        type: 'together',
        judges: [first, second],
        keys: [firstKey, secondKey],
        at,
        answers: votes,
        perspectives: byPerspective,
      },
    ];
  });
  await validations.append([...lines, ...together]);
}

function warningsOf({ report }: RequestContext): (message: string) => void {
  return (message) => report({ type: 'warning', message });
}
