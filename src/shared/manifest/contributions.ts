/**
 * Commands, views, context keys, and other names of Parallax's parts in the editor. `contributes` in package.json and
 * the texts of package.nls.json are generated from this file, menus.ts, settings.ts, colors.ts and walkthrough.ts: run
 * `node scripts/contributions.ts` after a change.
 *
 * Parts that only the manifest needs are functions, so that the extension's bundle drops them.
 */

export const VIEWS = {
  container: 'parallax',
  inspector: 'parallax.inspector',
  review: 'parallax.review',
  captured: 'parallax.captured',
  /** Editor panels. Not contributed, but restored under these names. */
  compare: 'parallax.compare',
  history: 'parallax.history',
  map: 'parallax.map',
  drafts: 'parallax.drafts',
  run: 'parallax.runPicture',
  reviewedPair: 'parallax.reviewedPair',
} as const;

/** Kinds of items in views, for menus. */
export const VIEW_ITEMS = {
  reviewGroup: 'reviewGroup',
  reviewPair: 'reviewPair',
  capturedRun: 'capturedRun',
  capturedPassage: 'capturedPassage',
} as const;

/** Marks failures of a query in the Testing view. */
export const FAILED_QUERY = 'parallaxQuery';

export const CONTEXT_KEYS = {
  /** Whether the chosen corpus has an index. */
  indexed: 'parallax.indexed',
  /** Whether evidence is marked in at least one editor. */
  evidenceShown: 'parallax.evidenceShown',
  /** Whether the review queue has pairs, or had some since the window opened. */
  anyReview: 'parallax.anyReview',
  /** Whether a pair of the review queue is open. */
  reviewing: 'parallax.reviewing',
  /** Whether spans of running programs are received. */
  capturing: 'parallax.capturing',
  /** Whether at least one retrieval was captured, or another span arrived. */
  anyCaptured: 'parallax.anyCaptured',
  /** Whether programs started with Parallax are observed. */
  observing: 'parallax.observing',
  /** What was done in this workspace, for the walkthrough. */
  hasAsked: 'parallax.hasAsked',
  hasCompared: 'parallax.hasCompared',
  hasEvaluated: 'parallax.hasEvaluated',
  hasFiguresAtCall: 'parallax.hasFiguresAtCall',
} as const;
/** The keys that complete the steps of the walkthrough, kept for the workspace. */
export const STEPS_DONE = [
  CONTEXT_KEYS.indexed,
  CONTEXT_KEYS.hasAsked,
  CONTEXT_KEYS.hasCompared,
  CONTEXT_KEYS.hasFiguresAtCall,
  CONTEXT_KEYS.hasEvaluated,
] as const;

export type ContextKey = (typeof CONTEXT_KEYS)[keyof typeof CONTEXT_KEYS];

/** The colours that themes can change. Their defaults are in colors.ts. */
export const COLORS = {
  /** @param index of the hue in the palette, from 0 */
  perspective: (index: number) => `parallax.perspective${index + 1}`,
  evidenceFor: 'parallax.evidenceFor',
  evidenceAgainst: 'parallax.evidenceAgainst',
  passageBackground: 'parallax.passageBackground',
} as const;

/** Scheme of read-only documents with text extracted from PDF, DOCX and so on. */
export const EXTRACTED_SCHEME = 'parallax-text';

/** Scheme of the read-only document with the agreement of people. */
export const REVIEW_SCHEME = 'parallax-review';

/** Scheme of read-only documents with reports on evaluations, judges and pipelines. */
export const REPORT_SCHEME = 'parallax-report';

/** Scheme of read-only documents that preview an edit of a program. */
export const PREVIEW_SCHEME = 'parallax-preview';

/** The eval sets in the Testing view. */
export const TEST_CONTROLLER = 'parallax';

/** Type of the tasks that run the gate, or a program with observed calls. */
export const TASK_TYPE = 'parallax';

/** Key in the workspace's state: whether debugged programs are observed. */
export const DEBUG_CONSENT = 'observeDebugging';

