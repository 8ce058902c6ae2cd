/** Plans the pipelines and questions to run for a call site. */
import * as l10n from '@vscode/l10n';
import { whatIfs, type WhatIf, type WhatIfOptions } from '../features/lens/core/what-ifs.ts';
import { parsePipeline, type Pipeline } from '../core/pipeline.ts';
import { missingCorpusText, needsOf } from '../core/pipeline-needs.ts';
import { BERDS_SPLIT, splitterOf, type SplitSpec } from '../core/split/spec.ts';
import type { ParallaxConfig } from '../shared/config.ts';
import type { EvalQuery } from '../shared/eval-query.ts';
import { untrustedText } from '../shared/untrusted.ts';
import type { CallSite } from './model.ts';
import { isRebuilt, rebuild, type NotRebuilt, type Origin, type Rebuilt } from './rebuild.ts';

export interface SiteWorkspace {
  readonly config: ParallaxConfig;
  readonly evalQueries: readonly EvalQuery[];
  readonly trusted: boolean;
}

export interface SitePlan {
  readonly origin: Origin;
  readonly boundTo: string | undefined;
  /** The call itself, under its name in the compare panel. */
  readonly base: { readonly name: string; readonly pipeline: Pipeline };
  readonly whatIfs: readonly WhatIf[];
  readonly evalSet: string;
  readonly corpus: string;
  readonly caveats: readonly string[];
  /**
   * `built-in encoder, 100-word passages`: what replaces the program's own model and splitter if the call is not bound.
   */
  readonly standIn?: string | undefined;
}

export interface NotPlanned {
  readonly reason: NotRebuilt['reason'] | 'bad-config' | 'no-eval-set' | 'no-corpus' | 'untrusted';
  /** A sentence for the user. */
  readonly message: string;
}

/**
 * @param file path of the program relative to the workspace folder
 */
export function planSite(site: CallSite, file: string, workspace: SiteWorkspace): SitePlan | NotPlanned {
  const { config, trusted } = workspace;
  if (!trusted) return { reason: 'untrusted', message: untrustedText() };
  const rebuilt = rebuild(site, file, config);
  if (!isRebuilt(rebuilt)) return rebuilt;
  const target = targetOf(site, workspace);
  if ('reason' in target) return target;
  const { corpus, tried } = target;
  const name = siteName(site, rebuilt);
  return {
    origin: rebuilt.origin,
    boundTo: rebuilt.boundTo,
    base: { name, pipeline: rebuilt.pipeline },
    whatIfs: whatIfs(rebuilt.pipeline, tried).filter((whatIf) => whatIf.name !== name),
    evalSet: target.evalSet,
    corpus,
    standIn:
      rebuilt.origin === 'rebuilt' && rebuilt.boundTo === undefined
        ? [rebuilt.standsIn ?? [], passagesText(config.corpora[corpus]?.split)].flat().join(', ')
        : undefined,
    caveats: [
      ...rebuilt.caveats,
      ...target.caveats,
      ...(site.assumesTopToBottom ? [l10n.t('Read as if the cells are run from top to bottom.')] : []),
    ],
  };
}

/** The results of a call in a running program for the questions of an eval set. */
export interface LiveMeasurement {
  /** The file of the run. */
  readonly file: string;
  readonly k: number;
  /** Whether the run has passages beyond k, from which a reranker can choose. */
  readonly hasPool: boolean;
}

/** Scores the results of a running call, and tries what-ifs on them. */
export function planMeasured(
  site: CallSite,
  { file, k, hasPool }: LiveMeasurement,
  workspace: SiteWorkspace,
): SitePlan | NotPlanned {
  if (!workspace.trusted) return { reason: 'untrusted', message: untrustedText() };
  const target = targetOf(site, workspace);
  if ('reason' in target) return target;
  const { corpus, evalSet, tried, caveats } = target;
  const pipeline = parsePipeline({ retriever: { type: 'run', file }, k });
  return {
    origin: 'measured',
    boundTo: undefined,
    base: { name: `${site.callee} (measured)`, pipeline },
    whatIfs: hasPool ? whatIfs(pipeline, { ...tried, bestOrder: true }) : [],
    evalSet,
    corpus,
    caveats,
  };
}

interface Target {
  readonly corpus: string;
  readonly evalSet: string;
  readonly tried: WhatIfOptions;
  readonly caveats: readonly string[];
}

/** The corpus in which passages are recognised, and the questions. */
function targetOf(site: CallSite, { config, evalQueries }: SiteWorkspace): Target | NotPlanned {
  const corpus = config.corpus ?? Object.keys(config.corpora)[0];
  if (corpus === undefined) return { reason: 'no-corpus', message: missingCorpusText(config) };
  const evalSets = [...new Set(evalQueries.map(({ evalSet }) => evalSet))];
  const evalName = site.comment?.eval;
  const evalSet = evalName === undefined ? evalSets[0] : findEvalSet(evalSets, evalName);
  if (evalSet === undefined)
    return {
      reason: 'no-eval-set',
      message:
        evalName === undefined
          ? l10n.t(
              'There is no eval set yet. Ask a question in the side panel, give it perspectives, and add it with the flask.',
            )
          : l10n.t`parallax.json names no eval set called "${evalName}".`,
    };
  const hasPerspectives = evalQueries.some(
    (query) => query.evalSet === evalSet && query.perspectives.length > 0,
  );
  const caveats =
    evalName === undefined && evalSets.length > 1
      ? [
          l10n.t`Asked on the first of ${evalSets.length} eval sets; a comment "parallax: eval=name" chooses another.`,
        ]
      : [];
  const [crossEncoder] = Object.values(config.pipelines).flatMap(
    (pipeline) => needsOf(pipeline).crossEncoders,
  );
  return { corpus, evalSet, tried: { hasPerspectives, crossEncoder }, caveats };
}

/** How the corpus is split, in two words. The program's own splitter is unknown. */
function passagesText(split: SplitSpec = BERDS_SPLIT): string {
  return splitterOf(split).text(split);
}

/** A unique name for the pipeline of a call. */
export function siteName(
  { callee }: Pick<CallSite, 'callee'>,
  { boundTo }: Pick<Rebuilt, 'boundTo'>,
): string {
  return boundTo ?? `${callee} (rebuilt)`;
}

export function isPlanned(planned: SitePlan | NotPlanned): planned is SitePlan {
  return 'base' in planned;
}

/** By its path, its file name, or the name up to any dot in it: `faq` is `eval/faq.parallax.jsonl`. */
export function findEvalSet(evalSets: readonly string[], name: string): string | undefined {
  const file = (path: string): string => path.split('/').at(-1) ?? path;
  return (
    evalSets.find((path) => path === name || file(path) === name) ??
    evalSets.find((path) => file(path).startsWith(`${name}.`))
  );
}
