/**
 * A workspace without any Parallax files, like a public documentation tree: folders of Markdown with front matter,
 * headings, lists and code, and a program beside it; no `parallax.json`, no eval set, no labels. The pages are written
 * so that {@link evidence} gives the true verdicts, which the scripted model uses.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export const QUESTION = 'Should clients retry failed requests on their own?';

interface Perspective {
  readonly text: string;
  /** Words that identify a supporting passage. */
  readonly mark: string;
}

/** The perspectives on {@link QUESTION}. */
export const PERSPECTIVES: readonly Perspective[] = [
  {
    text: 'Retries hide short failures from the people who use a service.',
    mark: 'nobody noticed the hiccup',
  },
  { text: 'Repeating a request is only safe where it changes nothing.', mark: 'charged twice' },
  { text: 'Retries can bring down a service that is already struggling.', mark: 'fell over a third time' },
];

/** The file whose passage supports the last perspective and shares no word with the question. */
export const LOST = 'incidents/2024-03-ledger.md';

const SERVICES = [
  ...['billing', 'catalogue', 'checkout', 'courier', 'delivery', 'gateway', 'inventory', 'ledger', 'mailer'],
  ...[
    'maps',
    'orders',
    'parcels',
    'pricing',
    'profiles',
    'routing',
    'search',
    'sessions',
    'tariffs',
    'warehouse',
  ],
];
const PLACES = ['Aalborg', 'Bergen', 'Cork', 'Delft', 'Evora', 'Faro', 'Ghent', 'Hanover', 'Izola', 'Jena'];

/** Perspectives on where a service keeps its data, each in another kind of page. */
const onData = (service: string): readonly Perspective[] => [
  { text: `One place is enough for ${service}.`, mark: `The data of ${service} stays in` },
  { text: `One full disc stops ${service} everywhere.`, mark: `the disc of ${service} is full` },
  { text: `Towns far away wait for ${service}.`, mark: `wait longer for ${service}` },
];

/** Services that {@link colleaguesQuestions} ask about. */
const ASKED_ABOUT = SERVICES.slice(4, 16);

/** An eval set of a colleague. */
export function colleaguesQuestions(): string {
  const line = (service: string): string => {
    const perspectives = onData(service).map(({ text }, place) => ({ id: `p${place + 1}`, text }));
    return `${JSON.stringify({ _id: service, text: `Where should ${service} keep its data?`, perspectives })}\n`;
  };
  return ASKED_ABOUT.map(line).join('');
}

/** The words of a passage that support a perspective. `undefined` if none do. */
export function evidence(passage: string, perspective: string): string | undefined {
  const all = [...PERSPECTIVES, ...ASKED_ABOUT.flatMap(onData)];
  const mark = all.find(({ text }) => text === perspective)?.mark;
  return mark !== undefined && passage.replaceAll(/\s+/g, ' ').includes(mark) ? mark : undefined;
}

/** Writes the tree into a folder. */
export function writeHandbook(folder: string): void {
  const write = (name: string, text: string): void => {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  };
  write('README.md', '# Handbook of the delivery platform\n\nHow we build, run and repair it.\n');
  write(LOST, incident());
  for (const [index, service] of SERVICES.entries()) {
    const place = PLACES[index % PLACES.length]!;
    write(`guides/${service}/timeouts-and-retries.md`, guide(service, place));
    write(`guides/${service}/on-call.md`, onCall(service, place));
    write(`reference/${service}-api.md`, reference(service, place, index));
    write(`decisions/${String(index + 1).padStart(4, '0')}-${service}-storage.md`, decision(service, place));
  }
  write(PROGRAM, program());
}

/** A program that retrieves from the pages. */
export const PROGRAM = 'tools/ask.py';

function program(): string {
  return `"""Finds what the handbook says about a question."""

from langchain_community.document_loaders import DirectoryLoader
from langchain_community.retrievers import BM25Retriever

pages = DirectoryLoader("..", glob="**/*.md").load()
retriever = BM25Retriever.from_documents(pages, k=5)


def find(question: str) -> list[str]:
    return [page.page_content for page in retriever.invoke(question)]
`;
}

function guide(service: string, place: string): string {
  return `---
title: Timeouts and retries of ${service}
owner: team-${service}
---

# Timeouts and retries

## What clients do

Clients of ${service} retry failed requests on their own. A request to ${service} that failed is sent again after a
short wait, up to three times. When the region of ${place} lost a router in spring, clients retried, and
nobody noticed the hiccup: every failed request of ${service} was answered on its second try.

## Settings

\`\`\`yaml
${service}:
  retries: 3
  timeout: 2s
\`\`\`

The values are read at the start. Change them in the repository of ${service}, never on a machine in ${place}.
`;
}

function onCall(service: string, place: string): string {
  return `# On call for ${service}

## Before your week

Read the page of the last week, and say hello to the team in ${place}. Check that your telephone rings.

## When the pager goes

1. Look at the board of ${service}.
2. Say in the channel that you are looking.
3. Ask for help after twenty minutes. Nobody minds being woken in ${place}.
4. When the disc of ${service} is full, nothing of it works anywhere until someone has made room.
`;
}

function reference(service: string, place: string, index: number): string {
  const warning =
    index === 0
      ? `Orders that were sent once more by a client were charged twice in the first winter, because the first
request had failed only on its way back. Since then a request that changes something carries a key.`
      : `Each call takes a token and answers with a list. Far from ${place} people wait longer for ${service}.`;
  return `# ${service} API

## Calls

| call | what it does |
| --- | --- |
| GET /${service} | lists what there is |
| PUT /${service}/{id} | changes one |

## Notes

${warning}
`;
}

function decision(service: string, place: string): string {
  return `# Where ${service} keeps its data

## Summary

The data of ${service} stays in ${place}, in one database with a copy beside it.

## Motivation

The old place was full, and moving took a night every month.

## Alternatives

A store in every town was considered for ${service}. It would have been quicker for ${place} and slower for all others.
`;
}

function incident(): string {
  return `# The ledger in March

## What happened

At noon the ledger was already struggling with the monthly report. It was restarted, and every caller knocked again
within the same second. The stampede brought it down twice, and in the evening it fell over a third time. Only when
the callers were told to wait for a random time did the service stay up.

## What we learned

A crowd that comes back at once is heavier than the load that made the trouble.
`;
}
