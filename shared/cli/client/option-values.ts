import { InvalidArgumentError } from 'commander';
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
