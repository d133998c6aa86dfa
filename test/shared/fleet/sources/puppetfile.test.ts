import { expect, it } from 'vitest';
import { InvalidSource } from '../../../../shared/fleet/sources/git-url.ts';
import { readPuppetfile } from '../../../../shared/fleet/sources/puppetfile.ts';

it.each([
  [
    "mod 'x', git: 'ext::sh -c id'",
    "Puppetfile, line 1: 'ext::sh -c id' is no URL of a git repository: https://, http://, ssh://, git://, file:// or user@host:path",
  ],
  [
    "mod 'x', git: '--upload-pack=id'",
    "Puppetfile, line 1: '--upload-pack=id' is no URL of a git repository: https://, http://, ssh://, git://, file:// or user@host:path",
  ],
  [
    "mod 'x', git: 'ssh://-oProxyCommand=id/x'",
    "Puppetfile, line 1: 'ssh://-oProxyCommand=id/x' is no URL of a git repository: https://, http://, ssh://, git://, file:// or user@host:path",
  ],
  [
    "mod 'x', git: 'https://h/x', ref: '--output=/x'",
    "Puppetfile, line 1: '--output=/x' is no name of a branch, a tag or a commit",
  ],
  [
    "\nmod 'x', git: 'https://h/x', install_path: '../..'",
    "Puppetfile, line 2: '../..' is no folder of the environment",
  ],
  ["moduledir '/etc'", "Puppetfile, line 1: '/etc' is no folder of the environment"],
  ['mod "x#{`id`}", "1.0.0"', "Puppetfile, line 1: '\"' is not understood"],
  ['system("id")', "Puppetfile, line 1: '(' is not understood"],
  ["mod 'x'", "Puppetfile, line 1: the module 'x' has neither an author nor a source"],
  ["mod '../x', '1.0.0'", "Puppetfile, line 1: '../x' is no name of a module"],
  ["mod 'a/x', '1.0.0'\nmod 'b/x', '1.0.0'", "Puppetfile, line 2: it names the module 'x' twice"],
])('a Puppetfile is refused: %s', (text, message) => {
  expect(() => readPuppetfile(text)).toThrow(new InvalidSource(message));
});

it('a Puppetfile may have nothing, and comments', () => {
  expect(readPuppetfile('\n# nothing\nforge "https://forge.puppet.com"\n')).toEqual([]);
  expect(readPuppetfile("mod 'puppetlabs-stdlib', :latest")).toEqual([
    {
      ...{ name: 'stdlib', path: 'modules/stdlib', line: 1 },
      origin: { kind: 'forge', slug: 'puppetlabs-stdlib', version: null },
    },
  ]);
  expect(readPuppetfile("mod 'x', git: 'git@host:team/x.git'")).toEqual([
    {
      name: 'x',
      path: 'modules/x',
      line: 1,
      origin: { kind: 'git', url: 'git@host:team/x.git', ref: 'main', fallback: null },
    },
  ]);
});
