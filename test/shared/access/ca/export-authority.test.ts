import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { CertificateAuthority } from '../../../../shared/access/ca/authority.ts';
import { NO_VAULT } from '../../../../shared/access/ca/authority-record.ts';
import { exportAuthority } from '../../../../shared/access/ca/export-authority.ts';
import { importAuthority } from '../../../../shared/access/ca/import-authority.ts';
import { openEmbeddedStores } from '../../../../shared/store/embedded/stores.ts';

const folder = mkdtempSync(join(tmpdir(), 'understudy-export-'));
const from = openEmbeddedStores(join(folder, 'from'));
const to = openEmbeddedStores(join(folder, 'to'));
afterAll(() => {
  from.close();
  to.close();
  rmSync(folder, { recursive: true });
});

it('the exported files are the CA: imported elsewhere, it goes on where it was', async () => {
  const own = { name: 'x', autosign: true, keyType: 'ec' } as const;
  const authority = await CertificateAuthority.open(from.documents, from.clock, own);
  for (const name of ['a.example.com', 'b.example.com']) await authority.generate(name, [], false);
  await authority.revoke('b.example.com');
  const { files, certificates, name } = await exportAuthority(from.documents, from.clock, NO_VAULT);
  expect([name, certificates]).toEqual([
    authority.issuerName,
    Object.keys(files).filter((path) => path.startsWith('signed/')).length,
  ]);
  expect(files.serial).toBe('0005\n');
  expect(files['inventory.txt']).toMatch(
    /^0x0003 \d{4}-\S+UTC \d{4}-\S+UTC \/CN=a\.example\.com\n0x0004 (unknown|\S+UTC) \d{4}-\S+UTC \/CN=b\.example\.com\n$/,
  );
  expect(files['root_key.pem']).toMatch(/^-----BEGIN/);
  const text = (path: string) => files[path] ?? '';
  const imported = await importAuthority(
    to.documents,
    NO_VAULT,
    {
      certificates: text('ca_crt.pem'),
      key: text('ca_key.pem'),
      revocationLists: text('ca_crl.pem'),
      serial: text('serial'),
      inventory: text('inventory.txt'),
      signed: Object.entries(files).flatMap(([path, pem]) => (path.startsWith('signed/') ? [pem] : [])),
    },
    to.clock.now(),
  );
  expect(imported).toEqual({ name, certificates, revoked: 1 });
  const again = await exportAuthority(to.documents, to.clock, NO_VAULT);
  for (const path of ['ca_crt.pem', 'ca_key.pem', 'serial', 'inventory.txt', 'signed/a.example.com.pem']) {
    expect([path, again.files[path]]).toEqual([path, files[path]]);
  }
  const { revocations } = await CertificateAuthority.openExisting(to.documents, to.clock);
  expect([await revocations.isRevoked('04'), await revocations.isRevoked('03')]).toEqual([true, false]);
});
