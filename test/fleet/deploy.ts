import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { SeededChance } from '../fuzz/seeded-chance.ts';
import { type Measure, measureOf } from './measure.ts';
import { CHANGES, SimulatedFleet } from './simulated-fleet.ts';

const NODES = 1_000_000;
const MEMORY_FOLDER = '/dev/shm';
const WORKER = new URL('./fan-out-worker.ts', import.meta.url).pathname;
/** How often the worker is killed during the measure of rework. */
const KILLS = 5;

/** The last report of a worker. */
interface WorkerReport {
  readonly isDone: boolean;
  readonly requests: number;
  readonly wants: number;
  readonly peakMb: number;
}

/**
 * Counts the requests with which one worker invalidates the nodes that a deploy affects, its peak
 * memory, and the nodes that are invalidated again when workers are killed. Each node must be
 * invalidated exactly once.
 */
export async function measureDeploys(nodes: number = NODES): Promise<readonly Measure[]> {
  const fleet = new SimulatedFleet(existsSync(MEMORY_FOLDER) ? MEMORY_FOLDER : tmpdir());
  try {
    await fleet.create(nodes);
    const measures: Measure[] = [];
    let peakMb = 0;
    for (const [name, change] of Object.entries(CHANGES)) {
      await fleet.switchTo(change);
      const killed = name === 'module' ? await killWorkers(fleet, nodes) : 0;
      const last = await runWorker(fleet, null);
      const invalidated = expectInvalidatedOnce(fleet);
      peakMb = Math.max(peakMb, last.peakMb);
      if (name === 'module')
        measures.push(
          measureOf('deploy.rework_after_kill', (killed + last.wants - invalidated) / invalidated, 'nodes/node'),
        );
      else measures.push(measureOf(`deploy.requests_per_node.${name}`, last.requests / invalidated, 'requests/node'));
      fleet.finishJobs();
    }
    await fleet.switchTo({ ...CHANGES.module, ...AGAIN });
    const last = await runWorker(fleet, null);
    const invalidated = expectInvalidatedOnce(fleet);
    const module = measureOf('deploy.requests_per_node.module', last.requests / invalidated, 'requests/node');
    return [...measures, module, measureOf('deploy.peak_mb', Math.max(peakMb, last.peakMb), 'MB')];
  } finally {
    fleet.close();
  }
}

const AGAIN = { 'environments/production/modules/base/manifests/init.pp': 'class base { notify { "again": } }' };

function expectInvalidatedOnce(fleet: SimulatedFleet): number {
  const { once, again } = fleet.countTold();
  if (again > 0 || once === 0) throw new Error(`${again} nodes are invalidated more than once, and ${once} once`);
  return once;
}

/** Kills workers at random; returns the nodes that they invalidated. */
async function killWorkers(fleet: SimulatedFleet, nodes: number): Promise<number> {
  const chance = new SeededChance(1);
  let wants = 0;
  for (let kill = 0; kill < KILLS; kill += 1) {
    const at = Math.floor(chance.next() * (nodes / (KILLS + 1)));
    const report = await runWorker(fleet, Math.max(1, at));
    wants += report.wants;
    await fleet.releaseInFlight();
  }
  return wants;
}

/** The peak is then what a worker needs: with more memory, V8 collects garbage later. */
const BOUNDED_HEAP = ['--max-old-space-size=128', '--max-semi-space-size=8'];

/** Runs a worker; kills it once it invalidated `killAt` nodes. Returns its last report. */
async function runWorker(fleet: SimulatedFleet, killAt: number | null): Promise<WorkerReport> {
  const worker = spawn(process.execPath, [...BOUNDED_HEAP, WORKER, fleet.data], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<number | null>((resolve) => worker.once('exit', resolve));
  const last = await readReports(worker, killAt);
  const code = await ended;
  if (killAt === null && (code !== 0 || !last.isDone)) throw new Error(`the worker ended with code ${code}`);
  return last;
}

async function readReports(worker: ChildProcess, killAt: number | null): Promise<WorkerReport> {
  let last: WorkerReport = { isDone: false, requests: 0, wants: 0, peakMb: 0 };
  let rest = '';
  for await (const chunk of worker.stdout ?? []) {
    const lines = (rest + String(chunk)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) last = JSON.parse(line);
    if (killAt !== null && last.wants >= killAt) worker.kill('SIGKILL');
  }
  return last;
}
