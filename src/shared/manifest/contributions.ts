/**
 * Commands with their places in menus and on keys, views, context keys, and the other names by which the editor knows
 * the parts of Parallax. `contributes` in package.json, and the texts of package.nls.json, are written
 * from this file, settings.ts, colors.ts and walkthrough.ts: after a change run `node scripts/contributions.ts`.
 *
 * Functions give the parts that only the manifest needs: the bundle of the extension leaves unused functions out.
 */

export const VIEWS = {
  container: 'parallax',
  inspector: 'parallax.inspector',
  review: 'parallax.review',
  captured: 'parallax.captured',
  /** An editor panel; not contributed, but restored under this name. */
  compare: 'parallax.compare',
  /** Another one. */
  history: 'parallax.history',
  /** And another one. */
  map: 'parallax.map',
  /** And one more. */
  drafts: 'parallax.drafts',
} as const;

/** Kinds of items in views, for the menus. */
export const VIEW_ITEMS = {
  reviewGroup: 'reviewGroup',
  reviewPair: 'reviewPair',
  capturedRun: 'capturedRun',
  capturedPassage: 'capturedPassage',
} as const;

/** Marks failures in the Testing view that name a query. */
export const FAILED_QUERY = 'parallaxQuery';

export const CONTEXT_KEYS = {
  /** The chosen corpus has an index. */
  indexed: 'parallax.indexed',
  /** Evidence is marked in at least one editor. */
  evidenceShown: 'parallax.evidenceShown',
  /** A pair of the review queue is open. */
  reviewing: 'parallax.reviewing',
  /** Spans of running programs are received. */
  capturing: 'parallax.capturing',
  /** At least one retrieval was captured, or a span came that is none. */
  anyCaptured: 'parallax.anyCaptured',
} as const;
export type ContextKey = (typeof CONTEXT_KEYS)[keyof typeof CONTEXT_KEYS];

/** The colours that themes may change; what they are without a theme stands in colors.ts. */
export const COLORS = {
  /** @param index of the hue in the palette, from 0 */
  perspective: (index: number) => `parallax.perspective${index + 1}`,
  evidenceFor: 'parallax.evidenceFor',
  evidenceAgainst: 'parallax.evidenceAgainst',
  passageBackground: 'parallax.passageBackground',
} as const;

/** Scheme of read-only documents that show the text extracted from PDF, DOCX and the like. */
export const EXTRACTED_SCHEME = 'parallax-text';

/** Scheme of read-only documents that show a pair under review, and how far people agree. */
export const REVIEW_SCHEME = 'parallax-review';

/** Scheme of read-only documents that report on evaluations, judges and pipelines. */
export const REPORT_SCHEME = 'parallax-report';

/** Scheme of read-only documents that show what a program would be like after an edit. */
export const PREVIEW_SCHEME = 'parallax-preview';

/** The eval sets in the Testing view. */
export const TEST_CONTROLLER = 'parallax';

/** Type of the tasks that run the gate. */
export const TASK_TYPE = 'parallax';

/** Under which servers of the Model Context Protocol are offered to the editor. */
export const MCP_PROVIDER = 'parallax.mcp';

/** The walkthrough, as the editor opens it. */
export const WALKTHROUGH = 'parallax.parallax-rag#start';

/** Conditions in the editor's language of when clauses. */
const IN_TRUSTED_FOLDER = 'isWorkspaceTrusted && workspaceFolderCount > 0';
const IN_FOLDER = 'workspaceFolderCount > 0';
const AT_CALL_SITE = 'editorLangId =~ /^(python|(java|type)script(react)?)$/ || notebookType';

interface CommandDetails {
  readonly title: string;
  readonly icon?: string;
  /** When the command can be given. */
  readonly enablement?: string;
}

