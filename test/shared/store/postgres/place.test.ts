import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { StoreRefused } from '../../../../shared/store/ports/store-errors.ts';
import { numberParameters } from '../../../../shared/store/postgres/connection.ts';
import { readDatabasePlace } from '../../../../shared/store/postgres/place.ts';

it('reads several hosts, and shows no password', () => {
  const place = readDatabasePlace('postgresql://fl%40t:se%2Fcret@a.example,[::1]:5433,%2Frun%2Fpg/under%20study');
  expect(place).toEqual({
    hosts: [
      { host: 'a.example', port: 5432 },
      { host: '::1', port: 5433 },
      { host: '/run/pg', port: 5432 },
    ],
    user: 'fl@t',
    password: 'se/cret',
    database: 'under study',
    tls: false,
    shown: 'postgresql://fl%40t@a.example,[::1]:5433,%2Frun%2Fpg/under study',
  });
});

it.each([
  ['require', { rejectUnauthorized: false }],
  ['verify-full', { rejectUnauthorized: true }],
  ['verify-ca', { rejectUnauthorized: true, checkServerIdentity: expect.any(Function) }],
])('checks the certificate as sslmode=%s says', (mode, tls) => {
  expect(readDatabasePlace(`postgres://db/x?sslmode=${mode}`).tls).toEqual(tls);
});

it('reads the files of its parameters', () => {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-place-'));
  const files = { sslrootcert: 'the CA', sslcert: 'our certificate', sslkey: 'our key' };
  const parameters = Object.entries(files).map(([name, content]) => {
    writeFileSync(join(folder, name), content);
    return `${name}=${join(folder, name)}`;
  });
  const { tls } = readDatabasePlace(`postgres://db/x?sslmode=verify-full&${parameters.join('&')}`);
  expect(tls).toEqual({ ca: 'the CA', cert: 'our certificate', key: 'our key', rejectUnauthorized: true });
  rmSync(folder, { recursive: true });
  expect(() => readDatabasePlace(`postgres://db/x?sslmode=require&${parameters[2]}`)).toThrow(
    'the file of sslkey cannot be read: ENOENT',
  );
});

it.each([
  ['https://db/x', 'it is no URL like postgresql://user@host:5432/database'],
  ['postgresql://db', 'it is no URL like postgresql://user@host:5432/database'],
  ['postgresql://u:secret@a:b:c/x', "'a:b:c' is no host"],
  ['postgresql://db/x?sslmode=maybe', "sslmode 'maybe' is none of disable, require, verify-ca, verify-full"],
  ['postgresql://db/x?pool=3', "it has the unknown parameter 'pool' (known: sslmode, sslrootcert, sslcert, sslkey)"],
])('refuses %s, and says why without the password', (url, why) => {
  const refused = new StoreRefused(`the address of the database cannot be used: ${why}`);
  expect(() => readDatabasePlace(url)).toThrow(refused);
  expect(why).not.toContain('secret');
});

it('numbers the parameters of a statement', () => {
  expect(numberParameters('a = ? AND b = ?')).toBe('a = $1 AND b = $2');
  expect(numberParameters('a = ?2 OR a = ?1 OR b = ?2')).toBe('a = $2 OR a = $1 OR b = $2');
});
