import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readBlockList } from '../../../../shared/config/fact-settings.ts';
import { applyCommand } from '../../../../shared/inventory/commands/apply-command.ts';
import { APPLY_NEXT, applyNextCommand } from '../../../../shared/inventory/commands/apply-next.ts';
import { CommandQueue } from '../../../../shared/inventory/commands/command-queue.ts';
import { QUEUE_BOUNDS, type QueueBounds } from '../../../../shared/inventory/commands/queue-room.ts';
import { systemClock } from '../../../../shared/store/system-clock.ts';
import { type InventoryWorld, openInventoryWorld, type TestRequest } from '../../../helpers/inventory-world.ts';
import { ManualClock } from '../../../helpers/memory-stores.ts';

let world: InventoryWorld;
beforeAll(async () => {
  world = await openInventoryWorld();
});
afterAll(async () => {
  await world.services.queue.stop();
  await world.remove();
});

const facts = (certname: string, values: object, time = '2026-11-01T00:00:00Z') =>
  JSON.stringify({ certname, values, environment: 'production', producer_timestamp: time, producer: null });
const JSON_HEADERS = { 'content-type': 'application/json' };
const WAIT = { secondsToWaitForCompletion: '20' };

function command(parameters: Record<string, string>, body: string | Uint8Array, headers: Record<string, string> = {}) {
  const request: TestRequest = {
    method: 'POST',
    path: '/pdb/cmd/v1',
    parameters,
    body,
    headers: { ...JSON_HEADERS, ...headers },
  };
  return world.send(request);
}

async function read(text: string): Promise<unknown> {
  const rows: unknown[] = [];
  for await (const batch of world.database.read({ text, values: [] }, { timeMs: 10_000, rows: 100, megabytes: 64 }))
    rows.push(...batch);
  return rows;
}

const replaceFacts = { command: 'replace_facts', version: '5', certname: 'one.test' };

describe('while the queue does not run', () => {
  it('keeps commands over a restart, and applies each once', async () => {
    const first = await command(replaceFacts, facts('one.test', { a: 1 }));
    expect(JSON.parse(first.text)).toEqual({ uuid: expect.stringMatching(/^[0-9a-f-]{36}$/) });
    await command(replaceFacts, facts('one.test', { a: 2 }, '2026-11-02T00:00:00Z'));
    expect(await read('select count(*) from queued_commands')).toEqual([['2']]);
    const another = new CommandQueue({ database: world.database, clock: systemClock, onTrouble: () => undefined });
    another.start();
    world.services.queue.start();
    expect(
      (await command({ ...replaceFacts, ...WAIT }, facts('one.test', { a: 3 }, '2026-11-03T00:00:00Z'))).status,
    ).toBe(200);
    await another.stop();
    expect(await read('select count(*) from queued_commands')).toEqual([['0']]);
    expect(await read('select stable, volatile from factsets')).toEqual([['{}', '{"a": 3}']]);
  });
});

