import { describe, expect, it } from 'vitest';
import { digestStates, type PresentFiles } from '../../../../shared/fleet/dependencies/part-states.ts';
import { MemoryTree, memoryFile } from '../../../../shared/puppet/environment/memory-tree.ts';
import { SERVED_CODE_DIRECTORY } from '../../../../shared/puppet/environment/snapshot.ts';
import { HieraCache } from '../../../../shared/puppet/hiera/hiera-cache.ts';
import { dataStates } from '../../../../shared/puppet/hiera/keyed-file.ts';
import type { Observations } from '../../../../shared/store/ports/dependency-index.ts';

type Files = Readonly<Record<string, string>>;

const FILES: Files = {
  'm/read': 'text',
  'm/folder/inside': 'x',
  'm/listed/one': '1',
  'm/listed/sub/two': '2',
  'data/keys.yaml': 'a: 1\nb: 2\nhash: {x: 1, y: 2}\n',
};

/** `mode` is no file, but the mode of all of them. */
function present({ mode = '0644', ...files }: Files): PresentFiles {
  const tree = new MemoryTree(
    new Map(Object.entries(files).map(([path, text]) => [`${SERVED_CODE_DIRECTORY}/${path}`, memoryFile(text)])),
    { attributes: () => mode },
  );
  return { tree, dataOf: dataStates(tree, SERVED_CODE_DIRECTORY, new HieraCache()) };
}

const observe = (some: Partial<Observations>): Observations => ({ contents: [], kinds: [], keys: {}, ...some });
const without = (path: string): Files => Object.fromEntries(Object.entries(FILES).filter(([name]) => name !== path));
const withFile = (path: string, text = 'new'): Files => ({ ...FILES, [path]: text });
const inPlaceOf = (path: string, instead: string): Files => ({ ...without(path), [instead]: 'x' });

const read = observe({ contents: ['m/read'] });
const missing = observe({ contents: ['m/missing'] });
const folder = observe({ contents: ['m/folder'] });
const listed = observe({ contents: ['m/listed/'] });
const noList = observe({ contents: ['m/missing/'] });
const exists = observe({ kinds: ['m/read'] });
const isFolder = observe({ kinds: ['m/folder'] });
const mode = observe({ contents: ['m/read//mode'] });
const keys = observe({ kinds: ['data/keys.yaml'], keys: { 'data/keys.yaml': ['a', 'hash', 'none'] } });

describe('states differ', () => {
  it.each<[string, Observations, Files]>([
    ['when a file is altered', read, withFile('m/read', 'other')],
    ['when a file is deleted', read, without('m/read')],
    ['when a file becomes a folder', read, inPlaceOf('m/read', 'm/read/inside')],
    ['when a file is created where none was', missing, withFile('m/missing')],
    ['when a folder is created where nothing was', missing, withFile('m/missing/inside')],
    ['when a folder becomes a file', folder, inPlaceOf('m/folder/inside', 'm/folder')],
    ['when a folder is deleted', folder, without('m/folder/inside')],
    ['when a listing gets a name', listed, withFile('m/listed/three')],
    ['when a listing loses a name', listed, without('m/listed/one')],
    ['when a listed file becomes a folder', listed, inPlaceOf('m/listed/one', 'm/listed/one/inside')],
    ['when a listed folder becomes a file', listed, inPlaceOf('m/listed/sub/two', 'm/listed/sub')],
    ['when a folder to list is created', noList, withFile('m/missing/inside')],
    ['when a file that existed is deleted', exists, without('m/read')],
    ['when a file that existed becomes a folder', exists, inPlaceOf('m/read', 'm/read/inside')],
    ['when a folder that existed becomes a file', isFolder, inPlaceOf('m/folder/inside', 'm/folder')],
    ['when the mode of a file changes', mode, { ...FILES, mode: '0755' }],
    ['when a file with a mode is deleted', mode, without('m/read')],
    ['when a key is changed', keys, withFile('data/keys.yaml', 'a: 3\nhash: {x: 1, y: 2}\n')],
    ['when a key is removed', keys, withFile('data/keys.yaml', 'hash: {x: 1, y: 2}\n')],
    ['when a key is added', keys, withFile('data/keys.yaml', `${FILES['data/keys.yaml']}none: ~\n`)],
    ['when the keys within a key change places', keys, withFile('data/keys.yaml', 'a: 1\nhash: {y: 2, x: 1}\n')],
    ['when data cannot be read any more', keys, withFile('data/keys.yaml', 'a: [')],
    ['when data is no hash any more', keys, withFile('data/keys.yaml', '- a\n')],
    ['when a data file is deleted', keys, without('data/keys.yaml')],
    ['when a data file becomes a folder', keys, inPlaceOf('data/keys.yaml', 'data/keys.yaml/inside')],
  ])('%s', (_, observations, files) => {
    expect(digestStates(observations, present(files))).not.toBe(digestStates(observations, present(FILES)));
  });

  it('from one unreadable data file to another', () => {
    const [one, two] = ['a: [', 'a: [1'].map((text) => digestStates(keys, present(withFile('data/keys.yaml', text))));
    expect(one).not.toBe(two);
  });
});

describe('states are equal', () => {
  it.each<[string, Observations, Files]>([
    ['when the content of what has to exist changes', exists, withFile('m/read', 'other')],
    ['when a folder gets a file', isFolder, withFile('m/folder/more')],
    ['when a listed file is altered', listed, withFile('m/listed/one', 'other')],
    ['when a listed folder gets a file', listed, withFile('m/listed/sub/three')],
    ['when other keys change', keys, withFile('data/keys.yaml', 'b: 3\nc: 4\n# x\na: 1\nhash: {x: 1, y: 2}\n')],
    ['when another file changes', read, withFile('m/other')],
  ])('%s', (_, observations, files) => {
    expect(digestStates(observations, present(files))).toBe(digestStates(observations, present(FILES)));
  });
});

it('takes everything for absent in an environment that is not deployed', () => {
  const nothing = { tree: null };
  for (const observations of [read, listed, exists, isFolder, keys]) {
    expect(digestStates(observations, nothing)).toBe(digestStates(observations, present({})));
    expect(digestStates(observations, nothing)).not.toBe(digestStates(observations, present(FILES)));
  }
});
