/** Answers save_eval_set and accept_baseline: writes results to files that a person reviews and commits. */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../../core/errors.ts';
import { withQuery } from '../../../core/formats/eval-set-add.ts';
import { withValue } from '../../../core/formats/json-edit.ts';
import { BUILT_IN_PIPELINES, type Pipeline } from '../../../core/pipeline.ts';
import { isMeasured, plainQuery } from '../../../shared/eval-query.ts';
import { corpusOfEvalSet, gateOf } from '../../../shared/evaluation.ts';
import { startingConfig } from '../../../shared/defaults/starting-config.ts';
import { findEvalSet } from '../../../sites/plan.ts';
import { short } from './answer.ts';
import type { AgentHost, AgentWork, AgentWorkspace } from './host.ts';
import { limited, prepare } from './prepare.ts';
import { planQuestion } from './run.ts';
import type { BaselineInput, SaveInput } from './tools.ts';

const FOLDER = 'eval';
const ENDING = '.parallax.jsonl';
const DEFAULT_NAME = 'questions';

/**
 * @returns JSON
 * @throws ParallaxError `bad-file` for a file that is no eval set or cannot be written
 */
export async function saveEvalSet(
  { evalSet, questions }: SaveInput,
  host: AgentHost,
  { evalQueries }: AgentWorkspace,
): Promise<string> {
  const sets = [...new Set(evalQueries.map((query) => query.evalSet))];
  const file = findEvalSet(sets, evalSet ?? DEFAULT_NAME) ?? `${FOLDER}/${evalSet ?? DEFAULT_NAME}${ENDING}`;
  const before = await host.readText(file);
  let text = before;
  const added = { questions: 0, perspectives: 0 };
  for (const { query, perspectives } of questions) {
    const statements = perspectives.map((one, place) => ({ id: `p${place + 1}`, text: one }));
    const next = withQuery(text, file, { text: query, perspectives: statements });
    text = next.text;
    added.perspectives += next.added;
    if (!next.known) added.questions++;
  }
  if (text !== before) await host.writeText(file, text);
  // A file that no pattern of parallax.json matches would not be found.
  const queries = (await host.workspace()).evalQueries.filter((query) => query.evalSet === file);
  if (queries.length === 0)
    await host.writeText(
      host.configFile,
      withValue(await host.readText(host.configFile), ['evalSets', -1], file),
    );
  return JSON.stringify({ evalSet: file, added, namedInConfig: queries.length === 0 });
}

/**
 * Creates parallax.json if it does not exist, from the configuration in force and the requested pipeline.
 *
 * @returns JSON
 * @throws ParallaxError `no-eval-set`, `bad-argument` for a pipeline if parallax.json exists, and the errors of
 *   `prepare` and the engine
 */
export async function acceptBaseline(
  input: BaselineInput,
  host: AgentHost,
  workspace: AgentWorkspace,
  work: AgentWork,
): Promise<string> {
  if (!workspace.evalQueries.some(isMeasured))
    throw new ParallaxError(
      'no-eval-set',
      l10n.t('There is no eval set. Save one with save_eval_set first.'),
    );
  const { current, wrote } = await configured(input, host, workspace, work);
  const { config, evalQueries } = current;
  const gate = gateOf(config);
  const known: Readonly<Record<string, Pipeline>> = { ...BUILT_IN_PIPELINES, ...config.pipelines };
  const pipelines = gate.pipelines.flatMap((name) =>
    known[name] ? [{ name, pipeline: known[name], origin: undefined }] : [],
  );
  const budget = host.budget();
  let reserved = 0;
  for (const [evalSet, queries] of Map.groupBy(evalQueries, (query) => query.evalSet)) {
    const { requests } = await prepare(
      {
        corpus: corpusOfEvalSet(config, evalSet),
        evalSet,
        queries: queries.map(plainQuery),
        pipelines,
        k: gate.k,
        judge: false,
        notes: [],
      },
      host,
      current,
      budget,
      work,
    );
    reserved += requests;
  }
  const { file, isNew, holes } = await host.request(
    'acceptBaseline',
    { config, ask: false, withinFolder: true },
    limited(work, reserved, budget),
  );
  return JSON.stringify({
    file,
    changed: isNew,
    ...(wrote ? { wrote: host.configFile } : {}),
    pipelines: gate.pipelines.slice(0, 20).map((name) => short(name, 120)),
    k: gate.k,
    holes: holes.slice(0, 10).map((hole) => short(hole, 400)),
    next: 'parallax gate fails when these pipelines lose a perspective. A person reviews and commits the files.',
  });
}

async function configured(
  { site, pipeline, corpus, k }: BaselineInput,
  host: AgentHost,
  workspace: AgentWorkspace,
  work: AgentWork,
): Promise<{ readonly current: AgentWorkspace; readonly wrote: boolean }> {
  if (workspace.configured) {
    if (site ?? pipeline)
      throw new ParallaxError(
        'bad-argument',
        l10n.t(
          'The gate of parallax.json names its pipelines: put this one there, under "pipelines" and "gate", and call accept_baseline without it.',
        ),
      );
    return { current: workspace, wrote: false };
  }
  const question = { query: '-', site, pipeline, corpus, k };
  const run = await planQuestion(question, host, workspace, work.signal);
  const { name, pipeline: basePipeline } = run.pipelines[0]!;
  const config = { ...workspace.config, pipelines: { [name]: { ...basePipeline, k: run.k } } };
  await host.writeText(host.configFile, startingConfig(config, 'labels'));
  return { current: await host.workspace(), wrote: true };
}
