/** Read-only documents with the text extracted from PDF, DOCX, HTML, records and other formats. */
import * as vscode from 'vscode';
import { messageOf } from '../../core/errors.ts';
import { EXTRACTED_SCHEME } from '../../shared/manifest/contributions.ts';
import type { EngineClient } from '../engine-process/engine-client.ts';
import { documentNamedBy, queryOf } from './extracted-query.ts';

export class ExtractedDocuments implements vscode.TextDocumentContentProvider {
  readonly #engine: EngineClient;

  constructor(engine: EngineClient) {
    this.#engine = engine;
  }

  static uri(corpus: string, documentId: string): vscode.Uri {
    // The path ends in .txt to give the tab a readable name; the query identifies the document.
    return vscode.Uri.from({
      scheme: EXTRACTED_SCHEME,
      path: `/${documentId}.txt`,
      query: queryOf({ corpus, documentId }),
    });
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const named = documentNamedBy(uri.query);
    if (!named) return vscode.l10n.t('This address names no document of a corpus.');
    try {
      return (await this.#engine.request('documentText', named)).text;
    } catch (error) {
      return vscode.l10n.t('The text of {0} is not available: {1}', named.documentId, messageOf(error));
    }
  }
}
