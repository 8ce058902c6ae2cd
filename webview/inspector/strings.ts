/** The texts of the side panel. Functions, because the language is set after the modules are loaded. */
import * as l10n from '@vscode/l10n';
import { certaintyText } from '../../src/core/external/certainty.ts';
import { shortfallText } from '../../src/core/external/shortfall.ts';
import type {
  InspectorState,
  JudgementView,
  MetricsView,
  PerspectiveView,
} from '../../src/features/inspector/contract/panel.ts';
import { rankOf, type PerspectiveCoverage } from '../../src/core/coverage-states.ts';
import type { Measured } from '../../src/core/measured.ts';
import {
  capitalized,
  coveredText,
  judgedPairsText,
  measuredText,
  nothingJudged,
  sentence,
  shortStateText,
  stateText,
  unjudgedCounts,
  verdictBy,
} from '../../src/core/facts.ts';
import type { SearchKind } from '../../src/core/pipeline.ts';
import { decimals } from '../components/figures.ts';
import { counted } from '../../src/core/counted.ts';
import { listed } from '../components/language.ts';
import { number, percent, words } from '../components/words.ts';
import { methodName } from './pipeline-edit.ts';

type Verdict = JudgementView['verdict'];
type Stance = NonNullable<PerspectiveView['stance']>;
type Results = NonNullable<InspectorState['results']>;
type Method = NonNullable<Results['projectionSlider']>['method'];
type IndexedCorpus = Extract<InspectorState['corpus'], { state: 'indexed' }>;

const hundredths = decimals(2);

const passageCount = (n: number): string => counted(l10n.t('{0} [0:passage|passages]'), n);

function stanceHint({ stance, stanceBy }: Pick<PerspectiveView, 'stance' | 'stanceBy'>): string {
  if (!stance) return l10n.t('Set whether it supports or opposes the question');
  if (stanceBy === 'model')
    return stance === 'support'
      ? l10n.t('Supports the question (a model proposed it, somebody accepted it). Click to change')
      : l10n.t('Opposes the question (a model proposed it, somebody accepted it). Click to change');
  return stance === 'support'
    ? l10n.t('Supports the question. Click to change')
    : l10n.t('Opposes the question. Click to change');
}

function proposal(stance: Stance | 'neither', model: string): string {
  switch (stance) {
    case 'support':
      return l10n.t`Supports? Proposed by ${model}`;
    case 'oppose':
      return l10n.t`Opposes? Proposed by ${model}`;
    case 'neither':
      return l10n.t`Neither side? Proposed by ${model}`;
  }
}

function searchKind(search: SearchKind, milliseconds: number): string {
  const ms = milliseconds < 1 ? '< 1' : number.format(Math.round(milliseconds));
  switch (search) {
    case 'exact':
      return l10n.t`exact search, ${ms} ms`;
    case 'int8':
      return l10n.t`int8 scan, the best rescored exactly, ${ms} ms`;
    case 'approximate':
      return l10n.t`approximate search, ${ms} ms`;
  }
}

/** How to read the weight of a projection. */
function weightMeaning(method: Method): string {
  return method === 'pap' || method === 'pap+'
    ? l10n.t(
        '0 searches with question and perspective as they are, 1 takes the perspective out of their vector as in the paper, 2 turns it to the other side.',
      )
    : l10n.t('The higher the weight, the more the perspective counts; 1 is the paper’s.');
}

function movement(ranks: number): string {
  if (ranks === 0) return l10n.t('Same rank as before');
  return ranks > 0
    ? counted(l10n.t('Up {0} [0:rank|ranks]'), ranks)
    : counted(l10n.t('Down {0} [0:rank|ranks]'), -ranks);
}