/** Every command by the name that follows `parallax.` in its id. */
export const COMMAND_DETAILS = {
  openInspector: { title: 'Open Inspector' },
  ask: { title: 'Ask a Question', icon: '$(search)' },
  indexCorpus: { title: 'Index Corpus', icon: '$(sync)' },
  rebuildIndex: { title: 'Rebuild Index' },
  showSkippedFiles: { title: 'Show Skipped Files' },
  judgeResults: { title: 'Judge Retrieved Passages' },
  proposeStances: { title: 'Propose Missing Stances' },
  lookDeeper: { title: 'Look Deeper for Missing Perspectives…' },
  comparePipelines: { title: 'Compare Pipelines', icon: '$(graph)' },
  showMap: { title: 'Show Map of the Candidates', icon: '$(graph-scatter)' },
  validateJudge: { title: 'Validate Judge…' },
  checkRetrievers: { title: 'Check Your Retrievers', enablement: IN_TRUSTED_FOLDER },
  checkBehaviour: { title: 'Check How a Pipeline Behaves…', enablement: IN_TRUSTED_FOLDER },
  reviewNext: { title: 'Review Next Pair', icon: '$(play)' },
  reviewOpen: { title: 'Review This Pair' },
  reviewYes: { title: 'Review: Yes, It Supports', icon: '$(pass)' },
  reviewNo: { title: 'Review: No, It Does Not', icon: '$(circle-slash)' },
  reviewUnsure: { title: 'Review: Unsure', icon: '$(question)' },
  reviewSkip: { title: 'Review: Skip', icon: '$(debug-step-over)' },
  reviewUndo: { title: 'Review: Undo', icon: '$(discard)' },
  reviewNote: { title: 'Review: Add Note', icon: '$(note)' },
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
  previewWhatIf: { title: 'Preview What-If of Call Site', enablement: AT_CALL_SITE },
  showMetrics: { title: 'Show Metrics at Cursor', enablement: AT_CALL_SITE },
  setSiteK: { title: 'Set k for This Call', enablement: AT_CALL_SITE },
  bindSite: { title: 'Bind Call Site to Pipeline…', enablement: AT_CALL_SITE },
  measureSite: { title: 'Measure My Retriever…', enablement: `${IN_TRUSTED_FOLDER} && (${AT_CALL_SITE})` },
  callRetrieves: { title: 'This Call Retrieves…', enablement: AT_CALL_SITE },
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
    title: 'Open Captured Query in Inspector',
    icon: '$(search)',
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
  showUnreached: { title: 'Show What No Query Reaches' },
  fetchWebCorpus: { title: 'Fetch Web Corpus…', enablement: IN_TRUSTED_FOLDER },
  openConfig: { title: 'Open or Create parallax.json', icon: '$(gear)' },
  setUpModel: { title: 'Set Up a Model…', enablement: IN_TRUSTED_FOLDER },
  setApiKey: { title: 'Set API Key' },
  clearHistory: { title: 'Clear Query History' },
  clearEvidence: {
    title: 'Clear Evidence Marks',
    icon: '$(clear-all)',
    enablement: CONTEXT_KEYS.evidenceShown,
  },
  restartEngine: { title: 'Restart Engine' },
  showLog: { title: 'Show Log' },
  getStarted: { title: 'Get Started' },
} as const satisfies Record<string, CommandDetails>;
type CommandName = keyof typeof COMMAND_DETAILS;

/**
 * When a command stands in the palette, at most twenty at a time; any other is given where it works, in a view, beside
 * a call, in the menu of the panel or on a key. What needs a folder is not offered in an empty window.
 */
