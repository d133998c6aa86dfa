import { randomInt } from 'node:crypto';
import { allDocuments } from '../../store/list-pages.ts';
import type { DocumentStore } from '../../store/ports/document-store.ts';

/** A certificate that can be revoked. */
export interface Revocable {
  /** Hexadecimal. */
  readonly serial: string;
  /** Expiry in milliseconds since the epoch; absent when unknown. */
  readonly endsAt?: number;
}

const PAGE = 1000;
const INVENTORY = 'certificate-serials';
/** The inventory by certname: revoking a node revokes all its certificates. */
const BY_CERTNAME = 'certificate-history';
const HINT = 'last';
/** Numbers stay below 2^53 for eight thousand million certificates. */
const LARGEST_GAP = 2 ** 20;

/**
 * Allocates the next free serial number (hexadecimal, at least two digits) for a certificate of
 * `certname` that expires at `endsAt` (milliseconds since the epoch), and records it in the
 * inventory. The inventory's `create` guarantees that no number is issued twice; the hint only
 * saves attempts.
 */
export async function allocateSerial(documents: DocumentStore, certname: string, endsAt: number): Promise<string> {
  const hint = await documents.get('ca', HINT);
  // The CA's own certificates have 1 and 2.
  const gap = typeof hint?.gap === 'number' ? hint.gap : 0;
  let next = (typeof hint?.serial === 'number' ? hint.serial + 1 : 3) + (gap === 0 ? 0 : randomInt(gap));
  while (!(await documents.create(INVENTORY, toHexadecimal(next), { certname }))) next += 1;
  await documents.put('ca', HINT, { serial: next, ...(gap === 0 ? {} : { gap }) });
  await documents.put(BY_CERTNAME, `${certname}/${toHexadecimal(next)}`, { endsAt });
  return toHexadecimal(next);
}

/**
 * Leaves a gap by chance before each serial number from now on. A database that lost its last
 * moment to a failover then gives out no number twice.
 */
export async function scatterSerials(documents: DocumentStore): Promise<void> {
  const hint = await documents.get('ca', HINT);
  if (typeof hint?.gap === 'number') return;
  const next = { serial: typeof hint?.serial === 'number' ? hint.serial : 2, gap: LARGEST_GAP };
  if (hint === null) await documents.create('ca', HINT, next);
  else await documents.replace('ca', HINT, hint, next);
}

/**
 * Records a certificate that another CA of this name signed. New numbers start after the largest
 * recorded one.
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

/** Makes `last + 1`, or the first free number after it, the next serial number. */
export async function continueSerialsAfter(documents: DocumentStore, last: number): Promise<void> {
  await documents.put('ca', HINT, { serial: last });
}

/** The first number that no certificate has, and none below it is given out any more. */
export async function nextSerial(documents: DocumentStore): Promise<number> {
  const hint = await documents.get('ca', HINT);
  let next = typeof hint?.serial === 'number' ? hint.serial + 1 : 3;
  while ((await documents.get(INVENTORY, toHexadecimal(next))) !== null) next += 1;
  return next;
}

/** All certificates that the CA ever signed, by serial number. */
export async function listInventory(
  documents: DocumentStore,
): Promise<readonly (Revocable & { readonly certname: string })[]> {
  const found: (Revocable & { readonly certname: string })[] = [];
  for await (const { key: serial, document } of allDocuments(documents, INVENTORY)) {
    const certname = String(document.certname);
    const endsAt = (await documents.get(BY_CERTNAME, `${certname}/${serial}`))?.endsAt;
    found.push({ serial, certname, ...(typeof endsAt === 'number' ? { endsAt } : {}) });
  }
  return found;
}

/**
 * The serial numbers of all certificates that `certname` ever had, with their expiry where known.
 */
export async function serialsOf(documents: DocumentStore, certname: string): Promise<readonly Revocable[]> {
  const prefix = `${certname}/`;
  const found: Revocable[] = [];
  for await (const { key, document } of allDocuments(documents, BY_CERTNAME, { prefix })) {
    const { endsAt } = document;
    found.push({ serial: key.slice(prefix.length), ...(typeof endsAt === 'number' ? { endsAt } : {}) });
  }
  return found;
}

function toHexadecimal(serial: number): string {
  return evenDigits(serial.toString(16));
}

/** Pads to whole bytes, as serial numbers are written. */
export function evenDigits(digits: string): string {
  return digits.length % 2 === 0 ? digits : `0${digits}`;
}

/** Forgets all numbers that were given out: their CA is removed. */
export async function forgetSerials(documents: DocumentStore): Promise<void> {
  for (const collection of [BY_CERTNAME, INVENTORY]) {
    for (let page = await documents.list(collection, '', PAGE); page.length > 0; ) {
      for (const { key } of page) await documents.delete(collection, key);
      page = await documents.list(collection, '', PAGE);
    }
  }
}
