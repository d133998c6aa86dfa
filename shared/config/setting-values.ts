/** The bounds of a whole number. */
export interface Bounds {
  readonly least: number;
  readonly most: number;
}

/** Numbers of a user and a group of the system. */
export interface UserAndGroup {
  readonly uid: number;
  readonly gid: number;
}

/** Parses a whole number. Throws RangeError with the bounds. */
export function parseBoundedNumber(text: string, { least, most }: Bounds): number {
  const value = Number(text);
  if (/^\d{1,16}$/.test(text) && value >= least && value <= most) return value;
  throw new RangeError(`must be a whole number from ${least} to ${most}`);
}

/** Parses `UID:GID`. Throws RangeError. */
export function parseUserAndGroup(text: string): UserAndGroup {
  const [, uid, gid] = /^(\d{1,9}):(\d{1,9})$/.exec(text) ?? [];
  if (uid === undefined || gid === undefined) throw new RangeError('must be two numbers, UID:GID');
  return { uid: Number(uid), gid: Number(gid) };
}
