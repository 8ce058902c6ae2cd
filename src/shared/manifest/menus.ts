/** The palette, menus and keybindings of commands. Only used by the manifest. */
import {
  AT_CALL_SITE,
  COMMANDS,
  CONTEXT_KEYS,
  FAILED_QUERY,
  IN_FOLDER,
  PREVIEW_SCHEME,
  TEST_CONTROLLER,
  VIEWS,
  VIEW_ITEMS,
  type CommandId,
  type CommandName,
} from './contributions.ts';

/**
 * When a command is in the palette, which shows at most fifteen at a time. Other commands
 * are in a view, beside a call, in the panel's menu, in the list of analyses or on a key. Commands that need a folder
 * are hidden in an empty window.
 */
const PALETTE: { readonly [Name in CommandName]?: string } = {
  ask: IN_FOLDER,
  analyse: IN_FOLDER,
  comparePipelines: IN_FOLDER,
  reviewNext: CONTEXT_KEYS.anyReview,
  runWithParallax: IN_FOLDER,
  buildEvalSet: IN_FOLDER,
  evaluateWorkspace: IN_FOLDER,
  acceptBaseline: IN_FOLDER,
  openConfig: IN_FOLDER,
  setUpModel: IN_FOLDER,
  setUpMeaning: IN_FOLDER,
  getStarted: 'true',
  // At a call in the code.
  showMetrics: `${IN_FOLDER} && (${AT_CALL_SITE})`,
  bindSite: `${IN_FOLDER} && (${AT_CALL_SITE})`,
  callRetrieves: `${IN_FOLDER} && (${AT_CALL_SITE})`,
  // In files of certain types.
  evaluateEvalSet: `${IN_FOLDER} && resourceExtname == .jsonl`,
  reviewDrafts: `${IN_FOLDER} && resourceExtname == .jsonl`,
};

/** A command in a menu or on a key. */
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

/** Keys for answering in the Review view. Only active if a pair is open, and never in input fields. */
export function keybindings(): readonly Keybinding[] {
  const inView = `focusedView == ${VIEWS.review} && !inputFocus`;
  const when = `${CONTEXT_KEYS.reviewing} && ${inView}`;
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

/** The entries of the editor's menus, by menu id. */
export function menus(): Readonly<Record<string, readonly MenuEntry[]>> {
  const inInspector = `view == ${VIEWS.inspector}`;
  const inReview = `view == ${VIEWS.review}`;
  const inCaptured = `view == ${VIEWS.captured}`;
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
      {
        command: COMMANDS.checkEvalSets,
        when: `controllerId == ${TEST_CONTROLLER}`,
        group: 'navigation@4',
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
        command: COMMANDS.explainCaptured,
        when: `${inCaptured} && viewItem == ${VIEW_ITEMS.capturedRun}`,
        group: '1_captured@3',
      },
      {
        command: COMMANDS.showCapturedRun,
        when: `${inCaptured} && viewItem == ${VIEW_ITEMS.capturedRun}`,
        group: 'inline',
      },
      {
        command: COMMANDS.reviewOpen,
        when: `${inReview} && viewItem == ${VIEW_ITEMS.reviewPair}`,
        group: '1_review@1',
      },
      { command: COMMANDS.reviewRemove, when: `${inReview} && viewItem =~ /^review/`, group: 'inline' },
    ],
    'view/title': [
      { command: COMMANDS.runWithParallax, when: inCaptured, group: 'navigation@0' },
      {
        command: COMMANDS.stopObserving,
        when: `${inCaptured} && ${CONTEXT_KEYS.observing}`,
        group: '1_capture@0',
      },
      {
        command: COMMANDS.startCapture,
        when: `${inCaptured} && !${CONTEXT_KEYS.capturing}`,
        group: '1_capture@0',
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
      {
        command: COMMANDS.saveCapturedQuestions,
        when: `${inCaptured} && ${CONTEXT_KEYS.anyCaptured}`,
        group: '2_captured@1',
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
      { command: COMMANDS.openConfig, when: inInspector, group: 'navigation@1' },
      { command: COMMANDS.comparePipelines, when: inInspector, group: 'navigation@2' },
      { command: COMMANDS.analyse, when: inInspector, group: '0_show@1' },
      // The panel has a button for it: a second icon would look like something else.
      { command: COMMANDS.indexCorpus, when: inInspector, group: '1_index@0' },
      { command: COMMANDS.rebuildIndex, when: inInspector, group: '1_index@1' },
      { command: COMMANDS.fetchWebCorpus, when: inInspector, group: '1_index@3' },
      {
        command: COMMANDS.showSkippedFiles,
        when: `${inInspector} && ${CONTEXT_KEYS.indexed}`,
        group: '1_index@2',
      },
      { command: COMMANDS.setApiKey, when: inInspector, group: '2_model@1' },
      { command: COMMANDS.clearHistory, when: inInspector, group: '3_panel@1' },
      { command: COMMANDS.getStarted, when: inInspector, group: '4_help@0' },
      { command: COMMANDS.showLog, when: inInspector, group: '4_help@1' },
      { command: COMMANDS.restartEngine, when: inInspector, group: '4_help@2' },
    ],
    'editor/title': [
      { command: COMMANDS.applyWhatIf, when: `resourceScheme == ${PREVIEW_SCHEME}`, group: 'navigation@1' },
      { command: COMMANDS.clearEvidence, when: CONTEXT_KEYS.evidenceShown, group: 'navigation' },
    ],
    'editor/context': [
      { command: COMMANDS.acceptDraft, when: inDrafts, group: '1_parallax@1' },
      { command: COMMANDS.rejectDraft, when: inDrafts, group: '1_parallax@2' },
      { command: COMMANDS.ask, when: 'editorHasSelection', group: 'z_parallax@1' },
      {
        command: COMMANDS.explainMissing,
        when: `${CONTEXT_KEYS.indexed} && resourceScheme == file`,
        group: 'z_parallax@2',
      },
    ],
    'explorer/context': [
      {
        command: COMMANDS.explainMissing,
        when: `${CONTEXT_KEYS.indexed} && resourceScheme == file && !explorerResourceIsFolder`,
        group: 'z_parallax',
      },
    ],
  };
}
