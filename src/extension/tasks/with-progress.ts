import * as vscode from 'vscode';
import { withoutLinks } from '../../core/text/without-links.ts';
import type { TaskContext } from './task-list.ts';

/** Shows work in a notification that can cancel it. */
export async function withProgress<T>(title: string, work: (context: TaskContext) => Promise<T>): Promise<T> {
  const location = vscode.ProgressLocation.Notification;
  const options = { location, title: withoutLinks(title), cancellable: true };
  return vscode.window.withProgress(options, (progress, token) => {
    const controller = new AbortController();
    token.onCancellationRequested(() => controller.abort());
    let reached = 0;
    return work({
      signal: controller.signal,
      onNote: (note) => {
        if (note.type !== 'progress') return;
        const { done, total, detail } = note.progress;
        const share = total ? Math.min(100, (100 * done) / total) : reached;
        progress.report({
          increment: Math.max(0, share - reached),
          message: withoutLinks([detail, total ? `${done} / ${total}` : ''].filter(Boolean).join(' · ')),
        });
        reached = Math.max(reached, share);
      },
    });
  });
}
