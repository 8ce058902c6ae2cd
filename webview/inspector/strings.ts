/** Every word that the side panel shows or says. Functions, so that translations can be put behind them. */
import type {
  CoverageView,
  InspectorState,
  JudgementView,
  MetricsView,
  PerspectiveView,
} from '../../src/shared/inspector.ts';
import type { SearchKind } from '../../src/core/pipeline.ts';
import { count, number, percent, words } from '../components/words.ts';
import { methodName } from './pipeline-edit.ts';

type ErrorAction = NonNullable<NonNullable<InspectorState['error']>['action']>;
type Verdict = JudgementView['verdict'];
type Stance = NonNullable<PerspectiveView['stance']>;
type Results = NonNullable<InspectorState['results']>;
type Method = NonNullable<Results['projectionSlider']>['method'];
type IndexedCorpus = Extract<InspectorState['corpus'], { state: 'indexed' }>;

const VERDICTS: Record<Verdict, string> = { yes: 'yes', no: 'no', unsure: 'unsure', unjudged: 'unjudged' };

const ERROR_ACTIONS: Record<ErrorAction, string> = {
  index: 'Index Now',
  'show-log': 'Show Log',
  'open-settings': 'Open Settings',
  'set-key': 'Set API Key',
  trust: words.manageTrust(),
};

const STANCES: Record<Stance, string> = { support: 'supports', oppose: 'opposes' };

const SOURCES: Record<NonNullable<JudgementView['source']>, (judge: string) => string> = {
  human: (judge) => `labelled by ${judge}`,
  debate: (judge) => `judged by ${judge}, after a debate`,
  llm: (judge) => `judged by ${judge}`,
  nli: (judge) => `judged by ${judge} (NLI)`,
  lexical: () => 'by the lexical heuristic',
  imported: (judge) => `imported from ${judge}`,
};

const SEARCH_NAMES: Record<SearchKind, string> = {
  exact: 'exact search',
  int8: 'int8 scan, the best rescored exactly',
  approximate: 'approximate search',
};