/** The terminal whose programs are observed. */
export const TERMINAL_PROFILE = 'parallax.run';

/** The id of the provider of Model Context Protocol servers. */
export const MCP_PROVIDER = 'parallax.mcp';

/** The id that opens the walkthrough. */
export const WALKTHROUGH = 'parallax.parallax-rag#start';

/** Conditions for when clauses. */
export const IN_TRUSTED_FOLDER = 'isWorkspaceTrusted && workspaceFolderCount > 0';
export const IN_FOLDER = 'workspaceFolderCount > 0';
export const AT_CALL_SITE = 'editorLangId =~ /^(python|(java|type)script(react)?)$/ || notebookType';

interface CommandDetails {
  readonly title: string;
  readonly icon?: string;
  /** When the command is enabled. */
  readonly enablement?: string;
}

/** Every command by its name after `parallax.`. */
export const COMMAND_DETAILS = {
  openInspector: { title: 'Open the Parallax View' },
  analyse: { title: 'Analyse…', icon: '$(graph-scatter)' },
  ask: { title: 'Ask a Question', icon: '$(search)' },
  indexCorpus: { title: 'Index Corpus', icon: '$(sync)' },
  rebuildIndex: { title: 'Rebuild Index' },
  showSkippedFiles: { title: 'Show Skipped Files' },
  judgeResults: { title: 'Judge Retrieved Passages' },
  proposeStances: { title: 'Propose Missing Stances' },
  lookDeeper: { title: 'Look Deeper for Missing Perspectives…' },
  explainMissing: { title: 'Why Is This Not Retrieved?', icon: '$(question)' },
  comparePipelines: { title: 'Compare Pipelines', icon: '$(graph)' },
  showMap: { title: 'Show Map of the Candidates' },
  validateJudge: { title: 'Validate Judge…' },
  checkRetrievers: { title: 'Check Your Retrievers', enablement: IN_TRUSTED_FOLDER },
  checkBehaviour: { title: 'Check How a Pipeline Behaves…', enablement: IN_TRUSTED_FOLDER },
  reviewNext: { title: 'Review Next Pair', icon: '$(play)' },
  reviewOpen: { title: 'Review This Pair' },
  reviewYes: { title: 'Review: Yes, It Supports' },
  reviewNo: { title: 'Review: No, It Does Not' },
  reviewUnsure: { title: 'Review: Unsure' },
  reviewSkip: { title: 'Review: Skip' },
  reviewUndo: { title: 'Review: Undo' },
  reviewNote: { title: 'Review: Add Note' },
  reviewRemove: { title: 'Remove from Review', icon: '$(close)' },
  reviewFind: { title: 'Find Pairs to Review', icon: '$(search)' },
  reviewSample: { title: 'Send Random Sample to Review' },
  reviewAttention: { title: 'Mix In Attention Checks' },
  reviewUnjudged: { title: 'Send Unjudged Pairs to Review' },
  reviewUnjudgedCompared: { title: 'Send Unjudged Pairs of the Comparison to Review' },
  reviewNarrow: { title: 'Send Questions That Narrow the Corrected Figures to Review' },
  showAgreement: { title: 'Show Agreement of People' },
  evaluateSite: { title: 'Evaluate Call Site', enablement: AT_CALL_SITE },
  cancelSite: { title: 'Cancel Evaluation of Call Site', enablement: AT_CALL_SITE },
  compareSite: { title: 'Compare Pipelines of Call Site', enablement: AT_CALL_SITE },
  applyWhatIf: { title: 'Apply to the Code', icon: '$(check)' },
  previewWhatIf: { title: 'Preview What-If of Call Site', enablement: AT_CALL_SITE },
  showMetrics: { title: 'Show Metrics at Cursor', enablement: AT_CALL_SITE },
  setSiteK: { title: 'Set k for This Call', enablement: AT_CALL_SITE },
  bindSite: { title: 'Bind Call Site to Pipeline…', enablement: AT_CALL_SITE },
  measureSite: { title: 'Measure My Retriever…', enablement: `${IN_TRUSTED_FOLDER} && (${AT_CALL_SITE})` },
  callRetrieves: { title: 'This Call Retrieves…', enablement: AT_CALL_SITE },
  runWithParallax: { title: 'Run with Parallax', icon: '$(play)', enablement: IN_TRUSTED_FOLDER },
  stopObserving: { title: 'Stop Observing Programs', enablement: CONTEXT_KEYS.observing },
  judgeSite: { title: 'Judge What This Call Retrieved', enablement: AT_CALL_SITE },
  measureCall: { title: 'Measure This Call in the Running Program', enablement: AT_CALL_SITE },
  startCapture: {
    title: 'Start Capturing Retrievals',
    icon: '$(record)',
    enablement: `${IN_TRUSTED_FOLDER} && !${CONTEXT_KEYS.capturing}`,
  },
  stopCapture: { title: 'Stop Capturing', icon: '$(debug-stop)', enablement: CONTEXT_KEYS.capturing },
  clearCaptured: {
    title: 'Clear Captured Retrievals',
    icon: '$(clear-all)',
    enablement: CONTEXT_KEYS.anyCaptured,
  },
  saveCapturedQuestions: {
    title: 'Add Captured Questions to an Eval Set…',
    icon: '$(beaker)',
    enablement: `${IN_TRUSTED_FOLDER} && ${CONTEXT_KEYS.anyCaptured}`,
  },
  instrumentProgram: { title: 'How Do I Instrument My Program?', icon: '$(question)' },
  importSpans: {
    title: 'Import OpenTelemetry File…',
    icon: '$(folder-opened)',
    enablement: IN_TRUSTED_FOLDER,
  },
  showCaptured: { title: 'Show Captured Retrievals' },
  openCaptureTerminal: {
    title: 'Open Terminal for Capturing',
    icon: '$(terminal)',
    enablement: IN_TRUSTED_FOLDER,
  },
  captureAgents: { title: 'Capture VS Code’s Agents…', icon: '$(hubot)', enablement: IN_TRUSTED_FOLDER },
  copyCaptureEnvironment: {
    title: 'Copy Environment for Capturing',
    icon: '$(copy)',
    enablement: CONTEXT_KEYS.capturing,
  },
  judgeCaptured: { title: 'Judge Captured Retrieval', icon: '$(law)', enablement: CONTEXT_KEYS.anyCaptured },
  inspectCaptured: {
    title: 'Open Captured Question in the Parallax View',
    icon: '$(search)',
    enablement: CONTEXT_KEYS.anyCaptured,
  },
  showCapturedRun: {
    title: 'Show What Its Run Covered',
    icon: '$(layers)',
    enablement: CONTEXT_KEYS.anyCaptured,
  },
  explainCaptured: {
    title: 'Why Is a Document Not in This Retrieval?',
    icon: '$(question)',
    enablement: CONTEXT_KEYS.anyCaptured,
  },
  openCaptured: { title: 'Open Captured Passage' },
  buildEvalSet: { title: 'Build Eval Set…' },
  buildLabelSet: { title: 'Build Label Set for Review…' },
  reviewDrafts: { title: 'Review Drafts' },
  acceptDraft: { title: 'Accept Draft' },
  rejectDraft: { title: 'Reject Draft…' },
  addAcceptedDrafts: { title: 'Add Accepted Drafts to Eval Set…' },
  evaluateWorkspace: { title: 'Evaluate Workspace' },
  evaluateEvalSet: { title: 'Evaluate Current Eval Set' },
  compareWithBaseline: { title: 'Compare with Baseline' },
  acceptBaseline: { title: 'Accept as Baseline' },
  openEvaluatedQuery: { title: 'Open in Parallax' },
  showEvaluationHistory: { title: 'Show Evaluation History' },
  compareEvaluations: { title: 'Compare Evaluations…' },
  showUnreached: { title: 'Show What No Question Reaches' },
  checkEvalSets: { title: 'Check the Eval Sets' },
  fetchWebCorpus: { title: 'Fetch Web Corpus…', enablement: IN_TRUSTED_FOLDER },
  openConfig: { title: 'Open or Create parallax.json', icon: '$(gear)' },
  setUpModel: { title: 'Set Up a Model…', enablement: IN_TRUSTED_FOLDER },
  setUpMeaning: { title: 'Set Up Search by Meaning…', enablement: IN_TRUSTED_FOLDER },
  setApiKey: { title: 'Set API Key' },
  clearHistory: { title: 'Clear Question History' },
  clearEvidence: {
    title: 'Clear Evidence Marks',
    icon: '$(clear-all)',
    enablement: CONTEXT_KEYS.evidenceShown,
  },
  restartEngine: { title: 'Restart Engine' },
  showLog: { title: 'Show Log' },
  getStarted: { title: 'Get Started' },
} as const satisfies Record<string, CommandDetails>;
export type CommandName = keyof typeof COMMAND_DETAILS;

