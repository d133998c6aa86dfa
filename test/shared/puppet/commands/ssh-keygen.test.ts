import { execFileSync } from 'node:child_process';
import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createKeyFile, readPublicKey } from '../../../../shared/puppet/commands/ssh-keygen.ts';

const PATH = '/opt/keys/deploy';

function run(argv: readonly string[], there: string | null | false = null) {
  const written = new Map<string, string>();
  const outcome = createKeyFile(argv, {
    read: (path) => written.get(path) ?? there,
    write: (path, text) => void written.set(path, text),
  });
  return { outcome, written };
}

function keyFor(...options: readonly string[]): string {
  const { written } = run(['/usr/bin/ssh-keygen', ...options, '-N', '', '-f', PATH]);
  return written.get(PATH) ?? '';
}

/** The fields of a public key in its line. */
function fieldsOf(line: string): readonly Buffer[] {
  let rest = Buffer.from(line.split(' ')[1] ?? '', 'base64');
  const fields: Buffer[] = [];
  while (rest.length > 0) {
    const length = rest.readUInt32BE(0);
    fields.push(rest.subarray(4, 4 + length));
    rest = rest.subarray(4 + length);
  }
  return fields;
}

function readKey(jwk: JsonWebKey): KeyObject {
  return createPublicKey({ key: jwk, format: 'jwk' });
}

describe('ssh-keygen', () => {
  it('writes an RSA key, whose public one is derived', () => {
    const { outcome, written } = run(['ssh-keygen', '-t', 'rsa', '-b', '1024', '-P', '', '-C', 'a b', '-f', PATH]);
    expect(outcome).toEqual({
      stdout: `Generating public/private rsa key pair.\nYour identification has been saved in ${PATH}\nYour public key has been saved in ${PATH}.pub\n`,
      stderr: '',
      status: 0,
    });
    const line = readPublicKey(written.get(PATH) ?? '') ?? '';
    expect(line).toMatch(/^ssh-rsa [A-Za-z0-9+/=]+ a b\n$/);
    const [name, exponent, modulus] = fieldsOf(line);
    expect([name?.toString(), exponent?.toString('hex')]).toEqual(['ssh-rsa', '010001']);
    const [e = '', n = ''] = [exponent, modulus].map((bytes) => bytes?.toString('base64url'));
    expect(readKey({ kty: 'RSA', e, n }).asymmetricKeyDetails).toMatchObject({ modulusLength: 1024 });
  });

  it('writes other kinds of keys', () => {
    const [name, x] = fieldsOf(readPublicKey(keyFor('-t', 'ed25519')) ?? '');
    expect([name?.toString(), x?.length]).toEqual(['ssh-ed25519', 32]);
    for (const bits of [256, 384, 521]) {
      const [kind, curve, point] = fieldsOf(readPublicKey(keyFor('-q', '-t', 'ecdsa', '-b', String(bits))) ?? '');
      expect([kind?.toString(), curve?.toString()]).toEqual([`ecdsa-sha2-nistp${bits}`, `nistp${bits}`]);
      const half = ((point?.length ?? 0) - 1) / 2;
      const [abscissa = '', ordinate = ''] = [1, 1 + half].map((at) =>
        point?.subarray(at, at + half).toString('base64url'),
      );
      const key = readKey({ kty: 'EC', crv: `P-${bits}`, x: abscissa, y: ordinate });
      expect(key.asymmetricKeyType).toBe('ec');
    }
  });

  it('says nothing with -q, and has a comment of its own', () => {
    const { outcome, written } = run(['ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-f', PATH]);
    expect(outcome?.stdout).toBe('');
    expect(readPublicKey(written.get(PATH) ?? '')).toMatch(/ puppet@understudy\n$/);
  });

  it.each([
    ['a file that exists', ['ssh-keygen', '-t', 'rsa', '-N', '', '-f', PATH], 'x'],
    ['a file that is not kept on the server', ['ssh-keygen', '-t', 'rsa', '-N', '', '-f', '/tmp/a'], false],
    ['a passphrase', ['ssh-keygen', '-t', 'rsa', '-N', 'secret', '-f', PATH], null],
    ['no word about a passphrase', ['ssh-keygen', '-t', 'rsa', '-f', PATH], null],
    ['another kind of key', ['ssh-keygen', '-t', 'dsa', '-b', '1024', '-N', '', '-f', PATH], null],
    ['a length that no key has', ['ssh-keygen', '-t', 'ecdsa', '-b', '1024', '-N', '', '-f', PATH], null],
    ['a length that is no number', ['ssh-keygen', '-t', 'rsa', '-b', 'x', '-N', '', '-f', PATH], null],
    ['another option', ['ssh-keygen', '-l', '-f', PATH], null],
    ['an option without a value', ['ssh-keygen', '-N', '', '-f'], null],
    ['a program elsewhere', ['/opt/bin/ssh-keygen', '-t', 'rsa', '-N', '', '-f', PATH], null],
  ] as const)('does not run for %s', (_, argv, there) => {
    const { outcome, written } = run(argv, there);
    expect([outcome, written.size]).toEqual([null, 0]);
  });

  it('derives nothing from other texts', () => {
    expect(readPublicKey('secret')).toBeNull();
  });

  it.skipIf(!existsSync('/usr/bin/ssh-keygen'))('writes what OpenSSH reads', () => {
    const folder = mkdtempSync(join(tmpdir(), 'understudy-ssh-keygen-'));
    for (const [type, bits] of [
      ['rsa', '2048'],
      ['ecdsa', '521'],
      ['ed25519', '256'],
    ] as const) {
      const file = join(folder, type);
      const text = keyFor('-t', type, '-b', bits, '-C', 'deploy');
      writeFileSync(file, text, { mode: 0o600 });
      expect(execFileSync('ssh-keygen', ['-y', '-f', file], { encoding: 'utf8' })).toBe(readPublicKey(text));
    }
    rmSync(folder, { recursive: true });
  });
});
