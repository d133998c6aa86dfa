import type { DocumentStore } from '../store/ports.ts';

const INVENTORY = 'certificate-serials';
/** The same by certname: to revoke a node is to revoke all that it has. */
const BY_CERTNAME = 'certificate-history';
const HINT = 'last';
const PAGE = 1000;

/**
 * Takes the next free serial number (hexadecimal, at least two digits) for `certname` and notes it in the inventory.
 * The hint only saves tries: the inventory's `create` decides, so that two processes never give out one number.
 */
export async function allocateSerial(documents: DocumentStore, certname: string): Promise<string> {
  const hint = await documents.get('ca', HINT);
  // 1 and 2 are the CA's own.
  let next = typeof hint?.serial === 'number' ? hint.serial + 1 : 3;
  while (!(await documents.create(INVENTORY, hexadecimal(next), { certname }))) next += 1;
  await documents.put('ca', HINT, { serial: next });
  await documents.put(BY_CERTNAME, `${certname}/${hexadecimal(next)}`, {});
  return hexadecimal(next);
}

/** Notes a certificate that another CA of this name signed before. Numbers are given out behind the largest noted one. */
export async function noteSerial(documents: DocumentStore, certname: string, serial: string): Promise<void> {
  const key = evenDigits(serial.toLowerCase().replace(/^0+(?=.)/, ''));
  await documents.put(INVENTORY, key, { certname });
  await documents.put(BY_CERTNAME, `${certname}/${key}`, {});
}

/** The next number that is given out is `last + 1`, or the first free one behind it. */
export async function continueSerialsAfter(documents: DocumentStore, last: number): Promise<void> {
  await documents.put('ca', HINT, { serial: last });
}

/** All serial numbers that `certname` ever had. */
export async function serialsOf(documents: DocumentStore, certname: string): Promise<readonly string[]> {
  const prefix = `${certname}/`;
  const found: string[] = [];
  for (;;) {
    const last = found.at(-1);
    const after = last === undefined ? undefined : prefix + last;
    const page = await documents.list(BY_CERTNAME, prefix, PAGE, after);
    found.push(...page.map(({ key }) => key.slice(prefix.length)));
    if (page.length < PAGE) return found;
  }
}

function hexadecimal(serial: number): string {
  return evenDigits(serial.toString(16));
}

/** Whole bytes, as serial numbers are written. */
export function evenDigits(digits: string): string {
  return digits.length % 2 === 0 ? digits : `0${digits}`;
}
