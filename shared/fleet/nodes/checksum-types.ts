/**
 * Checksums of a file's content that a static catalog may carry: those of Puppet that need nothing
 * but the bytes.
 */
const ALGORITHMS: ReadonlyMap<string, string> = new Map([
  ['sha256', 'sha256'],
  ['md5', 'md5'],
  ['sha1', 'sha1'],
  ['sha512', 'sha512'],
  ['sha384', 'sha384'],
  ['sha224', 'sha224'],
]);

/** The one that nearly every agent offers first: every static catalog is made with it. */
export const USUAL_CHECKSUM_TYPE = 'sha256';

/** The hash algorithm of a checksum type; undefined when a static catalog cannot carry it. */
export function algorithmOf(type: string): string | undefined {
  return ALGORITHMS.get(type);
}

/**
 * The first of the agent's types (`sha256.sha384.md5`) that a static catalog can carry; null when
 * there is none. Puppet: Puppet::Resource::Catalog::Compiler#common_checksum_type
 */
export function commonChecksumType(offered: string): string | null {
  return offered.split('.').find((type) => ALGORITHMS.has(type)) ?? null;
}

/** Those of Puppet that say nothing of the whole content. */
const OTHERS = ['sha256lite', 'md5lite', 'sha1lite', 'mtime', 'ctime', 'none'];

/** Whether Puppet knows one of these types. */
export function knowsChecksumType(offered: string): boolean {
  return offered.split('.').some((type) => ALGORITHMS.has(type) || OTHERS.includes(type));
}

/** As Puppet's error shows those that it knows. */
export const KNOWN_CHECKSUM_TYPES =
  '[:sha256, :sha256lite, :md5, :md5lite, :sha1, :sha1lite, :sha512, :sha384, :sha224, :mtime, :ctime, :none]';
