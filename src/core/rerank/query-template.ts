/** Combines an instruction and a query to the query text for a model. */
import * as l10n from '@vscode/l10n';

/** As TART-full is trained and run (Asai et al. 2023, arXiv:2211.09260, section 4). */
const INSTRUCTION_TEMPLATE = '{instruction} [SEP] {query}';

const QUERY = '{query}';
const INSTRUCTION = '{instruction}';

/** @returns the problem of a template as the end of a sentence; `undefined` if it is valid */
export function queryTemplateProblem(
  template: string | undefined,
  instruction: string | undefined,
): string | undefined {
  if (template === undefined) return undefined;
  if (!template.includes(QUERY)) return l10n.t`has no ${QUERY}: the model would never see the query`;
  const asks = template.includes(INSTRUCTION);
  if (asks && instruction === undefined)
    return l10n.t`has ${INSTRUCTION}, and there is no instruction to put there`;
  if (!asks && instruction !== undefined) return l10n.t`has no ${INSTRUCTION}: the instruction would be lost`;
  return undefined;
}

/**
 * @param template with `{query}`, and `{instruction}` if there is one; defaults to {@link INSTRUCTION_TEMPLATE} with an
 *   instruction, else to the query alone
 */
export function queryWithInstruction(
  query: string,
  instruction: string | undefined,
  template: string | undefined,
): string {
  const form = template ?? (instruction === undefined ? QUERY : INSTRUCTION_TEMPLATE);
  // In one pass, so that braces in the query or the instruction are kept.
  return form.replace(/\{query\}|\{instruction\}/gu, (place) =>
    place === QUERY ? query : (instruction ?? ''),
  );
}
