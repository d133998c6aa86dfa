import { describe, expect, it } from 'vitest';
import { runAlone } from '../../../shared/store/run-alone.ts';
import { ManualClock, MemoryDocuments } from '../../helpers/memory-stores.ts';

function newPorts() {
  return { documents: new MemoryDocuments(), clock: new ManualClock(1000) };
}

/** Work that never ends, as that of a process that died. */
const never = () => new Promise<string>(() => {});

describe('runAlone', () => {
  it('returns what the work returns, and lets the next one run', async () => {
    const ports = newPorts();
    expect(await runAlone(ports, 'feed', 100, async () => 'first')).toBe('first');
    expect(await runAlone(ports, 'feed', 100, async () => 'second')).toBe('second');
  });

  it('runs nothing while another process works, unless its work has another name', async () => {
    const ports = newPorts();
    void runAlone(ports, 'feed', 100, never);
    await Promise.resolve();
    expect(await runAlone(ports, 'feed', 100, async () => 'second')).toBeNull();
    expect(await runAlone(ports, 'prune', 100, async () => 'other')).toBe('other');
  });

  it('runs again once the lease of a dead process has expired, and only once at a time', async () => {
    const ports = newPorts();
    void runAlone(ports, 'feed', 100, never);
    ports.clock.time += 99;
    expect(await runAlone(ports, 'feed', 100, async () => 'early')).toBeNull();
    ports.clock.time += 1;
    const both = await Promise.all(['a', 'b'].map((name) => runAlone(ports, 'feed', 100, async () => name)));
    expect(both.filter((one) => one !== null)).toHaveLength(1);
  });

  it('ends its lease when the work fails, and not the lease that replaced it', async () => {
    const ports = newPorts();
    const failing = runAlone(ports, 'feed', 100, () => Promise.reject(new Error('no store')));
    await expect(failing).rejects.toThrow('no store');
    expect(await runAlone(ports, 'feed', 100, async () => 'after a failure')).toBe('after a failure');
    let end = () => {};
    const slow = runAlone(ports, 'feed', 100, () => new Promise<void>((resolve) => (end = resolve)));
    await new Promise((resolve) => setImmediate(resolve));
    ports.clock.time += 100;
    void runAlone(ports, 'feed', 100, never);
    await new Promise((resolve) => setImmediate(resolve));
    end();
    await slow;
    expect(await runAlone(ports, 'feed', 100, async () => 'third')).toBeNull();
  });
});
