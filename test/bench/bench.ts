/**
 * `npm run bench [-- --json] [--control-repo DIR [--strict LEVEL] [--strict-variables]
 * [--memory N | --server | --cold]]`: measures parsing, compiling, serving and Ruby, beside real
 * Puppet where it is installed. With a control repo (`facts/<certname>.json` beside its
 * environments), it measures only the nodes of that repo: the first compile of each, the third,
 * and later ones. Their strictness is that of Puppet 7 unless another is given; nodes that fail are
 * listed on standard error. With `--memory` it
 * measures the memory of a process after N compiles, with `--server` that of a server, or with
 * `--cold` new processes that compile one node each. Figures are CPU time, so that other load on
 * the machine has little effect. Compare ratios within one run.
 * `--pcp [--connections N] [--key-bits N]` measures the PCP broker only, `--inventory [--nodes N]
 * [--alone]` the inventory only: beside a real PuppetDB where Debian's `puppetdb` and `postgresql`
 * are installed, unless it is to be alone.
 * `--modules DIR [--suites NAME,...] [--cases N]` measures the first, third and hundredth compile
 * of what suites of modules compile, N cases of each (default 10): see `modules.ts`. Each suite
 * that is done gives a line on standard error.
 * `--modules DIR --icinga SHARE` measures an Icinga 2 master with that part of a large fleet.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { DEFAULT_LANGUAGE_LEVEL } from '../../shared/config/language-level.ts';
import { STRICT_LEVELS, type Strictness } from '../../shared/config/strictness.ts';
import { coldRows } from './cold-worker.ts';
import { benchCompile } from './compile.ts';
import { writeEnvironment } from './generated-environment.ts';
import { growth } from './growth.ts';
import { icingaRows } from './icinga-master.ts';
import { inventoryRows } from './inventory.ts';
import { peer } from './measure.ts';
import { moduleRows } from './modules.ts';
import { PUPPET_7 } from './node-compiler.ts';
import { benchParse } from './parse.ts';
import { pcpRows } from './pcp.ts';
import { memoryCurve, nodeRows, rubyRows } from './ruby.ts';
import { serverMemoryRows } from './server-memory.ts';
import { benchServing } from './serving.ts';
import { printTable, type Row, row } from './table.ts';

const PUPPET = join(import.meta.dirname, 'puppet.rb');
const INSTALLED_MODULES = '/usr/share/puppet/modules';

const { values: options } = parseArgs({
  options: {
    json: { type: 'boolean' },
    'control-repo': { type: 'string' },
    memory: { type: 'string' },
    server: { type: 'boolean' },
    cold: { type: 'boolean' },
    pcp: { type: 'boolean' },
    connections: { type: 'string', default: '2000' },
    'key-bits': { type: 'string', default: '2048' },
    inventory: { type: 'boolean' },
    nodes: { type: 'string', default: '200' },
    modules: { type: 'string' },
    suites: { type: 'string', default: '' },
    cases: { type: 'string', default: '10' },
    icinga: { type: 'string' },
    strict: { type: 'string', default: PUPPET_7.strict },
    'strict-variables': { type: 'boolean', default: PUPPET_7.strictVariables },
    alone: { type: 'boolean', default: false },
  },
});
const repo = options['control-repo'];

if (repo !== undefined && options.memory !== undefined) {
  await memoryCurve(repo, Number(options.memory), console.log);
  process.exit(0);
}
if (repo !== undefined && options.server) {
  const rows = await serverMemoryRows(repo);
  console.log(options.json ? JSON.stringify({ node: process.version, rows }, null, 2) : printTable(rows));
  process.exit(0);
}
if (repo !== undefined && options.cold) {
  const rows = await coldRows(repo, readStrictness(), console.error);
  console.log(options.json ? JSON.stringify({ node: process.version, rows }, null, 2) : printTable(rows));
  process.exit(0);
}
if (options.pcp) {
  const rows = await pcpRows(
    { connections: Number(options.connections), keyBits: Number(options['key-bits']) },
    'tls',
    'plain',
  );
  console.log(options.json ? JSON.stringify({ node: process.version, rows }, null, 2) : printTable(rows));
  process.exit(0);
}
if (options.inventory) {
  const rows = await inventoryRows(Number(options.nodes), options.alone);
  console.log(options.json ? JSON.stringify({ node: process.version, rows }, null, 2) : printTable(rows));
  process.exit(0);
}
if (options.modules !== undefined) {
  const rows =
    options.icinga === undefined
      ? moduleRows(options.modules, {
          only: options.suites.split(',').filter(Boolean),
          cases: Number(options.cases),
          report: console.error,
        })
      : await icingaRows(options.modules, Number(options.icinga));
  console.log(options.json ? JSON.stringify({ node: process.version, rows }, null, 2) : printTable(rows));
  process.exit(0);
}
const scratch = mkdtempSync(join(tmpdir(), 'understudy-bench-'));
try {
  const rows = repo === undefined ? await measureAll(scratch) : [...rubyRows(), ...(await repoRows(repo))];
  if (options.json) console.log(JSON.stringify({ node: process.version, rows }, null, 2));
  else console.log(printTable(rows));
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

function readStrictness(): Strictness {
  const strict = STRICT_LEVELS.find((level) => level === options.strict);
  if (!strict) throw new Error(`--strict takes ${STRICT_LEVELS.join(', ')}, not ${options.strict}`);
  return { language: DEFAULT_LANGUAGE_LEVEL, strict, strictVariables: options['strict-variables'] };
}

async function repoRows(repo: string): Promise<readonly Row[]> {
  const { rows, failures } = await nodeRows(repo, readStrictness());
  for (const line of failures) console.error(line);
  return rows;
}

async function measureAll(directory: string): Promise<Row[]> {
  const repo = join(directory, 'repo');
  writeEnvironment(repo, { classes: 101, resourcesPerClass: 10 });
  // Compiles first, while the process is as small as a worker.
  const compiles = await compileRows(repo);
  return [parseRow(directory, repo), ...compiles, ...growthRows(), ...rubyRows(), ...(await servingRows(repo))];
}

function parseRow(directory: string, repo: string): Row {
  const list = join(directory, 'manifests.txt');
  const paths = [...manifestsBelow(repo), ...manifestsBelow(INSTALLED_MODULES)];
  writeFileSync(list, paths.join('\n'));
  const ours = benchParse(paths.map((path) => readFileSync(path, 'utf8')));
  const theirs = peer<{ bytes: number; ms: number }>('ruby', [PUPPET, 'parse', list]);
  return row(`parse ${paths.length} manifests`, 'MB/s', ours, theirs && theirs.bytes / theirs.ms / 1000, 'better');
}

async function compileRows(repo: string): Promise<Row[]> {
  const ours = await benchCompile(repo);
  const warm = peer<{ resources: number; warm_ms: number }>('ruby', [PUPPET, 'compile', repo, '10']);
  const cold = peer<{ process_ms: number }>('ruby', [PUPPET, 'compile', repo, '1']);
  const what = `compile ${ours.resources} resources`;
  if (warm && warm.resources !== ours.resources)
    throw new Error(`Puppet made ${warm.resources} resources, not ${ours.resources}`);
  return [
    row(`${what}, warm`, 'ms', ours.warmMs, warm?.warm_ms ?? null, 'worse'),
    row(`${what}, cold process`, 'ms', ours.coldMs, cold?.process_ms ?? null, 'worse'),
  ];
}

/** Measures how much longer twice the work takes: 2 is linear. */
function growthRows(): Row[] {
  return growth().map(({ what, factor }) => row(`growth: twice the ${what}`, 'x', factor, null, 'worse'));
}

async function servingRows(repo: string): Promise<Row[]> {
  const { catalogs, plugins, unpreparedPlugins } = await benchServing(repo);
  const catalog = `catalog requests of a current node (${kilobytes(catalogs.bytes)} gzip)`;
  const listing = `listings of 1200 plugins (${kilobytes(plugins.bytes)} gzip)`;
  return [
    row(catalog, '/CPU s', catalogs.perCpuSecond, null, 'better'),
    row(`${catalog}, client on the same machine`, '/s', catalogs.perSecond, null, 'better'),
    row(listing, '/CPU s', plugins.perCpuSecond, null, 'better'),
    row(`${listing}, each another one`, '/CPU s', unpreparedPlugins.perCpuSecond, null, 'better'),
  ];
}

function kilobytes(bytes: number): string {
  return `${Math.round(bytes / 1000)} kB`;
}

function manifestsBelow(directory: string): string[] {
  try {
    return readdirSync(directory, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.pp'))
      .map((name) => join(directory, name))
      .sort();
  } catch {
    return [];
  }
}