/** The ids of commands. */
export const COMMANDS = Object.fromEntries(
  Object.keys(COMMAND_DETAILS).map((name) => [name, `parallax.${name}`]),
) as { readonly [Name in CommandName]: `parallax.${Name}` };
export type CommandId = (typeof COMMANDS)[CommandName];

interface View {
  readonly id: string;
  readonly name: string;
  readonly type?: 'webview';
  readonly visibility?: 'collapsed';
  /** Hidden until there is something to show. */
  readonly when?: string;
}

/** Analyses and checks that one command lists, in groups. */
export const ANALYSES = [
  ['showMap', 'showUnreached', 'checkEvalSets'],
  ['showEvaluationHistory', 'compareEvaluations'],
  ['validateJudge', 'checkRetrievers', 'checkBehaviour'],
  ['reviewFind', 'reviewUnjudged', 'reviewSample', 'buildLabelSet'],
  ['startCapture', 'importSpans', 'captureAgents', 'instrumentProgram'],
] as const satisfies readonly (readonly CommandName[])[];

/** The views in Parallax's side bar, from top to bottom. */
export function views(): readonly View[] {
  return [
    { id: VIEWS.inspector, name: 'Ask', type: 'webview' },
    { id: VIEWS.review, name: 'Review', visibility: 'collapsed', when: CONTEXT_KEYS.anyReview },
    {
      id: VIEWS.captured,
      name: 'Captured',
      visibility: 'collapsed',
      when: `${CONTEXT_KEYS.capturing} || ${CONTEXT_KEYS.observing} || ${CONTEXT_KEYS.anyCaptured}`,
    },
  ];
}