const PALETTE: { readonly [Name in CommandName]?: string } = {
  openInspector: IN_FOLDER,
  ask: IN_FOLDER,
  indexCorpus: IN_FOLDER,
  comparePipelines: IN_FOLDER,
  validateJudge: IN_FOLDER,
  reviewNext: IN_FOLDER,
  startCapture: IN_FOLDER,
  buildEvalSet: IN_FOLDER,
  evaluateWorkspace: IN_FOLDER,
  acceptBaseline: IN_FOLDER,
  showEvaluationHistory: IN_FOLDER,
  fetchWebCorpus: IN_FOLDER,
  openConfig: IN_FOLDER,
  setUpModel: IN_FOLDER,
  setApiKey: IN_FOLDER,
  showLog: IN_FOLDER,
  getStarted: 'true',
  // At a call in the code.
  showMetrics: `${IN_FOLDER} && (${AT_CALL_SITE})`,
  bindSite: `${IN_FOLDER} && (${AT_CALL_SITE})`,
  callRetrieves: `${IN_FOLDER} && (${AT_CALL_SITE})`,
  // In files of their own.
  evaluateEvalSet: `${IN_FOLDER} && resourceExtname == .jsonl`,
  reviewDrafts: `${IN_FOLDER} && resourceExtname == .jsonl`,
};

/** The ids of commands. */
export const COMMANDS = Object.fromEntries(
  Object.keys(COMMAND_DETAILS).map((name) => [name, `parallax.${name}`]),
) as { readonly [Name in CommandName]: `parallax.${Name}` };
export type CommandId = (typeof COMMANDS)[CommandName];

/** A command in a menu, or on a key. */
interface Placed {
  readonly command: CommandId;
  readonly when?: string;
}

interface MenuEntry extends Placed {
  readonly group?: string;
}

interface Keybinding extends Placed {
  readonly key: string;
}

/** Keys that answer in the review: only while a pair is open, and never where somebody types. */
export function keybindings(): readonly Keybinding[] {
  const inView = `focusedView == ${VIEWS.review} && !inputFocus`;
  const inText = `resourceScheme == ${REVIEW_SCHEME} && resourceFilename == Review.md && editorTextFocus`;
  const when = `${CONTEXT_KEYS.reviewing} && (${inView} || ${inText})`;
  return [
    { command: COMMANDS.reviewYes, key: 'y', when },
    { command: COMMANDS.reviewNo, key: 'n', when },
    { command: COMMANDS.reviewUnsure, key: 'u', when },
    { command: COMMANDS.reviewSkip, key: 's', when },
    { command: COMMANDS.reviewUndo, key: 'z', when },
  ];
}

function paletteEntries(): MenuEntry[] {
  return (Object.keys(COMMANDS) as CommandName[]).map((name) => ({
    command: COMMANDS[name],
    when: PALETTE[name] ?? 'false',
  }));
}

