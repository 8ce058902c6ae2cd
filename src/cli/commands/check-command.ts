/** `parallax check`: whether the user's own retrievers answer, how they behave, and what an eval set can show. */
import { checkTitle } from '../../features/behaviour/core/titles.ts';
import { externalParts, type NamedPipeline } from '../../core/pipeline.ts';
import { retrieverLabel } from '../../core/pipeline-label.ts';
import { checkEvalSet } from '../../features/eval-set-check/cli/check-eval-set.ts';
import { command } from './command.ts';
import { LocalEngine } from '../local-engine.ts';
import { readPipelines } from '../options/pipeline-option.ts';
import { readQuestions } from '../options/questions-option.ts';
import { folderOfConfig, readConfig } from '../options/read-config.ts';
import { writeJson, type Io } from '../presentation/terminal.ts';
import {
  MAX_QUESTIONS,
  namedPipelines,
  type BehaviourReport,
} from '../../features/behaviour/contract/behaviour.ts';
import type { ParallaxConfig } from '../../shared/config.ts';
import { corpusNames, openUpToDate, type OpenedEngine } from '../local-corpus.ts';
import { asksRetrieverAlone } from '../../features/behaviour/core/variants.ts';

interface Checked {
  readonly pipeline: string;
  readonly retriever: string;
  readonly ok: boolean;
  readonly message: string;
  readonly count?: number | undefined;
}

export const checkCommand = command({
  usage: `parallax check --pipeline <json|name> [--pipeline …] [--json]
parallax check --behaviour --pipeline <json|name> --question "…" [--question "…"] [--queries <file>] [--json]
parallax check --eval-set <file> [--corpus <file|folder>] [--qrels <file>] [--pipeline …] [--k 5] [--json]`,
  about: `Asks each command, endpoint, run file and store of the pipelines something small, and says how many passages
it holds or what is wrong. With --behaviour it asks questions in several ways and compares the lists: what every retriever
must do, without any labels. With --eval-set it says which differences a comparison on an eval set can
show, and what to fix in it: labels that no longer match, questions that no pipeline can win, questions and
perspectives that occur twice, questions with the words of their answer, and too much that depends on one document. Exits
with 1 if a retriever cannot be asked, a check fails, or there is something to fix.
`,
  options: {
    pipeline: {
      type: 'string',
      multiple: true,
      help: 'a pipeline as JSON, or its name in parallax.json; may be given several times',
    },
    behaviour: { type: 'boolean', default: false, help: 'see whether the pipelines behave' },
    question: { type: 'string', multiple: true, help: 'a question to ask; several make the answer surer' },
    queries: {
      type: 'string',
      help: `an eval set, of which the first ${MAX_QUESTIONS} questions are asked`,
    },
    'eval-set': { type: 'string', help: 'check this eval set (queries with perspectives, JSONL)' },
    corpus: {
      type: 'string',
      help: 'of the eval set: a file or folder, or the name of a corpus of parallax.json (default: the one there)',
    },
    qrels: { type: 'string', help: "of the eval set: TREC qrels, or BEIR's (default: people's labels)" },
    split: { type: 'string', help: 'how documents become passages, as in eval' },
    store: { type: 'string', help: 'the folder in which the index is kept' },
    judge: {
      type: 'string',
      help: "the judge whose answers so far count beside people's labels; it is not asked",
    },
    k: { type: 'string', default: '5', help: 'how many passages count (default 5)' },
    json: { type: 'boolean', default: false, help: 'write the answers as JSON' },
    config: { type: 'string', help: 'parallax.json (default: the one in this folder, if any)' },
  },

  async run({ values }, io) {
    const config = await readConfig(values.config);
    const { 'eval-set': evalSet } = values;
    if (evalSet !== undefined) return checkEvalSet({ ...values, 'eval-set': evalSet }, config, io);
    const pipelines = readPipelines(values.pipeline, config);
    if (values.behaviour) {
      const questions = await readQuestions(values.question, values.queries, MAX_QUESTIONS);
      return checkBehaviour({ pipelines, questions, config, file: values.config, json: values.json }, io);
    }
    await using engine = await LocalEngine.open({ base: folderOfConfig(values.config), models: config }, io);
    const checked: Checked[] = [];
    for (const pipeline of pipelines) checked.push(...(await checkPipeline(pipeline, engine)));
    if (values.json) await writeJson('-', checked, io);
    else for (const each of checked) io.stdout(lineOf(each));
    return checked.every(({ ok }) => ok) ? 0 : 1;
  },
});

