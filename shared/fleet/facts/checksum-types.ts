import type { Language } from '../../puppet/levels/language.ts';

/** A digest of a file's content. */
export interface Digest {
  readonly algorithm: string;
  /** Number of bytes that are hashed, from the first on. */
  readonly bytes: number;
}

/** Number of bytes that `lite` types hash. */
const LITE_BYTES = 512;
const ETAG = 'etag';

const all = (algorithm: string): Digest => ({ algorithm, bytes: Number.POSITIVE_INFINITY });
const lite = (algorithm: string): Digest => ({ algorithm, bytes: LITE_BYTES });

/**
 * Puppet's checksum types, in the order of its error message; null for those that do not depend on
 * the content. Puppet: lib/puppet/util/checksums.rb
 */
const TYPES: ReadonlyMap<string, Digest | null> = new Map([
  ['sha256', all('sha256')],
  ['sha256lite', lite('sha256')],
  ['md5', all('md5')],
  ['md5lite', lite('md5')],
  ['sha1', all('sha1')],
  ['sha1lite', lite('sha1')],
  ['sha512', all('sha512')],
  ['sha384', all('sha384')],
  ['sha224', all('sha224')],
  ['mtime', null],
  ['ctime', null],
  ['none', null],
  // OpenVox: only for sources on HTTP it is another one (etag_file).
  [ETAG, all('md5')],
]);

/** The first choice of nearly every agent; every static catalog is made for it. */
export const USUAL_CHECKSUM_TYPE = 'sha256';

/** Whether a server of this level knows the checksum type. */
export function isChecksumType(type: string, { etagChecksums }: Language): boolean {
  return type === ETAG ? etagChecksums : TYPES.has(type);
}

/** The digest of a checksum type; null for one that does not depend on the content. */
export function digestOf(type: string): Digest | null {
  return TYPES.get(type) ?? null;
}

/**
 * The first of the agent's types (`sha256.sha384.md5`) that static catalogs of this level support:
 * those that depend only on the content; null for none.
 * Puppet: Puppet::Resource::Catalog::Compiler#common_checksum_type
 */
export function commonChecksumType(offered: string, language: Language): string | null {
  return offered.split('.').find((type) => isChecksumType(type, language) && digestOf(type) !== null) ?? null;
}

/** Whether a server of this level knows at least one of these types. */
export function knowsChecksumType(offered: string, language: Language): boolean {
  return offered.split('.').some((type) => isChecksumType(type, language));
}

/** The error for an agent that offers no known type. */
export function noCommonChecksumType(offered: string, language: Language): string {
  const known = [...TYPES.keys()].filter((type) => isChecksumType(type, language)).map((type) => `:${type}`);
  return `Unable to find a common checksum type between agent '${offered}' and ${language.serverWord} '[${known.join(', ')}]'.`;
}
