/** Shows figures beside a call: lenses, hints, line ends and hovers. Reads only memory. */
import * as vscode from 'vscode';
import * as z from 'zod';
import type { Read } from '../../../core/read.ts';
import { COMMANDS, type CommandId } from '../../../shared/manifest/contributions.ts';
import type { SettingValue } from '../../../shared/manifest/settings.ts';
import { hoverMarkdown } from './hover-text.ts';
import {
  compactText,
  lensTexts,
  lineText,
  useText,
  wrapperText,
  type LensAction,
  type SiteState,
} from './lens-text.ts';
import { isPlanned } from '../../../sites/plan.ts';
import { rangeOf, SiteDocuments, type LocatedSite, type LocatedUse } from './site-documents.ts';
import { commandLink } from '../../../extension/platform/command-link.ts';

export type InlineDisplay = SettingValue<'parallax.inline.display'>;

export interface SurfaceOptions {
  readonly documents: SiteDocuments;
  readonly state: (located: LocatedSite) => SiteState;
  readonly display: () => InlineDisplay;
  readonly metrics: () => readonly string[];
  readonly log: (message: string) => void;
}

const siteTargetSchema = z.object({
  uri: z.string(),
  key: z.string(),
  /** Name of a what-if; defaults to the best one. */
  whatIf: z.string().optional(),
});
/** The call that a command applies to. Plain JSON, because links of a hover pass it too. */
export type SiteTarget = Readonly<Read<typeof siteTargetSchema>>;

/** The call that a command was run on. `undefined` for the call at the cursor. */
export function siteTarget(target: unknown): SiteTarget | undefined {
  return siteTargetSchema.safeParse(target).data;
}

export const ACTION_COMMANDS: Readonly<Record<LensAction, CommandId>> = {
  evaluate: COMMANDS.evaluateSite,
  cancel: COMMANDS.cancelSite,
  compare: COMMANDS.compareSite,
  preview: COMMANDS.previewWhatIf,
  details: COMMANDS.showMetrics,
  'set-k': COMMANDS.setSiteK,
  remedy: COMMANDS.bindSite,
  captured: COMMANDS.showCaptured,
  judge: COMMANDS.judgeSite,
  run: COMMANDS.runWithParallax,
  measure: COMMANDS.measureCall,
};

/** Time after the last keystroke, in milliseconds, for figures that the editor does not request. */
const SETTLE_MS = 250;