async function checkPipeline({ name, pipeline }: NamedPipeline, engine: LocalEngine): Promise<Checked[]> {
  const checked: Checked[] = [];
  for (const retriever of externalParts(pipeline.retriever))
    checked.push({
      pipeline: name,
      retriever: retrieverLabel(retriever),
      ...(await engine.request('checkRetriever', { retriever })),
    });
  if (checked.length > 0) return checked;
  const label = retrieverLabel(pipeline.retriever);
  return [{ pipeline: name, retriever: label, ok: true, message: 'Searches the index of a corpus.' }];
}

function lineOf({ pipeline, retriever, ok, message }: Checked): string {
  return `${ok ? 'ok    ' : 'failed'}  ${pipeline}: ${retriever}. ${message}\n`;
}

interface BehaviourTask {
  readonly pipelines: readonly NamedPipeline[];
  readonly questions: readonly string[];
  readonly config: ParallaxConfig;
  /** parallax.json, if it was named. */
  readonly file: string | undefined;
  readonly json: boolean;
}

/** @returns the exit code */
async function checkBehaviour(task: BehaviourTask, io: Io): Promise<number> {
  const { pipelines, questions, config, json } = task;
  await using opened = await openBehaviour(task, io);
  const reports: (BehaviourReport & { readonly pipeline: string })[] = [];
  for (const { name, pipeline } of pipelines) {
    const named = namedPipelines(name, config);
    const request = {
      corpus: opened.corpus,
      pipeline,
      named,
      questions: [...questions],
    };
    reports.push({ pipeline: name, ...(await opened.engine.request('checkBehaviour', request)) });
  }
  if (json) await writeJson('-', reports, io);
  else for (const report of reports) io.stdout(behaviourText(report));
  return reports.some(({ checks }) => checks.some(({ state }) => state === 'broken')) ? 1 : 0;
}

/** Opens the corpus of parallax.json if a pipeline searches it. */
function openBehaviour({ pipelines, config, file }: BehaviourTask, io: Io): Promise<OpenedEngine> {
  const base = folderOfConfig(file);
  const [name] = corpusNames(config);
  const corpus = name === undefined ? undefined : config.corpora[name];
  const isSearched = pipelines.some(({ pipeline }) => !asksRetrieverAlone(pipeline));
  const source = isSearched && corpus ? { name: name!, base, config: corpus } : undefined;
  return openUpToDate(source, { base, models: config }, io);
}

const STATES = { holds: 'holds ', broken: 'broken', open: '–     ' } as const;

function behaviourText({
  pipeline,
  checks,
  failed,
}: BehaviourReport & { readonly pipeline: string }): string {
  const lines = checks.flatMap(({ check, state, fault }) => [
    `  ${STATES[state]}  ${checkTitle(check)}`,
    ...(fault ? [`          ${fault.evidence}`, `          To fix it: ${fault.fix}`] : []),
  ]);
  const unasked = failed.map(({ variant, message }) => `  could not be asked (${variant}): ${message}`);
  const isOpen = checks.some(({ state }) => state === 'open');
  const why = isOpen
    ? [
        '  –: nothing that was asked tells; "behaviour" in parallax.json names pipelines with one thing changed.',
      ]
    : [];
  return `${[pipeline, ...lines, ...unasked, ...why].join('\n')}\n`;
}
