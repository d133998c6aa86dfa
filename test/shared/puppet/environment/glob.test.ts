import { describe, expect, it } from 'vitest';
import { globPaths } from '../../../../shared/puppet/environment/glob.ts';
import { MemoryTree, memoryFile } from '../../../../shared/puppet/environment/memory-tree.ts';

const NAMES = [
  'a/.z.yaml',
  'a/X.yaml',
  'a/[w].yaml',
  'a/b/c/x.yaml',
  'a/b/x.yaml',
  'a/x.yaml',
  'd/-.yaml',
  'd/1.yaml',
  'd/2.yml',
  '.h/q.yaml',
  't',
];
const TREE = new MemoryTree(new Map(NAMES.map((name) => [`/g/${name}`, memoryFile('')])));

describe('globPaths', () => {
  // Recorded from Ruby 3.1's Dir.glob.
  it.each([
    ['a/*.yaml', 'a/X.yaml a/[w].yaml a/x.yaml'],
    ['**/*.yaml', 'a/X.yaml a/[w].yaml a/b/c/x.yaml a/b/x.yaml a/x.yaml d/-.yaml d/1.yaml'],
    ['a/**/x.yaml', 'a/b/c/x.yaml a/b/x.yaml a/x.yaml'],
    ['*/*.{yml,yaml}', 'd/2.yml a/X.yaml a/[w].yaml a/x.yaml d/-.yaml d/1.yaml'],
    ['a/?.yaml', 'a/X.yaml a/x.yaml'],
    ['a/[^x].yaml', 'a/X.yaml'],
    ['a/[!X].yaml', 'a/x.yaml'],
    ['d/[0-9].y*ml', 'd/1.yaml d/2.yml'],
    ['d/[1-0].yaml', 'd/1.yaml'],
    ['d/[^1-0].yaml', 'd/-.yaml'],
    ['d/[2-1-9].yaml', 'd/-.yaml d/1.yaml'],
    ['d/[+--].yaml', 'd/-.yaml'],
    ['d/[1-].yaml', 'd/-.yaml d/1.yaml'],
    ['.h/*', '.h/q.yaml'],
    ['*', 'a d t'],
    ['a/\\[w\\].yaml', 'a/[w].yaml'],
    ['{a,nope}/x.yaml', 'a/x.yaml'],
    ['nope/*', ''],
    ['a/x.yaml', 'a/x.yaml'],
    ['*/b/*', 'a/b/c a/b/x.yaml'],
    ['a/*/', 'a/b'],
  ])('%s', (pattern, expected) => {
    const found = globPaths(`/g/${pattern}`, TREE).map((path) => path.slice('/g/'.length));
    expect(found.join(' ')).toBe(expected);
  });
});
