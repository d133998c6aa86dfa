import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { purgeNode } from '../../../../shared/fleet/code/purge-node.ts';
import type { InventoryCommand } from '../../../../shared/inventory/commands/apply-command.ts';
import { listDeadLetters, sendLettersAgain } from '../../../../shared/inventory/forward/dead-letters.ts';
import { DeliveryRejected, ReceiverAway } from '../../../../shared/inventory/forward/delivery-errors.ts';
import { keepFollowing } from '../../../../shared/store/follow-changes.ts';
import { ForwardWorld } from '../../../helpers/forward-world.ts';
import type { ManualClock } from '../../../helpers/memory-stores.ts';

let respond: (command: InventoryCommand) => void = () => undefined;
let taken: InventoryCommand[] = [];
let world: ForwardWorld;
beforeEach(() => {
  respond = () => undefined;
  taken = [];
  const send = async (command: InventoryCommand) => {
    respond(command);
    taken.push(command);
  };
  world = new ForwardWorld({ send }, 'https://puppetdb.test:8081', Date.UTC(2026, 10, 5));
});
afterEach(() => world.close());

/** What PuppetDB took since the last look. */
function takeCommands(): readonly string[] {
  return taken.splice(0).map(({ command, certname, payload }) => {
    const data = JSON.parse(payload) as {
      values?: { kernel: string };
      transaction_uuid?: string;
      resources?: readonly { title: string }[];
    };
    const [resource] = data.resources ?? [];
    return `${command} ${certname} ${data.values?.kernel ?? resource?.title ?? data.transaction_uuid ?? ''}`.trim();
  });
}

describe('a PuppetDB that gets our changes', () => {
  it('gets what there is, then each change once, and that a node is gone', async () => {
    await world.sayFacts('a.test', 'Linux');
    await world.commit('a.test', 'Web');
    await world.follow();
    expect(takeCommands()).toEqual(['replace facts a.test Linux', 'replace catalog a.test Web']);
    await world.sayFacts('a.test', 'Linux');
    await world.commit('a.test', 'Web');
    await world.follow();
    expect(takeCommands()).toEqual([]);
    await world.sayFacts('a.test', 'Darwin');
    await world.commit('a.test', 'Db');
    await world.sendReport('a.test', 'u-1');
    await world.follow();
    expect(takeCommands()).toEqual([
      'replace facts a.test Darwin',
      'replace catalog a.test Db',
      'store report a.test u-1',
    ]);
    await purgeNode('a.test', world.stores);
    await world.follow();
    expect(takeCommands()).toEqual(['deactivate node a.test']);
  });

  it('loses nothing while it is away for an hour, and is asked less and less often', async () => {
    const { clock, stores, forwarder } = world;
    await world.follow();
    const back = clock.now() + 3600_000;
    let attempts = 0;
    respond = () => {
      attempts += 1;
      if (clock.now() < back) throw new ReceiverAway('it cannot be reached');
    };
    for (let minute = 0; minute < 30; minute += 1) {
      await world.sayFacts(`n${minute % 3}.test`, `v${minute}`);
      await world.commit(`n${minute % 3}.test`, `Class${minute}`);
      await world.sendReport(`n${minute % 3}.test`, `u-${minute}`);
      clock.time += 1000;
    }
    const stopping = new AbortController();
    const failures: unknown[] = [];
    const sleep = async (milliseconds: number) => {
      await clock.sleep(milliseconds);
      if (clock.now() > back + 300_000) stopping.abort();
    };
    const ticking = Object.assign(Object.create(clock) as ManualClock, { sleep, now: () => clock.now() });
    await keepFollowing(stores.nodeChanges, forwarder, ticking, stopping.signal, (error) => failures.push(error));
    expect(failures.length).toBeGreaterThan(50);
    expect(failures.length).toBeLessThan(80);
    expect(attempts).toBeLessThan(80 * 4 + 100);
    const taken = takeCommands();
    const reports = Array.from({ length: 30 }, (_, minute) => `store report n${minute % 3}.test u-${minute}`);
    const last = [0, 1, 2].flatMap((n) => [
      `replace facts n${n}.test v${27 + n}`,
      `replace catalog n${n}.test Class${27 + n}`,
    ]);
    expect([...taken].sort()).toEqual([...reports, ...last].sort());
  });

  it('gets again only what it did not take before it went away', async () => {
    await world.follow();
    for (const name of ['a.test', 'b.test', 'c.test']) await world.sayFacts(name, name);
    respond = ({ certname }) => {
      if (certname === 'b.test') throw new ReceiverAway('it cannot be reached');
    };
    await expect(world.follow()).rejects.toThrow('it cannot be reached');
    // Nodes are sent side by side.
    expect(takeCommands().toSorted()).toEqual(['replace facts a.test a.test', 'replace facts c.test c.test']);
    respond = () => undefined;
    await world.follow();
    expect(takeCommands()).toEqual(['replace facts b.test b.test']);
  });

  it('leaves out what it rejects, or fails over ten times, and keeps a letter of that', async () => {
    await world.follow();
    await world.sayFacts('a.test', 'bad');
    await world.sayFacts('b.test', 'hard');
    await world.sayFacts('c.test', 'good');
    let tries = 0;
    respond = ({ payload }) => {
      if (payload.includes('"bad"')) throw new DeliveryRejected('status 400: no', true);
      if (!payload.includes('"hard"')) return;
      tries += 1;
      throw new DeliveryRejected('status 500: oops', false);
    };
    for (let turn = 1; turn < 10; turn += 1) {
      await expect(world.follow()).rejects.toThrow('https://puppetdb.test:8081 failed with status 500: oops');
    }
    await world.follow();
    expect([tries, takeCommands()]).toEqual([10, ['replace facts c.test good']]);
    expect(world.troubles).toEqual([
      "'replace facts' of a.test was not taken: status 400: no",
      "'replace facts' of b.test was not taken: status 500: oops",
    ]);
    const letters = await world.stores.documents.list('puppetdb-dead-letters', '', 10);
    expect(letters.map(({ document }) => [document.certname, document.command, document.reason])).toEqual([
      ['a.test', 'replace facts', 'status 400: no'],
      ['b.test', 'replace facts', 'status 500: oops'],
    ]);
  });

  it('gets what it did not take again on demand, as it is by then', async () => {
    await world.follow();
    respond = () => {
      throw new DeliveryRejected('status 400: no', true);
    };
    await world.sayFacts('a.test', 'Linux');
    await world.commit('a.test', 'Web');
    await world.sendReport('a.test', 'u-1');
    await world.sayFacts('b.test', 'Linux');
    await world.follow();
    await purgeNode('b.test', world.stores);
    await world.follow();
    const { documents } = world.stores;
    const letters = () => listDeadLetters('puppetdb', documents);
    const sendAgain = async () => {
      await sendLettersAgain(await letters(), documents);
      await world.forwarder.sendDueLetters();
    };
    expect((await letters()).map(({ certname, command }) => `${command} ${certname}`).toSorted()).toEqual([
      'deactivate node b.test',
      'replace catalog a.test',
      'replace facts a.test',
      'replace facts b.test',
      'store report a.test',
    ]);
    await sendAgain();
    expect((await letters()).map(({ isDue }) => isDue)).toEqual([false, false, false, false]);
    respond = () => undefined;
    await world.sayFacts('a.test', 'Darwin');
    await sendAgain();
    expect(takeCommands().toSorted()).toEqual([
      'deactivate node b.test',
      'replace catalog a.test Web',
      'replace facts a.test Darwin',
      'store report a.test u-1',
    ]);
    expect(await letters()).toEqual([]);
  });
});
