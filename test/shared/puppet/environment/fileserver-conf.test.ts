import { describe, expect, it } from 'vitest';
import {
  expandMount,
  findFixedPart,
  parseFileserverConf,
} from '../../../../shared/puppet/environment/fileserver-conf.ts';

const CODE = '/etc/puppetlabs/code';
const FILE = `${CODE}/fileserver.conf`;

describe('parseFileserverConf', () => {
  it('reads mounts; those that every server has are left as they are', () => {
    const text = `# comment
[private]
  path private/%H   # a folder for each node
  allow *
[modules]
[plugins]

[shared-files]
  path ${CODE}/environments/production/shared
  deny bad.example.com
`;
    expect(parseFileserverConf(text, FILE, CODE)).toEqual([
      { name: 'private', pattern: `${CODE}/private/%H` },
      { name: 'shared-files', pattern: `${CODE}/environments/production/shared` },
    ]);
  });

  it.each([
    ['[a]\n  path x\n[a]\n', `mount[a] is already mounted at a (file: ${FILE}, line: 3)`],
    ['[a]\n', `Mounts without paths are not usable: 'a' (file: ${FILE})`],
    ['[a]\n  path = x\n', `Fileserver configuration file does not use '=' as a separator (file: ${FILE}, line: 2)`],
    ['[a]\n  colour red\n', `Invalid argument 'colour' (file: ${FILE}, line: 2)`],
    ['[a]\nnonsense\n', `Invalid entry: 'nonsense' (file: ${FILE}, line: 2)`],
    ...['/srv/files', '..', '.', CODE, '%H', '../x'].map((path) => [
      `[a]\n  path ${path}\n`,
      `The path '${path}' of the mount 'a' is no folder of the control repo: give it relative to this file, or below ${CODE} (file: ${FILE}, line: 2)`,
    ]),
  ])('refuses %j', (text, message) => {
    expect(() => parseFileserverConf(text, FILE, CODE)).toThrow(message);
  });
});

describe('a mount', () => {
  it.each<[string, string, string | null]>([
    ['/c/private/%H', 'web01.example.com', '/c/private/web01.example.com'],
    ['/c/%h/%d/%%/%x', 'web01.example.com', '/c/web01/example.com/%/%x'],
    ['/c/%h.%d', 'single', '/c/single.single'],
    ['/c/%H', '..', null],
    ['/c/%H', 'a/../b', null],
    ['/c/%H', '', null],
  ])('%s shows %j its folder', (pattern, certname, expected) => {
    expect(expandMount({ name: 'a', pattern }, certname)).toBe(expected);
  });

  it.each([
    ['/c/private/%H/x', '/c/private'],
    ['/c/all', '/c/all'],
    ['/c/a%h/x', '/c'],
  ])('%s is deployed as %s', (pattern, expected) => {
    expect(findFixedPart(pattern)).toBe(expected);
  });
});
