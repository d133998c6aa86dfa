import { join } from 'node:path';
import type { Strictness } from '../../shared/config/strictness.ts';
import { createWasmRuby } from '../../shared/puppet/ruby/wasm/wasm-host.ts';
import { NO_CALLBACKS, withCallbacks } from '../helpers/ruby-callbacks.ts';
import { cpuOf, median, medianCpu, peer } from './measure.ts';
import { NodeFailed, nodeCompiler, repoNodes } from './node-compiler.ts';
import { type NodeTable, nodeTable, nodeTimes } from './node-table.ts';
import { compileWithPuppet } from './puppet-nodes.ts';
import { type Row, row } from './table.ts';

const START = join(import.meta.dirname, 'ruby-start.ts');
const CALLS = 1000;
const RUNS = 9;
const WARM_UPS = 12;
const PUPPET_RUNS = 6;

/** Measures the start of Ruby and calls that do nothing, as CPU time of all threads. */
export function rubyRows(): Row[] {
  const starts = Array.from({ length: 7 }, () => peer<{ ms: number }>(process.execPath, [START])?.ms ?? Number.NaN);
  const ruby = createWasmRuby({ rendersAll: true });
  const template = { path: '/bench.erb', text: '<%= @value %>' };
  const variable = () => 'text';
  const callbacks = withCallbacks(NO_CALLBACKS, { getVariable: variable });
  const text = 'Puppet::Functions.create_function(:bench) { def bench(value) = value }';
  const bench = ruby.describeFunction('bench', { path: '/bench.rb', text }, callbacks);
  const rows = [
    row('Ruby: start to the first template', 'ms', median(starts.slice(1)), null, 'worse'),
    row(
      'Ruby: a template of one variable',
      'ms',
      perCall(() => ruby.renderTemplate(template, callbacks)),
      null,
      'worse',
    ),
    row(
      'Ruby: a function that gives its argument',
      'ms',
      perCall(() => ruby.callFunction(bench, 'bench', ['text'], null, callbacks)),
      null,
      'worse',
    ),
  ];
  ruby.close();
  return rows;
}

function perCall(call: () => unknown): number {
  const calls = () => {
    for (let index = 0; index < CALLS; index += 1) call();
  };
  return medianCpu(calls, RUNS, WARM_UPS) / CALLS;
}

/**
 * Compiles the nodes of a control repo in turns, in a process that has compiled all of them before;
 * Puppet does the same. A node that fails is left out of the next turns.
 */
export async function nodeRows(repo: string, strictness: Strictness): Promise<NodeTable> {
  const settings = { strict: strictness.strict, strict_variables: strictness.strictVariables };
  const theirs = compileWithPuppet(repo, PUPPET_RUNS, settings);
  const ruby = createWasmRuby();
  const compile = await nodeCompiler(repo, ruby, strictness);
  const nodes = repoNodes(repo);
  const times = new Map(nodes.map(({ certname }) => [certname, [] as number[]]));
  const failed = new Map<string, string>();
  for (let run = 0; run < WARM_UPS + RUNS; run += 1) {
    for (const node of nodes) {
      if (failed.has(node.certname)) continue;
      try {
        times.get(node.certname)?.push(cpuOf(() => compile(node)));
      } catch (error) {
        if (!(error instanceof NodeFailed)) throw error;
        failed.set(node.certname, error.message);
      }
    }
  }
  ruby.close();
  const ours = [...times].map(
    ([certname, all]) => [certname, failed.get(certname) ?? nodeTimes(all, all.slice(WARM_UPS))] as const,
  );
  return nodeTable(new Map(ours), theirs);
}

/**
 * Prints the resident memory of this process in megabytes after that many compiles of the repo's
 * nodes in turns, one line per step.
 */
export async function memoryCurve(repo: string, compiles: number, print: (line: string) => void): Promise<void> {
  const ruby = createWasmRuby();
  const compile = await nodeCompiler(repo, ruby);
  const nodes = repoNodes(repo);
  const step = Math.ceil(compiles / 20);
  for (let done = 0; done <= compiles; done += 1) {
    if (done % step === 0) print(`${String(done).padStart(6)} compiles  ${megabytes()} MB`);
    const node = nodes[done % nodes.length];
    if (node) compile(node);
  }
  ruby.close();
}

function megabytes(): string {
  return String(Math.round(process.memoryUsage.rss() / 1e6)).padStart(5);
}
