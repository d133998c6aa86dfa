import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const MODULE = 'environments/production/modules/profile';

/** What a run used that others did not. */
const LANGUAGE_FUNCTION = `  file { "\${root}/deferred-lang": content => Deferred('profile::lang', ['x']) }\n`;

/**
 * Writes a control repo of the shape that the recorded server had for agents of OpenVox.
 * `withUnknown`: its catalogs call a function that agents do not have.
 */
export function writeOpenvoxControlRepo(directory: string, withUnknown: boolean): void {
  const files = { ...FILES, [`${MODULE}/manifests/init.pp`]: profile(withUnknown ? LANGUAGE_FUNCTION : '') };
  for (const [path, text] of Object.entries(files)) {
    const file = join(directory, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

function profile(extra: string): string {
  return `class profile (String $greeting, String $root = "/srv/agents/\${trusted['certname']}/managed") {
  file { $root: ensure => directory }
  file { "\${root}/greeting": content => "\${greeting} \${facts['implementation']} \${facts['agent_flavour']}\\n" }
  file { "\${root}/from-module": source => 'puppet:///modules/profile/source.txt' }
  file { "\${root}/fallback": source => ["puppet:///modules/profile/nope-\${facts['virtual']}.txt", 'puppet:///modules/profile/source.txt'] }
  file { "\${root}/tree": ensure => directory, recurse => true, source => 'puppet:///modules/profile/tree' }
  file { "\${root}/bucketed": content => "new content\\n", backup => 'central' }
  filebucket { 'central': path => false, server => 'localhost', port => 18903 }
  file { "\${root}/deferred": content => Deferred('profile::stamp', ['deferred value']) }
${extra}  file { "\${root}/secret": content => Sensitive("s3cret\\n") }
  notify { "implementation=\${facts['implementation']} server=\${server_facts['serverimplementation']} puppetversion=\${facts['puppetversion']} facterversion=\${facts['facterversion']} os=\${facts['os']['name']}": }
}
`;
}

const FILES: Readonly<Record<string, string>> = {
  'environments/production/hiera.yaml':
    '---\nversion: 5\nhierarchy: [{ name: common, path: common.yaml, datadir: data, data_hash: yaml_data }]\n',
  'environments/production/data/common.yaml': '---\nprofile::greeting: hello from hiera\n',
  'environments/production/manifests/site.pp': `node /^ov8\\.example\\.com$/ {
  include profile
  notify { 'regex node of 8': }
}
node /^(ov9|ov9\\.example\\.com)$/ {
  include profile
  notify { 'regex node of 9': }
}
`,
  [`${MODULE}/files/source.txt`]: 'source text\n',
  [`${MODULE}/files/tree/one.txt`]: 'one\n',
  [`${MODULE}/files/tree/sub/three.txt`]: 'three\n',
  [`${MODULE}/lib/facter/agent_flavour.rb`]: "Facter.add(:agent_flavour) { setcode { 'vanilla' } }\n",
  [`${MODULE}/lib/puppet/functions/profile/stamp.rb`]: `Puppet::Functions.create_function(:'profile::stamp') do
  dispatch(:stamp) { param 'String', :x }
  def stamp(x) = "stamped #{x}\\n"
end
`,
  [`${MODULE}/functions/lang.pp`]: 'function profile::lang(String $x) >> String { $x }\n',
};
