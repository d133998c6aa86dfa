/**
 * Measures how CPU time grows when the size of one thing doubles. Each size runs in its own
 * process, and the fastest run counts: a run then pays neither for another size's garbage nor for
 * code that was optimised for it. `node growth.ts WHAT SIZE` is such a process.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseProgram } from '../../shared/puppet/language/parser.ts';
import { checkProgram } from '../../shared/puppet/validation/check.ts';
import { compiler } from './compile.ts';
import { classText, type GeneratedSize, writeEnvironment } from './generated-environment.ts';
import { cpuOf } from './measure.ts';

export interface Growth {
  readonly what: string;
  /** CPU time of the large size divided by that of the small one; 2 is linear. */
  readonly factor: number;
}

type Work = () => void;

const WARM_UPS = 8;
const RUNS = 12;
/**
 * Processes per size, alternating between the sizes: a load on the machine rarely lasts through all
 * of them.
 */
const ROUNDS = 3;
const CHECKS = { strict: 'error', tasks: false, namespace: null } as const;

const compilesOf = (size: (count: number) => GeneratedSize) => (count: number, directory: string) => {
  writeEnvironment(directory, size(count));
  return compiler(directory);
};

const few = { classes: 1, resourcesPerClass: 1 };

/** By what grows: the smaller size, and the work for a size. */
const SUBJECTS: Readonly<
  Record<string, readonly [number, (count: number, directory: string) => Work | Promise<Work>]>
> = {
  classes: [100, compilesOf((classes) => ({ classes, resourcesPerClass: 20 }))],
  'resources of a class': [20, compilesOf((resourcesPerClass) => ({ classes: 100, resourcesPerClass }))],
  edges: [4000, compilesOf((edges) => ({ ...few, edges }))],
  'relationships of one resource': [4000, compilesOf((fanOut) => ({ ...few, fanOut }))],
  'hiera keys': [4000, compilesOf((keys) => ({ ...few, keys }))],
  'size of a manifest': [2000, parseOf],
};

function parseOf(resources: number): Work {
  const source = classText('part0', resources);
  return () => void checkProgram(parseProgram(source, { file: null }), CHECKS);
}

export function growth(): readonly Growth[] {
  return Object.entries(SUBJECTS).map(([what, [size]]) => {
    const rounds = Array.from({ length: ROUNDS }, () => [size, 2 * size].map((count) => fastestElsewhere(what, count)));
    const fastest = (place: 0 | 1) => Math.min(...rounds.map((times) => times[place] ?? Number.NaN));
    return { what, factor: fastest(1) / fastest(0) };
  });
}

function fastestElsewhere(what: string, size: number): number {
  return Number(execFileSync(process.execPath, [import.meta.filename, what, String(size)], { encoding: 'utf8' }));
}

/** Returns the CPU milliseconds of the fastest run. */
async function fastestHere(what: string, size: number): Promise<number> {
  const [, prepare] = SUBJECTS[what] ?? [];
  if (!prepare) throw new Error(`nothing grows by ${what}`);
  const directory = mkdtempSync(join(tmpdir(), 'understudy-growth-'));
  try {
    const work = await prepare(size, directory);
    for (let run = 0; run < WARM_UPS; run += 1) work();
    return Math.min(...Array.from({ length: RUNS }, () => cpuOf(work)));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

if (process.argv[1] === import.meta.filename) {
  const [what = '', size = ''] = process.argv.slice(2);
  console.log(await fastestHere(what, Number(size)));
}