/** The entries of the editor's menus, by the id of the menu. */
export function menus(): Readonly<Record<string, readonly MenuEntry[]>> {
  const inInspector = `view == ${VIEWS.inspector}`;
  const inReview = `view == ${VIEWS.review}`;
  const inCaptured = `view == ${VIEWS.captured}`;
  const atReviewedPair = `${CONTEXT_KEYS.reviewing} && resourceScheme == ${REVIEW_SCHEME}`;
  const inDrafts = 'resourceFilename =~ /drafts.*\\.jsonl$/';
  const onFailedQuery = `testMessage == ${FAILED_QUERY}`;
  return {
    'testing/item/context': [
      {
        command: COMMANDS.openEvaluatedQuery,
        when: `controllerId == ${TEST_CONTROLLER}`,
        group: 'navigation@1',
      },
      {
        command: COMMANDS.acceptBaseline,
        when: `controllerId == ${TEST_CONTROLLER}`,
        group: 'navigation@2',
      },
      {
        command: COMMANDS.compareWithBaseline,
        when: `controllerId == ${TEST_CONTROLLER}`,
        group: 'navigation@3',
      },
    ],
    'testing/message/context': [
      { command: COMMANDS.openEvaluatedQuery, when: onFailedQuery, group: 'inline@1' },
    ],
    'testing/message/content': [{ command: COMMANDS.openEvaluatedQuery, when: onFailedQuery }],
    commandPalette: paletteEntries(),
    'view/item/context': [
      {
        command: COMMANDS.judgeCaptured,
        when: `${inCaptured} && viewItem == ${VIEW_ITEMS.capturedRun}`,
        group: '1_captured@1',
      },
      {
        command: COMMANDS.inspectCaptured,
        when: `${inCaptured} && viewItem == ${VIEW_ITEMS.capturedRun}`,
        group: '1_captured@2',
      },
      {
        command: COMMANDS.reviewOpen,
        when: `${inReview} && viewItem == ${VIEW_ITEMS.reviewPair}`,
        group: '1_review@1',
      },
      { command: COMMANDS.reviewRemove, when: `${inReview} && viewItem =~ /^review/`, group: 'inline' },
    ],
    'view/title': [
      {
        command: COMMANDS.startCapture,
        when: `${inCaptured} && !${CONTEXT_KEYS.capturing}`,
        group: 'navigation@1',
      },
      {
        command: COMMANDS.stopCapture,
        when: `${inCaptured} && ${CONTEXT_KEYS.capturing}`,
        group: 'navigation@1',
      },
      {
        command: COMMANDS.openCaptureTerminal,
        when: inCaptured,
        group: 'navigation@2',
      },
      {
        command: COMMANDS.clearCaptured,
        when: `${inCaptured} && ${CONTEXT_KEYS.anyCaptured}`,
        group: 'navigation@3',
      },
      { command: COMMANDS.captureAgents, when: inCaptured, group: '1_capture@4' },
      { command: COMMANDS.instrumentProgram, when: inCaptured, group: '1_capture@3' },
      { command: COMMANDS.importSpans, when: inCaptured, group: '1_capture@2' },
      {
        command: COMMANDS.copyCaptureEnvironment,
        when: `${inCaptured} && ${CONTEXT_KEYS.capturing}`,
        group: '1_capture@1',
      },
      { command: COMMANDS.reviewNext, when: inReview, group: 'navigation@1' },
      { command: COMMANDS.reviewFind, when: inReview, group: 'navigation@2' },
      { command: COMMANDS.reviewUnjudged, when: inReview, group: '1_add@1' },
      { command: COMMANDS.reviewUnjudgedCompared, when: inReview, group: '1_add@2' },
      { command: COMMANDS.reviewNarrow, when: inReview, group: '1_add@3' },
      { command: COMMANDS.reviewSample, when: inReview, group: '1_add@4' },
      { command: COMMANDS.reviewAttention, when: inReview, group: '1_add@5' },
      { command: COMMANDS.buildLabelSet, when: inReview, group: '1_add@6' },
      { command: COMMANDS.showAgreement, when: inReview, group: '2_people@1' },
      { command: COMMANDS.reviewDrafts, when: inReview, group: '3_drafts@1' },
      { command: COMMANDS.addAcceptedDrafts, when: inReview, group: '3_drafts@2' },
      { command: COMMANDS.indexCorpus, when: inInspector, group: 'navigation@1' },
      { command: COMMANDS.comparePipelines, when: inInspector, group: 'navigation@3' },
      { command: COMMANDS.openConfig, when: inInspector, group: 'navigation@2' },
      { command: COMMANDS.showMap, when: inInspector, group: '0_show@1' },
      { command: COMMANDS.showUnreached, when: inInspector, group: '0_show@2' },
      { command: COMMANDS.compareEvaluations, when: inInspector, group: '0_show@3' },
      { command: COMMANDS.rebuildIndex, when: inInspector, group: '1_index@1' },
      {
        command: COMMANDS.showSkippedFiles,
        when: `${inInspector} && ${CONTEXT_KEYS.indexed}`,
        group: '1_index@2',
      },
      { command: COMMANDS.setApiKey, when: inInspector, group: '2_model@1' },
      { command: COMMANDS.validateJudge, when: inInspector, group: '2_model@2' },
      { command: COMMANDS.checkRetrievers, when: inInspector, group: '2_model@3' },
      { command: COMMANDS.checkBehaviour, when: inInspector, group: '2_model@4' },
      { command: COMMANDS.clearHistory, when: inInspector, group: '3_panel@1' },
      { command: COMMANDS.getStarted, when: inInspector, group: '4_help@0' },
      { command: COMMANDS.showLog, when: inInspector, group: '4_help@1' },
      { command: COMMANDS.restartEngine, when: inInspector, group: '4_help@2' },
    ],
    'editor/title': [
      { command: COMMANDS.reviewYes, when: atReviewedPair, group: 'navigation@1' },
      { command: COMMANDS.reviewNo, when: atReviewedPair, group: 'navigation@2' },
      { command: COMMANDS.reviewUnsure, when: atReviewedPair, group: 'navigation@3' },
      { command: COMMANDS.reviewSkip, when: atReviewedPair, group: 'navigation@4' },
      { command: COMMANDS.reviewUndo, when: atReviewedPair, group: 'navigation@5' },
      { command: COMMANDS.reviewNote, when: atReviewedPair, group: '1_review@1' },
      { command: COMMANDS.clearEvidence, when: CONTEXT_KEYS.evidenceShown, group: 'navigation' },
    ],
    'editor/context': [
      { command: COMMANDS.acceptDraft, when: inDrafts, group: '1_parallax@1' },
      { command: COMMANDS.rejectDraft, when: inDrafts, group: '1_parallax@2' },
      { command: COMMANDS.ask, when: 'editorHasSelection', group: 'z_parallax' },
    ],
  };
}

