import { expect, it } from 'vitest';
import { Inputs } from '../../../../shared/puppet/environment/inputs.ts';
import { PuppetHash } from '../../../../shared/puppet/types/values/puppet-hash.ts';
import { compileSource } from '../../../helpers/compile-source.ts';

const ENVIRONMENT = "package { 'vim': environment => ['A=b'] }";
const ETAG = "file { '/a': source => 'https://www.example.com/a', checksum => etag }";

function compileFor(code: string, facts: Readonly<Record<string, string>>) {
  const inputs = new Inputs();
  const result = compileSource(code, { facts: inputs.recordFacts(PuppetHash.of(Object.entries(facts))), inputs });
  if (result.status !== 'ok') throw new Error(JSON.stringify(result));
  const read = Object.keys(inputs.getResult().facts).filter((path) => /client|impl/.test(path));
  return { log: result.log, facts: read };
}

it.each([
  ['Puppet 8.10', ENVIRONMENT, { clientversion: '8.10.0' }, "Package[vim] has 'environment'"],
  ['Puppet 8.30', ENVIRONMENT, { clientversion: '8.30.0' }, "Package[vim] has 'environment'"],
  [
    'OpenVox 8.25',
    ENVIRONMENT,
    { clientversion: '8.25.0', implementation: 'openvox' },
    "Package[vim] has 'environment'",
  ],
  ['Puppet 7', ETAG, { clientversion: '7.34.0' }, "File[/a] has 'checksum => etag'"],
])('warns of what an agent of %s does not know', (_name, code, facts, start) => {
  expect(compileFor(code, facts).log).toEqual([
    {
      level: 'warning',
      message: `${start}, which needs an agent of OpenVox 8.26.0 or newer: the agent of this node, version ${facts.clientversion}, will fail its whole run`,
      file: undefined,
      line: 1,
    },
  ]);
});

it.each([
  ['OpenVox 8.26', ENVIRONMENT, { clientversion: '8.26.0', implementation: 'openvox' }],
  ['OpenVox 9 in beta', ETAG, { clientversion: '9.0.0-beta2', implementation: 'openvox' }],
  ['nobody knows which', ETAG, {}],
])('is silent for an agent of %s', (_name, code, facts) => {
  expect(compileFor(code, facts).log).toEqual([]);
});

it('reads facts only for a catalog that has such a resource, as inputs', () => {
  const facts = { clientversion: '8.28.1', implementation: 'openvox' };
  expect(compileFor("file { '/a': checksum => md5, content => 'x' } package { 'vim': }", facts).facts).toEqual([]);
  expect(compileFor(ENVIRONMENT, facts).facts).toEqual(['["clientversion"]', '["implementation"]']);
  expect(compileFor(`@${ENVIRONMENT}`, facts).facts).toEqual([]);
});
