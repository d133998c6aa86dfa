import { expect, it } from 'vitest';
import { listKeyReaders } from '../../../../shared/fleet/dependencies/key-readers.ts';
import type { DependencyIndex, Observations } from '../../../../shared/store/ports/dependency-index.ts';

const [COMMON, OTHER] = ['environments/production/data/common.yaml', 'environments/production/data/other.yaml'];

/** An index with one part, whose one set has one node. */
function openIndex(observations: Observations | null): DependencyIndex {
  const none = async () => {
    throw new Error('it is not asked');
  };
  return {
    ...{ register: none, define: none, forget: none, retire: none },
    findParts: async (_, names) =>
      [...names].includes('environments/production/data') ? [{ id: 'p', observations }] : [],
    findSets: async (_, parts) => (parts.has('p') ? ['s'] : []),
    listMembers: async (_, __, shard) => ({ certnames: shard === 0 ? ['web01'] : [], next: null }),
    findOwners: async () => [],
  };
}

it.each<[string, Observations | null, boolean]>([
  ['asked for the key', { contents: [COMMON], kinds: [], keys: { [COMMON]: ['secret'] } }, true],
  ['asked for another key', { contents: [COMMON], kinds: [], keys: { [COMMON]: ['other'] } }, false],
  ['asked a file that lacks the key for it', { contents: [OTHER], kinds: [], keys: { [OTHER]: ['secret'] } }, true],
  ['read the file that has it as a whole', { contents: [COMMON], kinds: [], keys: {} }, true],
  ['read another file as a whole', { contents: [OTHER], kinds: [], keys: {} }, false],
  ['looked at more than the index has', null, true],
])('a compile that %s', async (_, observations, isReader) => {
  const wanted = { environment: 'production', key: 'secret', dataFiles: [COMMON, OTHER], definedIn: [COMMON] };
  const page = { after: null, limit: 5 };
  const found = await listKeyReaders(wanted, page, { dependencies: openIndex(observations) });
  expect(found).toEqual(isReader ? ['web01'] : []);
});
