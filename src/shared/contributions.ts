/**
 * Every command, setting, view and context key by name. A test holds this file against package.json,
 * both ways, defaults included.
 */
import type { PriceTable } from './judge-effort.ts';

export const COMMANDS = {
  openInspector: 'parallax.openInspector',
  ask: 'parallax.ask',
  indexCorpus: 'parallax.indexCorpus',
  rebuildIndex: 'parallax.rebuildIndex',
  showSkippedFiles: 'parallax.showSkippedFiles',
  judgeResults: 'parallax.judgeResults',
  proposeStances: 'parallax.proposeStances',
  comparePipelines: 'parallax.comparePipelines',
  validateJudge: 'parallax.validateJudge',
  checkRetrievers: 'parallax.checkRetrievers',
  reviewNext: 'parallax.reviewNext',
  reviewOpen: 'parallax.reviewOpen',
  reviewYes: 'parallax.reviewYes',
  reviewNo: 'parallax.reviewNo',
  reviewUnsure: 'parallax.reviewUnsure',
  reviewSkip: 'parallax.reviewSkip',
  reviewUndo: 'parallax.reviewUndo',
  reviewNote: 'parallax.reviewNote',
  reviewRemove: 'parallax.reviewRemove',
  reviewFind: 'parallax.reviewFind',
  reviewSample: 'parallax.reviewSample',
  reviewAttention: 'parallax.reviewAttention',
  reviewUnjudged: 'parallax.reviewUnjudged',
  reviewUnjudgedCompared: 'parallax.reviewUnjudgedCompared',
  showAgreement: 'parallax.showAgreement',
  evaluateSite: 'parallax.evaluateSite',
  cancelSite: 'parallax.cancelSite',
  compareSite: 'parallax.compareSite',
  previewWhatIf: 'parallax.previewWhatIf',
  showMetrics: 'parallax.showMetrics',
  setSiteK: 'parallax.setSiteK',
  bindSite: 'parallax.bindSite',
  startCapture: 'parallax.startCapture',
  stopCapture: 'parallax.stopCapture',
  clearCaptured: 'parallax.clearCaptured',
  showCaptured: 'parallax.showCaptured',
  openCaptureTerminal: 'parallax.openCaptureTerminal',
  copyCaptureEnvironment: 'parallax.copyCaptureEnvironment',
  judgeCaptured: 'parallax.judgeCaptured',
  inspectCaptured: 'parallax.inspectCaptured',
  openCaptured: 'parallax.openCaptured',
  buildEvalSet: 'parallax.buildEvalSet',
  buildLabelSet: 'parallax.buildLabelSet',
  acceptDraft: 'parallax.acceptDraft',
  rejectDraft: 'parallax.rejectDraft',
  addAcceptedDrafts: 'parallax.addAcceptedDrafts',
  evaluateWorkspace: 'parallax.evaluateWorkspace',
  evaluateEvalSet: 'parallax.evaluateEvalSet',
  compareWithBaseline: 'parallax.compareWithBaseline',
  acceptBaseline: 'parallax.acceptBaseline',
  openEvaluatedQuery: 'parallax.openEvaluatedQuery',
  showEvaluationHistory: 'parallax.showEvaluationHistory',
  compareEvaluations: 'parallax.compareEvaluations',
  showUnreached: 'parallax.showUnreached',
  fetchWebCorpus: 'parallax.fetchWebCorpus',
  openConfig: 'parallax.openConfig',
  setApiKey: 'parallax.setApiKey',
  clearHistory: 'parallax.clearHistory',
  clearEvidence: 'parallax.clearEvidence',
  restartEngine: 'parallax.restartEngine',
  showLog: 'parallax.showLog',
  getStarted: 'parallax.getStarted',
} as const;
export type CommandId = (typeof COMMANDS)[keyof typeof COMMANDS];

/** Settings with their defaults; the type of a default is the type of the setting. */
export const SETTINGS = {
  'parallax.judge': 'auto' as string,
  'parallax.autoJudge': true as boolean,
  'parallax.confirmCallsAbove': 50 as number,
  'parallax.requestBudget': 0 as number,
  'parallax.prices': {} as PriceTable,
  'parallax.autoIndex': true as boolean,
  'parallax.approximateAbove': 200_000 as number,
  'parallax.inspector.historySize': 50 as number,
  'parallax.inline.display': 'codeLens' as string,
  'parallax.inline.metrics': ['MRecall', 'Precision'] as readonly string[],
  'parallax.testing.runOnSave': false as boolean,
  'parallax.diagnostics.disabled': [] as readonly string[],
  'parallax.mcp.enabled': false as boolean,
} as const;
export type SettingKey = keyof typeof SETTINGS;
export type SettingValue<K extends SettingKey> = (typeof SETTINGS)[K];

export const VIEWS = {
  container: 'parallax',
  inspector: 'parallax.inspector',
  review: 'parallax.review',
  captured: 'parallax.captured',
  /** An editor panel; not contributed, but restored under this name. */
  compare: 'parallax.compare',
  /** Another one. */
  history: 'parallax.history',
} as const;

export const CONTEXT_KEYS = {
  /** The chosen corpus has an index. */
  indexed: 'parallax.indexed',
  /** Evidence is marked in at least one editor. */
  evidenceShown: 'parallax.evidenceShown',
  /** A pair of the review queue is open. */
  reviewing: 'parallax.reviewing',
  /** Spans of running programs are received. */
  capturing: 'parallax.capturing',
  /** At least one retrieval was captured. */
  anyCaptured: 'parallax.anyCaptured',
} as const;
export type ContextKey = (typeof CONTEXT_KEYS)[keyof typeof CONTEXT_KEYS];

/** Scheme of read-only documents that show the text extracted from PDF, DOCX and the like. */
export const EXTRACTED_SCHEME = 'parallax-text';

/** Scheme of read-only documents that show a pair under review, and how far people agree. */
export const REVIEW_SCHEME = 'parallax-review';

/** Scheme of read-only documents that report how good judges are. */
export const VALIDATION_SCHEME = 'parallax-validation';

/** Scheme of read-only documents that report on evaluations. */
export const REPORT_SCHEME = 'parallax-report';

/** The eval sets in the Testing view. */
export const TEST_CONTROLLER = 'parallax';

/** Type of the tasks that run the gate. */
export const TASK_TYPE = 'parallax';

/** Scheme of read-only documents that show what a program would be like after an edit. */
export const PREVIEW_SCHEME = 'parallax-preview';

/** Under which servers of the Model Context Protocol are offered to the editor. */
export const MCP_PROVIDER = 'parallax.mcp';

/** The walkthrough, as the editor opens it. */
export const WALKTHROUGH = 'parallax.parallax-rag#start';
