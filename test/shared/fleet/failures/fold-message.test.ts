import { expect, it } from 'vitest';
import { createFold, createMask } from '../../../../shared/fleet/failures/fold-message.ts';

it.each([
  [
    'web01.test',
    'on web01.test and web01, not web011 or my-web01',
    'on <certname> and <hostname>, not web011 or my-web01',
  ],
  ['db.test', 'db of db.test', 'db of db.test'],
])('masks the names of %s', (certname, text, expected) => {
  expect(createMask(certname)(text)).toBe(expected);
});

it.each([
  ['pid 18234 died', 'pid <number> died'],
  ['line 12, column 3, port 443', 'line 12, column 3, port 443'],
  ['connect to 10.2.3.4 port 8443 took 1500 ms', 'connect to <address> port 8443 took <duration>'],
  ['cannot rename /tmp/motd20261130-812-x1y2z', 'cannot rename /tmp/motd<temporary>'],
  ['job 0f5f6c1e-8c75-4a4e-9a30-0d1c2b3a4f5e at 2026-11-30T02:03:04.123Z', 'job <uuid> at <time>'],
  ['sha256 8d969eef6ecad3c29a3a629280e686cf differs', 'sha256 <digest> differs'],
  ['object 0x7f3a2b', 'object <number>'],
  ['no feature deadbeefdeadbeef', 'no feature deadbeefdeadbeef'],
])('folds what differs from run to run: %s', (text, expected) => {
  expect(createFold('web01.test')(text)).toBe(expected);
});
