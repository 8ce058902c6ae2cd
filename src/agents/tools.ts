/**
 * The tools that agents are offered, the same in the editor and over the Model Context Protocol: what each
 * is called, what it is for in the words that a model reads, and what it takes.
 */
import * as z from 'zod';
import type { Read } from '../core/read.ts';
import { familiesShown } from '../core/metrics/measures.ts';
import type { AgentToolName } from './names.ts';

const site = z
  .strictObject({
    file: z.string().min(1).max(1000).describe('Path of the program, relative to the workspace or absolute.'),
    line: z.int().min(1).describe('Line of the call, from 1, as list_retrieval_sites gives it.'),
  })
  .describe('A call that retrieves in the code: the pipeline that stands for it, or that it is bound to.');

const pipeline = z
  .union([z.string().min(1).max(200), z.looseObject({})])
  .describe(
    'Name of a pipeline of parallax.json, or bm25, dense or hybrid; or a pipeline object such as {"retriever":{"type":"bm25"},"rerank":[{"type":"mmr","lambda":0.75}]}.',
  );

const perspectives = z.array(z.string().min(1).max(1000)).min(1).max(16);

const common = {
  evalSet: z
    .string()
    .min(1)
    .max(1000)
    .optional()
    .describe('Eval set by path or name; the first one of parallax.json when left out.'),
  corpus: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('Corpus of parallax.json; its default when left out.'),
  k: z
    .int()
    .min(1)
    .max(100)
    .optional()
    .describe('How many passages count; that of the first pipeline when left out.'),
  judge: z
    .boolean()
    .optional()
    .describe(
      'true: first ask the judge of the workspace about passages that nobody judged, which may cost money. Otherwise only what is known counts.',
    ),
};

const evaluateInput = z.strictObject({
  ...common,
  queries: z
    .array(
      z.strictObject({
        text: z.string().min(1).max(2000),
        perspectives: perspectives
          .optional()
          .describe('What a complete answer must cover; those of the eval sets when left out.'),
      }),
    )
    .min(1)
    .max(50)
    .optional()
    .describe('Questions to ask instead of a whole eval set.'),
  pipelines: z
    .array(pipeline)
    .min(1)
    .max(8)
    .optional()
    .describe("The first is the baseline; the workspace's own pipelines when left out."),
  site: site.optional(),
});
export type EvaluateInput = Read<typeof evaluateInput>;

const listInput = z.strictObject({
  file: z
    .string()
    .min(1)
    .max(1000)
    .optional()
    .describe('Only this program, relative to the workspace or absolute; all programs when left out.'),
});
export type ListInput = Read<typeof listInput>;

const explainInput = z.strictObject({
  ...common,
  query: z.string().min(1).max(2000).optional().describe('One question instead of a whole eval set.'),
  perspectives: perspectives
    .optional()
    .describe('What a complete answer to the query must cover; those of the eval sets when left out.'),
  pipeline: pipeline.optional(),
  site: site.optional(),
});
export type ExplainInput = Read<typeof explainInput>;

const missingInput = z.strictObject({
  query: z.string().min(1).max(2000).describe('The question that should find the document.'),
  document: z
    .string()
    .min(1)
    .max(10_000)
    .describe('What is missing: path, id or title of a document, id of a passage, or a sentence from it.'),
  pipeline: pipeline.optional(),
  corpus: common.corpus,
  k: common.k,
});
export type MissingInput = Read<typeof missingInput>;

interface AgentTool {
  readonly title: string;
  /** For people. */
  readonly userDescription: string;
  readonly icon: string;
  /** For models. */
  readonly description: string;
  readonly input: z.ZodType;
}

/** Also what the editor is told in package.json: after a change run `node scripts/contributions.ts`. */
export const AGENT_TOOLS = {
  evaluate_retrieval: {
    title: 'Evaluate Retrieval',
    userDescription: 'Measures which perspectives retrieval surfaces, on an eval set or on given questions.',
    icon: '$(graph)',
    description: `Measures how many perspectives of each question retrieval surfaces (${familiesShown('agents').join(', ')} at k), for one or several pipelines or for a call in the code, on an eval set or on given questions. Answers JSON: figures from 0 to 1 with 95% intervals, the share of passages that was judged and by whom, differences to the first pipeline, and the worst questions. A figure with a low judged share says little. Use it before and after a change to retrieval.`,
    input: evaluateInput,
  },
  list_retrieval_sites: {
    title: 'List Retrieval Sites',
    userDescription: 'Lists the calls in the code that retrieve, with k and figures.',
    icon: '$(list-tree)',
    description:
      'Lists the calls in the code that retrieve or rerank passages: file, line, library, k and where its value comes from, which pipeline stands for the call, and its figures where they are known. k is absent, with the reason, where it cannot be known. Costs nothing and runs nothing.',
    input: listInput,
  },
  explain_lost_perspectives: {
    title: 'Explain Lost Perspectives',
    userDescription: 'Says which perspectives retrieval loses, why, and what would bring them back.',
    icon: '$(question)',
    description:
      'Says which perspectives a pipeline, or a call in the code, loses on a question or an eval set: at which rank support first appears, which passage supports it, why it is lost, and which measured change (MMR, hybrid search, projection) would bring it back. Answers JSON. Use it to decide what to change.',
    input: explainInput,
  },
  explain_missing: {
    title: 'Explain a Missing Document',
    userDescription: 'Says why a document is not retrieved for a question, and what would bring it in.',
    icon: '$(question)',
    description:
      'Says why a document is not among the first k passages of a pipeline for a question: not read, not indexed, cut apart, filtered, outside of the candidates, below k, moved down by a reranker, or behind a near-duplicate. Answers JSON: the first cause, rank and score in each search, what each word adds, the smallest change of the pipeline that brings it in, and what that change does to the eval set. Needs no labels and asks no judge.',
    input: missingInput,
  },
} satisfies Record<AgentToolName, AgentTool>;

/** The JSON schema of a tool's input, as shown to agents. */
export function inputSchemaOf(name: AgentToolName): Record<string, unknown> & { readonly type: 'object' } {
  const schema = z.toJSONSchema(AGENT_TOOLS[name].input, { io: 'input', target: 'draft-7' });
  delete schema.$schema;
  return { ...schema, type: 'object' };
}