/** How the results of a foreign retriever were recognised. */
function matches({ id, text, fuzzy, foreign }: NonNullable<Results['matches']>): string {
  const ways = listed([
    ...(id > 0 ? [l10n.t`${id} by id`] : []),
    ...(text > 0 ? [l10n.t`${text} by equal text`] : []),
    ...(fuzzy > 0 ? [l10n.t`${fuzzy} by similar text`] : []),
  ]);
  const recognised = id + text + fuzzy;
  const share = l10n.t`Your retriever: ${recognised} of ${recognised + foreign} results recognised`;
  return sentence(
    [
      ways === '' ? share : `${share} (${ways})`,
      ...(foreign > 0 ? [l10n.t`${foreign} not in the index, judged apart`] : []),
    ].join('; '),
  );
}

/** Not all passages are embedded, so some of the best may be missing. */
function meaning({ embedded, of }: NonNullable<Results['meaning']>): string {
  return counted(l10n.t('Meaning: {0} of {1} [1:passage|passages] so far'), embedded, of);
}

export const strings = {
  inYourCode: () => l10n.t('In your code'),
  // First use
  noFolderTitle: () => l10n.t('No folder is open'),
  noFolder: () =>
    l10n.t(
      'Open a folder with the documents that your program retrieves from, and Parallax can search them.',
    ),
  openFolder: () => l10n.t('Open Folder'),
  notIndexed: (roots: readonly string[]) =>
    roots.length === 0
      ? words.readsOnce()
      : roots.includes('.')
        ? l10n.t('Parallax reads the documents of this folder once, and later only what changed.')
        : l10n.t`Parallax reads the documents in ${listed(roots)} once, and later only what changed.`,
  storeOffer: (store: string) =>
    l10n.t(
      'Your pipelines search {0}. If all passages are in it, nothing has to be indexed here: give the corpus that store in parallax.json, as in "corpora": { "articles": { "store": { … } } }.',
      store,
    ),
  nothingToRead: () =>
    l10n.t(
      'It has no documents yet. Documents are, for example, Markdown, plain text, HTML, PDF and Word files, notebooks, and records in JSON, CSV or Parquet.',
    ),
  wouldBeIndexed: () => l10n.t('What to index'),
  filesOf: (n: number, kinds: readonly string[]) =>
    kinds.length === 0
      ? counted(l10n.t('{0} [0:file|files]'), n)
      : counted(l10n.t('{0} [0:file|files] ({1})'), n, kinds.join(', ')),
  unread: (kinds: readonly { readonly extension: string; readonly files: number }[], others: number) => {
    const named = kinds.map(({ extension, files }) => `${number.format(files)} ${extension}`);
    return others > 0
      ? counted(
          l10n.t('Not read: {1} and {0} more [0:file|files]. These kinds cannot be read.'),
          others,
          named.join(', '),
        )
      : l10n.t`Not read: ${listed(named)}. These kinds cannot be read.`;
  },
  ignored: (places: readonly string[], others: number) =>
    others > 0
      ? counted(
          l10n.t(
            'Left out by .gitignore: {1} and {0} [0:other|others]. To index them, add them to "roots" in parallax.json.',
          ),
          others,
          places.join(', '),
        )
      : l10n.t`Left out by .gitignore: ${listed(places)}. To index them, add them to "roots" in parallax.json.`,
  otherCorpora: () => l10n.t('Also in this workspace'),
  besideFolders: () => l10n.t('Files outside folders'),
  codeToo: (n: number) => counted(l10n.t('Also code and settings: {0} [0:file|files]'), n),
  askTitle: () => l10n.t('Ask a question that people disagree about'),
  ask: () =>
    l10n.t(
      'Parallax retrieves passages for it and shows which perspectives they support and which they miss.',
    ),
  evalQueries: () => l10n.t('From your eval sets:'),
  modelOffer: () => l10n.t('You judge what a passage supports, or a model does.'),
  noResultsTitle: () => l10n.t('Nothing was retrieved'),
  noResults: () =>
    l10n.t(
      'No passage of the corpus matched. Rephrase the question, or choose another retriever under Pipeline.',
    ),

  // Query
  query: () => l10n.t('Question'),
  queryPlaceholder: () => l10n.t('Ask a question…'),
  queryHelp: () =>
    l10n.t('Enter searches. Shift and Enter starts a new line. Arrow up walks through the history.'),
  search: () => l10n.t({ message: 'Search', comment: 'A button: a verb' }),
  searching: () => l10n.t('Searching…'),
  suggestions: () => l10n.t('Suggested questions'),
  fromHistory: () => l10n.t('asked before'),
  clearHistory: () => l10n.t('Clear history'),

  // Controls
  settings: () => l10n.t('Retrieval and judge'),
  pipeline: () => l10n.t('Pipeline'),
  customPipeline: () => l10n.t({ message: 'Custom (not saved)', comment: 'A pipeline that has no name' }),
  corpus: () => l10n.t('Corpus'),
  pipelineDetails: () => l10n.t('Pipeline settings'),
  retriever: () => l10n.t('Retriever'),
  retrieverTypes: () => ({
    bm25: l10n.t('Words (BM25)'),
    dense: l10n.t({ message: 'Meaning', comment: 'What is searched by' }),
    hybrid: l10n.t('Words and meaning'),
  }),
  embedder: () => l10n.t('Embedder'),
  k: () => 'k',
  candidates: () => l10n.t('Candidates'),
  candidatesShort: (n: number) => counted(l10n.t('{0} [0:candidate|candidates]'), n),
  pipelineJson: () => l10n.t('Pipeline as JSON'),
  copyJson: () => l10n.t('Copy pipeline as JSON'),
  copied: () => l10n.t('Copied.'),
  copyFailed: () => l10n.t('The clipboard is not available: select the text and copy it.'),
  corpusSize: ({ documents, passages, store }: IndexedCorpus) =>
    store === undefined
      ? listed([counted(l10n.t('{0} [0:document|documents]'), documents), passageCount(passages)])
      : passages === 0
        ? store
        : l10n.t`${passageCount(passages)} in ${store}`,
  skipped: (n: number) => l10n.t`${number.format(n)} skipped`,
  showSkipped: (n: number) => counted(l10n.t('Show the {0} [0:file|files] that could not be read'), n),
  reindex: ({ name, store }: IndexedCorpus) =>
    store === undefined ? l10n.t`Update the index of ${name}` : l10n.t`Ask ${store} whether it answers`,

  // Perspectives
  perspectives: () => l10n.t('Perspectives'),
  perspectiveSource: (source: InspectorState['perspectiveSource']) =>
    ({
      none: '',
      'eval-set': l10n.t('The perspectives are those of the eval set.'),
      // Typed, or accepted from a model's proposals.
      typed: l10n.t('The perspectives are not in an eval set.'),
    })[source],
  addToEvalSet: () => l10n.t('Add to eval set'),
  useAlternative: (source: InspectorState['perspectiveSource'], n: number) =>
    source === 'eval-set'
      ? counted(l10n.t('Use the {0} of the eval set'), n)
      : counted(l10n.t('Use the {0} that you had'), n),
  noPerspectives: () =>
    l10n.t(
      'Perspectives are the statements that a complete answer must cover. Without them Parallax ranks passages, but cannot say what is missing.',
    ),
  addPerspectives: () => l10n.t('Add Perspectives'),
  editPerspectives: () => l10n.t('Edit perspectives'),
  suggestPerspectives: (model: string | undefined) =>
    model === undefined ? l10n.t('Suggest with Model') : l10n.t`Suggest with ${model}`,
  nothingProposed: (by: string) => l10n.t`${by} proposes nothing new.`,
  takeProposed: (n: number) => counted(l10n.t('Add {0} [0:Perspective|Perspectives]'), n),
  dismissProposed: () => l10n.t('Dismiss'),
  perspectivesHelp: () => l10n.t('One statement each. Paste several lines to add several.'),
  perspectivePlaceholder: () => l10n.t('A statement that an answer should cover'),
  perspectiveField: (letter: string) => l10n.t`Perspective ${letter}`,
  addPerspective: () => l10n.t('Add'),
  removePerspective: (letter: string) => l10n.t`Remove perspective ${letter}`,
  savePerspectives: () => l10n.t('Save'),
  cancelEdit: () => l10n.t('Cancel'),
  stance: (stance: Stance | undefined) => {
    if (stance === undefined) return l10n.t('set stance');
    return stance === 'support' ? l10n.t('supports') : l10n.t('opposes');
  },
  stanceHint,
  changeStance: (letter: string, stance: Stance | undefined) => {
    if (stance === undefined) return l10n.t`Set the stance of ${letter}`;
    return stance === 'support'
      ? l10n.t`${letter} supports the question. Change`
      : l10n.t`${letter} opposes the question. Change`;
  },
  stanceOf: (letter: string) => l10n.t`Stance of ${letter}`,
  stanceChoice: (stance: Stance | undefined) => {
    if (stance === undefined) return l10n.t({ message: 'None', comment: 'No stance' });
    return stance === 'support' ? l10n.t('Supports') : l10n.t('Opposes');
  },
  proposeStances: (model: string | undefined) =>
    model === undefined
      ? l10n.t('Ask the model which perspectives support and which oppose the question')
      : l10n.t`Ask ${model} which perspectives support and which oppose the question`,
  proposal,
  proposalHint: (model: string) =>
    l10n.t`${model} proposed this. It does not count until you accept or correct it.`,
  stances: () => l10n.t('For or against'),
  acceptStance: (letter: string, stance: Stance) =>
    stance === 'support'
      ? l10n.t`Accept: ${letter} supports the question`
      : l10n.t`Accept: ${letter} opposes the question`,
  correctStance: (letter: string, stance: Stance) =>
    stance === 'support'
      ? l10n.t`Correct: ${letter} supports the question`
      : l10n.t`Correct: ${letter} opposes the question`,
  rejectStance: (letter: string) => l10n.t`Reject the proposal for ${letter}`,
  coverage: (coverage: PerspectiveCoverage, k: number) => capitalized(stateText(coverage, k)),
  shortCoverage: (coverage: PerspectiveCoverage) => shortStateText(coverage.where, rankOf(coverage)),
  goToRank: (rank: number) => l10n.t`Go to rank ${rank}`,
  open: () => l10n.t({ message: 'Open', comment: 'A button: a verb' }),
  openLost: (letter: string) => l10n.t`Open the passage that supports ${letter}`,

  // Metrics
  metrics: () => l10n.t('Coverage'),
  mrecall: (k: number) => `MRecall@${k}`,
  precision: (k: number) => `Precision@${k}`,
  judged: () => l10n.t('Judged'),
  nothingJudged,
  nothingJudgedYet: () => l10n.t('Whether these passages cover them is not known yet.'),
  notJudged: () => capitalized(nothingJudged()),
  perspectivesCovered: (perspectives: number) =>
    counted(l10n.t('[0:perspective|perspectives] covered'), perspectives),
  judgedBy: ({ sources, judgedPairs, pairs }: MetricsView) => judgedPairsText(judgedPairs, pairs, sources),
  labelPairs: (n: number) => counted(l10n.t('Label {0} [0:Pair|Pairs]'), n),
  coveredValue: ({ covered }: MetricsView, perspectives: number) =>
    l10n.t`${measuredText(covered, number.format)} of ${perspectives}`,
  mrecallValue: (mrecall: Measured) => measuredText(mrecall, number.format),
  mrecallNote: () => l10n.t('all or nothing'),
  precisionValue: (precision: Measured) => measuredText(precision, percent.format),
  precisionNote: (precision: Measured, k: number) =>
    counted(
      l10n.t('{0} of {1} [1:passage|passages]'),
      measuredText(precision, (share) => number.format(Math.round(share * k))),
      k,
    ),
  judgedValue: ({ judgedPairs, pairs }: MetricsView) =>
    pairs === 0 ? words.none() : l10n.t`${judgedPairs} of ${pairs}`,
  judgedNote: () => l10n.t('pairs'),
  mayRise: (unjudged: number) =>
    counted(l10n.t('{0} [0:pair is|pairs are] unjudged, so the figures can still rise.'), unjudged),
  unsurePairs: (unsure: number) =>
    counted(l10n.t('{0} unsure [0:verdict counts|verdicts count] as no support.'), unsure),
  mrecallDefinition: (k: number) =>
    l10n.t`1 when the first ${k} passages cover all perspectives (or ${k} of them, when there are more), otherwise 0.`,
  precisionDefinition: (k: number) =>
    l10n.t`Share of the first ${k} places with a passage that supports at least one perspective.`,
  judgedDefinition: () => `${l10n.t('Pairs of passage and perspective with a verdict.')} ${unjudgedCounts()}`,
  searchKind,
  stale: () => l10n.t('Out of date: corpus, pipeline or perspectives changed since.'),
  searchAgain: () => l10n.t('Search Again'),
  judgePairs: (n: number) => counted(l10n.t('Judge {0} Unjudged [0:Pair|Pairs]'), n),

  // The what-if slider
  whatIfFusion: () => l10n.t('What if: words ↔ meaning'),
  whatIfFusionHint: () =>
    l10n.t(
      'Reorders the candidates by another weight of meaning. Left uses only words; right uses only meaning.',
    ),
  whatIfFusionWeight: () => l10n.t('Weight of meaning'),
  whatIfFusionValue: (weight: number) =>
    l10n.t`words ${hundredths(1 - weight)}, meaning ${hundredths(weight)}`,
  whatIf: () => l10n.t('What if: more variety (MMR)'),
  whatIfHint: () =>
    l10n.t(
      'Reorders the candidates by maximal marginal relevance (MMR). Left keeps the order; right prefers passages that differ from those above.',
    ),
  whatIfDiversity: () => l10n.t('Weight on diversity'),
  whatIfValue: (lambda: number) =>
    l10n.t`relevance ${hundredths(lambda)}, diversity ${hundredths(1 - lambda)}`,
  whatIfProjection: (method: Method) =>
    method === 'pap' || method === 'pap+'
      ? l10n.t`What if: perspectives projected out (${methodName(method)})`
      : l10n.t`What if: ${methodName(method)}`,
  whatIfProjectionHint: (method: Method) => {
    const hint = l10n.t`Reorders the candidates as a search for each perspective with ${methodName(method)} at this weight would; a real search may find others.`;
    return `${hint} ${weightMeaning(method)}`;
  },
  whatIfWeight: () => l10n.t('Weight of the perspective'),
  whatIfWeightValue: (weight: number) => l10n.t`weight ${hundredths(weight)}`,
  whatIfNote: (candidates: number, isReranked: boolean) => {
    const note = counted(
      l10n.t(
        'Only the {0} [0:candidate|candidates] of this search [0:is|are] reordered: a search with this weight may find others.',
      ),
      candidates,
    );
    return isReranked ? `${note} ${l10n.t('The rerankers of the pipeline are not run again.')}` : note;
  },
  whatIfOff: () => l10n.t('off'),
  whatIfInUse: () => l10n.t('Reordered to try it out; the pipeline is unchanged.'),
  whatIfEnd: () => l10n.t({ message: 'Reset', comment: 'A button: a verb' }),
  whatIfAdopt: () => l10n.t('Use in Pipeline'),
  movement,

  // Matrix
  matrixCaption: () =>
    l10n.t(
      'Verdict for every perspective and rank. Arrow keys move between the cells; Y, N and U label the cell with yes, no or unsure, and go on to the next unjudged one.',
    ),
  matrixCorner: () => l10n.t('Perspective'),
  rank: (rank: number) => l10n.t`Rank ${rank}`,
  matrixCell: (letter: string, rank: number, verdict: string) =>
    l10n.t`${letter} at rank ${rank}: ${verdict}. Label`,
  matrixCut: (shown: number, all: number) => l10n.t`The first ${shown} of ${all} ranks.`,
  verdict: (verdict: Verdict): string =>
    ({
      yes: l10n.t({ message: 'yes', comment: 'The passage supports the perspective' }),
      no: l10n.t({ message: 'no', comment: 'The passage does not support the perspective' }),
      unsure: l10n.t('unsure'),
      unjudged: l10n.t('unjudged'),
    })[verdict],
  judging: () => l10n.t('being judged'),

  // Labelling
  labelling: (letter: string, rank: number) => l10n.t`Label ${letter} at rank ${rank}`,
  closeLabelling: () => l10n.t('Stop labelling'),
  allLabelled: () => l10n.t('Every pair of this passage is judged.'),
  verdictKey: (verdict: string, key: string) => l10n.t`${verdict} (key ${key})`,
  labelled: (letter: string, rank: number, verdict: string) => l10n.t`${letter} at rank ${rank}: ${verdict}.`,
  labelNext: (letter: string, rank: number) => l10n.t`Next: ${letter} at rank ${rank}.`,
  judgedSoFar: ({ covered, judgedPairs, pairs }: MetricsView, perspectives: number) =>
    sentence(listed([coveredText(covered, perspectives), judgedPairsText(judgedPairs, pairs)])),

  // Results
  passages: ({ items, likeness }: Results) => {
    const documents = new Set(items.map(({ path }) => path)).size;
    const from = counted(
      l10n.t('{0} [0:passage|passages] from {1} [1:document|documents]'),
      items.length,
      documents,
    );
    const repeats = likeness?.repeats.length ?? 0;
    if (repeats === 0) return from;
    return `${from} · ${counted(l10n.t('{0} of {1} [0:repeats|repeat] another'), repeats, items.length)}`;
  },
  more: () => l10n.t('More about these passages'),
  split: ({ root, perspective }: NonNullable<Results['splits']>[number]) =>
    perspective === undefined
      ? l10n.t('The model finds no perspective in the question, so it is searched as it is.')
      : l10n.t`Split by the model: root “${root}”, perspective “${perspective}”.`,
  matches,
  short: shortfallText,
  meaning,
  certainty: certaintyText,
  /** Appended to a path, as editors write it. */
  lines: (lines: { first: number; last: number } | undefined) => {
    if (!lines) return '';
    return lines.first === lines.last ? `:${lines.first}` : `:${lines.first}–${lines.last}`;
  },
  score: (score: string) => l10n.t`Score ${score}`,
  openPassage: (title: string) => l10n.t`Open ${title}`,
  expand: () => l10n.t('Show the whole passage and its verdicts'),
  collapse: () => l10n.t('Show less'),
  openEvidence: (letter: string, text: string) => l10n.t`Open at the evidence for ${letter}: ${text}`,
  openAtEvidence: () => l10n.t('Open evidence'),
  openEvidenceOf: (letter: string) => l10n.t`Open the evidence for ${letter}`,
  supportsNone: () => l10n.t('supports none'),
  verdicts: () => l10n.t('Verdicts'),
  saidBy: (source: NonNullable<JudgementView['source']>, judge: string | undefined) =>
    verdictBy({ source, judge: judge ?? l10n.t('an unnamed judge') }),
  confidence: (confidence: number) => l10n.t`${percent.format(confidence)} likely to support`,
  yourVerdict: (letter: string) => l10n.t`Your verdict for ${letter}`,
  verdictChoice: (verdict: Verdict): string => capitalized(strings.verdict(verdict)),
  evidenceNotFound: () => l10n.t('quotes words that are not in the passage'),
  verdictWithDoubt: (verdict: Verdict | 'unjudged', evidenceNotFound: boolean): string =>
    evidenceNotFound
      ? `${strings.verdict(verdict)} · ${strings.evidenceNotFound()}`
      : strings.verdict(verdict),
  evidenceFor: (text: string) => l10n.t`Evidence for: ${text}`,
  showMore: (n: number) => l10n.t`Show ${n} More`,

  // Announcements
  taskEnded: (title: string) => l10n.t`${title}: ended.`,
  stancesProposed: (n: number) =>
    n === 0
      ? l10n.t('No stances proposed')
      : counted(l10n.t('{0} [0:stance|stances] proposed, to accept, correct or reject'), n),
  answered: (passages: number, { covered, judgedPairs }: MetricsView, perspectives: number) =>
    perspectives === 0
      ? passageCount(passages)
      : listed([
          passageCount(passages),
          judgedPairs === 0 ? nothingJudged() : coveredText(covered, perspectives),
        ]),
};
