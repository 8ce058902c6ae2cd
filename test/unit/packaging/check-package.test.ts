/** The package check accepts valid packages and names faults, including headers of binaries. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { platformOf } from '../../../scripts/lib/binaries.mjs';
import { faultsOf, REQUIRED } from '../../../scripts/lib/check-package.mjs';
import { hasHnswlib, TARGETS, UNIVERSAL, unbundledFor } from '../../../scripts/lib/targets.mjs';

interface Entry {
  readonly name: string;
  readonly size: number;
  readonly read: () => Buffer;
}

const BIN = 'dist/node_modules/onnxruntime-node/bin/napi-v6';
const LIBRARIES: Record<string, string> = {
  linux: 'libonnxruntime.so.1',
  darwin: 'libonnxruntime.1.dylib',
  win32: 'onnxruntime.dll',
};

/** The start of a native file, with some text in it. */
function native(target: string, text = ''): Buffer {
  const [system = '', machine = ''] = target.split('-');
  const bytes = Buffer.alloc(256);
  if (system === 'linux') {
    bytes.write('\x7fELF', 'latin1');
    bytes.writeUInt16LE(machine === 'x64' ? 62 : 183, 18);
  } else if (system === 'darwin') {
    bytes.writeUInt32LE(0xfeedfacf);
    bytes.writeUInt32LE(machine === 'x64' ? 0x01000007 : 0x0100000c, 4);
  } else {
    bytes.write('MZ', 'latin1');
    bytes.writeUInt32LE(128, 0x3c);
    bytes.write('PE\0\0', 128, 'latin1');
    bytes.writeUInt16LE(machine === 'x64' ? 0x8664 : 0xaa64, 132);
  }
  bytes.write(text, 160, 'latin1');
  return bytes;
}

const entry = (name: string, bytes: Buffer = Buffer.from('x')): Entry => ({
  name,
  size: bytes.length,
  read: () => bytes,
});

const inside = (name: string, bytes?: Buffer): Entry => entry(`extension/${name}`, bytes);

/** The smallest package without faults. */
function goodPackage(target: string): Entry[] {
  const platform = target === UNIVERSAL ? '' : ` TargetPlatform="${target}"`;
  return [
    entry('extension.vsixmanifest', Buffer.from(`<Identity Id="parallax-rag"${platform} />`)),
    entry('[Content_Types].xml'),
    ...REQUIRED.map((name) => inside(name)),
    ...(target === UNIVERSAL ? webAssemblyModules() : nativeModules(target)),
  ];
}

function webAssemblyModules(): Entry[] {
  return [
    ...['package.json', 'dist/ort.node.min.mjs', 'dist/ort-wasm-simd-threaded.mjs'],
    'dist/ort-wasm-simd-threaded.wasm',
  ]
    .map((name) => inside(`dist/node_modules/onnxruntime-web/${name}`))
    .concat(
      ['index.js', 'package.json'].map((name) =>
        inside(`dist/node_modules/onnxruntime-common/dist/esm/${name}`),
      ),
    );
}

function nativeModules(target: string): Entry[] {
  const folder = `${BIN}/${target.replace('-', '/')}`;
  const library = LIBRARIES[target.split('-')[0]!]!;
  return [
    inside('dist/node_modules/onnxruntime-node/package.json'),
    inside('dist/node_modules/onnxruntime-common/dist/cjs/package.json'),
    inside(`${folder}/onnxruntime_binding.node`, native(target, `\0@rpath/${library}\0`)),
    inside(`${folder}/${library}`, native(target)),
    ...(hasHnswlib(target)
      ? [inside('dist/node_modules/hnswlib-node/build/Release/addon.node', native(target))]
      : []),
  ];
}

const faults = (entries: Entry[], target: string, packedBytes = 1): string[] =>
  faultsOf(entries, target, { packedBytes });

const without = (entries: Entry[], pattern: RegExp): Entry[] =>
  entries.filter(({ name }) => !pattern.test(name));

for (const target of TARGETS)
  test(`a valid package for ${target} has no faults`, () => {
    assert.deepEqual(faults(goodPackage(target), target), []);
  });

test('refuses a package for another platform because of its binaries and manifest', () => {
  const said = faults(goodPackage('linux-arm64'), 'win32-arm64').join('\n');
  assert.match(said, /libonnxruntime\.so\.1 is for linux-arm64, not for win32-arm64/u);
  assert.match(said, /onnxruntime_binding\.node is for linux-arm64/u);
  assert.match(said, /its manifest says linux-arm64, not win32-arm64/u);
});

