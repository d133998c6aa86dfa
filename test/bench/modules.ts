import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { createWasmRuby } from '../../shared/puppet/ruby/wasm/wasm-host.ts';
import { cpuOf, median, peer } from './measure.ts';
import { nodeCompiler, type RepoNode, repoNodes } from './node-compiler.ts';
import { type Row, row } from './table.ts';

/** Puppet's side of the benchmark. */
export const PUPPET = join(import.meta.dirname, 'puppet.rb');
const PUPPET_RUNS = 4;
/**
 * V8 still optimises the code during the first thousand compiles: without them, a compile of
 * `accounts` takes twice as long (2026-11). Suites with large catalogs are warm after fewer.
 */
const WARM_UP_COMPILES = 1000;
const WARM_UP_CPU_MS = 6000;
const RUNS = 5;

interface SuiteCase {
  readonly suite: string;
  readonly source: string;
  readonly node: { readonly facts_ref?: string };
  readonly files?: Readonly<Record<string, string>>;
  readonly outcome: { readonly status: string };
}

interface Facts {
  readonly os?: { readonly name?: string };
}

export interface SuiteChoice {
  /** Names of suites; all when there are none. */
  readonly only: readonly string[];
  /** How many cases of a suite are measured, taken evenly from all. */
  readonly cases: number;
  /** Takes a line about each suite as soon as it is measured. */
  readonly report: (line: string) => void;
}

/**
 * Compiles what suites of modules compile, here and with Puppet, and returns one row a module: CPU
 * time of a compile, averaged over the module's cases that both compile. `directory` has
 * `modules/`, `cases.jsonl.gz` and `facts.jsonl.gz`: see `shared/parity/modules` beside the
 * repository. Each module's cases become nodes of one control repo, and compile in turns in one
 * process that has compiled them before: 1,000 times, or for 6 seconds of CPU time.
 */
export async function moduleRows(directory: string, { only, cases: most, report }: SuiteChoice): Promise<Row[]> {
  const facts = new Map(readFacts(directory).map((one) => [one.ref, one.facts]));
  const suites = Map.groupBy(readLines<SuiteCase>(directory, 'cases').filter(isNodeCode), ({ suite }) => suite);
  const rows: Row[] = [];
  for (const [suite, cases] of suites) {
    if (only.length > 0 && !only.includes(suite)) continue;
    const scratch = mkdtempSync(join(tmpdir(), 'understudy-bench-modules-'));
    try {
      writeRepo(scratch, directory, takeEvenly(cases, most), facts);
      const { found, warmUp } = await suiteRow(suite, scratch);
      rows.push(...found);
      const [figures] = found;
      const measured = figures
        ? `${figures.understudy.toFixed(2)} ms, Puppet ${figures.puppet?.toFixed(2)} ms`
        : 'none';
      report(`${suite}: ${measured}; ${cases.length} cases in all, ${warmUp}`);
    } finally {
      rmSync(scratch, { recursive: true, force: true });
    }
  }
  return rows;
}

function takeEvenly<T>(items: readonly T[], most: number): readonly T[] {
  const count = Math.min(items.length, most);
  return Array.from({ length: count }, (_, at) => items[Math.floor((at * items.length) / count)]).filter(
    (item) => item !== undefined,
  );
}

/** Returns the sets of facts that the suites use. */
export function factsOfModules(directory: string): readonly Facts[] {
  return readFacts(directory).map(({ facts }) => facts);
}

function readFacts(directory: string): readonly { readonly ref: string; readonly facts: Facts }[] {
  return readLines(directory, 'facts');
}

function readLines<T>(directory: string, name: string): readonly T[] {
  const plain = join(directory, `${name}.jsonl`);
  const text = existsSync(plain)
    ? readFileSync(plain, 'utf8')
    : gunzipSync(readFileSync(`${plain}.gz`)).toString('utf8');
  return text
    .split('\n')
    .filter(Boolean)
    .map((line): T => JSON.parse(line));
}

/** Definitions, and data of their own, are no part of what a node statement may hold. */
function isNodeCode({ source, outcome }: SuiteCase): boolean {
  return outcome.status === 'ok' && !/^\s*(?:class\s+[a-z]|define\s|node\s|function\s|type\s)/m.test(source);
}

function writeRepo(
  root: string,
  directory: string,
  cases: readonly SuiteCase[],
  facts: ReadonlyMap<string, Facts>,
): void {
  const names = cases.map((_, index) => `case${index}.example.com`);
  const nodes = cases.map(({ source }, index) => `node '${names[index]}' {\n${source}\n}\n`);
  const factsOf = new Map(
    cases.map(({ node }, index) => [names[index] ?? '', facts.get(node.facts_ref ?? '') ?? {}] as const),
  );
  writeModuleRepo(root, directory, nodes.join(''), factsOf);
}

/** Writes a control repo with the modules of `directory`. `facts`: those of each node by name. */
export function writeModuleRepo(
  root: string,
  directory: string,
  manifest: string,
  facts: ReadonlyMap<string, Facts>,
): void {
  const environment = join(root, 'environments', 'production');
  mkdirSync(join(environment, 'manifests'), { recursive: true });
  mkdirSync(join(root, 'facts'));
  mkdirSync(join(environment, 'modules'));
  for (const name of readdirSync(join(directory, 'modules'))) {
    symlinkSync(realpathSync(join(directory, 'modules', name)), join(environment, 'modules', name));
  }
  writeFileSync(join(environment, 'manifests', 'site.pp'), manifest);
  for (const [name, known] of facts) writeFileSync(join(root, 'facts', `${name}.json`), JSON.stringify(known));
}

interface SuiteResult {
  /** One row; none when no case compiles on both sides. */
  readonly found: readonly Row[];
  readonly warmUp: string;
}

async function suiteRow(suite: string, repo: string): Promise<SuiteResult> {
  const theirs =
    peer<Readonly<Record<string, number | string>>>('ruby', [PUPPET, 'nodes', repo, String(PUPPET_RUNS)]) ?? {};
  const ruby = createWasmRuby();
  try {
    const compile = await nodeCompiler(repo, ruby);
    const nodes = repoNodes(repo).filter(
      (node) => typeof theirs[node.certname] === 'number' && compiles(compile, node),
    );
    const warmUp = warmUpWith(() => nodes.forEach(compile), nodes.length);
    const times = nodes.map((): number[] => []);
    for (let run = 0; run < RUNS; run += 1)
      for (const [index, node] of nodes.entries()) times[index]?.push(cpuOf(() => void compile(node)));
    const ours = average(times.map(median));
    const puppets = average(nodes.map(({ certname }) => Number(theirs[certname])));
    const found =
      nodes.length === 0 ? [] : [row(`${suite}: ${nodes.length} cases, warm`, 'ms', ours, puppets, 'worse')];
    return { found, warmUp };
  } finally {
    ruby.close();
  }
}

/** Compiles all nodes until the process is warm; returns what that took. */
function warmUpWith(compileAll: () => void, nodes: number): string {
  let compiled = 0;
  let ms = 0;
  while (nodes > 0 && compiled < WARM_UP_COMPILES && ms < WARM_UP_CPU_MS) {
    ms += cpuOf(compileAll);
    compiled += nodes;
  }
  return `warm after ${compiled} compiles, ${(ms / 1000).toFixed(1)} s CPU`;
}

function compiles(compile: (node: RepoNode) => string, node: RepoNode): boolean {
  try {
    compile(node);
    return true;
  } catch {
    return false;
  }
}

function average(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
