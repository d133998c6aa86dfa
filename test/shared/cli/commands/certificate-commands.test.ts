import { createPrivateKey, X509Certificate } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CertificateAuthority } from '../../../../shared/access/ca/authority.ts';
import { addAuthorityCommands } from '../../../../shared/cli/commands/authority-commands.ts';
import { addCertificateCommands } from '../../../../shared/cli/commands/certificate-commands.ts';
import { type EmbeddedStores, openEmbeddedStores } from '../../../../shared/store/embedded/stores.ts';
import { makeRequest } from '../../../helpers/certificate-request.ts';
import { makeCorporateChain } from '../../../helpers/corporate-chain.ts';

const folder = mkdtempSync(join(tmpdir(), 'understudy-sign-'));
const data = join(folder, 'data');
let stores: EmbeddedStores;
let authority: CertificateAuthority;

beforeAll(async () => {
  stores = openEmbeddedStores(data);
  authority = await CertificateAuthority.open(stores.documents, stores.clock, {
    name: 'test',
    autosign: false,
    keyBits: 2048,
  });
});
afterAll(() => {
  stores.close();
  rmSync(folder, { recursive: true });
});

async function run(...args: readonly string[]): Promise<string> {
  let output = '';
  const program = new Command('understudy').exitOverride();
  const print = async (text: string) => {
    output += text;
  };
  const ca = program.command('ca');
  addCertificateCommands(ca, print, {});
  addAuthorityCommands(ca, print, {});
  await program.parseAsync(args, { from: 'user' });
  return output;
}

describe('understudy ca sign and ca clean', () => {
  it('sign what waits, and revoke it', async () => {
    const { request } = await makeRequest('web01.example.com');
    await authority.submit('web01.example.com', request);
    await expect(run('ca', 'sign', '--data', data)).rejects.toThrow(
      "give certnames, or --all; 'ca list --state requested' lists the requests",
    );
    expect(await authority.findCertificate('web01.example.com')).toBeNull();
    expect(await run('ca', 'sign', 'web01.example.com', '--data', data)).toBe(
      'Signed the certificate of web01.example.com.\n',
    );
    expect(await authority.findCertificate('web01.example.com')).toContain('BEGIN CERTIFICATE');
    expect(await run('ca', 'clean', 'web01.example.com', '--data', data)).toBe(
      'Revoked the certificate of web01.example.com.\n',
    );
    expect(await authority.findCertificate('web01.example.com')).toBeNull();
  });

  it('prepare the first catalog of the node', async () => {
    const { request } = await makeRequest('web02.example.com');
    await authority.submit('web02.example.com', request);
    await run('ca', 'sign', 'web02.example.com', '--data', data);
    expect(await run('ca', 'sign', '--all', '--data', data)).toBe('There is no request that waits for a signature.\n');
    expect(await stores.nodes.get('web02.example.com')).toMatchObject({ environment: 'production', facts: null });
    const jobs = (await stores.queue.receive(10, 0)).map(({ job }) => job);
    expect(jobs).toContainEqual(expect.objectContaining({ certname: 'environment:production', warm: 'production' }));
  });

  it.each([
    [['ca', 'sign', 'nosuch.example.com', '--data', data], 'nosuch.example.com has no pending request'],
    [['ca', 'clean', 'nosuch.example.com', '--data', data], 'nosuch.example.com has no certificate'],
    [
      ['ca', 'sign', '--data', join(folder, 'nosuch')],
      `data directory '${join(folder, 'nosuch')}' does not exist; npm start creates it`,
    ],
  ])('%j says what is missing', async (args, message) => {
    await expect(run(...args)).rejects.toThrow(message);
  });
});

describe('understudy ca list', () => {
  it('is narrow, and has fingerprints with --wide and in JSON', async () => {
    const { request } = await makeRequest('listed.example.com');
    await authority.submit('listed.example.com', request);
    const list = (...args: readonly string[]) => run('ca', 'list', '--state', 'requested', '--data', data, ...args);
    expect(await list()).toBe(
      'CERTNAME            STATE      EXPIRES  ALTERNATIVE NAMES\nlisted.example.com  requested  -        -\n',
    );
    expect(await list('--wide')).toMatch(
      /ALTERNATIVE NAMES {2}SHA256 FINGERPRINT\nlisted\.example\.com {2}requested {2}- {8}- {18}(\w\w:){31}\w\w\n$/,
    );
    expect(JSON.parse(await list('--format', 'json'))).toMatchObject([
      { name: 'listed.example.com', state: 'requested', fingerprint: expect.stringMatching(/^(\w\w:){31}\w\w$/) },
    ]);
    await authority.refuse('listed.example.com');
  });
});

