import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PostgresConnection } from '../../../../shared/store/postgres/connection.ts';
import { Listener } from '../../../../shared/store/postgres/listener.ts';
import { readDatabasePlace } from '../../../../shared/store/postgres/place.ts';
import { canSharePostgres, createTestDatabase } from '../../../helpers/shared-postgres.ts';

const LONG_MS = 60_000;
const OTHERS_MS = 1000;

describe.skipIf(!canSharePostgres())('a doorbell through the database', () => {
  let url: string;
  let closers: (() => Promise<void>)[];

  beforeEach(async () => {
    url = await createTestDatabase();
    closers = [];
  });
  afterEach(async () => {
    for (const close of closers) await close();
  });

  /** A doorbell of a server, with a connection of its own that listens. */
  async function open(instance: string): Promise<Listener> {
    const database = new PostgresConnection(readDatabasePlace(url), { connections: 2, name: instance });
    const doorbell = new Listener(database, instance, OTHERS_MS);
    closers.push(async () => {
      await doorbell.stop();
      await database.close();
    });
    await doorbell.wait(0);
    await expect.poll(() => doorbell.isHeard).toBe(true);
    return doorbell;
  }

  it('rings for jobs at its own server first, then at the others', async () => {
    const [front, worker, other] = [await open('one'), await open('one'), await open('two')];
    const order: string[] = [];
    const wait = async (name: string, doorbell: Listener) => {
      await doorbell.wait(LONG_MS);
      order.push(name);
    };
    const all = [wait('other', other), wait('worker', worker), wait('front', front)];
    front.ring();
    await Promise.all(all);
    expect(order).toEqual(['front', 'worker', 'other']);
  });

  it('rings for other names everywhere at once, and wakes nobody else', async () => {
    const [one, two] = [await open('one'), await open('two')];
    const stopping = new AbortController();
    const woken: string[] = [];
    const ended = two.wait(LONG_MS, stopping.signal).then(() => woken.push('jobs'));
    const named = two.wait(LONG_MS, undefined, 'mail@one').then(() => woken.push('mail'));
    one.ring('mail@one');
    await named;
    expect(woken).toEqual(['mail']);
    stopping.abort();
    await ended;
  });
});
