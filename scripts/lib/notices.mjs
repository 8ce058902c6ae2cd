// The licences of everything that ships and is not ours: sources of the bundles, files that the build copies, and the
// packages beside the bundles. A part without a licence must not ship and fails the build.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { Failure } from './processes.mjs';
import { ROOT } from './project.mjs';

const LICENCE_FILE = /^(?:licen[cs]e|copying)(?:[.-].*)?$/iu;
const PACKAGE = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/u;

/** Where the terms of a licence begin, after its title and copyright line. */
const TERMS = {
  MIT: /Permission is hereby granted[^]*/u,
  ISC: /Permission to use, copy, modify[^]*/u,
  'BSD-3-Clause': /Redistribution and use in source[^]*/u,
  'Apache-2.0': /Apache License\s+Version 2\.0[^]*/u,
};

/** Copyright holders that the manifest does not name. */
const HOLDERS = {
  'onnxruntime-common': 'Microsoft Corporation',
  'onnxruntime-node': 'Microsoft Corporation',
  'onnxruntime-web': 'Microsoft Corporation',
};

/** Third-party work in packages whose own licence does not mention it. */
const INSIDE = {
  '@orama/stemmers': [
    { name: 'Snowball', licence: 'BSD-3-Clause', author: 'Martin Porter and Richard Boulton' },
  ],
  unpdf: [{ name: 'PDF.js', licence: 'Apache-2.0', author: 'Mozilla Foundation' }],
  'hnswlib-node': [{ name: 'hnswlib', licence: 'Apache-2.0', author: 'Yury Malkov and others' }],
  '@vscode/tree-sitter-wasm': ['tree-sitter', 'tree-sitter-python', 'tree-sitter-typescript'].map((name) => ({
    name,
    licence: 'MIT',
    author: 'Max Brunsfeld',
  })),
};

/**
 * @param {string[]} inputs files of the bundles, as named in esbuild's metafile
 * @param {string[]} beside names of packages that ship unbundled
 * @param {string} root that has the packages
 * @returns {string} the notices, by package
 * @throws Failure naming every part without a licence
 */
export function notices(inputs, beside, root = ROOT) {
  const places = [
    ...inputs.map((input) => PACKAGE.exec(input)?.[0]),
    ...beside.map((name) => `node_modules/${name}`),
  ];
  const parts = [...new Set(places)]
    .filter((place) => place !== undefined)
    .flatMap((place) => partsOf(join(root, place)));
  const texts = parts.flatMap(({ licence, text }) => (text === '' ? [] : [{ licence, text }]));
  const complete = parts.map((part) => (part.text === '' ? { ...part, text: composed(part, texts) } : part));
  const without = complete.filter(({ text }) => text === '').map(({ name }) => name);
  if (without.length > 0)
    throw new Failure(`These parts must not ship without a licence: ${without.join(', ')}.`);
  return [
    'Parallax ships with work of others, under the licences that stand here.\n',
    ...unique(complete).map(({ name, version, licence, text }) =>
      [`${'='.repeat(78)}\n${name}${version && ` ${version}`} (${licence})\n`, `${text.trim()}\n`].join('\n'),
    ),
  ].join('\n');
}

function partsOf(folder) {
  const manifest = join(folder, 'package.json');
  // Without a manifest nothing is known about it, so nothing permits its use.
  if (!existsSync(manifest))
    return [
      {
        name: folder.replaceAll('\\', '/').replace(/^.*node_modules\//u, ''),
        version: '',
        licence: '',
        text: '',
      },
    ];
  const {
    name,
    version,
    license: licence = '',
    author,
    contributors,
    repository,
  } = JSON.parse(readFileSync(manifest, 'utf8'));
  const files = readdirSync(folder)
    .filter((file) => LICENCE_FILE.test(file))
    .sort();
  const text = files.map((file) => readFileSync(join(folder, file), 'utf8').trim()).join('\n\n');
  const holder = HOLDERS[name] ?? personName(author) ?? personName(contributors?.[0]) ?? ownerOf(repository);
  const inside = (INSIDE[name] ?? []).map((part) => ({ version: '', text: '', ...part }));
  return [{ name, version, licence, author: holder, text }, ...inside];
}

/**
 * For packages that name their licence without including its text: the copyright holder, and the terms from another
 * package.
 */
function composed({ licence, author }, texts) {
  const terms = TERMS[licence];
  const same = texts.find((each) => each.licence === licence && terms?.test(each.text));
  return same && author ? `Copyright (c) ${author}\n\n${terms.exec(same.text)[0]}` : '';
}

/** Without the address. */
const personName = (person) =>
  (typeof person === 'string' ? person : person?.name)?.replace(/\s*[<(].*$/u, '');

function ownerOf(repository) {
  return /github(?:\.com)?[:/]([^/]+)\//u.exec(repository?.url ?? repository ?? '')?.[1];
}

function unique(parts) {
  const known = new Map(parts.map((part) => [`${part.name} ${part.version}`, part]));
  return [...known].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, part]) => part);
}
