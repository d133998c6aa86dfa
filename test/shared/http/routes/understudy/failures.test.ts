import { beforeAll, describe, expect, it } from 'vitest';
import type { FailureGroup } from '../../../../../shared/fleet/failures/failure-group.ts';
import { FAILURES } from '../../../../../shared/fleet/failures/failure-list.ts';
import { FailureUpkeep } from '../../../../../shared/fleet/failures/failure-upkeep.ts';
import { type ConsoleDoor, openConsoleDoor } from '../../../../helpers/console-door.ts';
import { askAsDescribed } from '../../../../helpers/described-door.ts';
import { createPeer, deployFiles, httpServices, type TestServices } from '../../../../helpers/http-services.ts';

const ADMIN = createPeer('admin.example.com', 'ad', [['pp_cli_auth', 'true']]);
const FAILURES_PATH = '/understudy/v1/failures';

describe('for users', () => {
  let door: ConsoleDoor;
  let cookie: string;

  beforeAll(async () => {
    door = await openConsoleDoor();
    cookie = await door.logIn('oscar', [1]);
    for (let index = 0; index < 60; index += 1) {
      const count = index + 1;
      const nodes = Array.from({ length: count }, (_, node) => `node${node}.test`);
      const group: FailureGroup = {
        ...{
          id: String(index).padStart(16, '0'),
          kind: index % 2 === 0 ? 'run' : 'compile',
          environment: 'production',
        },
        ...{ resource: null, message: `no ${index}`, lines: [], count, nodes, firstAt: 1, lastAt: 2, deploy: null },
        closedAt: index < 5 ? 100 + index : null,
      };
      await door.http.documents.put(FAILURES, group.id, { ...group });
    }
  });

  const ask = async (query: string) => {
    const [status, body] = await askAsDescribed({ door, cookie }, 'listFailures', `${FAILURES_PATH}${query}`);
    const { failures, total, next } = body as {
      readonly failures: readonly FailureGroup[];
      readonly total: number;
      readonly next: string | null;
    };
    return { status, total, next, found: failures.map(({ message }) => message), failures };
  };

  it('lists the largest first, page by page, and closed ones last', async () => {
    const first = await ask('?limit=55');
    expect([first.status, first.total, first.found.slice(0, 2)]).toEqual([200, 60, ['no 59', 'no 58']]);
    expect(first.failures[0]).toMatchObject({
      count: 60,
      nodes: ['node0.test', 'node1.test', 'node2.test', 'node3.test', 'node4.test'],
    });
    const second = await ask(`?limit=55&cursor=${first.next}`);
    expect([second.found, second.next]).toEqual([['no 4', 'no 3', 'no 2', 'no 1', 'no 0'], null]);
  });

  it.each([
    ['?state=closed&kind=run', ['no 4', 'no 2', 'no 0']],
    ['?state=open&certname=node58.test', ['no 59', 'no 58']],
    ['?environment=staging', []],
  ])('selects by %s', async (query, found) => {
    expect((await ask(query)).found).toEqual(found);
  });

  it('shows one with its nodes', async () => {
    const path = `${FAILURES_PATH}/0000000000000007`;
    const [status, body] = await askAsDescribed({ door, cookie }, 'getFailure', path);
    expect([status, (body as FailureGroup).nodes.length]).toEqual([200, 8]);
  });

  it('refuses users who may not see data of nodes', async () => {
    const permissions = [{ objectType: 'console_page', action: 'view', instance: '*' }];
    const { id } = await door.access.roles.create({ displayName: 'Watchers', description: null, permissions });
    const watcher = await door.logIn('vera', [id]);
    for (const path of ['', '/0000000000000007', '.atom'])
      expect((await door.ask(`${FAILURES_PATH}${path}`, { cookie: watcher })).status).toBe(403);
  });
});

describe('from reports', () => {
  const certname = 'web01.test';
  let http: TestServices;

  beforeAll(async () => {
    http = await httpServices();
    await deployFiles(http, 'production', { 'manifests/site.pp': '' });
  });

  const send = (report: Readonly<Record<string, unknown>>) =>
    http.app.request(
      `/puppet/v3/report/${certname}?environment=production`,
      {
        method: 'PUT',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ metrics: {}, logs: [], resource_statuses: {}, environment: 'production', ...report }),
      },
      { peer: createPeer(certname) },
    );
  const update = () => new FailureUpkeep({ ...http.services, documents: http.documents }).update();
  const feed = async () => {
    const answer = await http.app.request(`https://puppet.test${FAILURES_PATH}.atom`, {}, { peer: ADMIN });
    return answer.text();
  };

  it('a failure of a resource is found, and ends with the next good run', async () => {
    const event = { status: 'failure', message: 'No space <left> & "more" \u0001' };
    const statuses = {
      'File[/a]': { failed: true, file: '/x/environments/production/site.pp', line: 3, events: [event] },
    };
    const sent = await send({ status: 'failed', transaction_uuid: 'u-1', resource_statuses: statuses });
    expect(sent.status).toBe(200);
    expect(await http.documents.get('failing/run', certname)).toMatchObject({
      failures: [{ resource: 'File[/a]', file: 'site.pp', line: 3 }],
      failed: 1,
    });
    await http.nodes.markSeen(certname, 'production', 1);
    expect(await update()).toEqual({ opened: 1, closed: 0 });
    const text = await feed();
    expect(text).toContain(
      'production: 1 node fails: File[/a]: No space &lt;left&gt; &amp; &quot;more&quot; \ufffd</title>',
    );
    expect(text).toMatch(/href="https:\/\/puppet\.test\/console\/failures\/[0-9a-f]{16}"/);
    expect(text).toContain('Code: site.pp:3\nNodes: web01.test</content>');
    await http.services.fleet.watch.step();
    const list = await http.app.request('/understudy/v1/nodes?cause=run', {}, { peer: ADMIN });
    expect(await list.json()).toMatchObject({
      nodes: [
        expect.objectContaining({ certname, state: 'failing', cause: 'run', failure: '1 resource failed: File[/a]' }),
      ],
    });
    expect((await send({ status: 'unchanged', noop_pending: false, transaction_uuid: 'u-2' })).status).toBe(200);
    expect(await update()).toEqual({ opened: 0, closed: 1 });
    expect(await feed()).toContain('production: runs again: File[/a]');
  });
});
