import { beforeEach, describe, expect, it } from 'vitest';
import { showJobs } from '../../../../../shared/http/operator/job-events.ts';
import type { JobRecord } from '../../../../../shared/store/ports/job-records.ts';
import { type ConsoleDoor, openConsoleDoor } from '../../../../helpers/console-door.ts';
import { ManualClock } from '../../../../helpers/memory-stores.ts';

const VIEWERS = 3;
let door: ConsoleDoor;
let cookie: string;
beforeEach(async () => {
  door = await openConsoleDoor();
  cookie = await door.logIn('vera', [VIEWERS]);
});

const events = () => door.http.services.fleet.events;
const tell = (certname: string) => events().add({ kind: 'node', certname, state: 'stale' }, 5);

/** Opens a stream; `next` reads what comes next. */
async function open(headers: Readonly<Record<string, string>> = {}) {
  const answer = await door.ask('/understudy/v1/events', { cookie, headers });
  expect([answer.status, answer.headers.get('Content-Type')]).toEqual([200, 'text/event-stream;charset=utf-8']);
  const reader = answer.body?.getReader();
  if (reader === undefined) throw new Error('a stream has a body');
  const next = async () => {
    const { value, done } = await reader.read();
    return done ? null : new TextDecoder().decode(value);
  };
  expect(await next()).toBe('retry: 1000\n\n');
  return { next, cancel: () => reader.cancel() };
}

describe('the stream of events', () => {
  it('tells what happens from now on, with numbers', async () => {
    tell('before.example.com');
    const { next, cancel } = await open();
    tell('<script>.example.com');
    expect(await next()).toBe(
      `id: ${events().last}\nevent: node\ndata: {"at":5,"certname":"<script>.example.com","state":"stale"}\n\n`,
    );
    await cancel();
  });

  it('tells of jobs to those who may see them, and to nobody else', async () => {
    const tellJob = showJobs(events(), new ManualClock(7));
    const role = await door.access.roles.create({
      displayName: 'Page',
      description: null,
      permissions: [{ objectType: 'console_page', action: 'view', instance: '*' }],
    });
    const viewer = await open();
    cookie = await door.logIn('paul', [role.id]);
    const other = await open();
    const body = { command: 'task', environment: '', nodeCount: 5, nodeStates: { running: 1, finished: 2 } };
    const stays = [{ state: 'running', enteredAt: 1, leftAt: null }];
    tellJob({
      number: 3,
      body: { ...body, stays } as unknown as JobRecord,
      nodes: [{ name: 'web1', state: 'finished' }],
    });
    const last = events().last;
    expect(await viewer.next()).toBe(
      [
        `id: ${last - 1}`,
        'event: job-nodes',
        'data: {"at":7,"id":"3","nodes":[{"certname":"web1","state":"finished"}]}',
        '',
        `id: ${last}`,
        'event: job',
        'data: {"at":7,"id":"3","state":"running","command":"task","environment":null,"nodeStates":{"running":1,"finished":2,"new":2}}',
        '\n',
      ].join('\n'),
    );
    tell('web2');
    expect(await other.next()).toContain(`id: ${last + 1}\nevent: node\n`);
    await viewer.cancel();
    await other.cancel();
  });

  it('resumes behind the last event that the client had', async () => {
    tell('a');
    const had = events().last;
    tell('b');
    tell('c');
    const { next, cancel } = await open({ 'Last-Event-ID': String(had) });
    expect([...((await next()) ?? '').matchAll(/"certname":"(\w)"/g)].map(([, name]) => name)).toEqual(['b', 'c']);
    await cancel();
  });

  it('says that events were lost', async () => {
    const had = events().last;
    for (let count = 0; count <= 2000; count += 1) tell('n');
    const { next, cancel } = await open({ 'Last-Event-ID': String(had) });
    expect(await next()).toBe(`id: ${events().last}\nevent: reset\ndata: {}\n\n`);
    await cancel();
    const ahead = await open({ 'Last-Event-ID': String(events().last + 1) });
    expect(await ahead.next()).toContain('event: reset');
    await ahead.cancel();
  });

  it('keeps the connection while nothing happens, and ends after five minutes', async () => {
    const { next } = await open();
    const beats: (string | null)[] = [];
    for (let beat = await next(); beat !== null; beat = await next()) beats.push(beat);
    expect(beats).toEqual(Array.from({ length: 19 }, () => ': still here\n\n'));
  });

  it('has a bound, and gives its place back', async () => {
    const open200 = await Promise.all(Array.from({ length: 200 }, () => open()));
    const answer = await door.ask('/understudy/v1/events', { cookie });
    expect([answer.status, answer.headers.get('Retry-After')]).toEqual([503, '30']);
    for (const { cancel } of open200) await cancel();
    await (await open()).cancel();
  });

  it.each(['x', '-1', '1e3'])('refuses the number %s', async (id) => {
    const answer = await door.ask('/understudy/v1/events', { cookie, headers: { 'Last-Event-ID': id } });
    expect([answer.status, await answer.json()]).toMatchObject([
      400,
      { message: `Bad Request: The number of the last event must be a whole number, not '${id}'` },
    ]);
  });
});
