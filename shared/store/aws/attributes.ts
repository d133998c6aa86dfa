import { crc32, gunzipSync, gzipSync } from 'node:zlib';
import { StoreRefused } from '../ports/store-errors.ts';
import type { Item } from './table.ts';

const WHITE = [' ', '\t', '\n', '\r'];
/** Bytes of a checksum of 32 bits. */
const CHECKSUM_LENGTH = 16;
/** Keys of the tables that have such attributes. */
const TABLE_KEYS: readonly (readonly [table: string, key: readonly string[]])[] = [
  ['nodes', ['certname']],
  ['documents', ['collection', 'key']],
  ['jobs', ['ledger', 'item']],
  ['environments', ['name']],
];

/** Returns a text attribute. Throws StoreRefused when the item has no such text. */
export function readText(item: Item, name: string): string {
  const value = item[name];
  if (typeof value !== 'string') throw new StoreRefused(`an item has no text in ${name}`);
  return value;
}

/** Returns a numeric attribute. Throws StoreRefused when the item has no such number. */
export function readNumber(item: Item, name: string): number {
  const value = item[name];
  if (typeof value !== 'number') throw new StoreRefused(`an item has no number in ${name}`);
  return value;
}

/**
 * Prints data for the attribute of that name. White space at the end, which readers of JSON skip,
 * has the checksum of name and text: a byte for two bits.
 */
export function printAttribute(name: string, data: unknown): string {
  const text = JSON.stringify(data);
  return text + printChecksum(name, text);
}

function printChecksum(name: string, text: string): string {
  const sum = crc32(`${name} ${text}`);
  return Array.from({ length: CHECKSUM_LENGTH }, (_, index) => WHITE[(sum >>> (2 * index)) & 3]).join('');
}

/**
 * Parses an attribute with JSON text, whose checksum may be in another attribute; null when it is
 * absent. Throws StoreRefused, naming the item, when it is damaged.
 */
export function readJson<T>(item: Item, name: string): T | null {
  const value = item[name];
  if (typeof value !== 'string') return null;
  const text = value.trimEnd();
  if (text !== value && value !== text + printChecksum(name, text)) throw damagedError(item, name);
  return parse(item, name, text);
}

/** Packs larger data as gzipped JSON, since DynamoDB bills writes by the kilobyte. */
export function pack(data: unknown): Uint8Array {
  return gzipSync(JSON.stringify(data));
}

/**
 * Parses an attribute that `pack` made, which has the checksum of gzip; null when it is absent.
 * Throws StoreRefused, naming the item, when it is damaged.
 */
export function unpack<T>(item: Item, name: string): T | null {
  const value = item[name];
  if (!(value instanceof Uint8Array)) return null;
  let text: string;
  try {
    text = gunzipSync(value).toString('utf8');
  } catch (error) {
    throw damagedError(item, name, error);
  }
  return parse(item, name, text);
}

function parse<T>(item: Item, name: string, text: string): T {
  try {
    return JSON.parse(text) as T;
  } catch {
    // The error of JSON.parse quotes the text, and logs show causes.
    throw damagedError(item, name);
  }
}

/** The error for a damaged attribute: names table and key. */
export function damagedError(item: Item, name: string, cause?: unknown): StoreRefused {
  const [table, key] = TABLE_KEYS.find(([, names]) => names.every((one) => item[one] !== undefined)) ?? ['exports', []];
  const shown = key.map((one) => String(item[one])).join(', ');
  return new StoreRefused(
    `the attribute ${name} of '${shown}' in the table of ${table} is damaged: restore the table (infra/README.md, "Restore")`,
    cause,
  );
}