export class SiteSurfaces
  implements vscode.CodeLensProvider, vscode.InlayHintsProvider, vscode.HoverProvider, vscode.Disposable
{
  readonly #options: SurfaceOptions;
  readonly #lineEnd = vscode.window.createTextEditorDecorationType({
    after: { margin: '0 0 0 3ch', color: new vscode.ThemeColor('editorCodeLens.foreground') },
  });
  readonly #disposables: vscode.Disposable[];
  #timer: NodeJS.Timeout | undefined;

  constructor(options: SurfaceOptions) {
    this.#options = options;
    const later = (): void => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => void this.drawLineEnds(), SETTLE_MS);
    };
    this.#disposables = [
      this.#lineEnd,
      vscode.workspace.onDidChangeTextDocument(() => this.#shows('endOfLine') && later()),
      vscode.window.onDidChangeVisibleTextEditors(() => this.#shows('endOfLine') && later()),
    ];
  }

  async provideCodeLenses(document: vscode.TextDocument): Promise<vscode.CodeLens[]> {
    if (!this.#shows('codeLens')) return [];
    const metrics = this.#options.metrics();
    const links = (await this.#uses(document)).map(linkLens);
    const lenses = (await this.#sites(document)).flatMap((located) => {
      const range = rangeOf(document, located.site.range);
      if (!hasFigures(located, this.#options.state(located))) return [];
      return lensTexts(this.#options.state(located), metrics).map(
        ({ title, tooltip, action }) =>
          new vscode.CodeLens(range, {
            title,
            tooltip,
            command: ACTION_COMMANDS[action],
            arguments: [targetOf(located)],
          }),
      );
    });
    return [...lenses, ...links];
  }

  async provideInlayHints(document: vscode.TextDocument, within: vscode.Range): Promise<vscode.InlayHint[]> {
    if (!this.#shows('compactHint')) return [];
    return (await this.#sites(document)).flatMap((located) => {
      const range = rangeOf(document, located.site.range);
      const text = compactText(this.#options.state(located), this.#options.metrics());
      if (text === undefined || !within.intersection(range)) return [];
      const part = new vscode.InlayHintLabelPart(text);
      part.command = {
        title: vscode.l10n.t('Show Metrics'),
        command: COMMANDS.showMetrics,
        arguments: [targetOf(located)],
      };
      const hint = new vscode.InlayHint(document.lineAt(range.end.line).range.end, [part]);
      hint.paddingLeft = true;
      return [hint];
    });
  }

  async provideHover(
    document: vscode.TextDocument,
    position: vscode.Position,
  ): Promise<vscode.Hover | undefined> {
    if (this.#shows('off')) return undefined;
    const located = (await this.#sites(document)).find(({ site }) =>
      rangeOf(document, site.range).contains(position),
    );
    if (!located) return undefined;
    const commands = hoverCommands(this.#options.state(located));
    const links = commands.map(({ label, command, whatIf }) => ({
      label,
      href: commandLink(command, { ...targetOf(located), whatIf }),
    }));
    const text = new vscode.MarkdownString(hoverMarkdown(located.site, this.#options.state(located), links));
    text.isTrusted = { enabledCommands: commands.map(({ command }) => command) };
    return new vscode.Hover(text, rangeOf(document, located.site.range));
  }

  /** Updates the texts at line ends in the visible editors. */
  async drawLineEnds(): Promise<void> {
    for (const editor of vscode.window.visibleTextEditors) {
      const sites = this.#shows('endOfLine') ? await this.#sites(editor.document) : [];
      editor.setDecorations(
        this.#lineEnd,
        sites.flatMap((located) => {
          const text = lineText(this.#options.state(located), this.#options.metrics());
          const { line } = editor.document.positionAt(located.site.range.start);
          const { end } = editor.document.lineAt(line).range;
          return text === undefined
            ? []
            : [{ range: new vscode.Range(end, end), renderOptions: { after: { contentText: text } } }];
        }),
      );
    }
  }

  dispose(): void {
    clearTimeout(this.#timer);
    for (const disposable of this.#disposables) disposable.dispose();
  }

  #shows(display: InlineDisplay): boolean {
    return this.#options.display() === display;
  }

  #sites(document: vscode.TextDocument): Promise<readonly LocatedSite[]> {
    return this.#found(document, () => this.#options.documents.sites(document));
  }

  #uses(document: vscode.TextDocument): Promise<readonly LocatedUse[]> {
    return this.#found(document, () => this.#options.documents.uses(document));
  }

  /** If the parser cannot be loaded, logs the failure and shows nothing, instead of failing on every keystroke. */
  async #found<T>(document: vscode.TextDocument, find: () => Promise<readonly T[]>): Promise<readonly T[]> {
    if (!SiteDocuments.covers(document)) return [];
    try {
      return await find();
    } catch (error) {
      this.#options.log(`${document.uri.path} could not be read for call sites: ${String(error)}`);
      return [];
    }
  }
}

/** A retriever made in another file has its figures there; captured figures are shown here. */
function hasFigures({ site }: LocatedSite, { captured, figures }: SiteState): boolean {
  return site.madeIn === undefined || captured !== undefined || figures !== undefined;
}

function linkLens({ range, isWrapper, callee, file, creation }: LocatedUse): vscode.CodeLens {
  const line = creation.range.start.line + 1;
  return new vscode.CodeLens(range, {
    ...(isWrapper ? wrapperText(file, line) : useText(callee, file, line)),
    command: 'vscode.open',
    arguments: [creation.uri, { selection: creation.range }],
  });
}

export function targetOf({ document, key }: LocatedSite): SiteTarget {
  return { uri: document.uri.toString(), key };
}

interface HoverCommand {
  readonly label: string;
  readonly command: CommandId;
  readonly whatIf?: string;
}

function hoverCommands({ figures, planned, captured, editable }: SiteState): readonly HoverCommand[] {
  const canRun = isPlanned(planned);
  return [
    ...(canRun
      ? [
          {
            label: figures ? vscode.l10n.t('Evaluate again') : vscode.l10n.t('Evaluate'),
            command: COMMANDS.evaluateSite,
          },
        ]
      : []),
    ...(figures ? [{ label: vscode.l10n.t('Compare'), command: COMMANDS.compareSite }] : []),
    ...(canRun
      ? planned.whatIfs.flatMap(({ name }) =>
          name === editable
            ? [{ label: vscode.l10n.t('Preview {0}', name), command: COMMANDS.previewWhatIf, whatIf: name }]
            : [],
        )
      : []),
    ...(captured ? [{ label: vscode.l10n.t('Show captured'), command: COMMANDS.showCaptured }] : []),
    ...(isPlanned(planned) && planned.origin === 'measured'
      ? []
      : [{ label: vscode.l10n.t('Measure my retriever'), command: COMMANDS.measureSite }]),
    { label: vscode.l10n.t('Bind to a pipeline'), command: COMMANDS.bindSite },
    { label: vscode.l10n.t('Set k'), command: COMMANDS.setSiteK },
  ];
}
