import { expect, it } from 'vitest';
import type { GateState } from '../../../../shared/orchestrator/jobs/start-gate.ts';
import { NotifyGate, WaveGates } from '../../../../shared/orchestrator/notify/notify-gate.ts';
import { MemoryDocuments } from '../../../helpers/memory-stores.ts';

/** Gates over documents, with what they wrote and the jobs that they nudged. */
function makeGates() {
  const writes: (readonly [number, GateState])[] = [];
  const nudged: number[] = [];
  class NotedGate extends NotifyGate {
    override async write(job: number, state: GateState): Promise<void> {
      writes.push([job, state]);
      await super.write(job, state);
    }
  }
  const gate = new NotedGate({ stores: { documents: new MemoryDocuments() } } as never);
  return { writes, nudged, gate, gates: new WaveGates(gate, { nudge: (job: number) => void nudged.push(job) }) };
}

it('are written, and their jobs nudged, when they change, and not otherwise', async () => {
  const { gates, gate, writes, nudged } = makeGates();
  await gates.set(1, 5, 'five may start');
  await gates.set(1, 5, 'five may start');
  expect([writes, nudged]).toEqual([[[1, { allowed: 5, description: 'five may start' }]], [1]]);
  await gates.set(1, 5, 'five may start, the window is over');
  await gates.set(1, 6, 'five may start, the window is over');
  await gates.set(2, 6, 'five may start, the window is over');
  expect(nudged).toEqual([1, 1, 1, 2]);
  expect(await gate.read(1)).toEqual({ allowed: 6, description: 'five may start, the window is over' });
});

it('are read anew after a reset, and allow nothing when they are deleted', async () => {
  const { gates, gate } = makeGates();
  await gates.set(1, 5, 'five');
  await gate.write(1, { allowed: 7, description: 'seven' });
  expect(await gates.findAllowed(1)).toBe(5);
  gates.reset();
  expect(await gates.findAllowed(1)).toBe(7);
  await gates.delete(1);
  expect(await gates.findAllowed(1)).toBe(0);
});
