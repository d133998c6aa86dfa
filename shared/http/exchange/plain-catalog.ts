import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { fromRichValue } from '../../puppet/serialization/from-data.ts';
import { parseJson, printJson } from '../../puppet/serialization/json.ts';
import { toRichData } from '../../puppet/serialization/to-data.ts';
import { PuppetHash } from '../../puppet/types/values/puppet-hash.ts';
import type { Value } from '../../puppet/types/values/values.ts';

const compress = promisify(gzip);
const decompress = promisify(gunzip);

const RICH = '"__ptype"';

/**
 * Converts a catalog (gzipped) for an agent without rich data: other parameter values, and hash
 * keys, become strings. A catalog without such values is returned unchanged. Puppet:
 * Resource#to_data_hash without `rich_data`.
 */
// Differs from Puppet: with `strict => error` it fails for such a value, then reports that it has
// no acceptable format (406).
export async function withoutRichData(gzipped: Uint8Array): Promise<Uint8Array> {
  const text = (await decompress(gzipped)).toString('utf8');
  if (!text.includes(RICH)) return gzipped;
  const catalog = parseJson(text);
  const resources = catalog instanceof PuppetHash ? catalog.get('resources') : null;
  for (const resource of Array.isArray(resources) ? resources : []) flatten(resource);
  return compress(printJson(catalog));
}

function flatten(resource: Value): void {
  const parameters = resource instanceof PuppetHash ? resource.get('parameters') : null;
  if (!(resource instanceof PuppetHash) || !(parameters instanceof PuppetHash)) return;
  const plain = [...parameters].map(
    ([name, value]) => [name, toRichData(fromParameter(value), { richData: false })] as const,
  );
  resource.set('parameters', PuppetHash.of(plain));
}

/** Module types are unknown here: an object of one contains everything its text needs. */
function fromParameter(data: Value): Value {
  return fromRichValue(data, { takeUnknownTypes: true });
}