describe('understudy ca delete and ca prune', () => {
  it('delete what expired or is revoked, and nothing that counts', async () => {
    for (const name of ['valid', 'short', 'revoked']) {
      await authority.submit(`${name}.example.com`, (await makeRequest(`${name}.example.com`)).request);
      await authority.sign(`${name}.example.com`, name === 'short' ? 1 : undefined);
    }
    await authority.revoke('revoked.example.com');
    await expect(run('ca', 'delete', '--data', data)).rejects.toThrow('give certnames, --expired or --revoked');
    await expect(run('ca', 'delete', 'valid.example.com', 'nosuch.example.com', '--data', data)).rejects.toThrow(
      "nosuch.example.com has no certificate\nthe certificate of valid.example.com is valid; 'ca clean' revokes and deletes it",
    );
    expect(await run('ca', 'delete', '--expired', '--data', data)).toBe(
      'Deleted the certificate of short.example.com.\n',
    );
    expect(await run('ca', 'delete', '--expired', '--data', data)).toBe('There is no such certificate.\n');
    expect(await run('ca', 'delete', 'revoked.example.com', '--data', data)).toBe(
      'Deleted the certificate of revoked.example.com.\n',
    );
    expect(await authority.findCertificate('revoked.example.com')).toBeNull();
    expect(await authority.findCertificate('valid.example.com')).not.toBeNull();
  });

  it('remove an expired certificate from the revocation list', async () => {
    const certname = 'ended.example.com';
    await authority.submit(certname, (await makeRequest(certname)).request);
    await authority.sign(certname, 1);
    await run('ca', 'revoke', certname, '--data', data);
    expect(await run('ca', 'delete', '--revoked', '--data', data)).toBe(`Deleted the certificate of ${certname}.\n`);
    expect(await run('ca', 'prune', '--data', data)).toBe('Removed 1 certificate from the revocation list.\n');
    expect(await run('ca', 'prune', '--data', data)).toBe('Removed 0 certificates from the revocation list.\n');
  });
});

it('ca generate makes the folder before it signs: the key would be lost', async () => {
  const into = join(folder, 'missing', 'keys');
  await run('ca', 'generate', 'ci.example.com', '--into', into, '--data', data);
  expect(readdirSync(into).toSorted()).toEqual(['ci.example.com.key.pem', 'ci.example.com.pem']);
});

it.each([
  [[], 'ec'],
  [['--key-type', 'rsa'], 'rsa'],
])('ca generate %j makes a key of the type %s', async (options, type) => {
  await run('ca', 'generate', `${type}.example.com`, '--into', folder, '--data', data, ...options);
  const key = createPrivateKey(readFileSync(join(folder, `${type}.example.com.key.pem`)));
  const certificate = new X509Certificate(readFileSync(join(folder, `${type}.example.com.pem`)));
  expect(key.asymmetricKeyType).toBe(type);
  expect(certificate.checkPrivateKey(key)).toBe(true);
});

it('ca import and ca update-lists say when the lists of the CAs above end', async () => {
  const now = Date.now();
  const { files, listOf, root } = await makeCorporateChain(now);
  const [from, into, lists] = [join(folder, 'puppet'), join(folder, 'imported'), join(folder, 'lists.pem')];
  mkdirSync(from);
  const texts = { 'ca_crt.pem': files.certificates, 'ca_key.pem': files.key, 'ca_crl.pem': files.revocationLists };
  for (const [name, text] of Object.entries({ ...texts, serial: files.serial })) writeFileSync(join(from, name), text);
  const day = (days: number) => new Date(now + days * 86_400_000).toISOString().slice(0, 10);
  const name = 'C=DE, O=Söhne\\, Müller & Co, CN=';
  expect(await run('ca', 'import', from, '--data', into)).toBe(
    `Imported ${name}Puppet CA: corp: 0 certificates, 0 revoked.\n` +
      `The list of ${name}Issuing ends on ${day(90)}.\nThe list of ${name}Root ends on ${day(90)}.\n`,
  );
  writeFileSync(lists, await listOf(root, 8, [], 200 * 86_400_000));
  const ends = `The list of ${name}Issuing ends on ${day(90)}.\nThe list of ${name}Root ends on ${day(200)}.\n`;
  expect(await run('ca', 'update-lists', lists, '--data', into)).toBe(`Replaced the list of ${name}Root.\n${ends}`);
  expect(await run('ca', 'update-lists', lists, '--data', into)).toBe(`No list is newer than ours.\n${ends}`);
});
