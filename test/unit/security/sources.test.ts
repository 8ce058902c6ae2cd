/** What no source file may do, with the few exceptions and their reasons. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { SETTINGS } from '../../../src/shared/manifest/settings.ts';

const sources = new Map(
  ['src', 'webview'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
      .map((entry) => path.join(entry.parentPath, entry.name))
      .map((file) => [file.replaceAll(path.sep, '/'), readFileSync(file, 'utf8')] as const),
  ),
);

/** Files that match the pattern outside of comments. */
function where(pattern: RegExp): string[] {
  return [...sources].filter(([, text]) => pattern.test(withoutComments(text))).map(([file]) => file);
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//gu, '').replace(/^\s*\/\/.*$/gmu, '');
}

describe('no source', () => {
  const FORBIDDEN: Readonly<Record<string, RegExp>> = {
    'makes markup of text':
      /unsafeHTML|unsafeSVG|unsafeStatic|\.innerHTML|\.outerHTML|insertAdjacentHTML|document\.write\(/u,
    'makes code of text': /\beval\(|new Function\(/u,
    'starts a shell': /shell:\s*true|execSync\(|\bexec\b[^;]*from 'node:child_process'/u,
    'shows markup in a hover': /supportHtml/u,
    'opens addresses by itself': /openExternal\(|window\.open\(/u,
    'lets a panel run commands': /enableCommandUris/u,
    'trusts the text of a hover as a whole': /isTrusted\s*=\s*true/u,
    'asks for an address in a box that shows passwords':
      /showInputBox\(\{(?:(?!\}\);)[\s\S]){0,2000}?(?:\w:\/\/|\burl\b|address)/iu,
  };
  for (const [what, pattern] of Object.entries(FORBIDDEN))
    it(what, () => assert.deepEqual(where(pattern), []));

  it('would pass with a forbidden construct in it', () => {
    // Tests the patterns themselves.
    const done = [
      'unsafeHTML(x)',
      'eval(x)',
      'shell: true',
      'supportHtml',
      'window.open(x)',
      'enableCommandUris',
      'isTrusted = true',
      "showInputBox({ value: 'http://",
    ];
    for (const [place, pattern] of Object.values(FORBIDDEN).entries()) assert.match(done[place]!, pattern);
  });
});

describe('foreign answers', () => {
  it('are read by lists that stop at the first invalid entry', () => {
    const listing = /z\s*\.(?:array|record)\((?!z\.unknown\(\)\)|z\.string\(\), z\.unknown\(\)\))/u;
    const asking = where(/openai|outgoingFetch|JsonHttp|StoreDialect|PostgresConnection|KeptComment/u);
    assert.ok(asking.includes('src/engine/external/stores/qdrant-store.ts'));
    assert.deepEqual(
      asking.filter((file) => /^src\/(?:engine|cli|features)\//u.test(file) && where(listing).includes(file)),
      [],
    );
  });
});

describe('processes', () => {
  it('are started in few files', () => {
    assert.deepEqual(where(/node:child_process/u).sort(), [
      // `ps`, if there is no /proc.
      'src/cli/calling-shells.ts',
      'src/cli/run-with.ts',
      // `git`, outside the repository.
      'src/cli/tracked-store.ts',
      // `ps` and `taskkill`.
      'src/engine/concurrency/process-tree.ts',
      'src/engine/corpus/extraction/extraction.ts',
      'src/engine/external/command-retriever.ts',
      'src/engine/external/stores/own-client/store-client.ts',
      'src/extension/engine-process/engine-client.ts',
      // The program that the user names after `--`.
      'src/features/capture/cli/capture-command.ts',
      // The MCP server that the user names after `--`.
      'src/features/capture/cli/mcp-proxy-command.ts',
      'src/features/gate/engine/commit.ts',
      // The program after `--`, with its calls observed.
      'src/features/live/cli/live-session.ts',
      // `node --version`.
      'src/features/live/engine/node-hooks.ts',
    ]);
  });

  it('make temporary folders in one place, which removes those of killed processes', () => {
    assert.deepEqual(where(/\bmkdtemp/u), ['src/engine/store/temporary-folder.ts']);
  });

  it('use the channel of a fork, never a port, except for data of running programs', () => {
    const listening = [
      'src/features/capture/engine/span-receiver.ts',
      'src/features/live/engine/live-connections.ts',
    ];
    assert.deepEqual(where(/createServer\(|\.listen\([^)]/u), listening);
    for (const file of listening) assert.match(sources.get(file)!, /127\.0\.0\.1/u);
  });
});

describe('streams, sockets, servers, threads and processes', () => {
  /** What emits `error`, and ends the process if there is no listener. */
  const MADE =
    /\b(?:createServer|createReadStream|createWriteStream|createGunzip|createInflate|createBrotliDecompress|createZstdDecompress|createConnection|spawn|fork)\(|(?<![.#\w])connect\((?!\))|new (?:Worker|Socket)\(|guardStream\(/u;
  const LISTENS = /\.on\('error'/u;
  /** Files that create them, with the listener for their errors. A new file must be added here. */
  const OWNERS: Readonly<Record<string, RegExp>> = {
    'src/features/capture/cli/capture-command.ts': /once\(child, 'close'\)/u,
    'src/features/capture/cli/mcp-proxy-command.ts': /once\(child, 'close'\)/u,
    'src/cli/end-with-caller.ts': LISTENS,
    'src/features/live/cli/live-session.ts': /once\(child, 'close'\)/u,
    'src/cli/run-with.ts': /once\(child, 'exit'\)/u,
    'src/features/capture/engine/span-receiver.ts':
      /server\.on\('error'[\s\S]*stream\.on\('error'[\s\S]*'sessionError'[\s\S]*socket\.on\('error'/u,
    'src/engine/concurrency/loop-watch.ts': LISTENS,
    'src/engine/concurrency/watchdog.ts': LISTENS,
    'src/engine/corpus/extraction/extraction.ts': LISTENS,
    'src/engine/dense/hnsw-index.ts': /for await \(const chunk of createReadStream/u,
    'src/engine/derivation/threads.ts': LISTENS,
    'src/engine/external/command-retriever.ts': /child\.on\('error'[\s\S]*child\.stdin\.on\('error'/u,
    'src/engine/external/stores/own-client/store-client.ts': LISTENS,
    'src/engine/external/stores/postgres/postgres-connection.ts': /guardStream\(connection\.stream/u,
    'src/engine/files/reading.ts': /for await \(const chunk of createReadStream/u,
    'src/features/live/engine/live-connections.ts': /#server\.on\('error'[\s\S]*socket\.on\('error'/u,
    'src/engine/network/http-client.ts':
      /message\.on\('error'[\s\S]*sending\.on\('error'[\s\S]*step\.on\('error'/u,
    'src/extension/engine-process/engine-client.ts': LISTENS,
    'src/site-thread/site-thread.ts': LISTENS,
  };

  it('have a listener for errors', () => {
    // A browser has none of them.
    const makers = where(MADE).filter((file) => !file.startsWith('webview/'));
    assert.deepEqual(makers.toSorted(), Object.keys(OWNERS).toSorted());
    for (const [file, owner] of Object.entries(OWNERS)) assert.match(sources.get(file)!, owner, file);
  });

  it('use no client that throws outside its promise', () => {
    assert.deepEqual(where(/(?:\bawait|\breturn|=>?) fetch\(|globalThis\.fetch|from 'undici'/u), []);
  });
});

describe('file patterns of a workspace', () => {
  it('are checked before they are expanded or matched', () => {
    const matching = where(
      /import \{[^}]*\bglob\b[^}]*\} from 'node:fs|from 'picomatch'|evalSetPattern\((?:pattern|target)\)/u,
    );
    assert.ok(matching.includes('src/features/gate/engine/eval-sets.ts'));
    assert.ok(matching.includes('src/cli/configured-eval-sets.ts'));
    assert.ok(matching.includes('src/extension/workspace/workspace-folder.ts'));
    assert.deepEqual(
      matching.filter((file) => !/\bglobProblem\(/u.test(sources.get(file)!)),
      ['src/cli/folder-programs.ts'],
    );
    // That file looks for programs only, by a built-in pattern.
    const asked = sources.get('src/cli/folder-programs.ts')!.matchAll(/\bglob\((\w+)/gu);
    assert.deepEqual(
      [...asked].map(([, pattern]) => pattern),
      ['PROGRAM_FILES'],
    );
  });
});

describe('trees of JSON', () => {
  it('are parsed in one place, which limits their depth first', () => {
    const makers =
      /import \{[^}]*\b(?:parseTree|parse|visit|getLocation|modify|findNodeAtLocation|format|stripComments)\b[^}]*\} from 'jsonc-parser'/u;
    assert.deepEqual(where(makers), ['src/core/formats/json-edit.ts']);
  });
});

describe('hovers', () => {
  it('run only Parallax commands', () => {
    const trusting = where(/\.isTrusted = /u);
    assert.deepEqual(trusting.sort(), [
      'src/features/gate/host/test-results.ts',
      'src/features/gate/host/test-tree.ts',
      'src/features/lens/host/site-surfaces.ts',
    ]);
    for (const file of trusting)
      for (const [statement] of sources.get(file)!.matchAll(/\.isTrusted = [^;]+;/gu))
        assert.match(statement, /^\.isTrusted = \{ enabledCommands: (?:\[COMMANDS\.\w+\]|commands\.map\()/u);
  });
});

describe('command links', () => {
  it('are made in one place', () => {
    const made = where(/[`'"(]command:(?:\$\{|parallax)/u).filter((file) =>
      /^src\/(?:extension|features\/[^/]+\/host)\//u.test(file),
    );
    assert.deepEqual(made, [
      'src/extension/platform/command-link.ts',
      'src/features/gate/host/linked-query.ts',
    ]);
  });
});

describe('messages and titles of progress', () => {
  /** The text after each match of a pattern. */
  const behind = (pattern: RegExp): string[] =>
    [...sources].flatMap(([file, text]) =>
      [...text.matchAll(pattern)].map(({ index, 0: { length } }) => {
        const next = text.slice(index + length, index + length + 300);
        return `${file}: ${next.trimStart()}`;
      }),
    );

  it('turn no foreign text into a command link', () => {
    const shown = behind(/\.show(?:Error|Warning|Information)Message\(/gu);
    assert.ok(shown.length > 20);
    // Modal messages show plain text.
    const asLinks = shown.filter((said) => !/: withoutLinks\(/u.test(said) && !said.includes('modal: true'));
    assert.deepEqual(asLinks, []);
  });

  it('are written in few files, without links in progress titles', () => {
    const notified = where(/ProgressLocation\.Notification/u);
    assert.deepEqual(notified.sort(), [
      'src/extension/tasks/with-progress.ts',
      'src/features/capture/host/capture.ts',
      'src/features/lens/host/site-commands.ts',
      'src/features/live/host/live.ts',
    ]);
    for (const file of notified) assert.match(sources.get(file)!, /title(?:: | = )withoutLinks\(/u, file);
  });
});

describe('panels', () => {
  const page = sources.get('src/extension/platform/webview-html.ts')!;

  it('share one page, which forbids everything that it does not allow', () => {
    assert.deepEqual(where(/<!DOCTYPE html>\n<html lang="\$\{vscode/u), [
      'src/extension/platform/webview-html.ts',
    ]);
    const policy = [...page.matchAll(/^ {4}["`]([a-z]+-src[^"`]*)["`],$/gmu)].map(([, rule]) => rule);
    assert.deepEqual(policy, [
      "default-src 'none'",
      "style-src ${webview.cspSource} 'nonce-${nonce}'",
      "script-src 'nonce-${nonce}'",
      'font-src ${webview.cspSource}',
    ]);
    assert.match(page, /randomBytes\(16\)/u);
  });

  it('load files of their own folder only', () => {
    const panels = where(/enableScripts: true/u);
    assert.equal(panels.length, 2);
    for (const file of panels)
      assert.match(sources.get(file)!, /localResourceRoots: \[webviewRoot\(this\.#extensionUri\)\]/u);
  });

  it('name no remote address', () => {
    const panels = [...sources].filter(([file]) => file.startsWith('webview/'));
    const found = panels.flatMap(([file, text]) =>
      [...withoutComments(text).matchAll(/https?:\/\/(?!www\.w3\.org\/)[^\s'"`]+/gu)].map(
        ([url]) => `${file}: ${url}`,
      ),
    );
    assert.deepEqual(found, []);
  });

  it('isolate text of documents and models, so that it cannot reverse its surroundings', () => {
    for (const [file, shown] of [
      ['webview/inspector/results.ts', /dir="auto"[^<]*>\s*\$\{item\.title\}/u],
      ['webview/inspector/results.ts', /<p class="rationale" dir="auto">/u],
      ['webview/inspector/perspectives/perspectives.ts', /<p dir="auto" title=\$\{text\}>\s*\$\{\s*telling/u],
      ['webview/compare/queries/queries.ts', /dir="auto" title=\$\{text\}>\$\{text\}/u],
    ] as const)
      assert.match(sources.get(file)!.replaceAll(/\n\s+(?=[@a-z-]+=)/gu, ' '), shown, file);
  });
});

describe('an untrusted workspace', () => {
  const { untrustedWorkspaces: limits } = (
    JSON.parse(readFileSync('package.json', 'utf8')) as {
      capabilities: { untrustedWorkspaces: { supported: string; restrictedConfigurations: string[] } };
    }
  ).capabilities;
  /** Settings that change the appearance only. */
  const HARMLESS = [
    'parallax.autoIndex',
    'parallax.inspector.historySize',
    'parallax.inline.display',
    'parallax.inline.metrics',
    'parallax.diagnostics.disabled',
  ];

  it('passes on no judge, embedder, key or regular expression', () => {
    const handed = sources.get('src/extension/engine-process/engine-configuration.ts')!;
    for (const what of [
      'embedders: trusted ? ',
      'judges: trusted ? ',
      'keys: trusted ? ',
      'fenced: !trusted',
    ])
      assert.ok(handed.includes(what), what);
    const rules = sources.get('src/features/lens/host/inline.ts')!;
    assert.match(rules, /!vscode\.workspace\.isTrusted\) return builtInRules\(\)/u);
  });

  it('changes no setting that spends money, asks models or starts a process', () => {
    assert.equal(limits.supported, 'limited');
    const all = [...limits.restrictedConfigurations, ...HARMLESS].sort();
    assert.deepEqual(
      all,
      Object.keys(SETTINGS).sort(),
      'every setting is either restricted or known to be harmless',
    );
  });
});
