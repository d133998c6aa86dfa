import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DecryptCommand, EncryptCommand, type KMSClient } from '@aws-sdk/client-kms';
import { afterAll, describe, expect, it } from 'vitest';
import { CertificateAuthority } from '../../../shared/access/ca/authority.ts';
import { createKmsVault, openKmsVault } from '../../../shared/store/aws/kms-vault.ts';
import { openKeyFileVault } from '../../../shared/store/embedded/key-file-vault.ts';
import type { KeyVault } from '../../../shared/store/ports/secrets.ts';
import { ManualClock, MemoryDocuments } from '../../helpers/memory-stores.ts';

const folder = mkdtempSync(join(tmpdir(), 'understudy-vault-'));
afterAll(() => rmSync(folder, { recursive: true }));
const SECRET = '-----BEGIN PRIVATE KEY-----\nsecret\n-----END PRIVATE KEY-----\n';

/** A KMS that turns bytes around, for one key and one encryption context. */
function fakeKms(key = 'k'): KMSClient {
  const seen = new Set<string>();
  const mark = (context: unknown) =>
    createHash('sha256')
      .update(`${key}${JSON.stringify(context)}`)
      .digest('hex');
  const send = async (command: unknown) => {
    if (command instanceof EncryptCommand) {
      const { Plaintext, EncryptionContext } = command.input;
      const turned = Buffer.from(Plaintext ?? []).reverse();
      seen.add(turned.toString('hex') + mark(EncryptionContext));
      return { CiphertextBlob: turned };
    }
    if (!(command instanceof DecryptCommand)) throw new Error('unexpected');
    const blob = Buffer.from(command.input.CiphertextBlob ?? []);
    const isOurs = seen.has(blob.toString('hex') + mark(command.input.EncryptionContext));
    if (isOurs) return { Plaintext: Buffer.from(blob).reverse() };
    throw Object.assign(new Error('wrong key'), {
      name: 'InvalidCiphertextException',
      $metadata: { httpStatusCode: 400 },
    });
  };
  return { send } as unknown as KMSClient;
}

const VAULTS: readonly (readonly [string, () => KeyVault, () => KeyVault])[] = [
  ['a key file', () => openKeyFileVault(join(folder, 'one'), true), () => openKeyFileVault(join(folder, 'two'), true)],
  ['KMS', () => createKmsVault(fakeKms(), 'k'), () => createKmsVault(fakeKms('other'), 'other')],
];

describe.each(VAULTS)('the vault of %s', (_, open, openOther) => {
  it('gives back what it sealed, which nobody can read meanwhile', async () => {
    const vault = open();
    const sealed = await vault.seal(SECRET);
    expect(sealed).not.toContain('secret');
    expect(sealed).not.toBe(await vault.seal(SECRET));
    expect(await vault.open(sealed)).toBe(SECRET);
  });

  it('refuses what another one sealed, and what was changed', async () => {
    const vault = open();
    const sealed = await vault.seal(SECRET);
    const changed = sealed.slice(0, -6) + (sealed.at(-6) === 'A' ? 'B' : 'A') + sealed.slice(-5);
    for (const bad of [await openOther().seal(SECRET), changed, 'nonsense', '']) {
      await expect(vault.open(bad)).rejects.toThrow();
    }
  });

  it("keeps a CA's keys unreadable in the store, those that were stored clear too", async () => {
    const vault = open();
    const clock = new ManualClock();
    const documents = new MemoryDocuments();
    const options = { name: 'v', autosign: false, keyType: 'ec' } as const;
    await CertificateAuthority.open(documents, clock, options);
    expect(String((await documents.get('ca', 'authority'))?.key)).toContain('BEGIN PRIVATE KEY');
    const sealed = await CertificateAuthority.open(documents, clock, { ...options, vault });
    await sealed.serverCredentials('puppet', []);
    for (const { document } of await documents.list('ca', '', 100)) {
      expect(JSON.stringify(document)).not.toContain('PRIVATE KEY');
    }
    const again = await CertificateAuthority.openExisting(documents, clock, vault);
    expect((await again.serverCredentials('puppet', [])).key).toContain('BEGIN PRIVATE KEY');
    await expect(CertificateAuthority.openExisting(documents, clock)).rejects.toThrow('the private key cannot be read');
  });
});

describe('a key file', () => {
  it('is made for its owner alone, and kept', async () => {
    const path = join(folder, 'made');
    const sealed = await openKeyFileVault(path, true).seal(SECRET);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(await openKeyFileVault(path, true).open(sealed)).toBe(SECRET);
  });

  it('may be a passphrase; says what is wrong with it', () => {
    const path = join(folder, 'short');
    writeFileSync(path, 'too short\n');
    expect(() => openKeyFileVault(path, false)).toThrow(`the key file '${path}' has fewer than 12 characters`);
    const none = join(folder, 'none');
    expect(() => openKeyFileVault(none, false)).toThrow(`the key file '${none}' cannot be read`);
    const nowhere = join(folder, 'no', 'file');
    expect(() => openKeyFileVault(nowhere, true)).toThrow(`the key file '${nowhere}' cannot be created`);
  });
});

it('no vault of KMS is opened when the environment names no key', () => {
  expect(openKmsVault({})).toEqual({});
});

it('tells when KMS does not do its part, each time', async () => {
  let failures = 0;
  const vault = createKmsVault(fakeKms('other'), 'k', () => {
    failures += 1;
  });
  await expect(vault.open(await createKmsVault(fakeKms(), 'k').seal(SECRET))).rejects.toThrow('KMS key k');
  expect(failures).toBe(1);
  expect(await vault.open(await vault.seal(SECRET))).toBe(SECRET);
  expect(failures).toBe(1);
});

describe('a key file', () => {
  it('that cannot be created is named with the reason', () => {
    const path = join(folder, 'missing', 'key');
    expect(() => openKeyFileVault(path, true)).toThrow(
      /^the key file '.*\/missing\/key' cannot be created: ENOENT: no such file or directory, open '/,
    );
    expect(() => openKeyFileVault(path, false)).toThrow(
      `the key file '${path}' cannot be read: ENOENT: no such file or directory, open '${path}'`,
    );
  });

  it('is all there when it is there, and alone', () => {
    const own = mkdtempSync(join(folder, 'own-'));
    openKeyFileVault(join(own, 'key'), true);
    const text = readFileSync(join(own, 'key'), 'utf8');
    openKeyFileVault(join(own, 'key'), true);
    expect([readdirSync(own), readFileSync(join(own, 'key'), 'utf8')]).toEqual([['key'], text]);
    expect(text).toMatch(/^key:[0-9a-f]{8}:[0-9a-f]{64}\n$/);
  });
});
