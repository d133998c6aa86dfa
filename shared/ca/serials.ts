import type { DocumentStore } from '../store/ports.ts';

const INVENTORY = 'certificate-serials';
const HINT = 'last';

/**
 * Takes the next free serial number (hexadecimal, at least two digits) for `certname` and notes it in the inventory.
 * The hint only saves tries: the inventory's `create` decides, so that two processes never give out one number.
 */
export async function allocateSerial(documents: DocumentStore, certname: string): Promise<string> {
  const hint = await documents.get('ca', HINT);
  // 1 is the CA's own.
  let next = typeof hint?.serial === 'number' ? hint.serial + 1 : 2;
  while (!(await documents.create(INVENTORY, hexadecimal(next), { certname }))) next += 1;
  await documents.put('ca', HINT, { serial: next });
  return hexadecimal(next);
}

function hexadecimal(serial: number): string {
  const digits = serial.toString(16);
  return digits.length % 2 === 0 ? digits : `0${digits}`;
}
