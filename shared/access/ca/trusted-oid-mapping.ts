import { parseYaml, YamlLoadError } from '../../puppet/serialization/yaml.ts';
import { PuppetHash } from '../../puppet/types/values/puppet-hash.ts';
import { StoreRefused } from '../../store/ports/store-errors.ts';
import { extensionOid, getExtensionName } from './oids.ts';

/** The operator's short names of certificate extensions, by OID. */
export type TrustedNames = ReadonlyMap<string, string>;

export const NO_TRUSTED_NAMES: TrustedNames = new Map();

const INDEX = 'oid_mapping';
const OID = /^[0-2](\.\d+)+$/;

/**
 * Reads the file of Puppet's setting `trusted_oid_mapping_file`: `oid_mapping: {OID: {shortname: …,
 * longname: …}}`. Throws StoreRefused, in Puppet's words where it has some; they name `file`.
 * Puppet: lib/puppet/ssl/oids.rb.
 */
export function readTrustedOidMapping(text: string, file: string): TrustedNames {
  const refuse = (fault: string) =>
    new StoreRefused(`Error loading ssl custom OIDs mapping file from '${file}': ${fault}`);
  const mapping = load(text, file, refuse);
  const found = new Map<string, string>();
  for (const [oid, definition] of mapping) {
    const [short, long] =
      definition instanceof PuppetHash ? [definition.get('shortname'), definition.get('longname')] : [];
    if (typeof short !== 'string' || typeof long !== 'string') throw refuse(`incomplete definition of oid '${oid}'`);
    if (typeof oid !== 'string' || !OID.test(oid)) throw refuse(`'${oid}' is not an object identifier`);
    const isTaken =
      getExtensionName(oid) !== oid || extensionOid(short) !== short || [...found.values()].includes(short);
    if (isTaken) throw new StoreRefused(`Error registering ssl custom OIDs mapping from file '${file}': oid exists`);
    found.set(oid, short);
  }
  return found;
}

function load(text: string, file: string, refuse: (fault: string) => StoreRefused): PuppetHash {
  try {
    const loaded = parseYaml(text, { file, symbols: true });
    if (!(loaded instanceof PuppetHash) || !loaded.has(INDEX)) throw refuse(`no such index '${INDEX}'`);
    const mapping = loaded.get(INDEX);
    if (!(mapping instanceof PuppetHash)) throw refuse(`data under index '${INDEX}' must be a Hash`);
    return mapping;
  } catch (error) {
    if (error instanceof YamlLoadError) throw refuse(error.message);
    throw error;
  }
}
