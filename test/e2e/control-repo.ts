import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * A control repo in a temporary folder that a test edits. Paths are relative to the environment
 * `production`.
 */
export class EditableControlRepo {
  readonly directory: string;

  constructor(directory: string) {
    this.directory = directory;
    for (const [path, text] of Object.entries(FILES)) this.write(path, text);
  }

  write(path: string, text: string): void {
    const file = this.#path(path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  remove(path: string): void {
    rmSync(this.#path(path));
  }

  #path(path: string): string {
    return join(this.directory, 'environments', 'production', path);
  }
}

/** The class of node a; `notice` is put in front. */
export function exporterManifest(notice: string): string {
  return `# Exports an endpoint.
class role::exporter {
  ${notice}
  include profile::base
  $greeting = epp('profile/greeting.epp', { 'who' => $facts['tier'] })
  file { "\${facts['e2e_root']}/greeting":
    content => $greeting,
  }
  @@profile::endpoint { $trusted['certname']:
    port => Integer($facts['web_port']),
  }
}
`;
}

const FILES: Readonly<Record<string, string>> = {
  'environment.conf': 'modulepath = site\n',
  'hiera.yaml': `---
version: 5
defaults: { datadir: data, data_hash: yaml_data }
hierarchy:
  - { name: node, path: "nodes/%{trusted.certname}.yaml" }
  - { name: tier, path: "tiers/%{facts.tier}.yaml" }
  - { name: common, path: common.yaml }
`,
  'data/common.yaml': '---\nprofile::base::motto: common motto\n',
  'manifests/site.pp': `node 'a.example.com' { include role::exporter }
node 'b.example.com' { include role::collector }
node 'slow.example.com' { include role::slow }
node default { include profile::base }
`,
  'site/role/manifests/exporter.pp': exporterManifest(''),
  'site/role/manifests/collector.pp': `# Collects all endpoints.
class role::collector {
  notify { 'collector': }
  Profile::Endpoint <<| |>>
}
`,
  'site/role/manifests/slow.pp': `# Takes as many seconds as the fact says.
class role::slow {
  $waits = Integer[1, Integer($facts['seconds'])].map |$n| { role::wait_a_second($n) }
  notify { "waited for \${length($waits)} seconds": }
}
`,
  'site/role/lib/puppet/functions/role/wait_a_second.rb': `Puppet::Functions.create_function(:'role::wait_a_second') do
  def wait_a_second(count)
    sleep 1
    count
  end
end
`,
  'site/profile/manifests/base.pp': `# What most nodes have.
#
# @param motto from Hiera
class profile::base (String $motto) {
  notify { "motto: \${motto}": }
  notify { "flavour: \${facts['e2e_flavour']}": }
  file { "\${facts['e2e_root']}/source":
    source => 'puppet:///modules/profile/source.txt',
  }
}
`,
  'site/profile/manifests/endpoint.pp': `# One endpoint.
#
# @param port where it listens
define profile::endpoint (Integer $port) {
  notify { "endpoint \${title}:\${port}": }
}
`,
  'site/profile/templates/greeting.epp': '<%- | String $who | -%>\nHello, <%= $who %>.\n',
  'site/profile/files/source.txt': 'a file from a module\n',
  'site/profile/lib/facter/e2e_flavour.rb': "Facter.add(:e2e_flavour) { setcode { 'vanilla' } }\n",
};
