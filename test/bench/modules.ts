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
/** A server has compiled hundreds of catalogs; until then, V8 still optimises the code. */
const WARM_UP_COMPILES = 400;
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

/**
 * Compiles what suites of modules compile, here and with Puppet, and returns one row a module: CPU
 * time of a compile, averaged over the module's cases that both compile. `directory` has
 * `modules/`, `cases.jsonl.gz` and `facts.jsonl.gz`: see `shared/parity/modules` beside the
 * repository. Each module's cases become nodes of one control repo, and compile in turns in one
 * process that has compiled all of them before.
 */
export async function moduleRows(directory: string, only: readonly string[]): Promise<Row[]> {
  const facts = new Map(readFacts(directory).map((one) => [one.ref, one.facts]));
  const suites = Map.groupBy(readLines<SuiteCase>(directory, 'cases').filter(isNodeCode), ({ suite }) => suite);
  const rows: Row[] = [];
  for (const [suite, cases] of suites) {
    if (only.length > 0 && !only.includes(suite)) continue;
    const scratch = mkdtempSync(join(tmpdir(), 'understudy-bench-modules-'));
    try {
      writeRepo(scratch, directory, cases, facts);
      rows.push(...(await suiteRow(suite, scratch)));
    } finally {
      rmSync(scratch, { recursive: true, force: true });
    }
  }
  return rows;
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

async function suiteRow(suite: string, repo: string): Promise<Row[]> {
  const theirs = peer<Readonly<Record<string, number>>>('ruby', [PUPPET, 'nodes', repo, String(PUPPET_RUNS)]) ?? {};
  const ruby = createWasmRuby();
  try {
    const compile = await nodeCompiler(repo, ruby);
    const nodes = repoNodes(repo).filter((node) => node.certname in theirs && compiles(compile, node));
    const times = nodes.map((): number[] => []);
    const warmUps = Math.ceil(WARM_UP_COMPILES / Math.max(nodes.length, 1));
    for (let run = 0; run < warmUps + RUNS; run += 1) {
      for (const [index, node] of nodes.entries()) {
        const ms = cpuOf(() => void compile(node));
        if (run >= warmUps) times[index]?.push(ms);
      }
    }
    const ours = average(times.map(median));
    const puppets = average(nodes.map(({ certname }) => theirs[certname] ?? Number.NaN));
    return nodes.length === 0 ? [] : [row(`${suite}: ${nodes.length} cases, warm`, 'ms', ours, puppets, 'worse')];
  } finally {
    ruby.close();
  }
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
