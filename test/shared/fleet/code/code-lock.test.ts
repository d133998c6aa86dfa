import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import {
  forgetDeadLeases,
  type LockPorts,
  withPruneLock,
  withUploadLock,
} from '../../../../shared/fleet/code/code-lock.ts';
import { machineProcesses } from '../../../../shared/store/embedded/processes.ts';
import { StoreUnavailable } from '../../../../shared/store/ports/store-errors.ts';
import type { Processes } from '../../../../shared/store/ports/stores.ts';
import { systemClock } from '../../../../shared/store/system-clock.ts';
import { intercept } from '../../../helpers/intercept.ts';
import { ManualClock, MemoryDocuments } from '../../../helpers/memory-stores.ts';

const WORK = 'code-work';
const MINUTE = 60_000;

/** Knows of the processes `me`, `other`, and those that have ended. */
const processes: Processes = { self: 'me', hasEnded: (name) => name.startsWith('ended') };

function lockPorts(): LockPorts & { readonly documents: MemoryDocuments; readonly clock: ManualClock } {
  return { documents: new MemoryDocuments(), clock: new ManualClock() };
}

it('a deploy does not wait for the pruning of a process that has ended', async () => {
  const ports = { ...lockPorts(), processes };
  const started = ports.clock.time;
  await ports.documents.put(WORK, 'pruning', { until: started + MINUTE, by: 0.5, holder: 'ended 1' });
  expect(await withUploadLock(ports, async () => 'deployed')).toBe('deployed');
  expect(ports.clock.time).toBe(started);
});

it('a deploy waits for the end of a lease whose holder may live, and not for long', async () => {
  const ports = { ...lockPorts(), processes };
  const started = ports.clock.time;
  await ports.documents.put(WORK, 'pruning', { until: started + 15_000, by: 0.5, holder: 'other' });
  expect(await withUploadLock(ports, async () => 'deployed')).toBe('deployed');
  expect(ports.clock.time).toBe(started + 15_000);
  await ports.documents.put(WORK, 'pruning', { until: ports.clock.time + 14 * MINUTE });
  await expect(withUploadLock(ports, async () => 'deployed')).rejects.toThrow(
    new StoreUnavailable('deployed code is being pruned (the lease ends in 820 s): deploy again later'),
  );
  expect(ports.clock.time).toBe(started + 35_000);
  expect(await ports.documents.list(WORK, 'upload-', 10)).toEqual([]);
});

it('code is pruned although processes died while they uploaded', async () => {
  const ports = { ...lockPorts(), processes };
  await ports.documents.put(WORK, 'upload-1', { until: ports.clock.time + MINUTE, holder: 'ended 1' });
  expect(await withPruneLock(ports, async () => 'pruned')).toBe('pruned');
  expect(await ports.documents.list(WORK, 'upload-', 10)).toEqual([]);
  await ports.documents.put(WORK, 'upload-2', { until: ports.clock.time + MINUTE, holder: 'other' });
  expect(await withPruneLock(ports, async () => 'pruned')).toBeNull();
});

it('the start of a server forgets leases of the dead, and keeps those of the living', async () => {
  const ports = { ...lockPorts(), processes };
  const until = ports.clock.time + MINUTE;
  await ports.documents.put(WORK, 'pruning', { until, by: 0.5, holder: 'ended 2' });
  await ports.documents.put(WORK, 'upload-dead', { until, holder: 'ended 1' });
  await ports.documents.put(WORK, 'upload-living', { until, holder: 'other' });
  await forgetDeadLeases(ports);
  expect((await ports.documents.list(WORK, '', 10)).map(({ key }) => key)).toEqual(['upload-living']);
});

it('pruning gives way to a deploy that begins, and renews its lease until then', async () => {
  const ports = { documents: new MemoryDocuments(), clock: systemClock };
  const untils = new Set<unknown>();
  let deploy: Promise<string> | undefined;
  const ended = await withPruneLock(ports, async (isOver) => {
    while (untils.size < 3) {
      untils.add((await ports.documents.get(WORK, 'pruning'))?.until);
      await systemClock.sleep(50);
    }
    expect(isOver()).toBe(false);
    deploy = withUploadLock(ports, async () => 'deployed');
    while (!isOver()) await systemClock.sleep(50);
    return 'gave way';
  });
  expect(ended).toBe('gave way');
  expect(await deploy).toBe('deployed');
});

it('pruning ends when its lease could not be renewed in time', async () => {
  const ports = lockPorts();
  await withPruneLock(ports, async (isOver) => {
    expect(isOver()).toBe(false);
    ports.clock.time += 10_000;
    expect(isOver()).toBe(true);
    ports.clock.time -= 10_000;
    expect(isOver()).toBe(true);
  });
});

it('tells a deploy when its lease has ended', async () => {
  const ports = lockPorts();
  await withUploadLock(ports, async (isHeld) => {
    expect(isHeld()).toBe(true);
    ports.clock.time += 6 * MINUTE;
    expect(isHeld()).toBe(false);
  });
});

it.each([1, 3])('a release that fails %i times is tried again', async (times) => {
  const { documents, clock } = lockPorts();
  let faults = 0;
  const fail = async <T>(work: () => Promise<T>): Promise<T> => {
    if (faults === times) return work();
    faults += 1;
    throw new StoreUnavailable('down');
  };
  const flaky = intercept(documents, {
    replace: (collection, key, expected, document) =>
      document.until === 0
        ? fail(() => documents.replace(collection, key, expected, document))
        : documents.replace(collection, key, expected, document),
    delete: (...args) => fail(() => documents.delete(...args)),
  });
  expect(await withPruneLock({ documents: flaky, clock }, async () => 'pruned')).toBe('pruned');
  expect(await documents.get(WORK, 'pruning')).toEqual({ until: 0 });
  faults = 0;
  expect(await withUploadLock({ documents: flaky, clock }, async () => 'deployed')).toBe('deployed');
  expect(await documents.list(WORK, 'upload-', 10)).toEqual([]);
});

it('work that is done stays done when the release fails for good: the lease ends by itself', async () => {
  const { documents, clock } = lockPorts();
  const refusing = intercept(documents, { delete: () => Promise.reject(new StoreUnavailable('down')) });
  expect(await withUploadLock({ documents: refusing, clock }, async () => 'deployed')).toBe('deployed');
  expect(await withPruneLock({ documents, clock }, async () => 'pruned')).toBeNull();
  clock.time += 6 * MINUTE;
  expect(await withPruneLock({ documents, clock }, async () => 'pruned')).toBe('pruned');
});

it('a process is known to have ended when it has, and while it runs it is not', () => {
  const { self } = machineProcesses;
  expect(machineProcesses.hasEnded(self)).toBe(false);
  const module = new URL('../../../../shared/store/embedded/processes.ts', import.meta.url);
  const program = `const { machineProcesses } = await import('${module}'); console.log(machineProcesses.self);`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
  expect(stdout.trim()).not.toBe('');
  expect(machineProcesses.hasEnded(stdout.trim())).toBe(true);
  const [boot = '', space = '', pid = '', start = ''] = self.split(' ');
  // The number was given again; the machine was started anew; nothing is known of another
  // container.
  expect(machineProcesses.hasEnded([boot, space, pid, `${Number(start) - 1}`].join(' '))).toBe(true);
  expect(machineProcesses.hasEnded(['earlier', space, pid, start].join(' '))).toBe(true);
  expect(machineProcesses.hasEnded([boot, 'pid:[1]', '999999999', start].join(' '))).toBe(false);
});
