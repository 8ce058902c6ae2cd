/** A captured retrieval as a line of a file. */
import type { Result } from '../../../shared/rpc.ts';

type Written = Pick<
  Result<'takeCaptured'>['retrievals'][number],
  'query' | 'results' | 'at' | 'name' | 'service' | 'step' | 'run' | 'question'
>;

/** JSON that retrievers of type `run` read, with the line break. */
export function capturedLine({ query, results, at, name, service, step, run, question }: Written): string {
  const passages = results.map(({ about, ...result }) => {
    const { fields, ...origin } = about ?? {};
    return about ? { ...result, metadata: { ...fields, ...origin } } : result;
  });
  const line = {
    query,
    results: passages,
    at: new Date(at).toISOString(),
    name,
    service,
    step,
    run,
    question,
  };
  return `${JSON.stringify(line)}\n`;
}
