import type { HttpContext } from '../endpoint.ts';
import { badRequestError } from './answers.ts';

/** The whole number in a parameter; `usual` without it. Refuses (400) others than 1 to `most`. */
export function countParameter(context: HttpContext, name: string, usual: number, most: number): number {
  const text = context.req.query(name);
  if (text === undefined) return usual;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= 1 && value <= most) return value;
  throw badRequestError(`'${name}' must be a whole number from 1 to ${most}, not '${text}'`);
}

/** One of the words that a parameter may have; null without it. Refuses (400) another one. */
export function wordParameter<T extends string>(context: HttpContext, name: string, words: readonly T[]): T | null {
  const text = context.req.query(name);
  if (text === undefined || text === '') return null;
  const found = words.find((word) => word === text);
  if (found !== undefined) return found;
  throw badRequestError(`'${name}' must be one of ${words.join(', ')}, not '${text}'`);
}

const MOST_CURSOR = 2000;

/** A place in a list as a text that clients give back. */
export function printCursor(place: unknown): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url');
}

/** The place in the parameter `cursor`; null without one. Refuses (400) what `isPlace` refuses. */
export function cursorParameter<T>(context: HttpContext, isPlace: (value: unknown) => value is T): T | null {
  const text = context.req.query('cursor');
  if (text === undefined || text === '') return null;
  const place = text.length > MOST_CURSOR ? null : parse(Buffer.from(text, 'base64url').toString('utf8'));
  if (isPlace(place)) return place;
  throw badRequestError("'cursor' must be what the page before named as 'next'");
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
