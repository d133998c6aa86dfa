import type { DocumentStore } from '../../store/ports/document-store.ts';
import type { KeyVault } from '../../store/ports/secrets.ts';
import { StoreRefused } from '../../store/ports/store-errors.ts';
import { unobserved, type WorkObserver } from '../../util/work-observer.ts';
import { issuerOf, storeAuthority } from './authority-record.ts';
import { CERTIFICATES } from './certificate-records.ts';
import type { RevokedSerial } from './certificates.ts';
import { type Crl, crlsInPem, crlToPem } from './crl.ts';
import { demandNoAuthority, removeUnusedAuthority } from './remove-authority.ts';
import { importRevocations, normalize } from './revocation-list.ts';
import { continueSerialsAfter, noteSerial } from './serials.ts';
import { newestListOf, orderChain } from './signing-chain.ts';
import { pemOf, x509 } from './x509.ts';

/** The files of a Puppet CA (`ca/` of its ssldir, or `/etc/puppetlabs/puppetserver/ca`) as text. */
export interface PuppetAuthority {
  /** `ca_crt.pem`: all certificates of the CA. */
  readonly certificates: string;
  /** `ca_key.pem`, unencrypted: PKCS #1, PKCS #8 or SEC 1. */
  readonly key: string;
  /** `ca_crl.pem`: all revocation lists. */
  readonly revocationLists: string;
  /**
   * `infra_crl.pem`, from which agents get only revocations of infrastructure nodes; empty without
   * one.
   */
  readonly infraLists?: string;
  /** `serial`: the next number, hexadecimal. */
  readonly serial: string;
  /** `inventory.txt`: one line per certificate ever signed. */
  readonly inventory: string;
  /** Certificates of nodes, PEM: `signed/*.pem`. */
  readonly signed: AsyncIterable<string> | Iterable<string>;
}

interface ImportedAuthority {
  readonly name: string;
  readonly certificates: number;
  readonly revoked: number;
}

/** Serial, start, end, name. */
const INVENTORY_LINE = /^0x([0-9a-fA-F]+) \S+ (\S+) \/CN=(.+)$/;

/**
 * Imports a Puppet CA, so that its nodes keep their certificates. Certificates and lists may be in
 * any order. Throws StoreRefused when a CA exists already, when key and certificate do not match,
 * or when a certificate or a list of the chain is missing. `replace`: takes the place of a CA that
 * no node has a certificate of.
 */
export async function importAuthority(
  documents: DocumentStore,
  vault: KeyVault,
  files: PuppetAuthority,
  now: number,
  replace = false,
  observe: WorkObserver = unobserved,
): Promise<ImportedAuthority> {
  const { path, others } = orderChain(files.certificates, files.key);
  const chain = pemOf([...path, ...others]);
  const issuer = await issuerOf(chain, files.key);
  const own = await newestListOf(issuer.certificate, files.revocationLists);
  if (own === null) throw new StoreRefused('ca_crl.pem has no list of the CA that signs');
  const otherLists: Crl[] = [];
  for (const one of [...path.slice(1), ...others]) {
    const list = await newestListOf(one, files.revocationLists);
    if (list !== null) otherLists.push(list);
    else if (path.includes(one)) throw new StoreRefused(`ca_crl.pem has no list of ${one.subject}`);
  }
  const infra = infraList(files.infraLists ?? '', issuer.certificate.subject);
  // Deduplicate by serial number: entries of the infrastructure's list are in the other one too,
  // unless that was lost.
  const revoked = new Map([...(infra?.entries ?? []), ...own.entries].map((one) => [normalize(one.serial), one]));
  const last = Number.parseInt(files.serial.trim(), 16) - 1;
  if (!Number.isSafeInteger(last) || last < 0) throw new StoreRefused('serial is not a hexadecimal number');
  if (replace) await removeUnusedAuthority(documents);
  const isStored = await storeAuthority(documents, vault, {
    chain,
    otherLists: otherLists.map(crlToPem).join(''),
    storedAt: now,
    key: files.key,
  });
  if (!isStored) await demandNoAuthority(documents);
  const inventory = inventoryOf(files.inventory);
  const ends = new Map(inventory.map(({ serial, endsAt }) => [normalize(serial), endsAt]));
  const entries = [...revoked.values()].map((entry): RevokedSerial => {
    const endsAt = ends.get(normalize(entry.serial));
    return endsAt === undefined ? entry : { ...entry, endsAt };
  });
  await importRevocations(documents, issuer, Math.max(own.number, infra?.number ?? 0), entries, now);
  for (const { serial, certname, endsAt } of inventory) await noteSerial(documents, certname, serial, endsAt);
  await continueSerialsAfter(documents, last);
  const certificates = await importCertificates(documents, files.signed, observe);
  return { name: issuer.certificate.subject, certificates, revoked: entries.length };
}

interface InventoryLine {
  readonly serial: string;
  readonly certname: string;
  readonly endsAt?: number;
}

/** Parses the inventory. Other lines are skipped: operators edit that file. */
function inventoryOf(text: string): readonly InventoryLine[] {
  return text.split('\n').flatMap((line): readonly InventoryLine[] => {
    const [, serial, end = '', certname] = INVENTORY_LINE.exec(line.trim()) ?? [];
    if (serial === undefined || certname === undefined) return [];
    const endsAt = Date.parse(end.replace(/UTC$/, 'Z'));
    return [{ serial, certname, ...(Number.isNaN(endsAt) ? {} : { endsAt }) }];
  });
}

function infraList(text: string, subject: string): Crl | null {
  if (text === '') return null;
  const found = crlsInPem(text).find((list) => list.issuer === subject);
  if (found === undefined) throw new StoreRefused('infra_crl.pem has no list of the CA that signs');
  return found;
}

async function importCertificates(
  documents: DocumentStore,
  signed: PuppetAuthority['signed'],
  observe: WorkObserver,
): Promise<number> {
  let count = 0;
  for await (const pem of signed) {
    const certificate = new x509.X509Certificate(pem);
    const certname = certificate.subjectName.getField('CN')[0];
    if (certname === undefined) throw new StoreRefused(`a signed certificate has no name: ${certificate.subject}`);
    await noteSerial(documents, certname, certificate.serialNumber, certificate.notAfter.getTime());
    const document = { pem: `${certificate.toString('pem')}\n`, serial: certificate.serialNumber };
    await documents.put(CERTIFICATES, certname, document);
    count += 1;
    observe('importing certificates', count);
  }
  return count;
}