interface Welcome {
  /** The view's key in {@link VIEWS}. */
  readonly view: 'review' | 'captured';
  /** Markdown. A line with only a link becomes a button. */
  readonly contents: string;
  readonly when: string;
}

/** The texts of empty views. */
export function welcomes(): readonly Welcome[] {
  return [
    {
      view: 'captured',
      contents:
        'Nothing was retrieved yet. Start your program in the terminal “Run with Parallax”, or with F5, and ask it a question.',
      when: `${CONTEXT_KEYS.observing} && !${CONTEXT_KEYS.capturing}`,
    },
    {
      view: 'captured',
      contents: [
        'Nothing has arrived yet. Start your program from a terminal that tells it where to send its spans.',
        `[Open Terminal](command:${COMMANDS.openCaptureTerminal})`,
        `[Copy Environment](command:${COMMANDS.copyCaptureEnvironment})`,
        `[How Do I Instrument My Program?](command:${COMMANDS.instrumentProgram})`,
      ].join('\n'),
      when: CONTEXT_KEYS.capturing,
    },
    {
      view: 'review',
      contents: [
        'Every pair is reviewed.',
        `[Find Pairs to Review](command:${COMMANDS.reviewFind})`,
        `Pairs come here when a debate ends without agreement, or when judges contradict each other or a label. You can also [draw a random sample](command:${COMMANDS.reviewSample}) of what was judged, or [send unjudged pairs](command:${COMMANDS.reviewUnjudged}) of the question in the Parallax view.`,
      ].join('\n'),
      when: IN_FOLDER,
    },
  ];
}
