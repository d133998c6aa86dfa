import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Marks } from './marks.ts';

/** Secrets that code reads from encrypted data: none of them is in the code itself. */
export const ENCRYPTED = [
  'manifest: a resource parameter',
  'manifest: the message of a notify',
  'manifest: a class parameter',
  'manifest: a parameter of a defined type',
  'manifest: a parameter within a hash',
  'manifest: a collector override',
  'manifest: a resource default',
  'manifest: a list',
  'manifest: a deferred value',
  'manifest: a function result',
  'manifest: a virtual resource',
  'manifest: an exported resource',
  'manifest: an environment of exec',
  'template: ERB',
  'template: EPP',
  'template: inline EPP',
  'data: convert_to',
  'data: convert_to by a pattern',
  'data: automatic parameter lookup',
  'log: notice and warning',
  'failure: a type mismatch',
  'failure: an enumeration',
  'failure: a pattern',
  'failure: a parameter of a class',
  'failure: an interpolated message',
  'failure: ERB',
  'failure: a wrong function argument',
  'failure: Ruby that has it in a list',
] as const;

const keyOf = (name: string) => `m_${name.replace(/\W+/g, '_')}`;

/** The environment's variable that holds the private key of the encrypted data. */
export const KEY_VARIABLE = 'TAINT_EYAML_KEY';

export const [OWNER, OTHER, FAILING] = ['web01.example.com', 'db01.example.com', 'bad01.example.com'];
/** The failing node's compile fails in so many ways, by a fact. */
export const FAILURES = ['type', 'enumeration', 'pattern', 'class', 'message', 'erb', 'ruby', 'argument'];

const MANIFEST = `
node 'web01.example.com' {
  $secret = Sensitive(lookup('${keyOf('manifest: a resource parameter')}'))
  user { 'owner': password => $secret }
  notify { 'message': message => Sensitive(lookup('${keyOf('manifest: the message of a notify')}')) }
  class { 'site': password => Sensitive(lookup('${keyOf('manifest: a class parameter')}')) }
  site::vault { 'v': secret => Sensitive(lookup('${keyOf('manifest: a parameter of a defined type')}')) }
  site::nested { 'n': data => { 'inner' => [Sensitive(lookup('${keyOf('manifest: a parameter within a hash')}'))] } }
  file { '/t/override': content => 'x' }
  File<| title == '/t/override' |> { content => Sensitive(lookup('${keyOf('manifest: a collector override')}')) }
  site::defaulted { 'd': }
  exec { '/bin/true': environment => Sensitive(["A=\${lookup('${keyOf('manifest: an environment of exec')}')}"]) }
  file { '/t/list': content => Sensitive([lookup('${keyOf('manifest: a list')}')]) }
  file { '/t/deferred': content => Deferred('unwrap', [Sensitive(lookup('${keyOf('manifest: a deferred value')}'))]) }
  file { '/t/function': content => site::secret('${keyOf('manifest: a function result')}') }
  @file { '/t/virtual': content => Sensitive(lookup('${keyOf('manifest: a virtual resource')}')), tag => 'v' }
  File<| tag == 'v' |>
  @@file { '/t/exported': content => Sensitive(lookup('${keyOf('manifest: an exported resource')}')), tag => 'x' }
  $in_erb = Sensitive(lookup('${keyOf('template: ERB')}'))
  file { '/t/erb': content => Sensitive(template('site/secret.erb')) }
  file { '/t/epp': 
    content => Sensitive(epp('site/secret.epp', { 'secret' => Sensitive(lookup('${keyOf('template: EPP')}')) })),
  }
  file { '/t/inline':
    content => Sensitive(inline_epp('<%= $s %>', { 's' => lookup('${keyOf('template: inline EPP')}') })),
  }
  file { '/t/converted': content => lookup('${keyOf('data: convert_to')}') }
  file { '/t/pattern': content => lookup('${keyOf('data: convert_to by a pattern')}') }
  file { '/t/plain': content => Sensitive(lookup('plain')) }
  file { '/t/literal': content => Sensitive('@LITERAL@') }
  include site::looked
  file { '/t/kept': content => Sensitive(site::kept('app')) }
  $logged = Sensitive(lookup('${keyOf('log: notice and warning')}'))
  notice($logged)
  warning("logged: \${logged}")
  debug([$logged, { 'a' => $logged }])
  file { "/t/title-\${logged}": ensure => absent }
}
node 'db01.example.com' { File<<| tag == 'x' |>> }
node 'bad01.example.com' {
  case $facts['failure'] {
    'type': { site::typed { 'a': count => Sensitive(lookup('${keyOf('failure: a type mismatch')}')) } }
    'enumeration': { site::chosen { 'a': one => Sensitive(lookup('${keyOf('failure: an enumeration')}')) } }
    'pattern': { site::formed { 'a': one => Sensitive(lookup('${keyOf('failure: a pattern')}')) } }
    'class': { class { 'site': password => [Sensitive(lookup('${keyOf('failure: a parameter of a class')}'))] } }
    'message': { fail("no: \${Sensitive(lookup('${keyOf('failure: an interpolated message')}'))}") }
    'erb': {
      $in_erb = Sensitive(lookup('${keyOf('failure: ERB')}'))
      notify { template('site/failing.erb'): }
    }
    'ruby': { site::hold(Sensitive(lookup('${keyOf('failure: Ruby that has it in a list')}'))) }
    default: { notice(site::count(Sensitive(lookup('${keyOf('failure: a wrong function argument')}')))) }
  }
}
node default { }
`;