describe('applying', () => {
  it('ignores facts that are older than those stored', async () => {
    await command({ ...replaceFacts, ...WAIT }, facts('one.test', { a: 0 }, '2026-10-01T00:00:00Z'));
    expect(await read('select volatile from factsets')).toEqual([['{"a": 3}']]);
  });

  it('writes no document for facts that did not change', async () => {
    const versions = "select xmin, ctid, pg_column_size(stable) from factsets where certname = 'two.test'";
    const two = { ...replaceFacts, certname: 'two.test', ...WAIT };
    await command(two, facts('two.test', { a: 1, up: 1, gone: 1 }));
    await command(two, facts('two.test', { a: 1, up: 2 }, '2026-11-02T00:00:00Z'));
    expect(await read("select stable, volatile from factsets where certname = 'two.test'")).toEqual([
      ['{"a": 1}', '{"up": 2}'],
    ]);
    expect(await read(versions)).toHaveLength(1);
    await command(two, facts('two.test', { up: 3, a: 1 }, '2026-11-03T00:00:00Z'));
    expect(await read("select stable, volatile from factsets where certname = 'two.test'")).toEqual([
      ['{"a": 1}', '{"up": 3}'],
    ]);
  });

  it('reads compressed bodies and the old form', async () => {
    const zipped = gzipSync(facts('three.test', { b: 'ü' }));
    const three = { ...replaceFacts, certname: 'three.test', ...WAIT };
    expect((await command(three, zipped, { 'content-encoding': 'gzip' })).status).toBe(200);
    const old = { command: 'replace facts', version: 5, payload: JSON.parse(facts('four.test', { big: 1 })) };
    expect((await command({}, JSON.stringify(old))).status).toBe(200);
    await command({ ...three, certname: 'last.test' }, facts('last.test', {}));
    expect(
      await read("select stable from factsets where certname in ('three.test', 'four.test') order by certname"),
    ).toEqual([['{"big": 1}'], ['{"b": "ü"}']]);
  });

  it('shares resources among catalogs, and replaces them', async () => {
    const catalog = (certname: string, time: string, titles: readonly string[]) =>
      JSON.stringify({
        certname,
        version: '1',
        environment: 'production',
        transaction_uuid: null,
        catalog_uuid: null,
        code_id: null,
        job_id: null,
        producer_timestamp: time,
        producer: null,
        resources: titles.map((title) => ({ type: 'File', title, tags: ['file'], exported: false, parameters: {} })),
        edges: titles.slice(1).map((title) => ({
          source: { type: 'File', title: titles[0] },
          target: { type: 'File', title },
          relationship: 'before',
        })),
      });
    const store = (certname: string, time: string, titles: readonly string[]) =>
      command({ command: 'replace_catalog', version: '9', certname, ...WAIT }, catalog(certname, time, titles));
    await store('one.test', '2026-11-01T00:00:00Z', ['a', 'b', 'c']);
    await store('two.test', '2026-11-01T00:00:00Z', ['a', 'b', 'c']);
    expect(await read('select count(*) from resources')).toEqual([['3']]);
    await store('one.test', '2026-11-02T00:00:00Z', ['a', 'd']);
    await store('one.test', '2026-11-01T12:00:00Z', ['z']);
    expect(
      await read(`select c.certname, string_agg(r.title, ',' order by r.title),
        (select count(*) from edges where edges.certname_id = c.id)
        from certnames c join catalog_resources cr on cr.certname_id = c.id join resources r on r.id = cr.resource_id
        group by c.id order by 1`),
    ).toEqual([
      ['one.test', 'a,d', '1'],
      ['two.test', 'a,b,c', '2'],
    ]);
  });

  it('leaves out blocked facts', async () => {
    const payload = facts('blocked.test', { kernel: 'Linux', docker_version: '1', uptime: '2 days', docker: {} });
    const one = { command: 'replace facts', version: 5, certname: 'blocked.test', payload };
    const terms = { received: '2026-11-01T00:00:00Z', blockedFacts: readBlockList('uptime, /^docker_/') };
    await world.database.transaction((connection) => applyCommand(connection, one, terms));
    expect(await read("select stable from factsets where certname = 'blocked.test'")).toEqual([
      ['{"docker": {}, "kernel": "Linux"}'],
    ]);
  });

  it('says why a payload cannot be stored, and keeps it with the reason', async () => {
    const bad = { ...replaceFacts, certname: 'bad.test', ...WAIT };
    const { status, text } = await command(bad, '{"certname": "bad.test"}');
    expect([status, JSON.parse(text)]).toEqual([
      503,
      expect.objectContaining({ processed: true, timed_out: false, error: "'values' must be a map" }),
    ]);
    expect((await command({ ...bad, version: '99' }, '{}')).status).toBe(503);
    expect(await read('select reason from discarded_commands order by id')).toEqual([
      ["'values' must be a map"],
      ['Unsupported command replace facts version 99'],
    ]);
    expect(world.faults).toHaveLength(2);
  });
});

describe('refusals', () => {
  const start = (name: string, certname = '"x"') => `Command ${name} for certname ${certname} is invalid.`;
  it.each<[Record<string, string>, string]>([
    [
      { command: 'replace_facts', version: '5' },
      `${start('"replace facts"', 'nil')} Command is missing required parameters: certname.`,
    ],
    [
      { ...replaceFacts, certname: 'x', frob: '1' },
      `${start('"replace facts"')} Command has invalid parameters: frob.`,
    ],
    [{ ...replaceFacts, certname: ' ' }, `${start('"replace facts"', '" "')} Certname must be a non-empty string.`],
    [
      { ...replaceFacts, certname: 'x', command: 'Replace_facts' },
      `${start('"Replace facts"')} Command must be one of: configure expiration, deactivate node, replace catalog, replace catalog inputs, replace facts, store report.`,
    ],
    [
      { ...replaceFacts, certname: 'x', version: 'five' },
      `${start('"replace facts"')} Version must be a valid integer.`,
    ],
    [
      { ...replaceFacts, certname: 'x', version: '3' },
      `${start('"replace facts"')} Version 3 of command "replace facts" is retired. The minimum supported version is 4.`,
    ],
    [
      {},
      `${start('nil', 'nil')} Command was submitted without query parameters (old format). The request body must be a JSON map with required keys: command, version, payload.`,
    ],
  ])('answers %j', async (parameters, error) => {
    const { status, text } = await command(parameters, '');
    expect([status, JSON.parse(text)]).toEqual([400, { error }]);
  });

  it.each([
    ['abc', 'For input string: "abc"'],
    ['', 'empty String'],
    [' 1 2 ', 'For input string: "1 2"'],
    ['1e', 'For input string: "1e"'],
    ['10s', 'For input string: "10s"'],
  ])('refuses to wait for "%s" seconds, and keeps nothing', async (seconds, message) => {
    const count = () => read('select (select count(*) from queued_commands), (select count(*) from certnames)');
    const before = await count();
    const parameters = { ...replaceFacts, certname: 'unread.test', secondsToWaitForCompletion: seconds };
    expect(await command(parameters, facts('unread.test', {}))).toMatchObject({ status: 500, text: message });
    expect(await count()).toEqual(before);
  });

  it.each([' 20 ', '20.5', '2e1', '20d', '+20.F'])('waits for "%s" seconds', async (seconds) => {
    const parameters = { ...replaceFacts, certname: 'waited.test', secondsToWaitForCompletion: seconds };
    const { status, text } = await command(parameters, facts('waited.test', {}));
    expect([status, JSON.parse(text)]).toEqual([200, expect.objectContaining({ processed: true })]);
  });

  it('knows gzip alone', async () => {
    expect(await command(replaceFacts, '', { 'content-encoding': 'br' })).toMatchObject({
      status: 415,
      text: 'content encoding br not supported',
    });
  });
});

