/** Opens a retrieved passage in its document and marks its text. */
import * as vscode from 'vscode';
import { ParallaxError } from '../../core/errors.ts';
import { COMMANDS } from '../../shared/manifest/contributions.ts';
import type { Candidate } from '../../shared/requests/passages.ts';
import { ExtractedDocuments } from './extracted-documents.ts';
import type { EvidenceDecorations, EvidenceMark } from './evidence-decorations.ts';
import { locatePassage } from './locate.ts';
import type { Span } from '../../core/model.ts';
import { withoutLinks } from '../../core/text/without-links.ts';

/** Evidence with offsets relative to the passage's text. */
export type PassageEvidence = Omit<EvidenceMark, 'range'> & { readonly span: Span };

type OpenablePassage = Omit<Candidate, 'score'>;

/** @param focus the span of the passage to scroll to; defaults to its beginning */
export async function openPassage(
  corpus: string,
  passage: OpenablePassage,
  evidence: readonly PassageEvidence[],
  focus: Span | undefined,
  decorations: EvidenceDecorations,
): Promise<void> {
  const shown = await showPassage(corpus, passage, { focus });
  if (!shown) return;
  const marks: EvidenceMark[] = evidence.map(({ span, ...mark }) => ({
    ...mark,
    range: shown.rangeOf(span),
  }));
  decorations.show(shown.editor, shown.whole, marks);
}

/** A passage in the current text of its document. */
export interface ShownPassage {
  readonly editor: vscode.TextEditor;
  readonly whole: vscode.Range;
  /** The range of a span of the passage's text in the document. */
  readonly rangeOf: (span: Span) => vscode.Range;
}

export interface ShowOptions extends Pick<vscode.TextDocumentShowOptions, 'viewColumn' | 'preserveFocus'> {
  /** The span of the passage to scroll to. Defaults to its beginning. */
  readonly focus?: Span | undefined;
}

/** @returns `undefined` if the document no longer contains the passage; the user is notified */
export async function showPassage(
  corpus: string,
  passage: OpenablePassage,
  { focus, ...options }: ShowOptions,
): Promise<ShownPassage | undefined> {
  const uri = passage.verbatim
    ? vscode.Uri.file(passage.path)
    : ExtractedDocuments.uri(corpus, passage.documentId);
  if (passage.verbatim) await requireFile(uri, corpus, passage);
  const document = await vscode.workspace.openTextDocument(uri);
  // If the editor converts CRLF, offsets differ from the file, so the passage is located by its text.
  const place = locatePassage(document.getText(), passage);
  const editor = await vscode.window.showTextDocument(document, { ...options, preview: true });
  if (!place) {
    offerUpdate(
      corpus,
      vscode.l10n.t(
        '{0} changed since it was indexed, and this passage is no longer in it.',
        passage.documentId,
      ),
    );
    return undefined;
  }
  const rangeOf = (span: Span): vscode.Range =>
    new vscode.Range(
      document.positionAt(place.start + span.start),
      document.positionAt(place.start + span.end),
    );
  const whole = rangeOf({ start: 0, end: passage.text.length });
  const target = focus ? rangeOf(focus) : whole;
  editor.selection = new vscode.Selection(target.start, target.start);
  editor.revealRange(target, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  return { editor, whole, rangeOf };
}

/** @throws ParallaxError `not-indexed` if the file is gone, because indexing again helps */
async function requireFile(uri: vscode.Uri, corpus: string, { documentId }: OpenablePassage): Promise<void> {
  try {
    await vscode.workspace.fs.stat(uri);
  } catch (error) {
    throw new ParallaxError(
      'not-indexed',
      vscode.l10n.t('{0} has been deleted since it was indexed. Update the index.', documentId),
      { cause: error, corpus },
    );
  }
}

function offerUpdate(corpus: string, message: string): void {
  const update = vscode.l10n.t('Update the Index');
  void vscode.window
    .showWarningMessage(withoutLinks(message), update)
    .then((chosen) => chosen && vscode.commands.executeCommand(COMMANDS.indexCorpus, corpus));
}