test('finds a native part in the universal package by header and by name', () => {
  const odd = inside('dist/chunks/odd.mjs', native('darwin-arm64'));
  const damaged = inside('dist/addon.node');
  assert.deepEqual(faults([...goodPackage(UNIVERSAL), odd, damaged], UNIVERSAL), [
    'dist/chunks/odd.mjs is for darwin-arm64, not for universal',
    'dist/addon.node is for no known platform, not for universal',
  ]);
});

test('names missing and empty files', () => {
  const entries = without(goodPackage(UNIVERSAL), /ort-wasm-simd-threaded\.wasm|kernels/u);
  assert.deepEqual(faults([...entries, inside('dist/kernels.wasm', Buffer.alloc(0))], UNIVERSAL), [
    'dist/kernels.wasm is missing or empty',
    'dist/node_modules/onnxruntime-web/dist/ort-wasm-simd-threaded.wasm is missing or empty',
  ]);
  const also = { packedBytes: 1, also: ['media/icon.png'] };
  assert.deepEqual(faultsOf(goodPackage(UNIVERSAL), UNIVERSAL, also), ['media/icon.png is missing or empty']);
});

test('refuses a binding without its library or with another version of it', () => {
  const linux = without(goodPackage('linux-arm64'), /libonnxruntime/u);
  const newer = inside(`${BIN}/linux/arm64/libonnxruntime.so.2`, native('linux-arm64'));
  for (const entries of [linux, [...linux, newer]])
    assert.deepEqual(faults(entries, 'linux-arm64'), [
      `${BIN}/linux/arm64/onnxruntime_binding.node needs libonnxruntime.so.1, which is not beside it`,
    ]);
  assert.match(faults(without(linux, /binding/u), 'linux-arm64').join(), /has 0 bindings/u);
});

test('maps, tests, sources and strays are refused; what users run themselves is not', () => {
  const strays = ['dist/engine.mjs.map', 'dist/a.test.mjs', 'dist/node_modules/x/test/a.js', 'src/engine.ts'];
  const meant = ['media/helpers/parallax-retriever.ts', 'media/examples/pytest/test_retrieval.py'];
  const said = faults(
    [...goodPackage(UNIVERSAL), ...[...strays, ...meant].map((name) => inside(name))],
    UNIVERSAL,
  );
  assert.deepEqual(said.sort(), [
    'dist/a.test.mjs is for development',
    'dist/engine.mjs.map is for development',
    'dist/node_modules/x/test/a.js is for development',
    'src/engine.ts is not meant to ship',
  ]);
});

test('links of its pages that lead to nothing in it are named', () => {
  const text = '[a](docs/a.md#b) ![c](media/c.png) [d](https://d.example/e.md) [f](#g) [h](docs/none.md)';
  const pages = [
    inside('readme.md', Buffer.from(text)),
    inside('docs/a.md', Buffer.from('[up](../README.md)')),
  ];
  const entries = without(goodPackage(UNIVERSAL), /readme\.md/u);
  assert.deepEqual(faults([...entries, ...pages, inside('media/c.png')], UNIVERSAL), [
    'readme.md links to docs/none.md, which is not in it',
    'docs/a.md links to ../README.md, which is not in it',
  ]);
});

test('a package over 30 MB is refused', () => {
  const bytes = 30 * 1024 * 1024;
  assert.deepEqual(faults(goodPackage(UNIVERSAL), UNIVERSAL, bytes), []);
  assert.deepEqual(faults(goodPackage(UNIVERSAL), UNIVERSAL, bytes + 1024 * 1024), [
    'it has 31.0 MB, more than 30',
  ]);
});

test('text that begins like a Windows program is not taken for one', () => {
  assert.equal(platformOf(Buffer.from('MZ is how it begins. '.repeat(20))), undefined);
});

const RUNTIME = 'node_modules/onnxruntime-node';

for (const target of TARGETS.filter((name) => name !== UNIVERSAL))
  test(`the runtime that npm brings has what ${target} needs, and for that platform`, () => {
    const folder = `bin/napi-v6/${target.replace('-', '/')}`;
    const library = LIBRARIES[target.split('-')[0]!]!;
    const patterns = unbundledFor(target)['onnxruntime-node'] ?? [];
    for (const file of [`${folder}/onnxruntime_binding.node`, `${folder}/${library}`]) {
      assert.ok(existsSync(join(RUNTIME, file)), file);
      assert.ok(patterns.some((pattern) => pattern.test(file)));
      assert.equal(platformOf(readFileSync(join(RUNTIME, file))), target);
    }
    for (const extra of ['DirectML.dll', 'libonnxruntime.1.30.0.dylib', 'libonnxruntime_providers_cuda.so'])
      assert.ok(!patterns.some((pattern) => pattern.test(`${folder}/${extra}`)), extra);
  });
