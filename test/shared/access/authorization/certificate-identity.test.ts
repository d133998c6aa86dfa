import { X509Certificate } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  identityByLibrary,
  identityOfCertificate,
} from '../../../../shared/access/authorization/certificate-identity.ts';
import { CertificateAuthority } from '../../../../shared/access/ca/authority.ts';
import { generateServerKeys, type KeyPair } from '../../../../shared/access/ca/keys.ts';
import { readLeafParts } from '../../../../shared/access/ca/leaf-parts.ts';
import { x509 } from '../../../../shared/access/ca/x509.ts';
import { SeededChance } from '../../../fuzz/seeded-chance.ts';
import { makeRequest, textExtension } from '../../../helpers/certificate-request.ts';
import { ManualClock, MemoryDocuments } from '../../../helpers/memory-stores.ts';

let keys: KeyPair;
beforeAll(async () => {
  keys = await generateServerKeys();
});

interface Form {
  readonly subject?: x509.JsonName | string;
  readonly issuer?: string;
  readonly serial?: string;
  readonly extensions?: readonly x509.Extension[];
}

async function make({
  subject = [{ CN: ['web01.example.com'] }],
  issuer = 'CN=Puppet CA: x',
  serial = '0a',
  extensions = [],
}: Form) {
  const certificate = await x509.X509CertificateGenerator.create({
    subject,
    issuer,
    serialNumber: serial,
    notBefore: new Date(1_700_000_000_000),
    notAfter: new Date(1_900_000_000_000),
    publicKey: keys.publicKey,
    signingKey: keys.privateKey,
    signingAlgorithm: { name: 'ECDSA', hash: 'SHA-256' },
    extensions: [...extensions],
  });
  return new Uint8Array(certificate.rawData);
}

const names = (...list: readonly x509.JsonGeneralName[]) => new x509.SubjectAlternativeNameExtension([...list]);
const ROLE = '1.3.6.1.4.1.34380.1.1.13';
const basic = new x509.BasicConstraintsExtension(false, undefined, true);

/** Forms of certificates, and whether they are read without the library. */
const FORMS: readonly (readonly [string, boolean, Form])[] = [
  ['usual', true, { extensions: [basic, textExtension(ROLE, 'web'), names({ type: 'dns', value: 'a.example.com' })] }],
  ['an extension twice', true, { extensions: [textExtension(ROLE, 'web'), textExtension(ROLE, 'db')] }],
  [
    'an extension that is no string',
    true,
    { extensions: [new x509.Extension('1.3.6.1.4.1.34380.1.2.1', true, Buffer.from('bare'))] },
  ],
  [
    'two lists of names',
    true,
    { extensions: [names({ type: 'dns', value: 'a' }), names({ type: 'dns', value: 'b' })] },
  ],
  ['a long serial number', true, { serial: '00ffeeddccbbaa99887766554433221100', extensions: [basic] }],
  ['an issuer with many parts', true, { issuer: 'C=DE, O=x\\, y + OU=z, CN=Puppet CA: ü', extensions: [basic] }],
  ['no extension', true, {}],
  ['an IP address', false, { extensions: [names({ type: 'ip', value: '10.0.0.1' }, { type: 'dns', value: 'a' })] }],
  [
    'an e-mail address and a URL',
    false,
    { extensions: [names({ type: 'email', value: 'a@b.c' }, { type: 'url', value: 'https://x/' })] },
  ],
  ['two common names', false, { subject: 'CN=a.example.com, CN=b.example.com', extensions: [basic] }],
  ['two parts in one name', false, { subject: [{ CN: ['a.example.com'], O: ['x'] }], extensions: [basic] }],
  ['an organisation', false, { subject: 'O=x, CN=a.example.com', extensions: [basic] }],
  ['another name than a common one', false, { subject: 'O=a.example.com', extensions: [basic] }],
  ['an empty subject', false, { subject: '', extensions: [basic] }],
  ['unusual characters', false, { subject: [{ CN: ['wéb 01'] }], extensions: [basic] }],
  ['a NUL in the name', false, { subject: [{ CN: ['a.example.com\0.evil'] }], extensions: [basic] }],
];

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

const isParsable = (der: Uint8Array) => attempt(() => new X509Certificate(der)) !== undefined;

describe('identityOfCertificate', () => {
  it.each(FORMS)('reads what the library reads: %s', async (_, isQuick, form) => {
    const der = await make(form);
    expect(readLeafParts(der) !== null).toBe(isQuick);
    expect(identityOfCertificate(der)).toEqual(identityByLibrary(der));
  });

  it('leaves an OID with a large number to the library', async () => {
    const der = Buffer.from(await make({ extensions: [textExtension(ROLE, 'web')] })).toString('hex');
    const large = der.replace('2b06010401828c4c0101', '2b818181818181814c01');
    expect(large).not.toBe(der);
    expect(readLeafParts(Buffer.from(der, 'hex'))).not.toBeNull();
    expect(readLeafParts(Buffer.from(large, 'hex'))).toBeNull();
  });

  it('reads the certificates of our own CA without the library', async () => {
    const options = { name: 'understudy.example.com', autosign: true, keyType: 'ec' } as const;
    const authority = await CertificateAuthority.open(new MemoryDocuments(), new ManualClock(), options);
    const { request } = await makeRequest('web01.example.com', { extensions: [textExtension(ROLE, 'web')] });
    await authority.submit('web01.example.com', request);
    const { raw } = new X509Certificate((await authority.findCertificate('web01.example.com')) ?? '');
    expect(readLeafParts(raw)).not.toBeNull();
    const identity = identityOfCertificate(raw);
    expect(identity).toEqual(identityByLibrary(raw));
    expect(identity).toMatchObject({ certname: 'web01.example.com', issuer: authority.issuerName });
    expect(identity?.extensions).toEqual(new Map([['pp_role', 'web']]));
  });

  it('reads nothing else than the library from bytes that were changed', async () => {
    const chance = new SeededChance(5);
    const samples = await Promise.all(FORMS.map(([, , form]) => make(form)));
    let quick = 0;
    for (let count = 0; count < 2000; count += 1) {
      const changed = Uint8Array.from(chance.of(samples));
      for (let edits = 0; edits <= chance.below(2); edits += 1)
        changed[chance.below(changed.length)] = chance.below(256);
      const der = chance.often(0.1) ? changed.subarray(0, chance.below(changed.length)) : changed;
      const parts = readLeafParts(der);
      if (parts === null) continue;
      // The transport passes on what OpenSSL parses; our CA signs no extension that cannot be read.
      const expected = isParsable(der) ? attempt(() => identityByLibrary(der)) : undefined;
      if (expected === undefined) continue;
      quick += 1;
      expect(identityOfCertificate(der), Buffer.from(der).toString('hex')).toEqual(expected);
    }
    expect(quick).toBeGreaterThan(300);
  });
});
