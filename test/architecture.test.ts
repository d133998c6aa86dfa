import { describe, expect, it } from 'vitest';
import { importsOf, type SourceFile, sourceFiles } from './helpers/source-files.ts';

/** Lowest first; folders of one rank may import each other, as long as no cycle of files arises. */
const LAYERS: readonly (readonly string[])[] = [
  ['util', 'config'],
  ['errors'],
  ['language'],
  ['validation', 'types'],
  ['serialization'],
  ['environment', 'catalog'],
  ['evaluator'],
  ['hiera'],
  ['functions', 'ruby'],
  ['compiler'],
  ['store', 'parity'],
  ['jobs', 'cache', 'ca'],
  ['http'],
  ['doctor'],
  ['local'],
];

const files = sourceFiles(['shared', 'functions', 'infra']);
const shared = files.filter((file) => file.path.startsWith('shared/'));

function rankOf(path: string): number | null {
  const folder = /^shared\/([^/]+)\//.exec(path)?.[1];
  if (folder === undefined) return null;
  return LAYERS.findIndex((layer) => layer.includes(folder));
}

function offences(check: (file: SourceFile) => readonly string[], among: readonly SourceFile[] = files): string[] {
  return among.flatMap((file) => check(file).map((what) => `${file.path}: ${what}`));
}

describe('layers', () => {
  it('knows the layer of every folder of shared/', () => {
    expect(offences((file) => (rankOf(file.path) === -1 ? ['in a folder without a layer'] : []), shared)).toEqual([]);
  });

  it('imports point downwards', () => {
    const upwards = (file: SourceFile) => {
      const own = rankOf(file.path) ?? 0;
      return file.imports.flatMap(({ target, typeOnly }) => {
        if (target === null) return [];
        const rank = rankOf(target);
        if (rank === null) return [`imports ${target} from outside shared/`];
        return !typeOnly && rank > own ? [`imports ${target}`] : [];
      });
    };
    expect(offences(upwards, shared)).toEqual([]);
  });

  it('infra imports only shared/config', () => {
    const foreign = (file: SourceFile) =>
      file.imports
        .filter(({ target }) => target !== null && !/^(infra|shared\/config)\//.test(target))
        .map(({ specifier }) => `imports ${specifier}`);
    expect(
      offences(
        foreign,
        files.filter((file) => file.path.startsWith('infra/')),
      ),
    ).toEqual([]);
  });

  it('the evaluator reaches functions and Ruby through ports only', () => {
    const direct = (file: SourceFile) =>
      file.imports
        .filter(({ target, typeOnly }) => !typeOnly && /^shared\/(functions|ruby|hiera)\//.test(target ?? ''))
        .map(({ specifier }) => `imports ${specifier}`);
    expect(
      offences(
        direct,
        shared.filter((file) => file.path.startsWith('shared/evaluator/')),
      ),
    ).toEqual([]);
  });

  it('only the AWS adapters and the entry points import the AWS SDK', () => {
    const sdk = (file: SourceFile) =>
      file.imports
        .filter(({ specifier }) => specifier.startsWith('@aws-sdk/'))
        .map((one) => `imports ${one.specifier}`);
    const elsewhere = files.filter((file) => !/^(functions|shared\/store\/aws)\//.test(file.path));
    expect(offences(sdk, elsewhere)).toEqual([]);
  });
});

describe('what a layer may touch', () => {
  const FORBIDDEN: readonly (readonly [string, RegExp])[] = [
    ['process.env', /\bprocess\.env\b/],
    ['the clock', /\bDate\.now\(|\bnew Date\(\)|\bperformance\.now\(/],
    ['randomness', /\bMath\.random\(|\brandomUUID\(|\brandomBytes\(/],
  ];

  it.each(FORBIDDEN)('%s is read in functions/ and store/ only', (_, pattern) => {
    const uses = (file: SourceFile) => (pattern.test(file.text) ? [`matches ${pattern}`] : []);
    const elsewhere = files.filter((file) => !/^(functions|infra|shared\/store)\//.test(file.path));
    expect(offences(uses, elsewhere)).toEqual([]);
  });

  it('the compiler does nothing asynchronous', () => {
    const pattern = /\basync\s|\bawait\s|new Promise\(/;
    const inner = shared.filter(
      (file) => (rankOf(file.path) ?? 99) <= LAYERS.findIndex((one) => one.includes('compiler')),
    );
    expect(offences((file) => (pattern.test(file.text) ? ['is asynchronous'] : []), inner)).toEqual([]);
  });
});

describe('modules', () => {
  it('has no runtime import cycle', () => {
    expect(cycles(files)).toEqual([]);
  });

  it('has no barrels', () => {
    const barrel = (file: SourceFile) => (/(^|\/)index\.ts$/.test(file.path) ? ['is a barrel'] : []);
    expect(offences(barrel)).toEqual([]);
  });

  it('has no default exports in shared/', () => {
    const defaults = (file: SourceFile) => (/^export default\b/m.test(file.text) ? ['has a default export'] : []);
    expect(offences(defaults, shared)).toEqual([]);
  });

  it('keeps entry points short', () => {
    const entries = files.filter((file) => file.path.startsWith('functions/'));
    const long = (file: SourceFile) => {
      const lines = file.text.trimEnd().split('\n').length;
      return lines > 80 ? [`has ${lines} lines`] : [];
    };
    expect(offences(long, entries)).toEqual([]);
  });
});

describe('the reader of imports', () => {
  it.each([
    ["import { a, b } from './b.ts';", [{ specifier: './b.ts', target: 'x/b.ts', typeOnly: false }]],
    ["import type { A } from '../c/d.ts';", [{ specifier: '../c/d.ts', target: 'c/d.ts', typeOnly: true }]],
    ["import { type A, type B } from './b.ts';", [{ specifier: './b.ts', target: 'x/b.ts', typeOnly: true }]],
    ["import { type A, b } from './b.ts';", [{ specifier: './b.ts', target: 'x/b.ts', typeOnly: false }]],
    ["import {\n  a,\n} from './b.ts';", [{ specifier: './b.ts', target: 'x/b.ts', typeOnly: false }]],
    ["import './b.ts';", [{ specifier: './b.ts', target: 'x/b.ts', typeOnly: false }]],
    ["import fs from 'node:fs';", [{ specifier: 'node:fs', target: null, typeOnly: false }]],
    ["export { a } from './b.ts';", [{ specifier: './b.ts', target: 'x/b.ts', typeOnly: false }]],
    ["const x = await import('./b.ts');", [{ specifier: './b.ts', target: 'x/b.ts', typeOnly: false }]],
  ])('reads %j', (text, expected) => {
    expect(importsOf('x/a.ts', text)).toEqual(expected);
  });
});

/** Cycles of runtime imports, each as the path that closes it. */
function cycles(all: readonly SourceFile[]): string[] {
  const byPath = new Map(all.map((file) => [file.path, file]));
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path);
    if (start >= 0) {
      found.push([...trail.slice(start), path].join(' -> '));
      return;
    }
    if (done.has(path)) return;
    for (const { target, typeOnly } of byPath.get(path)?.imports ?? []) {
      if (target !== null && !typeOnly) visit(target, [...trail, path]);
    }
    done.add(path);
  };
  for (const file of all) visit(file.path, []);
  return found;
}
