/** Logs that a stored blob is not what its name says; it counts as missing. */
export function warnOfDamage(key: string): void {
  console.warn(`Blob ${key} is damaged and counts as missing: its content does not have the digest in its name`);
}