export const strings = {
  // Frame
  errorAction: (action: ErrorAction) => ERROR_ACTIONS[action],

  // First use
  noFolderTitle: () => 'No folder is open',
  noFolder: () =>
    'Open a folder with the documents that your program retrieves from, and Parallax can search them.',
  openFolder: () => 'Open Folder',
  notIndexed: (roots: readonly string[]) =>
    roots.length === 0
      ? 'Parallax reads the documents of this corpus once, and later only what changed.'
      : `Parallax reads the documents in ${roots.join(', ')} once, and later only what changed.`,
  askTitle: () => 'Ask a question that people disagree about',
  ask: () =>
    'Parallax retrieves passages for it and shows which perspectives they support and which they miss.',
  evalQueries: () => 'From your eval sets:',
  noResultsTitle: () => 'Nothing was retrieved',
  noResults: () =>
    'No passage of the corpus matched. Ask in other words, or choose another retriever under Pipeline.',

  // Query
  query: () => 'Question',
  queryPlaceholder: () => 'Ask a question…',
  queryHelp: () => 'Enter searches. Shift and Enter starts a new line. Arrow up walks through the history.',
  search: () => 'Search',
  searching: () => 'Searching…',
  suggestions: () => 'Suggested questions',
  fromHistory: () => 'asked before',
  clearHistory: () => 'Clear history',

  // Controls
  settings: () => 'Retrieval and judge',
  pipeline: () => 'Pipeline',
  customPipeline: () => 'Custom',
  corpus: () => 'Corpus',
  pipelineDetails: () => 'Pipeline settings',
  retriever: () => 'Retriever',
  retrieverTypes: () => ({ bm25: 'BM25', dense: 'Dense', hybrid: 'Hybrid (RRF)' }),
  embedder: () => 'Embedder',
  k: () => 'k',
  depth: (k: number) => `k ${k}`,
  candidates: () => 'Candidates',
  candidatesShort: (n: number) => count(n, 'candidate'),
  pipelineJson: () => 'Pipeline as JSON',
  copyJson: () => 'Copy pipeline as JSON',
  copied: () => 'Copied.',
  copyFailed: () => 'The clipboard is not available: select the text and copy it.',
  corpusSize: ({ documents, passages }: IndexedCorpus) =>
    `${count(documents, 'document')}, ${count(passages, 'passage')}`,
  skipped: (n: number) => `${number.format(n)} skipped`,
  showSkipped: (n: number) => `Show the ${count(n, 'file')} that could not be read`,
  reindex: (name: string) => `Update the index of ${name}`,

  // Perspectives
  perspectives: () => 'Perspectives',
  perspectiveSource: (source: InspectorState['perspectiveSource']) =>
    ({ none: '', 'eval-set': 'from eval set', typed: 'typed', generated: 'suggested by model' })[source],
  noPerspectives: () =>
    'Perspectives are the statements that a complete answer must cover. Without them Parallax ranks passages, but cannot say what is missing.',
  addPerspectives: () => 'Add Perspectives',
  editPerspectives: () => 'Edit perspectives',
  suggestPerspectives: (model: string | undefined) => `Suggest with ${model ?? 'Model'}`,
  perspectivesHelp: () => 'One statement each. Paste several lines to add several.',
  perspectivePlaceholder: () => 'A statement that an answer should cover',
  perspectiveField: (letter: string) => `Perspective ${letter}`,
  addPerspective: () => 'Add',
  removePerspective: (letter: string) => `Remove perspective ${letter}`,
  savePerspectives: () => 'Save',
  cancelEdit: () => 'Cancel',
  stance: (stance: Stance | undefined) => (stance ? STANCES[stance] : 'set stance'),
  stanceHint: ({ stance, stanceBy }: Pick<PerspectiveView, 'stance' | 'stanceBy'>) => {
    if (!stance) return 'Say whether it supports or opposes the question';
    const by = stanceBy === 'model' ? ', as a model proposed and somebody accepted' : '';
    return `${stance === 'support' ? 'Supports' : 'Opposes'} the question${by}. Click to change`;
  },
  changeStance: (letter: string, stance: Stance | undefined) =>
    stance ? `${letter} ${STANCES[stance]} the question. Change` : `Set the stance of ${letter}`,
  stanceOf: (letter: string) => `Stance of ${letter}`,
  stanceChoice: (stance: Stance | undefined) =>
    stance === undefined ? 'None' : stance === 'support' ? 'Supports' : 'Opposes',
  proposeStances: (model: string | undefined) =>
    `Ask ${model ?? 'the model'} which perspectives support and which oppose the question`,
  proposal: (stance: Stance | 'neither', model: string) =>
    `${stance === 'neither' ? 'Neither side' : stance === 'support' ? 'Supports' : 'Opposes'}? Proposed by ${model}`,
  proposalHint: (model: string) =>
    `${model} proposed this. Nothing rests on it until you accept or correct it.`,
  acceptStance: (letter: string, stance: Stance) => `Accept: ${letter} ${STANCES[stance]} the question`,
  correctStance: (letter: string, stance: Stance) => `Correct: ${letter} ${STANCES[stance]} the question`,
  rejectStance: (letter: string) => `Reject the proposal for ${letter}`,
  coverage: (coverage: CoverageView, results: number) => {
    switch (coverage.where) {
      case 'covered':
        return `Covered at rank ${coverage.rank}`;
      case 'below-k':
        return `Missed: first at rank ${coverage.rank}, below k`;
      case 'not-retrieved':
        return `Missed: not among the ${count(coverage.candidates, 'candidate')}, but in ${coverage.path}`;
      case 'unjudged':
        return `Not found so far: ${coverage.unjudged} of ${results} passages unjudged`;
      case 'not-in-corpus':
        if (coverage.unsure > 0)
          return `Not found so far: ${coverage.unsure} of ${count(coverage.judged, 'passage')} undecided`;
        return `Nowhere in the judged corpus (${count(coverage.judged, 'passage')} judged)`;
    }
  },
  goToRank: (rank: number) => `Go to rank ${rank}`,
  open: () => 'Open',
  openLost: (letter: string) => `Open the passage that supports ${letter}`,

  // Metrics
  metrics: () => 'Coverage',
  mrecall: (k: number) => `MRecall@${k}`,
  precision: (k: number) => `Precision@${k}`,
  judged: () => 'Judged',
  nothingJudged: () => 'nothing judged yet',
  mrecallNote: ({ mrecall, covered, k }: MetricsView, perspectives: number) => {
    if (covered === perspectives) return `all ${perspectives} covered`;
    return mrecall === 1
      ? `${covered} of ${perspectives} covered, k = ${k}`
      : `${covered} of ${perspectives} covered`;
  },
  precisionValue: (precision: number) => percent.format(precision),
  precisionNote: ({ precision = 0, k }: MetricsView) =>
    `${Math.round(precision * k)} of ${count(k, 'passage')}`,
  judgedValue: ({ judgedPairs, pairs }: MetricsView) => `${judgedPairs} of ${pairs}`,
  judgedNote: () => 'pairs judged',
  mayRise: (unjudged: number) =>
    `${count(unjudged, 'pair')} ${unjudged === 1 ? 'is' : 'are'} unjudged and may still support: the figures can rise.`,
  mayBeDecided: (unsure: number) =>
    `${count(unsure, 'pair')} ${unsure === 1 ? 'is' : 'are'} undecided and may still support: the review decides.`,
  mrecallDefinition: (k: number) =>
    `1 when the first ${k} passages cover all perspectives (or ${k} of them, when there are more), otherwise 0.`,
  precisionDefinition: (k: number) =>
    `Share of the first ${k} places with a passage that supports at least one perspective.`,
  judgedDefinition: () =>
    'Pairs of passage and perspective with a verdict. Unjudged pairs count as no support until somebody answers.',
  searchKind: (search: SearchKind, milliseconds: number) =>
    `${SEARCH_NAMES[search]}, ${milliseconds < 1 ? '< 1' : number.format(Math.round(milliseconds))} ms`,
  stale: () => 'Out of date: the corpus, the pipeline or the perspectives changed after this search.',
  searchAgain: () => 'Search Again',
  judgePairs: (n: number) => `Judge ${count(n, 'Unjudged Pair')}`,

  // What if
  whatIf: () => 'What if: MMR',
  whatIfHint: () =>
    'Reorders the candidates that were found, as maximal marginal relevance would. 1 keeps the order, 0 looks for dissimilar passages only.',
  whatIfLambda: () => 'Weight on relevance',
  whatIfValue: (lambda: number) => `relevance ${lambda.toFixed(2)}, diversity ${(1 - lambda).toFixed(2)}`,
  whatIfProjection: (method: Method) => `What if: ${methodName(method)}`,
  whatIfProjectionHint: (method: Method) => {
    const meaning = ['pap', 'pap+'].includes(method)
      ? '0 searches with question and perspective as they are, 1 takes the perspective out of their vector as in the paper, 2 turns it to the other side.'
      : 'The higher the weight, the more the perspective counts; 1 is the paper’s.';
    return `Reorders the candidates that were found, as a search for each perspective with ${methodName(method)} at this weight would; a real search may find others. ${meaning}`;
  },
  whatIfWeight: () => 'Weight of the perspective',
  whatIfWeightValue: (weight: number) => `weight ${weight.toFixed(2)}`,
  whatIfNote: (candidates: number, isReranked: boolean) =>
    `Only the ${count(candidates, 'candidate')} of this search are reordered: a search with this weight may find others.${isReranked ? ' The rerankers of the pipeline are not run again.' : ''}`,
  whatIfOff: () => 'off: the order of the pipeline',
  whatIfEnd: () => 'Back to the Pipeline',
  whatIfAdopt: () => 'Use in Pipeline',
  movement: (ranks: number) =>
    ranks === 0 ? 'Same rank as before' : `${ranks > 0 ? 'Up' : 'Down'} ${count(Math.abs(ranks), 'rank')}`,

  // Matrix
  matrixCaption: () => 'Verdict for every perspective and rank. Arrow keys move between the cells.',
  matrixCorner: () => 'Perspective',
  rank: (rank: number) => `Rank ${rank}`,
  matrixCell: (letter: string, rank: number, verdict: string) =>
    `${letter} at rank ${rank}: ${verdict}. Go to the passage`,
  matrixCut: (shown: number, all: number) => `The first ${shown} of ${all} ranks.`,
  verdict: (verdict: Verdict) => VERDICTS[verdict],
  judging: () => 'being judged',

  // Results
  results: () => 'Passages',
  split: ({ root, perspective }: NonNullable<Results['splits']>[number]) =>
    perspective === undefined
      ? 'The model finds no perspective in the question: searched as it stands.'
      : `Taken apart by the model: root “${root}”, perspective “${perspective}”.`,
  matches: ({ id, text, fuzzy, foreign }: NonNullable<Results['matches']>) => {
    const how = [
      id > 0 ? `${id} by id` : '',
      text > 0 ? `${text} by equal text` : '',
      fuzzy > 0 ? `${fuzzy} by similar text` : '',
    ].filter(Boolean);
    const all = id + text + fuzzy + foreign;
    const ways = how.length > 0 ? ` (${how.join(', ')})` : '';
    const others = foreign > 0 ? `; ${foreign} not in the corpus, judged apart` : '';
    return `Your retriever: ${all - foreign} of ${all} results recognised${ways}${others}.`;
  },
  place: (path: string, lines: { first: number; last: number } | undefined) => {
    if (!lines) return path;
    return lines.first === lines.last ? `${path}:${lines.first}` : `${path}:${lines.first}–${lines.last}`;
  },
  score: (score: string) => `Score ${score}`,
  openPassage: (title: string) => `Open ${title}`,
  expand: () => 'Show the whole passage and its verdicts',
  collapse: () => 'Show less',
  openEvidence: (letter: string, text: string) => `Supports ${letter}: ${text}. Open at the evidence`,
  openAtEvidence: () => 'Open evidence',
  openEvidenceOf: (letter: string) => `Open the evidence for ${letter}`,
  supportsNone: () => 'supports none',
  verdicts: () => 'Verdicts',
  saidBy: (source: NonNullable<JudgementView['source']>, judge: string | undefined) =>
    SOURCES[source](judge ?? 'an unnamed judge'),
  confidence: (confidence: number) => `${percent.format(confidence)} likely to support`,
  yourVerdict: (letter: string) => `Your verdict for ${letter}`,
  verdictChoice: (verdict: Verdict) =>
    ({ yes: 'Yes', no: 'No', unsure: 'Unsure', unjudged: 'Unjudged' })[verdict],
  evidenceFor: (text: string) => `Evidence for: ${text}`,
  showMore: (n: number) => `Show ${n} More`,

  // Announcements
  stancesProposed: (n: number) =>
    n === 0 ? 'No stances proposed' : `${count(n, 'stance')} proposed, to accept, correct or reject`,
  answered: (passages: number, covered: number, perspectives: number) =>
    perspectives === 0
      ? count(passages, 'passage')
      : `${count(passages, 'passage')}, ${covered} of ${perspectives} perspectives covered`,
};
