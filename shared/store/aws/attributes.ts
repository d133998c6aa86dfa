import { gunzipSync, gzipSync } from 'node:zlib';
import { StoreRefused } from '../ports/store-errors.ts';
import type { Item } from './table.ts';

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

/** Parses an attribute with JSON text; null when the attribute is absent. */
export function readJson<T>(item: Item, name: string): T | null {
  const value = item[name];
  return typeof value === 'string' ? (JSON.parse(value) as T) : null;
}

/** Packs larger data as gzipped JSON, since DynamoDB bills writes by the kilobyte. */
export function pack(data: unknown): Uint8Array {
  return gzipSync(JSON.stringify(data));
}

/** Parses an attribute that `pack` made; null when the attribute is absent. */
export function unpack<T>(item: Item, name: string): T | null {
  const value = item[name];
  return value instanceof Uint8Array ? (JSON.parse(gunzipSync(value).toString('utf8')) as T) : null;
}
