import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

const MODULE = join(import.meta.dirname, '..', '..', '..', '..', 'shared', 'cli', 'start-image', 'compile-cache.ts');
/** Prints where the process, then a thread of it, keep compiled code. */
const PROGRAM = `
  import { getCompileCacheDir } from 'node:module';
  import { Worker } from 'node:worker_threads';
  import { keepCompiledCode } from ${JSON.stringify(MODULE)};
  keepCompiledCode(process.env, process.argv[2]);
  console.log(getCompileCacheDir());
  new Worker("console.log(require('node:module').getCompileCacheDir())", { eval: true });
`;
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'understudy-compiled-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function run(variables: NodeJS.ProcessEnv = {}): readonly string[] {
  const program = join(folder, 'program.ts');
  writeFileSync(program, PROGRAM);
  const { NODE_COMPILE_CACHE, ...others } = process.env;
  const { stdout, stderr } = spawnSync(process.execPath, [program, join(folder, 'cache')], {
    encoding: 'utf8',
    env: { ...others, ...variables },
  });
  expect(stderr).toBe('');
  return stdout.trim().split('\n');
}

it('keeps the compiled code of a process and its threads, and that of few other versions of Node', () => {
  const old = ['v22.1.0-x64-a-0', 'v22.2.0-x64-a-0', 'v22.3.0-x64-a-0', 'v22.4.0-x64-a-0', 'ruby-1.image'];
  for (const [index, name] of old.entries()) {
    mkdirSync(join(folder, 'cache', name), { recursive: true });
    utimesSync(join(folder, 'cache', name), 1_700_000_000 + index, 1_700_000_000 + index);
  }
  const [ofProcess, ofThread] = run();
  expect(ofProcess?.startsWith(join(folder, 'cache', process.version))).toBe(true);
  expect(ofThread).toBe(ofProcess);
  const [current = '', ...others] = readdirSync(join(folder, 'cache')).sort().reverse();
  expect(readdirSync(join(folder, 'cache', current)).length).toBeGreaterThan(0);
  expect(others).toEqual(['v22.4.0-x64-a-0', 'v22.3.0-x64-a-0', 'v22.2.0-x64-a-0', 'ruby-1.image']);
});

it('uses the folder that a variable names', () => {
  const place = join(folder, 'elsewhere');
  const printed = run({ NODE_COMPILE_CACHE: place });
  expect(printed.map((path) => path.startsWith(place))).toEqual([true, true]);
  expect(readdirSync(folder).sort()).toEqual(['elsewhere', 'program.ts']);
});

it('keeps nothing where a variable says so', () => {
  expect(run({ NODE_DISABLE_COMPILE_CACHE: '1' })).toEqual(['undefined', 'undefined']);
  expect(readdirSync(folder)).toEqual(['program.ts']);
});
