import type { Language } from '../../puppet/levels/language.ts';

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

/** Puppet's types in the order of its error message. */
const KNOWN =
  ':sha256, :sha256lite, :md5, :md5lite, :sha1, :sha1lite, :sha512, :sha384, :sha224, :mtime, :ctime, :none';
const ETAG = 'etag';

/** Puppet's types that do not depend on the whole content. */
const OTHERS = ['sha256lite', 'md5lite', 'sha1lite', 'mtime', 'ctime', 'none'];

/** Whether a server of this level knows at least one of these types. */
export function knowsChecksumType(offered: string, { etagChecksums }: Language): boolean {
  const others = etagChecksums ? [...OTHERS, ETAG] : OTHERS;
  return offered.split('.').some((type) => ALGORITHMS.has(type) || others.includes(type));
}

/** The error for an agent that offers no known type. */
export function noCommonChecksumType(offered: string, { serverWord, etagChecksums }: Language): string {
  const known = `${KNOWN}${etagChecksums ? `, :${ETAG}` : ''}`;
  return `Unable to find a common checksum type between agent '${offered}' and ${serverWord} '[${known}]'.`;
}
