/** Long-running work: at most one task of a kind, shown with its progress, cancellable. */
import * as l10n from '@vscode/l10n';
import { asParallaxError, ParallaxError } from '../../core/errors.ts';
import type { TaskView } from '../../features/inspector/contract/panel.ts';
import type { ProgressNote } from '../../shared/rpc.ts';

export type TaskKind = TaskView['kind'];

export interface TaskContext {
  readonly signal: AbortSignal;
  /** Receives the engine's notes. Progress is shown; the caller gets the rest. */
  readonly onNote: (note: ProgressNote) => void;
}

/** Shows failures until work of the same kind succeeds. */
interface TaskFailures {
  show(error: ParallaxError, kind: TaskKind): void;
  succeeded(kind: TaskKind): void;
}

export class TaskList {
  readonly #running = new Map<TaskKind, { view: TaskView; controller: AbortController }>();
  readonly #onChange: () => void;
  readonly #failures: TaskFailures;

  constructor(onChange: () => void, failures: TaskFailures) {
    this.#onChange = onChange;
    this.#failures = failures;
  }

  get views(): TaskView[] {
    return [...this.#running.values()].map(({ view }) => view);
  }

  isRunning(kind: TaskKind): boolean {
    return this.#running.has(kind);
  }

  /** The task is no longer shown, although answers that are on their way may still be stored. */
  cancel(kind: TaskKind): void {
    const task = this.#running.get(kind);
    if (!task) return;
    this.#running.delete(kind);
    task.controller.abort();
    this.#onChange();
  }

  cancelAll(): void {
    for (const kind of [...this.#running.keys()]) this.cancel(kind);
  }

  /**
   * Runs work as the only task of its kind: cancels the previous task and drops its result.
   *
   * @returns the result, or `undefined` if it was cancelled, replaced or failed (failures are reported)
   */
  async run<T>(
    kind: TaskKind,
    title: string,
    work: (context: TaskContext) => Promise<T>,
  ): Promise<T | undefined> {
    this.cancel(kind);
    const task = { view: { kind, title } as TaskView, controller: new AbortController() };
    const isCurrent = (): boolean => this.#running.get(kind) === task;
    this.#running.set(kind, task);
    this.#onChange();
    const onNote = (note: ProgressNote): void => {
      if (note.type !== 'progress' || !isCurrent()) return;
      task.view = { kind, title, ...describeProgress(note.progress) };
      this.#onChange();
    };
    try {
      const result = await work({ signal: task.controller.signal, onNote });
      if (!isCurrent() || task.controller.signal.aborted) return undefined;
      // Work that the user declined has no result.
      if (result !== undefined) this.#failures.succeeded(kind);
      return result;
    } catch (error) {
      if (isCurrent() && !task.controller.signal.aborted)
        this.#failures.show(notByUser(asParallaxError(error)), kind);
      return undefined;
    } finally {
      if (isCurrent()) {
        this.#running.delete(kind);
        this.#onChange();
      }
    }
  }
}

/** Work cancelled by anything but the user is a failure, which panels show. */
function notByUser(error: ParallaxError): ParallaxError {
  if (error.id !== 'cancelled') return error;
  return new ParallaxError(
    'interrupted',
    l10n.t('Stopped, because parallax.json or the index changed. Start again.'),
    { cause: error },
  );
}

function describeProgress(
  progress: Extract<ProgressNote, { type: 'progress' }>['progress'],
): Partial<TaskView> {
  const { done, total, detail } = progress;
  return {
    ...(total ? { fraction: Math.min(1, done / total) } : {}),
    ...(detail ? { detail } : {}),
  };
}