const MODULE: Readonly<Record<string, string>> = {
  'manifests/init.pp': 'class site(Sensitive[String] $password) { }',
  'manifests/looked.pp': 'class site::looked(Sensitive[String] $key) { file { "/t/looked": content => $key } }',
  'manifests/vault.pp': 'define site::vault(Sensitive $secret) { file { "/t/vault": content => $secret } }',
  'manifests/nested.pp': 'define site::nested(Hash $data) { }',
  'manifests/defaulted.pp': `define site::defaulted {
  File { content => Sensitive(lookup('${keyOf('manifest: a resource default')}')) }
  file { '/t/default': }
}`,
  'manifests/grouped.pp': 'class site::grouped($password) { }',
  'manifests/typed.pp': 'define site::typed(Sensitive[Integer] $count) { }',
  'manifests/chosen.pp': "define site::chosen(Sensitive[Enum['a', 'b']] $one) { }",
  'manifests/formed.pp': 'define site::formed(Sensitive[Pattern[/^x$/]] $one) { }',
  'functions/secret.pp': 'function site::secret(String $key) >> Sensitive { Sensitive(lookup($key)) }',
  'functions/count.pp': 'function site::count(Integer $number) { $number }',
  'lib/puppet/functions/site/kept.rb': `Puppet::Functions.create_function(:'site::kept') do
  dispatch(:kept) { param 'String', :name }
  def kept(name)
    file = File.join(Puppet[:vardir], 'site', name)
    FileUtils.mkdir_p(File.dirname(file))
    File.write(file, 'drawn') unless File.exist?(file)
    File.read(file)
  end
end`,
  'lib/puppet/functions/site/hold.rb': `Puppet::Functions.create_function(:'site::hold') do
  dispatch(:hold) { param 'Sensitive', :secret }
  def hold(secret)
    @holder = [{ 'secret' => secret }]
    raise ArgumentError, "#{@holder} #{@holder.inspect} #{JSON.generate(@holder)}"
  rescue ArgumentError => error
    Puppet.warning(error.message)
    @holder.no_such_method
  end
end`,
  'templates/secret.erb': '<%= @in_erb.unwrap %>',
  'templates/failing.erb': '<% @in_erb.no_such_method %>',
  'templates/secret.epp': '<%- | Sensitive $secret | -%>\n<%= $secret.unwrap %>',
  'tasks/deploy.sh': '#!/bin/sh\n',
  'tasks/deploy.json': JSON.stringify({
    parameters: { user: { type: 'Optional[String]' }, password: { type: 'Optional[String]', sensitive: true } },
  }),
  'plans/roll.pp': 'plan site::roll(TargetSpec $nodes) { }',
  'plans/login.pp': `plan site::login(TargetSpec $nodes, Sensitive[String] $secret) {
  out::message("\${secret} \${secret.unwrap}")
  log::error({ $secret.unwrap => [$secret.unwrap] })
  run_task('site::deploy', $nodes, "with \${secret.unwrap}", password => $secret.unwrap)
  run_command("login \${secret.unwrap}", $nodes, _catch_errors => true)
  fail_plan("no \${secret.unwrap}", 'site/failed', { 'secret' => $secret.unwrap })
}`,
};

const HIERA = `version: 5
hierarchy:
  - name: encrypted
    lookup_key: eyaml_lookup_key
    path: secret.eyaml
    options: { pkcs7_private_key_env_var: ${KEY_VARIABLE} }
  - { name: plain, path: plain.yaml }
`;

const OPTIONS = `lookup_options:
  ${keyOf('data: convert_to')}: { convert_to: Sensitive }
  plain: { convert_to: Sensitive }
  '^m_data_convert_to_by': { convert_to: Sensitive }
  site::looked::key: { convert_to: Sensitive }
`;

/** The files of the environment, and the private key that decrypts its data. */
export function makeCode(marks: Marks): { readonly files: Readonly<Record<string, string>>; readonly key: string } {
  const folder = mkdtempSync(join(tmpdir(), 'taint-eyaml-'));
  const [keyFile, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  const self = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=eyaml', '-days', '2'];
  execFileSync('openssl', [...self, '-keyout', keyFile, '-out', certificate], { stdio: 'ignore' });
  const encrypt = (text: string) => {
    const call = ['smime', '-encrypt', '-aes-256-cbc', '-binary', '-outform', 'DER', certificate];
    return `ENC[PKCS7,${execFileSync('openssl', call, { input: text }).toString('base64')}]`;
  };
  const lines = ENCRYPTED.map((name) => `${nameInData(name)}: >\n  ${encrypt(marks.of(name))}\n`);
  const key = readFileSync(keyFile, 'utf8');
  writeFileSync(keyFile, '');
  const files = {
    'hiera.yaml': HIERA,
    'data/secret.eyaml': lines.join(''),
    'data/plain.yaml': `${OPTIONS}plain: ${marks.of('code: a value of data in clear')}\n`,
    'manifests/site.pp': MANIFEST.replace('@LITERAL@', marks.of('code: a literal of a manifest')),
    ...Object.fromEntries(Object.entries(MODULE).map(([path, text]) => [`modules/site/${path}`, text])),
  };
  return { files, key };
}

function nameInData(name: string): string {
  return name === 'data: automatic parameter lookup' ? 'site::looked::key' : keyOf(name);
}
