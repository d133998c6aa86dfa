import { beforeAll, expect, it } from 'vitest';
import type { AccessAuditEntry } from '../../../../../shared/access/accounts/access-audit.ts';
import { keepDeadLetter, listDeadLetters } from '../../../../../shared/inventory/forward/dead-letters.ts';
import { NotifyBook } from '../../../../../shared/orchestrator/notify/notify-book.ts';
import { type ConsoleDoor, openConsoleDoor } from '../../../../helpers/console-door.ts';
import { askAsDescribed } from '../../../../helpers/described-door.ts';

const LETTERS = '/understudy/v1/dead-letters';
const audited: AccessAuditEntry[] = [];
let door: ConsoleDoor;
let cookie: string;
let viewer: string;

beforeAll(async () => {
  door = await openConsoleDoor([], { log: { logError: () => {}, audit: (entry) => void audited.push(entry) } });
  cookie = await door.logIn('oscar', [1]);
  const permissions = ['nodes:view_data', 'console_page:view', 'puppetserver:compile_catalogs'].map((text) => {
    const [objectType = '', action = ''] = text.split(':');
    return { objectType, action, instance: '*' };
  });
  const { id } = await door.access.roles.create({ displayName: 'Compilers', description: null, permissions });
  viewer = await door.logIn('vera', [id]);
  const letter = { report: null, reason: 'status 400: no' };
  const { documents } = door.http;
  const report = { receivedAt: 1, transactionUuid: 'u-1' };
  const common = { target: 'report-url', command: 'store report', reason: 'status 422', report } as const;
  await keepDeadLetter({ ...common, certname: 'b.test', at: 3 }, documents);
  await keepDeadLetter(
    { ...letter, target: 'puppetdb', certname: 'a.test', command: 'replace facts', at: 5 },
    documents,
  );
  const node = { certname: 'c.test', compiledAt: 1, dueAt: 1, tries: 5 };
  await new NotifyBook(documents).bury({ lane: 'production|paced|any', node, reason: 'agent disabled', at: 4 });
});

/** Asks as an administrator. */
const ask = (id: string, path: string, body?: unknown) => askAsDescribed({ door, cookie }, id, path, body);

const isDue = async () =>
  (
    await Promise.all([
      listDeadLetters('report-url', door.http.documents),
      listDeadLetters('puppetdb', door.http.documents),
    ])
  )
    .flat()
    .map((one) => one.isDue);

const NONE = { transactionUuid: null, cause: null, isDue: false, isReadable: true };
const FACTS = {
  ...NONE,
  queue: 'puppetdb',
  id: '1970-01-01T00:00:00.005Z a.test replace facts',
  certname: 'a.test',
  content: 'facts',
  reason: 'status 400: no',
  at: 5,
};
const RUN = {
  ...NONE,
  queue: 'notify',
  id: 'c.test',
  certname: 'c.test',
  content: 'run',
  reason: 'agent disabled',
  at: 4,
};
const REPORT = {
  ...NONE,
  queue: 'report-url',
  id: '1970-01-01T00:00:00.003Z b.test store report 1 u-1',
  certname: 'b.test',
  content: 'report',
  transactionUuid: 'u-1',
  reason: 'status 422',
  at: 3,
};

it.each([
  ['', [FACTS, RUN, REPORT]],
  ['?limit=1', [FACTS]],
  ['?queue=report-url', [REPORT]],
  ['?certname=c.test', [RUN]],
])('lists dead letters, newest first: %s', async (query, deadLetters) => {
  const counts = { compile: 0, 'fan-out': 0, notify: 1, 'report-url': 1, puppetdb: 1, 'alert-url': 0 };
  expect(await ask('listDeadLetters', LETTERS + query)).toEqual([200, { counts, deadLetters }]);
});

it.each([
  ['puppetdb', { node: 'a' }, 400, "'node' is not one of certname, id"],
  ['puppetdb', { certname: 1 }, 400, "'certname' must be a text"],
  ['puppetdb', { id: 1 }, 400, "'id' must be a text"],
  ['puppetdb', { id: 'none' }, 404, 'none'],
  ['odd', {}, 404, 'odd'],
])('refuses to redrive what is chosen of %s by %j', async (queue, body, status, message) => {
  const [answered, fault] = await ask('redriveDeadLetters', `${LETTERS}/${queue}/redrive`, body);
  expect([answered, JSON.stringify(fault)]).toEqual([status, expect.stringContaining(message)]);
  expect(await isDue()).toEqual([false, false]);
});

it('needs the permission to run agents for those of runs', async () => {
  const statusOf = async (queue: string) =>
    (await door.ask(`${LETTERS}/${queue}/redrive`, { method: 'POST', cookie: viewer, body: {} })).status;
  expect([await statusOf('notify'), await statusOf('compile')]).toEqual([403, 200]);
});

it('redrives one, or all of a queue, and notes who wanted it', async () => {
  const redrive = (queue: string, body: object) => ask('redriveDeadLetters', `${LETTERS}/${queue}/redrive`, body);
  expect(await redrive('puppetdb', { certname: 'nobody.test' })).toEqual([200, { redriven: 0, unreadable: [] }]);
  expect(audited).toEqual([]);
  expect(await redrive('report-url', { id: REPORT.id })).toEqual([200, { redriven: 1, unreadable: [] }]);
  expect(await redrive('report-url', {})).toEqual([200, { redriven: 0, unreadable: [] }]);
  expect(await isDue()).toEqual([true, false]);
  expect(await redrive('puppetdb', {})).toEqual([200, { redriven: 1, unreadable: [] }]);
  expect(await redrive('notify', {})).toEqual([200, { redriven: 1, unreadable: [] }]);
  expect(await isDue()).toEqual([true, true]);
  expect(await new NotifyBook(door.http.documents).isDue('production|paced|any', 'c.test')).toBe(true);
  expect(audited.map(({ login, event, subject }) => [login, event, subject])).toEqual([
    ['oscar', 'change', '1 dead letter of report-url redriven'],
    ['oscar', 'change', '1 dead letter of puppetdb redriven'],
    ['oscar', 'change', '1 dead letter of notify redriven'],
  ]);
});
