/**
 * Content checksums that a static catalog may have: Puppet's types that depend only on the bytes.
 */
const ALGORITHMS: ReadonlyMap<string, string> = new Map([
  ['sha256', 'sha256'],
  ['md5', 'md5'],
  ['sha1', 'sha1'],
  ['sha512', 'sha512'],
  ['sha384', 'sha384'],
  ['sha224', 'sha224'],
]);

/** The first choice of nearly every agent; every static catalog is made for it. */
export const USUAL_CHECKSUM_TYPE = 'sha256';

/** The hash algorithm of a checksum type; undefined when static catalogs do not support it. */
export function algorithmOf(type: string): string | undefined {
  return ALGORITHMS.get(type);
}

/**
 * The first of the agent's types (`sha256.sha384.md5`) that static catalogs support; null for none.
 * Puppet: Puppet::Resource::Catalog::Compiler#common_checksum_type
 */
export function commonChecksumType(offered: string): string | null {
  return offered.split('.').find((type) => ALGORITHMS.has(type)) ?? null;
}

/** Puppet's types that do not depend on the whole content. */
const OTHERS = ['sha256lite', 'md5lite', 'sha1lite', 'mtime', 'ctime', 'none'];

/** Whether Puppet knows at least one of these types. */
export function knowsChecksumType(offered: string): boolean {
  return offered.split('.').some((type) => ALGORITHMS.has(type) || OTHERS.includes(type));
}

/** The known types, in the format of Puppet's error message. */
export const KNOWN_CHECKSUM_TYPES =
  '[:sha256, :sha256lite, :md5, :md5lite, :sha1, :sha1lite, :sha512, :sha384, :sha224, :mtime, :ctime, :none]';
