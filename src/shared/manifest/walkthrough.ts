/** The first steps with Parallax, shown on the editor's welcome page and under "Get Started". */
import { COMMANDS, CONTEXT_KEYS } from './contributions.ts';

interface Step {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly media: { readonly svg: string; readonly altText: string };
  /** Events that complete the step. */
  readonly completionEvents: readonly string[];
}

interface Walkthrough {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly icon: string;
  readonly steps: readonly Step[];
}

export const START: Walkthrough = {
  id: 'start',
  title: 'Get Started with Parallax',
  description: 'See which perspectives your retrieval surfaces, and which it loses.',
  icon: 'media/icon.png',
  steps: [
    {
      id: 'index',
      title: 'Index your documents',
      description: [
        'Parallax splits the documents of the folder you opened into passages. Unless you configure a model elsewhere, nothing leaves this machine.',
        `[Index Corpus](command:${COMMANDS.indexCorpus})`,
        `[parallax.json](command:${COMMANDS.openConfig}) names the folders of the corpus.`,
      ].join('\n'),
      media: { svg: 'media/walkthrough/index.svg', altText: 'Illustration: documents become passages.' },
      completionEvents: [`onContext:${CONTEXT_KEYS.indexed}`],
    },
    {
      id: 'ask',
      title: 'Ask a contentious question',
      description: [
        'Add the perspectives that a complete answer must cover, or let a model suggest them. The panel shows which passages support each, and where the others are lost.',
        `[Ask a Question](command:${COMMANDS.ask})`,
        `Passages are judged by you, or by a model: [Set Up a Model](command:${COMMANDS.setUpModel}) finds those of the editor and of this machine, and tests the one you choose.`,
      ].join('\n'),
      media: {
        svg: 'media/walkthrough/ask.svg',
        altText:
          'Illustration: five passages that support two perspectives, and a third perspective that is lost.',
      },
      completionEvents: [`onContext:${CONTEXT_KEYS.hasAsked}`],
    },
    {
      id: 'compare',
      title: 'Find the remedy that helps',
      description: [
        'Compare pipelines over an eval set: every figure with its difference, its interval, and whose judgements it rests on.',
        `[Compare Pipelines](command:${COMMANDS.comparePipelines})`,
        `Another encoder? [Set Up Search by Meaning](command:${COMMANDS.setUpMeaning}) finds those of this machine, and compares the one you choose with the present one.`,
        `No eval set yet? [Build one from your corpus](command:${COMMANDS.buildEvalSet}).`,
      ].join('\n'),
      media: {
        svg: 'media/walkthrough/compare.svg',
        altText: 'Illustration: four pipelines with MRecall@5 and its interval.',
      },
      completionEvents: [`onContext:${CONTEXT_KEYS.hasCompared}`],
    },
    {
      id: 'code',
      title: 'See the figures beside your code',
      description: [
        `Open a Python, TypeScript or JavaScript file, or a notebook, that retrieves. Each call shows its figures above it, measured in your running program or rebuilt from the call.`,
        `[Run with Parallax](command:${COMMANDS.runWithParallax})`,
      ].join('\n'),
      media: {
        svg: 'media/walkthrough/code.svg',
        altText: 'Illustration: figures above a call that retrieves.',
      },
      completionEvents: [`onContext:${CONTEXT_KEYS.hasFiguresAtCall}`],
    },
    {
      id: 'keep',
      title: 'Keep it from getting worse',
      description: [
        'Run the eval sets of the workspace in the Testing view, accept the result as the baseline, and have `parallax gate` check every change.',
        `[Evaluate Workspace](command:${COMMANDS.evaluateWorkspace})`,
        `[Accept as Baseline](command:${COMMANDS.acceptBaseline})`,
      ].join('\n'),
      media: {
        svg: 'media/walkthrough/keep.svg',
        altText: 'Illustration: the questions of an eval set, one of which lost a perspective.',
      },
      completionEvents: [`onContext:${CONTEXT_KEYS.hasEvaluated}`],
    },
  ],
};
