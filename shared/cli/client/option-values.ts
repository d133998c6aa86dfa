import { InvalidArgumentError, Option } from 'commander';
import type { ProcessUser } from '../../puppet/ruby/process/process-worker.ts';

/**
 * A parser of an option's value. It throws InvalidArgumentError, whose message names the bounds.
 */
export function parseWholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d{1,16}$/.test(text) && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
  };
}

/** Parses `UID:GID`. Throws InvalidArgumentError. */
export function readProcessUser(text: string): ProcessUser {
  const [, uid, gid] = /^(\d{1,9}):(\d{1,9})$/.exec(text) ?? [];
  if (uid === undefined || gid === undefined) throw new InvalidArgumentError('It must be two numbers, UID:GID.');
  return { uid: Number(uid), gid: Number(gid) };
}

/** The formats for people, whatever a command calls them. */
const READABLE: readonly string[] = ['text', 'table', 'human'];

/**
 * `-o, --format`, of which the first format is the usual one. The words for what people read mean
 * the same with every command; others are refused with InvalidArgumentError.
 */
export function createFormatOption<Format extends string>(
  description: string,
  formats: readonly [Format, ...Format[]],
): Option {
  return new Option('-o, --format <format>', description)
    .choices(formats)
    .default(formats[0])
    .argParser((text) => {
      const found = formats.find((one) => one === text || (READABLE.includes(one) && READABLE.includes(text)));
      if (found !== undefined) return found;
      throw new InvalidArgumentError(`Allowed choices are ${formats.join(', ')}.`);
    });
}