interface View {
  readonly id: string;
  readonly name: string;
  readonly type?: 'webview';
  readonly visibility?: 'collapsed';
}

/** The views in the side bar of Parallax, from top to bottom. */
export function views(): readonly View[] {
  return [
    { id: VIEWS.inspector, name: 'Inspector', type: 'webview' },
    { id: VIEWS.review, name: 'Review', visibility: 'collapsed' },
    { id: VIEWS.captured, name: 'Captured', visibility: 'collapsed' },
  ];
}

interface Welcome {
  /** The name of the view in {@link VIEWS}. */
  readonly view: 'review' | 'captured';
  /** Markdown of which a line with nothing but a link is a button. */
  readonly contents: string;
  readonly when: string;
}

/** The texts of empty views. */
export function welcomes(): readonly Welcome[] {
  return [
    {
      view: 'captured',
      contents: [
        'See what your own program retrieves while it runs.',
        `[Start Capturing](command:${COMMANDS.startCapture})`,
        'The program must be instrumented with OpenTelemetry, which takes a few lines. Nothing is received before you start, and only from this machine.',
        `[How Do I Instrument My Program?](command:${COMMANDS.instrumentProgram})`,
        `[Import OpenTelemetry File…](command:${COMMANDS.importSpans})`,
      ].join('\n'),
      when: `${IN_TRUSTED_FOLDER} && !${CONTEXT_KEYS.capturing}`,
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
      view: 'captured',
      contents: [
        'Retrievals are captured only in a workspace that you trust.',
        '[Manage Trust](command:workbench.trust.manage)',
      ].join('\n'),
      when: '!isWorkspaceTrusted',
    },
    {
      view: 'captured',
      contents: 'Open a folder to capture what its programs retrieve.',
      when: 'isWorkspaceTrusted && workspaceFolderCount == 0',
    },
    {
      view: 'review',
      contents: [
        'Nothing waits for you.',
        `[Find Pairs to Review](command:${COMMANDS.reviewFind})`,
        `Pairs come here when a debate ends without agreement, or when judges contradict each other or people. You can also [draw a random sample](command:${COMMANDS.reviewSample}) of what was judged, or [send unjudged pairs](command:${COMMANDS.reviewUnjudged}) of the question in the Inspector.`,
      ].join('\n'),
      when: 'workspaceFolderCount > 0',
    },
    {
      view: 'review',
      contents: 'Open a folder to review what was judged in it.',
      when: 'workspaceFolderCount == 0',
    },
  ];
}
