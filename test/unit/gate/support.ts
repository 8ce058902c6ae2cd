/** Small gates by hand: queries with two perspectives, `pro` and `con`, each supported by one passage. */
import type { EvaluatedDataset } from '../../../src/features/gate/core/evaluated.ts';
import { gateReport, type GateInput } from '../../../src/features/gate/core/gate.ts';
import { baselineOf } from '../../../src/features/gate/core/accept.ts';
import type { Baseline } from '../../../src/features/gate/core/baseline.ts';
import { gateSchema, type GateSpec } from '../../../src/features/gate/core/spec.ts';
import type { Run } from '../../../src/core/model.ts';
import { parsePipeline, type Pipeline } from '../../../src/core/pipeline.ts';
import type { Written } from '../../../src/core/read.ts';

const AT = '2026-01-02T03:04:05.000Z';

/** Whether the top 2 cover both perspectives, one or none. */
export type Cover = 'both' | 'one' | 'none';

const RANKINGS: Readonly<Record<Cover, readonly string[]>> = {
  both: ['pro', 'con', 'other'],
  one: ['pro', 'other', 'con'],
  none: ['other', 'noise', 'pro'],
};

export interface DatasetOptions {
  readonly name?: string;
  readonly fingerprint?: string;
  readonly sample?: EvaluatedDataset['corpus']['sample'];
  readonly judge?: string;
  readonly tags?: Readonly<Record<string, readonly string[]>>;
  readonly pipeline?: Pipeline;
  readonly digest?: string;
  /** Queries whose `con` passage is judged not to support. */
  readonly unsupported?: readonly string[];
  /** Queries with all passages judged for both perspectives. Other queries have only supporting judgements. */
  readonly whole?: readonly string[];
}

export function run(covers: Readonly<Record<string, Cover>>): Run {
  return new Map(
    Object.entries(covers).map(([id, cover]) => [
      id,
      RANKINGS[cover].map((kind, place) => ({ item: `${kind} of ${id}`, score: -place })),
    ]),
  );
}

/** A data set of one pipeline per entry, by name. */
export function dataset(
  pipelines: Readonly<Record<string, Readonly<Record<string, Cover>>>>,
  options: DatasetOptions = {},
): EvaluatedDataset {
  const {
    name = 'set',
    fingerprint = 'f1',
    sample,
    judge = 'labels',
    tags = {},
    unsupported = [],
    whole = [],
  } = options;
  const ids = Object.keys(Object.values(pipelines)[0]!);
  return {
    name,
    evalSet: `eval/${name}.jsonl`,
    file: `eval/${name}.jsonl`,
    corpus: { name: 'docs', fingerprint, passages: 100, ...(sample ? { sample } : {}) },
    queries: ids.map((id, place) => ({
      id,
      text: `question ${id}`,
      perspectives: [
        { id: 'pro', text: `for ${id}` },
        { id: 'con', text: `against ${id}` },
      ],
      tags: tags[id],
      line: place + 1,
      digest: options.digest ?? `digest ${id}`,
    })),
    qrels: new Map(
      ids.map((id) => [
        id,
        new Map([
          ['pro', new Map([...(whole.includes(id) ? allOf(id) : []), [`pro of ${id}`, 1]])],
          [
            'con',
            new Map([
              ...(whole.includes(id) ? allOf(id) : []),
              [`con of ${id}`, unsupported.includes(id) ? 0 : 1],
            ]),
          ],
        ]),
      ]),
    ),
    judgements: {
      judge,
      pairs: ids.length * 4,
      judged: ids.length * 2,
      by: [{ source: 'human', judge: 'people', count: ids.length * 2, heuristic: false }],
    },
    pathOf: (passage) => `docs/${passage}.md`,
    pipelines: Object.entries(pipelines).map(([pipelineName, covers]) => ({
      name: pipelineName,
      pipeline: options.pipeline ?? parsePipeline({ retriever: { type: 'bm25' }, k: 2 }),
      models: {},
      run: run(covers),
      times: new Map(ids.map((id, place) => [id, place + 0.5])),
    })),
  };
}

/** Every passage of a query, judged as not supporting. */
function allOf(id: string): [string, number][] {
  return ['pro', 'con', 'other', 'noise'].map((kind) => [`${kind} of ${id}`, 0]);
}

export function spec(gate: Partial<Written<typeof gateSchema>>): GateSpec {
  return gateSchema.parse({ pipelines: ['bm25'], k: 2, ...gate });
}

export function report(
  gate: Partial<Written<typeof gateSchema>>,
  datasets: EvaluatedDataset | readonly EvaluatedDataset[],
  baseline?: Baseline,
): ReturnType<typeof gateReport> {
  const input: GateInput = {
    spec: spec(gate),
    datasets: Array.isArray(datasets) ? datasets : [datasets as EvaluatedDataset],
    judge: 'labels',
    at: AT,
    ...(baseline ? { baseline: { file: '.parallax/baselines/main.json', content: baseline } } : {}),
  };
  return gateReport(input);
}

export function accepted(
  datasets: EvaluatedDataset | readonly EvaluatedDataset[],
  gate: Partial<Written<typeof gateSchema>> = {},
): Baseline {
  return baselineOf(report(gate, datasets));
}

/** `q1` … `qn`, all with the same cover. */
export function all(count: number, cover: Cover): Record<string, Cover> {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`q${i + 1}`, cover]));
}
