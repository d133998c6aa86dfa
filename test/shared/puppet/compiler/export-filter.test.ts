import { describe, expect, it } from 'vitest';
import { matchesFilter } from '../../../../shared/puppet/compiler/export-filter.ts';

const resource = {
  certname: 'a.example.com',
  type: 'File',
  title: '/tmp/x',
  tags: ['file', 'web'],
  parameters: { mode: '0644', list: ['a', ['b']], port: 80 },
};

describe('matchesFilter', () => {
  it.each<[unknown, boolean]>([
    [null, true],
    [['title', '==', '/tmp/x'], true],
    [['title', '!=', '/tmp/x'], false],
    [['tag', '==', 'web'], true],
    [['tag', '!=', 'db'], true],
    [['tag', '==', 'Web'], true],
    [['tag', '!=', 'WEB'], false],
    [['list', '==', 'b'], true],
    [['port', '==', 80], true],
    [['port', '==', '80'], false],
    [['owner', '==', null], true],
    [[['mode', '==', '0644'], 'and', ['tag', '==', 'db']], false],
    [[['mode', '==', '0644'], 'or', ['tag', '==', 'db']], true],
  ])('%j: %s', (filter, expected) => {
    expect(matchesFilter(resource, filter)).toBe(expected);
  });
});