describe('a full queue', () => {
  const clock = new ManualClock();
  const queueOf = (bounds: Partial<QueueBounds>) =>
    new CommandQueue({
      database: world.database,
      clock,
      bounds: { ...QUEUE_BOUNDS, ...bounds },
      onTrouble: (message) => world.faults.push(message),
    });
  const send = (queue: CommandQueue, body = facts('full.test', {})) => {
    const parameters = { ...replaceFacts, certname: 'full.test' };
    return world.send(
      { method: 'POST', path: '/pdb/cmd/v1', parameters, body, headers: JSON_HEADERS },
      { queue, clock },
    );
  };

  beforeAll(() => world.services.queue.stop());

  it.each([
    ['commands', { commands: 2 }, '2 commands'],
    ['bytes', { bytes: 250 }, '250 bytes'],
  ])('refuses %s beyond its bound for a while, and takes them when it has room', async (_, bounds, what) => {
    const queue = queueOf(bounds);
    expect([(await send(queue)).status, (await send(queue)).status]).toEqual([200, 200]);
    const refused = await send(queue);
    expect([refused.status, refused.headers['Retry-After'], refused.text]).toEqual([
      503,
      '20',
      `The queue of commands is full: ${what} wait`,
    ]);
    expect(await read('select count(*) from queued_commands')).toEqual([['2']]);
    await world.database.perform(APPLY_NEXT, { now: clock.now(), blockedFacts: [] });
    clock.time += 250;
    expect((await send(queue)).status).toBe(200);
    while (await world.database.perform(APPLY_NEXT, { now: clock.now(), blockedFacts: [] }));
  });

  it('refuses what does not fit into memory', async () => {
    const queue = queueOf({ waitingBytes: 100 });
    const answers = await Promise.all([send(queue), send(queue)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 503]);
    while (await world.database.perform(APPLY_NEXT, { now: clock.now(), blockedFacts: [] }));
  });
});

it('applies a command once, or not at all, wherever its transaction ends', async () => {
  const queue = new CommandQueue({ database: world.database, clock: systemClock, onTrouble: () => undefined });
  const payload = Buffer.from(facts('ends.test', { a: 1, b: { c: 2 } }));
  await queue.enqueue({ command: 'replace facts', version: 5, certname: 'ends.test', payload });
  const state = () =>
    read(`select (select count(*) from queued_commands), (select count(*) from factsets),
      (select count(*) from fact_paths), (select count(*) from certnames)`);
  const before = await state();
  let statements = 0;
  for (let isApplied = false; !isApplied; statements += 1) {
    let left = statements;
    const attempt = world.database.transaction((connection) => {
      const run = async (statement: Parameters<typeof connection.run>[0]) => {
        left -= 1;
        if (left < 0) throw new Error('killed');
        return connection.run(statement);
      };
      return applyNextCommand({ run }, { now: systemClock.now(), blockedFacts: [] });
    });
    isApplied = await attempt.then(
      () => true,
      () => false,
    );
    if (!isApplied) expect(await state()).toEqual(before);
  }
  expect(statements).toBeGreaterThan(8);
  expect(await read("select stable from factsets where certname = 'ends.test'")).toEqual([['{"a": 1, "b": {"c": 2}}']]);
  expect(await read('select count(*) from queued_commands')).toEqual([['0']]);
});
