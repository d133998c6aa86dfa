import { compareVersions } from '../ruby-core/version-compare.ts';

/**
 * Lists the news of OpenVox's agents, by release. An agent without one of them fails its whole
 * run, before it applies anything.
 */
const LEARNED = [
  { type: 'Package', parameter: 'environment', value: null, release: '8.26.0' },
  { type: 'File', parameter: 'checksum', value: 'etag', release: '8.26.0' },
] as const;

/** Parts of a catalog's resource. */
interface UsedResource {
  readonly type: string;
  readonly title: string;
  /** Null or undefined for a parameter that it does not have. */
  readonly read: (parameter: string) => unknown;
}

/** Reads a fact by its name; null or undefined for none. */
type ReadFact = (name: string) => unknown;

/**
 * The reasons for which the node's agent cannot apply a catalog with this resource; none when its
 * facts do not name a version. Facts are read only for a resource that uses something of the table.
 */
export function listUnknownToAgent({ type, title, read }: UsedResource, readFact: ReadFact): readonly string[] {
  return LEARNED.flatMap((one) => {
    if (one.type !== type) return [];
    const used = read(one.parameter) ?? null;
    if (used === null || (one.value !== null && used !== one.value)) return [];
    const version = readFact('clientversion');
    if (typeof version !== 'string' || hasLearned(version, readFact, one.release)) return [];
    const attribute = one.value === null ? one.parameter : `${one.parameter} => ${one.value}`;
    return [
      `${type}[${title}] has '${attribute}', which needs an agent of OpenVox ${one.release} or newer: the agent of this node, version ${version}, will fail its whole run`,
    ];
  });
}

function hasLearned(version: string, readFact: ReadFact, release: string): boolean {
  return readFact('implementation') === 'openvox' && compareVersions(version, release) >= 0;
}
