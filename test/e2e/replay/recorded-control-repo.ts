import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { AgentExchange } from './recorded-exchanges.ts';

/**
 * Writes a control repo of the shape that the recorded server had: its manifests as the recorded
 * catalogs show them, its files as the server sent them.
 */
export function writeRecordedControlRepo(directory: string, exchanges: readonly AgentExchange[]): void {
  const files = new Map<string, string>();
  for (const environment of ['production', 'staging']) {
    const root = `environments/${environment}`;
    for (const [path, text] of Object.entries(MANIFESTS)) files.set(`${root}/${path}`, text);
    const greeting = environment === 'staging' ? 'hello-from-staging' : 'hello';
    files.set(`${root}/data/common.yaml`, `---\nprofile::agenttest::greeting: ${greeting}\n`);
    for (const [path, text] of sentFiles(exchanges)) files.set(`${root}/${path}`, text);
  }
  for (const [path, text] of files) {
    const file = join(directory, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

/** The files that were sent, where they must have been. */
function sentFiles(exchanges: readonly AgentExchange[]): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const { url, response_body: body, status } of exchanges) {
    const [, mount, rest = ''] = /^\/puppet\/v3\/file_content\/(\w+)\/([^?]*)/.exec(url) ?? [];
    if (status !== 200 || typeof body !== 'string') continue;
    if (mount === 'modules') files.set(`site/${rest.replace('/', '/files/')}`, body);
    if (mount === 'plugins') files.set(`site/profile/lib/${rest}`, body);
    if (mount === 'locales') files.set(`modules/${/puppetlabs-(\w+)\.po/.exec(rest)?.[1]}/locales/${rest}`, body);
  }
  return files;
}

const MANIFESTS: Readonly<Record<string, string>> = {
  'environment.conf': 'modulepath = site:modules\n',
  'hiera.yaml':
    '---\nversion: 5\nhierarchy: [{ name: common, path: common.yaml, datadir: data, data_hash: yaml_data }]\n',
  'manifests/site.pp': "node 'agent01.example.com' { include role::agenttest }\n",
  'site/role/manifests/agenttest.pp': 'class role::agenttest { include profile::agenttest }\n',
  'site/profile/templates/epp.conf.epp': '# agenttest on <%= $host %>\na = [1, 2]\nb = 2\n',
  'site/profile/manifests/agenttest.pp': `class profile::agenttest (
  String $greeting,
  String $root = '/srv/agent-test/agentroot',
) {
  file { $root: ensure => directory, backup => false }
  file { "\${root}/content.txt": ensure => file, backup => false, content => "\${greeting} \${trusted['certname']} env=\${environment} sv=\${facts['networking']['hostname']}\\n" }
  file { "\${root}/source.txt": ensure => file, backup => false, source => 'puppet:///modules/profile/source.txt' }
  file { "\${root}/multi.txt": ensure => file, backup => false, source => ["puppet:///modules/profile/nope-\${facts['networking']['hostname']}.txt", 'puppet:///modules/profile/source.txt'] }
  file { "\${root}/tree": ensure => directory, backup => false, recurse => true, purge => true, source => 'puppet:///modules/profile/tree' }
  file { "\${root}/remote": ensure => directory, backup => false, recurse => remote, source => 'puppet:///modules/profile/tree' }
  file { "\${root}/bucketed.txt": ensure => file, backup => server, content => "v2 \${greeting}\\n" }
  file { "\${root}/epp.conf": ensure => file, backup => false, content => epp('profile/epp.conf.epp', { 'host' => $facts['networking']['hostname'] }) }
  filebucket { 'server': server => 'localhost', path => false }
  notify { "hi from \${trusted['certname']}": }
  exec { "/bin/true # \${greeting}": refreshonly => true, subscribe => File["\${root}/content.txt"] }
}
`,
};
