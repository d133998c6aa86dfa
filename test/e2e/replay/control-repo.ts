import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const PRIVATE_FOLDER = 'private';

/** The mounts; `folder` is the control repo. */
export function fileserverConf(folder: string): string {
  return `[private]\n  path ${folder}${PRIVATE_FOLDER}/%H\n  allow *\n[shared]\n  path ${folder}${PRIVATE_FOLDER}/common\n`;
}

/**
 * Writes a control repo that has something of everything that a server serves. Environments:
 * production, staging, broken.
 */
export function writeControlRepo(directory: string): void {
  for (const [path, text] of Object.entries(FILES)) {
    const file = join(directory, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    chmodSync(file, path.endsWith('.sh') || path.includes('/tasks/') ? 0o755 : 0o644);
  }
  writeFileSync(join(directory, 'fileserver.conf'), fileserverConf(''));
  for (const folder of FOLDERS) mkdirSync(join(directory, folder), { recursive: true });
  for (const [path, target] of Object.entries(LINKS)) symlinkSync(target, join(directory, path));
}

const PRODUCTION = 'environments/production';
const ALPHA = `${PRODUCTION}/modules/alpha`;
const BETA = `${PRODUCTION}/site/beta`;

const FOLDERS = [`${ALPHA}/files/tree/hollow`];

const LINKS: Readonly<Record<string, string>> = {
  [`${ALPHA}/files/tree/to-file`]: 'one.txt',
  [`${ALPHA}/files/tree/to-folder`]: 'sub',
  [`${ALPHA}/files/tree/to-nothing`]: 'gone',
  [`${ALPHA}/files/linked-tree`]: 'tree/sub',
};

const FILES: Readonly<Record<string, string>> = {
  [`${PRODUCTION}/environment.conf`]: 'modulepath = site:modules\n',
  [`${PRODUCTION}/manifests/site.pp`]: `node 'web01.example.com' { include beta }
node 'broken.example.com' { fail('deliberate') }
node default { notify { "unclassified \${facts['networking']['fqdn']}": } }
`,
  [`${BETA}/manifests/init.pp`]: `# Classes without parameters.
class beta {
  file { '/tmp/understudy-beta': source => 'puppet:///modules/alpha/source.txt' }
}
class beta::two inherits beta {
}
`,
  [`${BETA}/manifests/params.pp`]: `class beta::params (
  String $text = 'a "quoted" text',
  Optional[Integer[0, 10]] $number = 0x0F,
  $untyped = undef,
  Array[String] $list = ['a', 'b'],
  Hash $hash = { 'a' => 1, b => [true, false] },
  $negative = -5,
  $float = 1.50,
  $default_word = default,
  $pattern = /a.*b/,
  $other = $beta::two::x,
  $interpolated = "pre \${facts['a']} post",
  $call = lookup('x'),
  $sum = 1 + 2,
  $heredoc = @(END),
    line
    | END
  $deep = [{ 'k' => ['v', 3.25] }],
  $variables = [$other],
  Enum[
    'one',
    'two'
  ] $spread = 'one',
  $required,
  Sensitive[String] $secret = Sensitive('x'),
  $type = String[1],
  $bare = bareword,
  $qualified = beta::two,
  $empty = '',
  $nested_interpolation = 'single $notvar',
  $double = "no interpolation",
  $escapes = "tab\\there",
  $big = 9223372036854775807,
  $octal = 0755,
  $exponent = 1e3,
  $parenthesised = (1),
  Beta::Alias $aliased = 'x',
  Optional[Stdlib::Port] $foreign = undef,
  Struct[{ name => String, Optional[size] => Integer }] $shaped = { name => 'x' },
  Variant[Integer, Pattern[/^a/], Enum['x']] $varied = 1,
) {
}
`,
  [`${BETA}/types/alias.pp`]: 'type Beta::Alias = String[1]\n',
  [`${BETA}/manifests/define.pp`]: 'define beta::define ($a = 1) {\n}\n',
  [`${BETA}/manifests/sub/deep.pp`]: 'class beta::sub::deep ($x) { }\n',
  [`${BETA}/manifests/nested.pp`]: 'class beta::nested {\n  class inner ($p = 1) { }\n}\n',
  [`${BETA}/manifests/faulty.pp`]: 'class beta::faulty {\n  notify { \n',
  [`${BETA}/lib/facter/flavour.rb`]: "Facter.add(:flavour) { setcode { 'beta' } }\n",
  [`${ALPHA}/metadata.json`]: JSON.stringify({
    name: 'example-alpha',
    version: '1.2.3',
    author: 'example',
    license: 'Apache-2.0',
    summary: 'x',
    source: 'x',
    dependencies: [],
  }),
  [`${ALPHA}/manifests/init.pp`]: 'class alpha (Integer $count = 3) { }\n',
  [`${ALPHA}/lib/facter/flavour.rb`]: "Facter.add(:flavour) { setcode { 'alpha' } }\n",
  [`${ALPHA}/lib/facter/drift.rb`]: "Facter.add(:drift) { setcode { 'alpha' } }\n",
  [`${ALPHA}/lib/puppet/functions/alpha/one.rb`]:
    'Puppet::Functions.create_function(:"alpha::one") { def one; 1; end }\n',
  [`${ALPHA}/facts.d/site.txt`]: 'alpha_site=here\n',
  [`${ALPHA}/facts.d/run.sh`]: '#!/bin/sh\necho alpha_run=yes\n',
  [`${ALPHA}/locales/ja/alpha.po`]: 'msgid ""\nmsgstr ""\n',
  [`${ALPHA}/scripts/hello.sh`]: '#!/bin/sh\necho hello\n',
  [`${ALPHA}/files/source.txt`]: 'a static source file\n',
  [`${ALPHA}/files/empty.txt`]: '',
  [`${ALPHA}/files/with space.txt`]: 'space\n',
  [`${ALPHA}/files/with+plus%percent.txt`]: 'plus\n',
  [`${ALPHA}/files/ünï.txt`]: 'unicode\n',
  [`${ALPHA}/files/long.txt`]: 'x'.repeat(2000),
  [`${ALPHA}/files/tree/one.txt`]: 'one\n',
  [`${ALPHA}/files/tree/run.sh`]: 'run\n',
  [`${ALPHA}/files/tree/.hidden`]: 'hidden\n',
  [`${ALPHA}/files/tree/.private/config`]: 'private\n',
  [`${ALPHA}/files/tree/sub/three.txt`]: 'three\n',
  [`${ALPHA}/files/tree/sub/deeper/four.txt`]: 'four\n',
  [`${ALPHA}/tasks/init.json`]: JSON.stringify({
    description: 'Says hello',
    input_method: 'stdin',
    parameters: { who: { type: 'Optional[String[1]]', description: 'whom' } },
  }),
  [`${ALPHA}/tasks/init.sh`]: '#!/bin/sh\necho hello\n',
  [`${ALPHA}/tasks/plain.rb`]: 'puts 1\n',
  [`${ALPHA}/tasks/private.json`]: '{"description":"hidden","private":true}',
  [`${ALPHA}/tasks/private.sh`]: 'echo private\n',
  [`${ALPHA}/tasks/multi.json`]: JSON.stringify({
    description: 'Two implementations',
    implementations: [
      { name: 'multi.ps1', requirements: ['powershell'] },
      { name: 'multi_nix.sh', requirements: ['shell'], files: ['alpha/files/source.txt'] },
    ],
    files: ['alpha/lib/facter/', 'beta/lib/facter/flavour.rb'],
  }),
  [`${ALPHA}/tasks/multi.ps1`]: 'echo 1\n',
  [`${ALPHA}/tasks/multi_nix.sh`]: 'echo 2\n',
  [`${ALPHA}/tasks/badjson.json`]: '{not json',
  [`${ALPHA}/tasks/badjson.sh`]: 'echo bad\n',
  [`${ALPHA}/tasks/noexec.json`]: '{"description":"metadata only"}',
  [`${ALPHA}/tasks/two.sh`]: 'echo two\n',
  [`${ALPHA}/tasks/two.rb`]: 'puts 2\n',
  [`${ALPHA}/tasks/missing.json`]: JSON.stringify({ files: ['alpha/files/nosuch'], description: 'x' }),
  [`${ALPHA}/tasks/missing.sh`]: 'echo missing\n',
  [`${ALPHA}/tasks/UPPER.sh`]: 'echo upper\n',
  [`${ALPHA}/plans/init.pp`]: '# Says hello\nplan alpha (TargetSpec $targets, String $word = "x") { return $word }\n',
  [`${ALPHA}/plans/sub.pp`]: '# @summary sub\nplan alpha::sub () { }\n',
  [`${ALPHA}/plans/yaml_plan.yaml`]: '---\nsteps: []\n',
  'environments/staging/manifests/site.pp': "notify { 'staging': }\n",
  'environments/staging/environment.conf':
    'modulepath = modules:$basemodulepath\nenvironment_timeout = 0\nconfig_version = bin/version\n',
  'environments/broken/manifests/site.pp': 'class broken::site {\n  notify { \n',
  'environments/bare/manifests/site.pp': '',
  'modules/gamma/metadata.json':
    '{"name":"example-gamma","version":"0.1.0","author":"example","license":"x","summary":"x","source":"x","dependencies":[]}',
  'modules/gamma/files/shared.txt': 'shared\n',
  [`${PRIVATE_FOLDER}/web01.example.com/key.txt`]: 'key of web01\n',
  [`${PRIVATE_FOLDER}/admin.example.com/key.txt`]: 'key of admin\n',
  [`${PRIVATE_FOLDER}/common/key.txt`]: 'key of all\n',
};
