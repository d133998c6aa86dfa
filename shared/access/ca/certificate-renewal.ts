import type { Clock } from '../../store/ports/clock.ts';
import { DAY_MS } from '../../util/day.ts';
import { NamedError } from '../../util/named-error.ts';
import type { CertificateRecord, CertificateRecords } from './certificate-records.ts';
import type { LeafRequest } from './certificates.ts';
import type { RevocationList } from './revocation-list.ts';
import type { Revocable } from './serials.ts';
import { hasSameKey, x509 } from './x509.ts';

/** A rejected renewal; the client gets the message with status 403. */
export class RenewalRefused extends NamedError {}

/** A certificate that is signed but not stored yet. */
export interface Signed extends Required<Revocable> {
  readonly pem: string;
}

/** The parts of the CA that a renewal uses. */
interface RenewalParts {
  readonly records: CertificateRecords;
  readonly revocations: Pick<RevocationList, 'isRevoked' | 'add'>;
  readonly clock: Pick<Clock, 'now'>;
  /**
   * Least milliseconds between two renewals of a node; at most a quarter of the certificate's
   * lifetime.
   */
  readonly intervalMs: number;
  readonly issue: (leaf: Omit<LeafRequest, 'serial' | 'now'>) => Promise<Signed>;
}

const SUBJECT_ALTERNATIVE_NAME = '2.5.29.17';

/**
 * Signs a certificate like `old`, which this CA signed: the same key, names, extensions and
 * lifetime. Returns PEM. Throws RenewalRefused when `old` is revoked, when the last renewal is too
 * recent, and when the node is revoked, cleaned or renewed meanwhile; the new certificate is then
 * revoked. A renewal counts from its start, even if it fails later. Renewing an earlier certificate
 * again, because the answer was lost, returns the last one.
 */
export async function renewCertificate(
  old: x509.X509Certificate,
  certname: string,
  parts: RenewalParts,
): Promise<string> {
  const record = await openRecord(old, certname, parts);
  const nextAt = findNextRenewal(record, old, parts);
  if (parts.clock.now() < nextAt) return answerAgain(record, old, certname, nextAt);
  const claimed = await claim(record, certname, parts);
  const signed = await parts.issue({
    certname,
    publicKey: old.publicKey,
    alternativeNames: alternativeNames(old),
    extensions: old.extensions.filter(({ type }) => type.startsWith('1.3.6.1.4.1.34380.1.')),
    lifetimeMs: lifetimeOf(old),
  });
  const { pem, serial } = signed;
  const next = { ...claimed, pem, serial };
  const isGranted =
    !(await parts.revocations.isRevoked(old.serialNumber)) &&
    (await parts.records.replace(certname, claimed, next)) !== null;
  if (isGranted) return pem;
  await parts.revocations.add(signed);
  throw createChangedRefusal(certname);
}

/**
 * Opens the node's record, or creates it from `old` when the CA forgot the node without revoking
 * it.
 */
async function openRecord(
  old: x509.X509Certificate,
  certname: string,
  { records, revocations }: RenewalParts,
): Promise<CertificateRecord> {
  const known = await records.get(certname);
  const adopted = known === null ? await records.create(certname, adoptable(old)) : null;
  // Check after the record exists: `clean` revokes before it removes a record.
  const isRevoked = await revocations.isRevoked(old.serialNumber);
  if (adopted !== null && isRevoked) await records.remove(certname, adopted);
  const record = known ?? adopted;
  if (record === null) throw createChangedRefusal(certname);
  if (isRevoked || record.isClosed) throw new RenewalRefused(`The certificate of ${certname} is revoked`);
  return record;
}

function adoptable(old: x509.X509Certificate) {
  return { pem: `${old.toString('pem')}\n`, serial: old.serialNumber };
}

function findNextRenewal(
  { renewedAt }: CertificateRecord,
  old: x509.X509Certificate,
  { intervalMs }: RenewalParts,
): number {
  return renewedAt === undefined ? 0 : renewedAt + Math.min(intervalMs, lifetimeOf(old) / 4);
}

/** The certificate that a renewal of `old` gave; refuses to renew that one. */
function answerAgain(record: CertificateRecord, old: x509.X509Certificate, certname: string, nextAt: number): string {
  const last = new x509.X509Certificate(record.pem);
  if (last.serialNumber !== old.serialNumber && hasSameKey(last.publicKey, old.publicKey)) return record.pem;
  const at = new Date(Math.ceil(nextAt)).toISOString();
  throw new RenewalRefused(`The certificate of ${certname} may not be renewed before ${at}`);
}

/** Records the start of a renewal before anything is signed. */
async function claim(
  record: CertificateRecord,
  certname: string,
  { records, clock }: RenewalParts,
): Promise<CertificateRecord> {
  const { pem, serial } = record;
  const claimed = await records.replace(certname, record, { pem, serial, renewedAt: clock.now() });
  if (claimed === null) throw createChangedRefusal(certname);
  return claimed;
}

function createChangedRefusal(certname: string): RenewalRefused {
  return new RenewalRefused(`The certificate of ${certname} was revoked, removed or renewed meanwhile`);
}

function lifetimeOf({ notBefore, notAfter }: x509.X509Certificate): number {
  return notAfter.getTime() - notBefore.getTime() - DAY_MS;
}

function alternativeNames(old: x509.X509Certificate) {
  return old
    .getExtensions(SUBJECT_ALTERNATIVE_NAME)
    .flatMap((one) => new x509.SubjectAlternativeNameExtension(one.rawData).names.items)
    .flatMap(({ type, value }) => (type === 'dns' || type === 'ip' ? [{ type, value }] : []));
}
