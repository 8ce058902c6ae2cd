/** What became of building, in sentences. */
import type { BuildEffort, BuildReportView } from '../../shared/building.ts';
import type { Result } from '../../shared/rpc.ts';
import type { BuildPlan } from './build-controller.ts';

const count = (number: number, one: string, many = `${one}s`): string =>
  `${number} ${number === 1 ? one : many}`;

/** What is asked before anything is paid for: a question, and what it rests on. */
export function planText({ generator, judge, effort, budget }: BuildPlan): {
  question: string;
  detail: string;
} {
  const { wanted, requests, judgePairs, questions, badLines, problems } = effort;
  const range =
    requests.least === requests.most ? `${requests.most}` : `${requests.least} to ${requests.most}`;
  const lines = [
    ...(questions
      ? [
          `${count(questions.read, 'question')} read, ${questions.distinct} of them different, ${questions.known} proposed before.`,
        ]
      : []),
    ...(badLines > 0 ? [`${count(badLines, 'line')} without a question. ${problems[0] ?? ''}`] : []),
    `${range} requests${judgePairs > 0 ? ` and up to ${count(judgePairs, 'pair')} to judge by ${judge ?? ''}` : ''} if all of it is of use; what is not costs as much again for something else in its place.`,
    `At most ${count(budget, 'request')} are sent. Replies are kept and never asked for again.`,
  ];
  return { question: `Have ${generator} propose ${count(wanted, 'draft')}?`, detail: lines.join('\n') };
}

const ENDS: Readonly<Record<BuildReportView['end'], string>> = {
  enough: '',
  exhausted: 'Nothing is left to make drafts from.',
  budget: 'The budget is spent; build again to go on.',
  cancelled: 'Cancelled; build again to go on.',
  failed: 'Stopped, because the model cannot be asked.',
};

/** @param report absent where nothing had to be done */
export function builtText(report: BuildReportView | undefined, { questions, wanted }: BuildEffort): string {
  if (!report)
    return questions && questions.known === questions.distinct && wanted === 0
      ? 'All of these questions were proposed before.'
      : 'As many drafts as you want wait for review already.';
  const { end, proposed, filtered, waiting, requests, failed, problems, leftOut } = report;
  const useless = Object.values(leftOut).reduce((sum, times) => sum + times, 0);
  return [
    `${count(proposed, 'draft')} added, ${waiting} wait for review (${count(requests, 'request')}).`,
    ...(filtered > 0 ? [`${count(filtered, 'question')} about personal experience kept as filtered.`] : []),
    ...(useless > 0 ? [`Of ${useless} others nothing came.`] : []),
    ...(failed > 0 ? [`${failed} failed: ${problems[0] ?? ''}`] : []),
    ENDS[end],
  ]
    .filter(Boolean)
    .join(' ');
}

export function acceptedText({ added, already, waiting, queued, warnings }: Result<'acceptDrafts'>): string {
  return [
    `${count(added, 'draft')} added to the eval set (${already} were there), ${waiting} wait for review.`,
    ...(queued > 0
      ? [`${count(queued, 'pair')} of passage and perspective to review before they count.`]
      : []),
    ...(warnings.length > 0 ? [`${count(warnings.length, 'line')} left out: ${warnings[0]}`] : []),
  ].join(' ');
}

export function labelSetText({ added, duplicates, leftOut }: Result<'labelSet'>, queries: number): string {
  return [
    `${count(added, 'pair')} of ${count(queries, 'question')} to review.`,
    ...(duplicates > 0 ? [`${count(duplicates, 'near-duplicate')} left out.`] : []),
    ...(leftOut > 0 ? [`${leftOut} found no room in the queue.`] : []),
  ].join(' ');
}
