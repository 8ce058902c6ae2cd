/** `parallax build stances`: asks a model for the side of each perspective of an eval set, for review. */
import path from 'node:path';
import { ParallaxError } from '../../../core/errors.ts';
import { stanceEdit } from '../../../core/formats/eval-set-edit.ts';
import { parseEvalSet } from '../../../core/formats/queries.ts';
import type { ProposedStance } from '../../../core/judging/stance.ts';
import type { Perspective, Query } from '../../../core/model.ts';
import { writeText } from '../../../engine/files/output-file.ts';
import { readArgument } from '../../../engine/files/read-input.ts';
import { ANSWERS_HELP } from '../../../cli/kept-answers.ts';
import { LocalEngine } from '../../../cli/local-engine.ts';
import { readJudge } from '../../../cli/options/judge-option.ts';
import { folderOfConfig, readConfig } from '../../../cli/options/read-config.ts';
import { progressLine } from '../../../cli/presentation/progress.ts';
import { formatTable, required, UsageError, type Io } from '../../../cli/presentation/terminal.ts';
import { command } from '../../../cli/commands/command.ts';

/** The number of concurrent requests. */
const AT_A_TIME = 4;

export const buildStancesCommand = command({
  usage: 'parallax build stances --queries <eval.jsonl> --generator <json|name> --out <file>',
  options: {
    queries: { type: 'string', help: 'the eval set, JSONL; it stays as it is' },
    generator: {
      type: 'string',
      help: 'a judge as JSON, or its name: its chat model proposes (default: the generator of parallax.json)',
    },
    out: {
      type: 'string',
      help: 'the same eval set with the proposed stances, each with "stanceBy": "model"; - for standard output',
    },
    store: {
      type: 'string',
      help: `keep answers of the model in this folder; ${ANSWERS_HELP}`,
    },
    config: { type: 'string', help: 'parallax.json with judges (default: the one in this folder, if any)' },
  },
  notes: `One request for each question that has a perspective without a stance (BERDS, Table 15). What was
proposed is shown; a perspective that takes no side stays without a stance. Look through the file, and correct what is
wrong; the side panel shows which stances a model proposed, and changes them with a click.
`,

  async run({ values }, io) {
    const config = await readConfig(values.config);
    const file = required(values.queries, 'queries');
    const out = required(values.out, 'out');
    if (out !== '-' && path.resolve(out) === path.resolve(file))
      throw new UsageError('--out is another file than --queries: proposals are looked through first.');
    const judges = { ...config.judges };
    const generator = required(values.generator ?? config.generator, 'generator');
    const judge = readJudge(generator, '--generator', judges);
    const { text, queries, warnings } = await readArgument(file, (read) => ({
      text: read,
      ...parseEvalSet(read, file),
    }));
    for (const warning of warnings) io.stderr(`warning: ${warning}\n`);
    const open = queries.filter(({ perspectives }) => perspectives.some(isOpen));
    io.stderr(`Requests to ${judge}: ${open.length}, one for each question with an open stance.\n`);
    await using engine = await LocalEngine.open(
      { base: folderOfConfig(values.config), storage: values.store, models: { ...config, judges } },
      io,
    );
    const proposals = await propose(engine, judge, open, io);
    const edited = withStances(text, proposals);
    if (out === '-') io.stdout(edited, 'data');
    else {
      await writeText(out, edited);
      io.stdout(describe(proposals, out));
    }
    return proposals.some(({ problem }) => problem !== undefined) ? 1 : 0;
  },
});

interface Proposal {
  readonly query: Query;
  /** The stances of perspectives that had none. */
  readonly stances: readonly (readonly [Perspective, ProposedStance])[];
  /** Why there are none, as a sentence. */
  readonly problem?: string;
}

function isOpen({ stance }: Perspective): boolean {
  return stance === undefined;
}

async function propose(
  engine: LocalEngine,
  judge: string,
  queries: readonly Query[],
  io: Io,
): Promise<readonly Proposal[]> {
  const report = progressLine(io, 'Asking for stances');
  const proposals: Proposal[] = [];
  for (let at = 0; at < queries.length; at += AT_A_TIME) {
    const batch = queries.slice(at, at + AT_A_TIME);
    proposals.push(...(await Promise.all(batch.map((query) => proposal(engine, judge, query)))));
    report({ done: proposals.length, total: queries.length });
  }
  return proposals;
}

/** Sends all perspectives of a question together, because sides are easier to tell apart in comparison. */
async function proposal(engine: LocalEngine, judge: string, query: Query): Promise<Proposal> {
  const perspectives = query.perspectives.map(({ text }) => text);
  try {
    const { stances } = await engine.request('proposeStances', { judge, query: query.text, perspectives });
    const proposed = query.perspectives.map((perspective, index) => [perspective, stances[index]!] as const);
    return { query, stances: proposed.filter(([perspective]) => isOpen(perspective)) };
  } catch (error) {
    // A model that fails on one question may answer the next.
    if (ParallaxError.is(error) && error.id === 'model-answer')
      return { query, stances: [], problem: error.message };
    throw error;
  }
}

function withStances(text: string, proposals: readonly Proposal[]): string {
  let edited = text;
  for (const { query, stances } of proposals)
    for (const [perspective, stance] of stances) {
      if (stance === 'neither') continue;
      const edit = stanceEdit(edited, query.id, perspective, { stance, by: 'model' });
      edited = edited.slice(0, edit.start) + edit.text + edited.slice(edit.end);
    }
  return edited;
}

function describe(proposals: readonly Proposal[], out: string): string {
  const rows = proposals.flatMap(({ query, stances }) =>
    stances.map(([{ text }, stance]) => [query.id, stance === 'neither' ? 'no side' : stance, text]),
  );
  const sided = rows.filter(([, stance]) => stance !== 'no side').length;
  const failed = proposals.flatMap(({ query, problem }) =>
    problem === undefined ? [] : [`${query.id}: ${problem}\n`],
  );
  return [
    rows.length === 0 ? '' : `${formatTable(['query', 'proposed', 'perspective'], rows, 3)}\n`,
    ...failed,
    `Stances proposed: ${sided}; no side: ${rows.length - sided}; questions without an answer: ${failed.length}. ` +
      `Look through ${out} before you use it.\n`,
  ].join('');
}
