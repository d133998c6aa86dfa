import { beforeAll, expect, it } from 'vitest';
import type { AccessAuditEntry } from '../../../../../shared/access/accounts/access-audit.ts';
import { keepDeadLetter, listDeadLetters } from '../../../../../shared/inventory/forward/dead-letters.ts';
import { type ConsoleDoor, openConsoleDoor } from '../../../../helpers/console-door.ts';
import { askAsDescribed } from '../../../../helpers/described-door.ts';

const LETTERS = '/understudy/v1/forwarding/dead-letters';
const audited: AccessAuditEntry[] = [];
let door: ConsoleDoor;
let cookie: string;

beforeAll(async () => {
  door = await openConsoleDoor([], { log: { logError: () => {}, audit: (entry) => void audited.push(entry) } });
  cookie = await door.logIn('oscar', [1]);
  const letter = { report: null, reason: 'status 400: no' };
  const { documents } = door.http;
  const report = { receivedAt: 1, transactionUuid: 'u-1' };
  const common = { target: 'report-url', command: 'store report', reason: 'status 422', report } as const;
  await keepDeadLetter({ ...common, certname: 'b.test', at: 3 }, documents);
  await keepDeadLetter(
    { ...letter, target: 'puppetdb', certname: 'a.test', command: 'replace facts', at: 5 },
    documents,
  );
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

const FACTS = {
  id: '1970-01-01T00:00:00.005Z a.test replace facts',
  target: 'puppetdb',
  certname: 'a.test',
  content: 'facts',
  transactionUuid: null,
  reason: 'status 400: no',
  at: 5,
  isDue: false,
};
const REPORT = {
  id: '1970-01-01T00:00:00.003Z b.test store report 1 u-1',
  target: 'report-url',
  certname: 'b.test',
  content: 'report',
  transactionUuid: 'u-1',
  reason: 'status 422',
  at: 3,
  isDue: false,
};

it.each([
  ['', 2, [FACTS, REPORT]],
  ['?limit=1', 2, [FACTS]],
  ['?target=report-url', 1, [REPORT]],
  ['?certname=a.test', 1, [FACTS]],
])('lists what was not delivered, newest first: %s', async (query, count, deadLetters) => {
  expect(await ask('listForwardLetters', LETTERS + query)).toEqual([200, { count, deadLetters }]);
});

it.each([
  [{ node: 'a' }, 400, "'node' is not one of target, certname, id"],
  [{ target: 'odd' }, 400, "'target' must be one of report-url, puppetdb"],
  [{ certname: 1 }, 400, "'certname' must be a text"],
  [{ id: 1 }, 400, "'id' must be a text"],
  [{ id: 'none' }, 404, 'none'],
])('refuses to send again what %j chooses', async (body, status, message) => {
  const [answered, fault] = await ask('redriveForwardLetters', `${LETTERS}/redrive`, body);
  expect([answered, JSON.stringify(fault)]).toEqual([status, expect.stringContaining(message)]);
  expect(await isDue()).toEqual([false, false]);
});

it('sends one again, or all, and notes who wanted it', async () => {
  const redrive = (body: object) => ask('redriveForwardLetters', `${LETTERS}/redrive`, body);
  expect(await redrive({ certname: 'nobody.test' })).toEqual([200, { redriven: 0 }]);
  expect(audited).toEqual([]);
  expect(await redrive({ id: REPORT.id })).toEqual([200, { redriven: 1 }]);
  expect(await isDue()).toEqual([true, false]);
  expect(await redrive({})).toEqual([200, { redriven: 2 }]);
  expect(await isDue()).toEqual([true, true]);
  const subjects = audited.map(({ login, event, subject }) => [login, event, subject]);
  expect(subjects).toEqual([
    ['oscar', 'change', '1 dead letter of forwarding redriven'],
    ['oscar', 'change', '2 dead letters of forwarding redriven'],
  ]);
});
