import type { DocumentStore } from '../../store/ports/document-store.ts';

/** A certificate that can be revoked. */
export interface Revocable {
  /** Hexadecimal. */
  readonly serial: string;
  /** When it ends by itself, in milliseconds since the epoch; absent where nobody knows. */
  readonly endsAt?: number;
}

const INVENTORY = 'certificate-serials';
/** The same by certname: to revoke a node is to revoke all that it has. */
const BY_CERTNAME = 'certificate-history';
const HINT = 'last';
const PAGE = 1000;

/**
 * Takes the next free serial number (hexadecimal, at least two digits) for a certificate of
 * `certname` that ends at `endsAt` (milliseconds since the epoch) and notes it in the inventory.
 * The hint only saves tries: the inventory's `create` decides, so that two processes never give out
 * one number.
 */
export async function allocateSerial(documents: DocumentStore, certname: string, endsAt: number): Promise<string> {
  const hint = await documents.get('ca', HINT);
  // 1 and 2 are the CA's own.
  let next = typeof hint?.serial === 'number' ? hint.serial + 1 : 3;
  while (!(await documents.create(INVENTORY, toHexadecimal(next), { certname }))) next += 1;
  await documents.put('ca', HINT, { serial: next });
  await documents.put(BY_CERTNAME, `${certname}/${toHexadecimal(next)}`, { endsAt });
  return toHexadecimal(next);
}

/**
 * Notes a certificate that another CA of this name signed before. Numbers are given out behind the
 * largest noted one.
 */
export async function noteSerial(
  documents: DocumentStore,
  certname: string,
  serial: string,
  endsAt?: number,
): Promise<void> {
  const key = evenDigits(serial.toLowerCase().replace(/^0+(?=.)/, ''));
  await documents.put(INVENTORY, key, { certname });
  await documents.put(BY_CERTNAME, `${certname}/${key}`, endsAt === undefined ? {} : { endsAt });
}

/** The next number that is given out is `last + 1`, or the first free one behind it. */
export async function continueSerialsAfter(documents: DocumentStore, last: number): Promise<void> {
  await documents.put('ca', HINT, { serial: last });
}

/**
 * The serial numbers of all certificates that `certname` ever had, with their ends where these are
 * known.
 */
export async function serialsOf(documents: DocumentStore, certname: string): Promise<readonly Revocable[]> {
  const prefix = `${certname}/`;
  const found: Revocable[] = [];
  for (;;) {
    const last = found.at(-1);
    const after = last === undefined ? undefined : prefix + last.serial;
    const page = await documents.list(BY_CERTNAME, prefix, PAGE, after);
    for (const { key, document } of page) {
      const { endsAt } = document;
      found.push({ serial: key.slice(prefix.length), ...(typeof endsAt === 'number' ? { endsAt } : {}) });
    }
    if (page.length < PAGE) return found;
  }
}

function toHexadecimal(serial: number): string {
  return evenDigits(serial.toString(16));
}

/** Whole bytes, as serial numbers are written. */
export function evenDigits(digits: string): string {
  return digits.length % 2 === 0 ? digits : `0${digits}`;
}
