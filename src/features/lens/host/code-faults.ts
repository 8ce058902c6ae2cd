/** Finds arguments without effect in all programs of the workspace, so that they show before a file is opened. */
import { detectionOf, siteReader } from '../../agents/tools/sites.ts';
import type { AgentHost } from '../../agents/tools/host.ts';
import type { CodeFault } from '../../inspector/contract/panel.ts';
import type { LintId } from '../../../sites/model.ts';
import { mayRetrieve } from './known-imports.ts';

/** Lints about what may be intended. The others are about arguments without any effect. */
const INTENDED: ReadonlySet<LintId> = new Set([
  'comment-not-understood',
  'reranker-without-choice',
  'langchain-inverted-lambda',
  'fetch-k-not-above-k',
  'replaced-call',
]);

export function mayBeIntended(id: LintId): boolean {
  return INTENDED.has(id);
}

type Host = Pick<AgentHost, 'detector' | 'neighbours' | 'programs' | 'workspace'>;

/** As many as fit above the question. */
const MAX_FAULTS = 3;

export class CodeFaults {
  readonly #host: Host;
  readonly #changed: () => void;
  #faults: readonly CodeFault[] = [];
  /** Counts searches, so that a slow one does not overwrite a newer one. */
  #search = 0;

  constructor(host: Host, changed: () => void) {
    this.#host = host;
    this.#changed = changed;
  }

  /** The first of the workspace, by file and line. */
  get faults(): readonly CodeFault[] {
    return this.#faults;
  }

  /** @throws ParallaxError as the host does, such as for a broken parallax.json */
  async find(): Promise<void> {
    const search = ++this.#search;
    const faults = await this.#read();
    if (search !== this.#search || JSON.stringify(faults) === JSON.stringify(this.#faults)) return;
    this.#faults = faults;
    this.#changed();
  }

  async #read(): Promise<CodeFault[]> {
    const reader = siteReader(this.#host, await this.#host.workspace());
    const faults: CodeFault[] = [];
    for await (const program of this.#host.programs(undefined, undefined)) {
      const { file, cells, isNotebook } = program;
      // A line of a notebook is a line of one of its cells, which cannot be opened by a number.
      if (isNotebook || !cells.some(({ text }) => mayRetrieve(text))) continue;
      const { problems } = await detectionOf(program, reader);
      const text = cells[0]?.text ?? '';
      for (const { id, message, place } of problems) {
        if (mayBeIntended(id)) continue;
        faults.push({ file, line: text.slice(0, place.start).split('\n').length, message });
        if (faults.length === MAX_FAULTS) return faults;
      }
    }
    return faults;
  }
}
