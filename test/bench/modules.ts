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
import { peer } from './measure.ts';
import type { SuiteTimes } from './module-suite.ts';
import { compileWithPuppet } from './puppet-nodes.ts';
import { type Row, row } from './table.ts';

const SUITE = join(import.meta.dirname, 'module-suite.ts');
const PUPPET_RUNS = 4;
/** Compiles of each case in a new process. */
const ROUNDS = 100;

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
 * Compiles what suites of modules compile, here and with Puppet, and returns three rows a module:
 * CPU time of a case's first, third and hundredth compile, averaged over the module's cases that
 * both compile. `directory` has `modules/`, `cases.jsonl.gz` and `facts.jsonl.gz`: see
 * `shared/parity/modules` beside the repository. Each module's cases become nodes of one control
 * repo, and compile in turns in a process of their own. Puppet's third and hundredth are the median
 * of its later compiles.
 */
export function moduleRows(directory: string, { only, cases: most, report }: SuiteChoice): readonly Row[] {
  const facts = new Map(readFacts(directory).map((one) => [one.ref, one.facts]));
  const suites = Map.groupBy(readLines<SuiteCase>(directory, 'cases').filter(isNodeCode), ({ suite }) => suite);
  const rows: Row[] = [];
  for (const [suite, cases] of suites) {
    if (only.length > 0 && !only.includes(suite)) continue;
    const scratch = mkdtempSync(join(tmpdir(), 'understudy-bench-modules-'));
    try {
      writeRepo(scratch, directory, takeEvenly(cases, most), facts);
      const found = suiteRows(suite, scratch);
      rows.push(...found);
      const measured = found.map(({ understudy, ratio }) => `${understudy.toFixed(1)} ms (${ratio?.toFixed(1)}x)`);
      report(`${suite}: ${measured.join(', ') || 'no case compiles'}; ${cases.length} cases in all`);
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

/** Rows of the first, third and hundredth compile; none when no case compiles on both sides. */
function suiteRows(suite: string, repo: string): readonly Row[] {
  const theirs = compileWithPuppet(repo, PUPPET_RUNS);
  const ours = new Map(Object.entries(peer<SuiteTimes>(process.execPath, [SUITE, repo, String(ROUNDS)]) ?? {}));
  const both = [...ours].flatMap(([name, times]) => {
    const puppets = theirs?.get(name);
    return typeof puppets === 'object' ? [{ times, puppets }] : [];
  });
  if (both.length === 0) return [];
  return (['first', 'third', 'hundredth'] as const).map((which) =>
    row(
      `${suite}: ${which} compile (${both.length} cases)`,
      'ms',
      average(both.map(({ times }) => times[which])),
      average(both.map(({ puppets }) => (which === 'first' ? puppets.first : puppets.warm))),
      'worse',
    ),
  );
}

function average(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
