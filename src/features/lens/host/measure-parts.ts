/** The dependencies of "Measure My Retriever…". */
import type * as vscode from 'vscode';
import type { ParallaxConfig } from '../../../shared/config.ts';
import type { EngineClient } from '../../../extension/engine-process/engine-client.ts';

export interface MeasureParts {
  readonly engine: Pick<EngineClient, 'request'>;
  readonly extensionUri: vscode.Uri;
  readonly folder: () => vscode.Uri | undefined;
  readonly config: () => ParallaxConfig;
  readonly editConfig: (edit: (json: string) => string) => Promise<void>;
  /** Stores a secret under a name like the given one, and returns the name to write to parallax.json. */
  readonly addKey: (name: string, value: string) => Promise<string>;
}
