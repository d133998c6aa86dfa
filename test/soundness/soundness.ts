/**
 * `npm run soundness`: a mutation test of the recorded inputs. It changes what a compile may depend
 * on, one thing at a time, and fails when a catalog changes that the record calls unchanged. It
 * also counts needless recompiles: changes that the record sees although the catalog stays.
 *
 * - `--environments N` (default 60): so many generated environments; `--seed N`: the first one's.
 * - `--control-repo DIR --nodes a,b`: instead, nodes of a repo with `facts/<certname>.json` each.
 * - `--most N`: of each kind, at most so many mutations of a node (default 1000; 40 with a repo).
 */
import { parseArgs } from 'node:util';
import { createWasmRuby } from '../../shared/puppet/ruby/wasm/wasm-host.ts';
import { generateSubjects, seededRandom } from './generate.ts';
import { type Judgement, judge, printScores, type Score } from './judge.ts';
import { Laboratory, readSubjects } from './subject.ts';

const { values } = parseArgs({
  options: {
    environments: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    'control-repo': { type: 'string' },
    nodes: { type: 'string', default: '' },
    most: { type: 'string' },
  },
});

const { scores, faults } = await run();
process.stdout.write(`${printScores(scores)}\n`);
for (const fault of faults) process.stdout.write(`UNSOUND ${fault}\n`);
process.exitCode = faults.length === 0 ? 0 : 1;

async function run(): Promise<Judgement> {
  const seed = Number(values.seed);
  const repo = values['control-repo'];
  if (repo === undefined) {
    const most = Number(values.most ?? 1000);
    const seeds = Array.from({ length: Number(values.environments) }, (_, index) => seed + index);
    return combine(
      seeds.map((one) => judge(generateSubjects(one), new Laboratory(null), { most, random: seededRandom(one) })),
    );
  }
  const ruby = createWasmRuby({});
  try {
    const subjects = await readSubjects(repo, values.nodes.split(','));
    return judge(subjects, new Laboratory(ruby), { most: Number(values.most ?? 40), random: seededRandom(seed) });
  } finally {
    ruby.close();
  }
}

function combine(judgements: readonly Judgement[]): Judgement {
  const scores = new Map<string, Score>();
  for (const [kind, score] of judgements.flatMap((one) => [...one.scores])) {
    const sum = scores.get(kind) ?? { tried: 0, changed: 0, unsound: 0, needless: 0 };
    scores.set(kind, {
      tried: sum.tried + score.tried,
      changed: sum.changed + score.changed,
      unsound: sum.unsound + score.unsound,
      needless: sum.needless + score.needless,
    });
  }
  return { scores, faults: judgements.flatMap((one) => one.faults) };
}
