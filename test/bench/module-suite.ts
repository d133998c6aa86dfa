/**
 * `node module-suite.ts REPO ROUNDS`: compiles the nodes of a control repo in turns in this new
 * process, and prints as JSON the CPU times of those that compile (`SuiteTimes`).
 */
import { createWasmRuby } from '../../shared/puppet/ruby/wasm/wasm-host.ts';
import { cpuOf, median } from './measure.ts';
import { NodeFailed, nodeCompiler, repoNodes } from './node-compiler.ts';

/** CPU milliseconds of compiles of nodes by name. */
export type SuiteTimes = Readonly<
  Record<string, { readonly first: number; readonly third: number; readonly hundredth: number }>
>;

/** The hundredth compile is the median of so many last ones. */
const LAST = 5;

const [repo = '', rounds = ''] = process.argv.slice(2);
const ruby = createWasmRuby();
const compile = await nodeCompiler(repo, ruby);
const times = new Map(repoNodes(repo).map((node) => [node, [] as number[]]));
for (let round = 0; round < Number(rounds); round += 1) {
  for (const [node, all] of times) {
    try {
      all.push(cpuOf(() => void compile(node)));
    } catch (error) {
      if (!(error instanceof NodeFailed)) throw error;
      times.delete(node);
    }
  }
}
const found = [...times].map(([{ certname }, all]) => [
  certname,
  { first: all[0], third: all[2], hundredth: median(all.slice(-LAST)) },
]);
console.log(JSON.stringify(Object.fromEntries(found)));
process.exit(0);
