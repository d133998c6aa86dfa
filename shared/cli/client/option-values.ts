import { InvalidArgumentError } from 'commander';
import type { ProcessUser } from '../../puppet/ruby/process/process-worker.ts';

/** Parses `UID:GID`. Throws InvalidArgumentError. */
export function readProcessUser(text: string): ProcessUser {
  const [, uid, gid] = /^(\d{1,9}):(\d{1,9})$/.exec(text) ?? [];
  if (uid === undefined || gid === undefined) throw new InvalidArgumentError('It must be two numbers, UID:GID.');
  return { uid: Number(uid), gid: Number(gid) };
}
