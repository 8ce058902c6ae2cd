/** The services that "Measure My Retriever…" works with. */
import type * as vscode from 'vscode';
import type { ParallaxConfig } from '../../shared/config.ts';
import type { EngineClient } from '../engine-process/engine-client.ts';

export interface MeasureParts {
  readonly engine: Pick<EngineClient, 'request'>;
  readonly extensionUri: vscode.Uri;
  readonly folder: () => vscode.Uri | undefined;
  readonly config: () => ParallaxConfig;
  /** Changes parallax.json. */
  readonly editConfig: (edit: (json: string) => string) => Promise<void>;
  /** Keeps a secret under a name like this one, and gives the name back that parallax.json is to say. */
  readonly addKey: (name: string, value: string) => Promise<string>;
}
