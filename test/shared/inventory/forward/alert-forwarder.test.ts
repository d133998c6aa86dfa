import { createServer, type IncomingHttpHeaders } from 'node:http';
import { beforeEach, describe, expect, it } from 'vitest';
import { keepFailureEvent } from '../../../../shared/fleet/failures/failure-events.ts';
import type { FailureGroup } from '../../../../shared/fleet/failures/failure-group.ts';
import { AlertForwarder } from '../../../../shared/inventory/forward/alert-forwarder.ts';
import { listDeadLetters, sendLettersAgain } from '../../../../shared/inventory/forward/dead-letters.ts';
import { DeliveryRejected, ReceiverAway } from '../../../../shared/inventory/forward/delivery-errors.ts';
import { HttpReportSender } from '../../../../shared/inventory/forward/report-sender.ts';
import { ManualClock, MemoryDocuments } from '../../../helpers/memory-stores.ts';

const GROUP: FailureGroup = {
  ...{
    id: '0123456789abcdef',
    kind: 'run',
    environment: 'production',
    resource: 'File[/a]',
    message: 'No <number> & more',
  },
  ...{ lines: [{ file: 'site.pp', line: 3 }], count: 7, nodes: ['a.test', 'b.test'], firstAt: 0, lastAt: 1 },
  deploy: { codeId: 'c0ffee', previous: 'decade', at: 0, user: 'ann', isStaged: false },
  closedAt: null,
};

let clock: ManualClock;
let documents: MemoryDocuments;
let forwarder: AlertForwarder;
let respond: () => void;
let bodies: string[];
let troubles: string[];

beforeEach(async () => {
  [bodies, troubles] = [[], []];
  respond = () => undefined;
  clock = new ManualClock(Date.UTC(2026, 10, 20));
  documents = new MemoryDocuments();
  forwarder = open();
  await happen('before');
  await forwarder.sendEvents();
});

function open(): AlertForwarder {
  const send = async (body: string) => {
    respond();
    bodies.push(body);
  };
  const onTrouble = (message: string) => void troubles.push(message);
  return new AlertForwarder({ stores: { documents, clock }, sender: { send }, url: 'https://hooks.test/x', onTrouble });
}

async function happen(message: string, what: 'opened' | 'closed' = 'opened'): Promise<void> {
  clock.time += 1000;
  await keepFailureEvent(documents, { at: clock.now(), what, group: { ...GROUP, message } });
}

const sent = () => bodies.map((body) => JSON.parse(body).failure.message);
const letters = () => listDeadLetters('alert-url', documents);

describe('events of failures', () => {
  it('are sent once each, in their order, from the first look on', async () => {
    for (const message of ['one', 'two']) await happen(message);
    await forwarder.sendEvents();
    await open().sendEvents();
    await happen('three', 'closed');
    await open().sendEvents();
    expect(sent()).toEqual(['one', 'two', 'three']);
    expect(troubles).toEqual([]);
  });

  it('have a text for Slack, and all for programs', async () => {
    await happen(GROUP.message);
    await forwarder.sendEvents();
    expect(JSON.parse(bodies[0] ?? '')).toEqual({
      text: [
        'production: 7 nodes fail: File[/a]: No &lt;number&gt; &amp; more',
        'It began with the deploy of c0ffee by ann.',
        'Code: site.pp:3',
        'Nodes: a.test, b.test and 5 more',
      ].join('\n'),
      event: 'opened',
      at: '2026-11-20T00:00:02.000Z',
      failure: {
        ...{ id: GROUP.id, path: `/console/failures/${GROUP.id}`, kind: 'run', environment: 'production' },
        ...{ resource: 'File[/a]', message: GROUP.message, count: 7, nodes: GROUP.nodes, lines: GROUP.lines },
        since: '1970-01-01T00:00:00.000Z',
        deploy: { ...GROUP.deploy, at: '1970-01-01T00:00:00.000Z' },
      },
    });
  });

  it('wait while the endpoint is away', async () => {
    await happen('one');
    respond = () => {
      throw new ReceiverAway('away');
    };
    await expect(forwarder.sendEvents()).rejects.toThrow('away');
    respond = () => undefined;
    await forwarder.sendEvents();
    expect(sent()).toEqual(['one']);
  });

  it('wait where the time is up, and so do letters', async () => {
    for (const message of ['one', 'two']) await happen(message);
    const until = clock.now() + 1;
    respond = () => {
      clock.time += 1;
    };
    await forwarder.sendEvents(until);
    expect(sent()).toEqual(['one']);
    respond = () => {
      throw new DeliveryRejected('status 400', true);
    };
    await forwarder.sendEvents();
    await sendLettersAgain(await letters(), documents);
    respond = () => undefined;
    await forwarder.sendDueLetters(until);
    expect((await letters()).map(({ isDue }) => isDue)).toEqual([true]);
    await forwarder.sendDueLetters();
    expect([sent(), await letters()]).toEqual([['one', 'two'], []]);
  });

  it('are dead letters when the endpoint rejects them, and others go on', async () => {
    for (const message of ['one', 'two']) await happen(message);
    respond = () => {
      if (bodies.length === 0 && troubles.length === 0) throw new DeliveryRejected('status 400', true);
    };
    await forwarder.sendEvents();
    expect(sent()).toEqual(['two']);
    expect(await letters()).toEqual([
      {
        ...{ id: expect.stringContaining('-opened-'), target: 'alert-url', certname: '', command: 'send alert' },
        ...{ report: null, reason: 'status 400', at: clock.now(), isDue: false },
      },
    ]);
    expect(await sendLettersAgain(await letters(), documents)).toBe(1);
    await forwarder.sendDueLetters();
    expect([sent(), await letters()]).toEqual([['two', 'one'], []]);
  });

  it('are dead letters when the endpoint fails over them ten times', async () => {
    await happen('one');
    respond = () => {
      throw new DeliveryRejected('status 500', false);
    };
    // Each attempt may be that of another process.
    for (let attempt = 1; attempt < 10; attempt += 1) await expect(open().sendEvents()).rejects.toThrow(ReceiverAway);
    respond = () => {
      throw new ReceiverAway('away');
    };
    await expect(open().sendEvents()).rejects.toThrow('away');
    expect(await letters()).toEqual([]);
    respond = () => {
      throw new DeliveryRejected('status 500', false);
    };
    await open().sendEvents();
    expect((await letters()).map(({ reason }) => reason)).toEqual(['status 500']);
    await sendLettersAgain(await letters(), documents);
    await forwarder.sendDueLetters();
    expect((await letters()).map(({ isDue }) => isDue)).toEqual([false]);
  });
});

it('is posted as JSON', async () => {
  const asked: [string | undefined, IncomingHttpHeaders][] = [];
  const server = createServer((request, response) => {
    asked.push([request.method, request.headers]);
    request.resume().on('end', () => response.end('ok'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const url = `http://127.0.0.1:${port}/hook`;
  const sender = new HttpReportSender({ url, userAgent: 'test', contentType: 'application/json' });
  await sender.send('{}');
  sender.close();
  server.close();
  expect(asked).toEqual([['POST', expect.objectContaining({ 'content-type': 'application/json' })]]);
});
