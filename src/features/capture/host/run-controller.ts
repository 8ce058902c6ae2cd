/** The panel of a run without the editor: asks the engine for its picture, and publishes the complete new state. */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../../core/errors.ts';
import type { Pipeline } from '../../../core/pipeline.ts';
import type { FromRun, RunState } from '../contract/panel.ts';
import type { Task } from '../../../shared/panels/task.ts';
import type { Remedy } from '../../../shared/remedies.ts';
import type { Params } from '../../../shared/rpc.ts';
import type { EngineClient } from '../../../extension/engine-process/engine-client.ts';
import { FailureInView } from '../../../extension/platform/failure-in-view.ts';

export interface RunOptions {
  readonly engine: Pick<EngineClient, 'request'>;
  /** The corpus and judge in view, and the questions with known perspectives. */
  readonly terms: () => Pick<Params<'runPicture'>, 'corpus' | 'judge' | 'queries'>;
  readonly pipelines: () => readonly { readonly name: string; readonly pipeline: Pipeline }[];
  readonly actions: {
    publish(state: RunState): void;
    open(passageId: string): Promise<void>;
    inspect(query: string): Promise<void>;
    applyRemedy(remedy: Remedy): Promise<void>;
    log(message: string): void;
  };
}

export class RunController {
  readonly #options: RunOptions;
  readonly #failure: FailureInView;
  #run: string | undefined;
  #picture: RunState['picture'];
  #chosen = '';
  /** Whether the picture includes the queries asked again with the chosen pipeline. */
  #isAgain = false;
  #task: Task | undefined;
  #work: AbortController | undefined;

  constructor(options: RunOptions) {
    this.#options = options;
    this.#failure = new FailureInView(
      (message) => options.actions.log(message),
      () => this.publish(),
    );
  }

  /** Shows another run. @param run as its retrievals name it */
  async show(run: string): Promise<void> {
    if (run !== this.#run) {
      this.#run = run;
      this.#picture = undefined;
      this.#isAgain = false;
    }
    await this.refresh();
  }

  /** Reads the run again, after more of it was captured or more is judged. */
  async refresh(): Promise<void> {
    if (this.#run === undefined) return this.publish();
    await this.#read(this.#isAgain);
  }

  /** Handles a message of the panel. Failures become part of the state and are never thrown. */
  async handle(message: FromRun): Promise<void> {
    const { actions } = this.#options;
    switch (message.type) {
      case 'ready':
        return this.refresh();
      case 'open':
        return this.#failure.guard(() => actions.open(message.passageId));
      case 'inspect':
        return this.#failure.guard(() => actions.inspect(message.query));
      case 'ask-again':
        this.#chosen = message.pipeline;
        return this.#read(true);
      case 'cancel':
        this.#work?.abort();
        return;
      case 'remedy':
        this.#failure.forget();
        this.publish();
        return actions.applyRemedy(message.remedy);
      case 'dismiss-error':
        this.#failure.forget();
        return this.publish();
    }
  }

  publish(): void {
    this.#options.actions.publish(this.state());
  }

  state(): RunState {
    const names = this.#pipelines.map(({ name }) => name);
    return {
      ...(this.#picture ? { picture: this.#picture } : {}),
      pipelines: names,
      pipeline: names.find((name) => name === this.#chosen) ?? names[0] ?? '',
      ...(this.#task ? { task: this.#task } : {}),
      ...this.#failure.view,
    };
  }

  dispose(): void {
    this.#work?.abort();
  }

  /** Results in a file belong to the queries of their run, and no others can be asked. */
  get #pipelines(): ReturnType<RunOptions['pipelines']> {
    return this.#options.pipelines().filter(({ pipeline }) => pipeline.retriever.type !== 'run');
  }

  async #read(isAgain: boolean): Promise<void> {
    const run = this.#run;
    const { engine, terms } = this.#options;
    if (run === undefined) return;
    this.#work?.abort();
    const work = new AbortController();
    this.#work = work;
    const name = this.state().pipeline;
    const again = isAgain ? this.#pipelines.find((each) => each.name === name)?.pipeline : undefined;
    if (again) {
      this.#task = { title: l10n.t('Asking the queries again') };
      this.publish();
    }
    try {
      const picture = await engine.request(
        'runPicture',
        { ...terms(), run: { captured: run }, ...(again ? { again } : {}) },
        {
          signal: work.signal,
          onNote: (note) => {
            if (note.type !== 'progress' || this.#work !== work || !this.#task) return;
            this.#task = {
              ...this.#task,
              ...(note.progress.total ? { fraction: note.progress.done / note.progress.total } : {}),
            };
            this.publish();
          },
        },
      );
      if (this.#work !== work) return;
      this.#picture = picture;
      this.#isAgain = again !== undefined;
      this.#failure.forget();
    } catch (error) {
      if (this.#work === work && !ParallaxError.is(error, 'cancelled')) this.#failure.show(error);
    } finally {
      if (this.#work === work) {
        this.#work = undefined;
        this.#task = undefined;
        this.publish();
      }
    }
  }
}
