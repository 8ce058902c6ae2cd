import * as vscode from 'vscode';
import { fromMapSchema, type FromMap, type ToMap } from '../contract/panel.ts';
import { VIEWS } from '../../../shared/manifest/contributions.ts';
import { saveAs } from '../../../extension/platform/dialogs.ts';
import { EditorPanel } from '../../../extension/platform/editor-panel.ts';
import { applyRemedy } from '../../../extension/platform/remedies.ts';
import type { MappedPanel } from '../../../extension/services/panels.ts';
import type { Services } from '../../../extension/services/services.ts';
import { MapController } from './map-controller.ts';

export type MapPanel = EditorPanel<FromMap, ToMap>;

/** The map of the candidates, in an editor tab. */
export class PassageMapView implements vscode.Disposable {
  readonly controller: MapController;
  readonly panel: MapPanel;

  constructor(services: Services, sidePanel: MappedPanel) {
    const { context, log, ready, engine, note } = services;
    this.controller = new MapController({
      engine,
      answer: () => sidePanel.mapped,
      pipelines: () => sidePanel.pipelines,
      actions: {
        publish: (state) => this.panel.post({ type: 'state', state }),
        open: (passageId) => sidePanel.open(passageId),
        label: (slot, perspective, verdict) => sidePanel.label(slot, perspective, verdict),
        addPerspective: (text) => sidePanel.addPerspective(text),
        supportsOf: (slots) => sidePanel.supportsOf(slots),
        save: saveAs,
        applyRemedy,
        log: note,
      },
    });
    this.panel = new EditorPanel<FromMap, ToMap>(context.extensionUri, {
      viewType: VIEWS.map,
      title: vscode.l10n.t('Map of the Candidates'),
      bundle: 'map',
      messages: fromMapSchema,
      onMessage: (message) => void ready.then(() => this.controller.handle(message)),
      onInvalidMessage: (problem) => log.error(`The map sent a message of the wrong shape: ${problem}`),
      onVisible: () => void this.controller.refresh(),
    });
    sidePanel.onDidAnswer(() => {
      if (this.panel.isVisible) void this.controller.refresh();
    });
    context.subscriptions.push(this, this.panel);
  }

  dispose(): void {
    this.controller.dispose();
  }
}
