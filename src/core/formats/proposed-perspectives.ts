/** Perspectives that a model proposed earlier: the `generated` field of BERDS files, one question per line. */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import { issueClause } from '../schema-issue.ts';
import { linesOf, parseJson, readLines } from './lines.ts';

const record = z.object({
  question: z.string().min(1),
  generated: z.array(z.union([z.string().min(1), z.object({ text: z.string().min(1) })])).min(1),
});

/**
 * @returns the proposed perspectives per question, in the order of generation
 * @throws ParallaxError `bad-file` if no line can be read
 */
export function parseProposedPerspectives(text: string): {
  readonly byQuestion: ReadonlyMap<string, readonly string[]>;
  readonly warnings: readonly string[];
} {
  const byQuestion = new Map<string, readonly string[]>();
  const refusal = l10n.t('Not a file of proposed perspectives (question, generated)');
  const warnings = readLines(linesOf(text), refusal, (line) => {
    const json = parseJson(line.text);
    if ('problem' in json) return json.problem;
    const parsed = record.safeParse(json.value);
    if (!parsed.success) return issueClause(parsed.error, json.value);
    const { question, generated } = parsed.data;
    byQuestion.set(
      question.trim(),
      generated.map((each) => (typeof each === 'string' ? each : each.text)),
    );
    return undefined;
  });
  return { byQuestion, warnings };
}
