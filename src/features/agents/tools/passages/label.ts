/** Answers label: an agent's own verdicts, in batches, stored as an agent's. */
import { LABELS_FILE } from '../../../../shared/config.ts';
import { SHORTEST_QUOTE, type RefusedLabel } from '../../../../shared/requests/judging.ts';
import type { Params } from '../../../../shared/rpc.ts';
import { firstOf, fitted, short } from '../answer.ts';
import type { AgentHost, AgentWork, AgentWorkspace } from '../host.ts';
import { askedQuery, corpusOf, namedQuery } from '../run.ts';
import type { LabelInput } from '../tools.ts';

const SIZES = [40, 15, 5, 0];

const REASONS: Readonly<Record<RefusedLabel, string>> = {
  'no-passage': 'the corpus has no passage of this id',
  'no-perspective': 'the question has no perspective of this number',
  'no-quotation': `"supports" needs a quotation of at least ${SHORTEST_QUOTE} characters`,
  'not-in-passage': 'the passage does not contain the quotation',
};

type AgentLabel = Params<'labelAsAgent'>['labels'][number];

interface Refused {
  readonly query: string;
  readonly passage: string;
  readonly perspective: string;
  readonly why: string;
}

/**
 * @returns JSON
 * @throws ParallaxError the engine's error
 */
export async function label(
  { corpus: named, questions }: LabelInput,
  host: AgentHost,
  workspace: AgentWorkspace,
  work: AgentWork,
): Promise<string> {
  const corpus = corpusOf(named, workspace.config);
  const by = work.agent ?? 'agent';
  await host.prepareCorpus(corpus, work);
  const refused: Refused[] = [];
  const givenLabels: AgentLabel[] = [];
  for (const { query: text, perspectives: texts, labels } of questions) {
    const query = askedQuery({ text, perspectives: texts }, workspace);
    const about = { corpus, query: namedQuery(query), perspectives: query.perspectives };
    const verdicts = await verdictsOf(about, labels, host, workspace, work);
    const answer = await host.request('labelAsAgent', { ...about, by, labels: verdicts }, work);
    const isRefused = new Set(
      answer.refused.map(({ passageId, perspectiveId }) => `${passageId} ${perspectiveId}`),
    );
    givenLabels.push(
      ...verdicts.filter(({ passageId, perspectiveId }) => !isRefused.has(`${passageId} ${perspectiveId}`)),
    );
    refused.push(
      ...answer.refused.map(({ passageId, perspectiveId, why }) => ({
        query: text,
        passage: passageId,
        perspective: query.perspectives.find(({ id }) => id === perspectiveId)?.text ?? perspectiveId,
        why: REASONS[why],
      })),
    );
  }
  return labelAnswer(by, givenLabels, refused);
}

/** Perspectives not named for a passage are not supported by it; existing verdicts of a pair are kept. */
async function verdictsOf(
  about: Pick<Params<'judgements'>, 'corpus' | 'query' | 'perspectives'>,
  labels: LabelInput['questions'][number]['labels'],
  host: Pick<AgentHost, 'request'>,
  { judge }: AgentWorkspace,
  work: AgentWork,
): Promise<AgentLabel[]> {
  const ids = [...new Set(labels.map(({ passage }) => passage))];
  const { unknown } = await host.request('unknownPassages', { corpus: about.corpus, passageIds: ids }, work);
  const slots = new Map<string, number>();
  for (const passageId of ids.filter((id) => !unknown.includes(id)))
    slots.set(passageId, (await host.request('passage', { corpus: about.corpus, passageId }, work)).slot);
  const { pairs } = await host.request('judgements', { ...about, judge, slots: [...slots.values()] }, work);
  const judged = new Set(pairs.map(({ slot, perspectiveId }) => `${slot} ${perspectiveId}`));
  const idOf = (number: number): string => about.perspectives[number - 1]?.id ?? String(number);
  return [...Map.groupBy(labels, ({ passage }) => passage)].flatMap(([passageId, entries]) => {
    const supports = entries.flatMap((entry) => entry.supports);
    const unsure = entries.flatMap((entry) => entry.unsure ?? []);
    const named = new Set([...supports.map(({ perspective }) => perspective), ...unsure]);
    const rest = about.perspectives.filter(
      ({ id }, place) => !named.has(place + 1) && !judged.has(`${slots.get(passageId)} ${id}`),
    );
    return [
      ...supports.map(({ perspective, quote }) => ({
        passageId,
        perspectiveId: idOf(perspective),
        verdict: 'yes' as const,
        quote,
      })),
      ...unsure.map((perspective) => ({
        passageId,
        perspectiveId: idOf(perspective),
        verdict: 'unsure' as const,
      })),
      ...rest.map(({ id }) => ({ passageId, perspectiveId: id, verdict: 'no' as const })),
    ];
  });
}

/** JSON. */
export function labelAnswer(
  by: string,
  givenLabels: readonly AgentLabel[],
  refused: readonly Refused[],
): string {
  const count = (verdict: AgentLabel['verdict']): number =>
    givenLabels.filter((each) => each.verdict === verdict).length;
  return fitted(SIZES, (most) => {
    const { shown, leftOut } = firstOf(refused, most);
    return {
      file: LABELS_FILE,
      by: { kind: 'agent', name: short(by, 100) },
      given: { yes: count('yes'), no: count('no'), unsure: count('unsure') },
      refused: shown.map(({ query, passage, perspective, why }) => ({
        query: short(query, 120),
        passage: short(passage, 200),
        perspective: short(perspective, 120),
        why,
      })),
      ...(leftOut > 0 ? { refusedLeftOut: leftOut } : {}),
      means: "Labels of people win over an agent's, and no judge is validated on an agent's.",
    };
  });
}
