import { afterAll, describe, expect, it } from 'vitest';
import { diagnose } from '../../../../shared/moving-over/doctor/diagnose.ts';
import type { Diagnosis } from '../../../../shared/moving-over/doctor/finding.ts';
import { printDiagnosis } from '../../../../shared/moving-over/doctor/print-diagnosis.ts';
import type { Environment } from '../../../../shared/puppet/environment/environment.ts';
import { NO_RECORDER } from '../../../../shared/puppet/environment/inputs.ts';
import { createMemoryEnvironment } from '../../../../shared/puppet/environment/memory-environment.ts';
import { assumeEdition } from '../../../../shared/puppet/functions/stdlib/pack.ts';
import { type LevelName, languageOf } from '../../../../shared/puppet/levels/language.ts';
import { createWasmRuby } from '../../../../shared/puppet/ruby/wasm/wasm-host.ts';

const ruby = createWasmRuby({ timeLimitMs: 2_000, rendersAll: true });
afterAll(() => ruby.close());

const metadata = (version: string, dependencies: readonly object[] = []) =>
  JSON.stringify({ name: 'a-m', version, source: 's', author: 'a', license: 'l', dependencies });

function inspect(
  files: Readonly<Record<string, string>>,
  limitMs = 60_000,
  prepare: (environment: Environment) => void = () => {},
  level: LevelName = 'openvox-8',
): Diagnosis {
  const root = 'environments/production';
  const placed = Object.entries(files).map(([path, text]) => [
    path.startsWith('/') ? path.slice(1) : `${root}/${path}`,
    text,
  ]);
  const open = () => {
    const environment = createMemoryEnvironment({
      name: 'production',
      codeDirectory: '/code',
      files: Object.fromEntries(placed),
      globalHiera: '/code/hiera.yaml',
      inputs: NO_RECORDER,
    });
    prepare(environment);
    return environment;
  };
  return diagnose({ open, codeDirectory: '/code', language: languageOf(level), ruby, now: () => 0, limitMs });
}

/** `verdict area name: reason (file:line)` of all that does not simply run. */
function list({ findings }: Diagnosis): string[] {
  return findings
    .filter(({ verdict }) => verdict !== 'runs')
    .map(
      ({ verdict, area, name, reason, file, line }) =>
        `${verdict} ${area} ${name}: ${reason} (${file}${line === null ? '' : `:${line}`})`,
    );
}

const ROOT = '/code/environments/production';
const NEWFUNCTION = (body: string) =>
  `Puppet::Functions.create_function(:'m::f') do\n  def f\n    ${body}\n  end\nend\n`;
const FUNCTION = 'modules/m/lib/puppet/functions/m/f.rb';
const TYPE = 'modules/m/lib/puppet/type/t.rb';

const APPLE_DOUBLE = '\0\u0005\u0016\u0007\uFFFD';

it('passes over the hidden files that macOS leaves, as Puppet does', () => {
  const files = [
    'manifests/._init.pp',
    'functions/._g.pp',
    'types/._t.pp',
    'lib/puppet/type/._t.rb',
    'templates/._e.epp',
  ];
  const more = ['lib/puppet/functions/m/._f.rb', 'lib/puppet/parser/functions/._g.rb', 'lib/puppet/type/.old/t.rb'];
  const hidden = [...files, ...more].map((path) => [`modules/m/${path}`, APPLE_DOUBLE]);
  const diagnosis = inspect({ 'modules/m/manifests/init.pp': 'class m { }', ...Object.fromEntries(hidden) });
  expect(diagnosis.findings.filter(({ name, file }) => `${name} ${file}`.includes('._'))).toEqual([]);
  expect(list(diagnosis)).toEqual([]);
});

const NEWTYPE = (name: string) => `Puppet::Type.newtype(:${name}) do\n  newparam(:name)\nend\n`;
const PROVIDER = (type: string, needs: string, body = '') =>
  `${needs}\nPuppet::Type.type(:${type}).provide(:one) do\n  def create\n    ${body}\n  end\nend\n`;

it('sees the code that a function reads and evaluates', () => {
  const read = "f = File.join(File.dirname(__FILE__), '..', '..', '..', 'puppetx', 'm', 'impl.rb')";
  const files = {
    [FUNCTION]: NEWFUNCTION(`${read}\n    Object.new.instance_eval(File.read(f), f)`),
    'modules/m/lib/puppetx/m/impl.rb': "def write_it\n  File.write('/srv/x', 'a')\nend\n",
  };
  expect(list(inspect(files))).toEqual([
    `differs Ruby functions m::f: a file that it evaluates writes files (File.write) (${ROOT}/${FUNCTION})`,
  ]);
});

it('sees that a provider requires a library of another module, which Puppet does not find', () => {
  const files = {
    [TYPE]: NEWTYPE('t'),
    'modules/m/lib/puppet/provider/t/own.rb': PROVIDER('t', "require 'puppet_x/m/own'"),
    'modules/m/lib/puppet_x/m/own.rb': '',
    'modules/m/lib/puppet/provider/t/other.rb': PROVIDER('t', "# other\nrequire 'puppet_x/n/other'"),
    'modules/m/lib/puppet/provider/t/rescued.rb': PROVIDER(
      't',
      "begin\n  require 'puppet_x/n/other'\nrescue LoadError\n  nil\nend",
    ),
    'modules/n/lib/puppet_x/n/other.rb': '',
  };
  expect(list(inspect(files))).toEqual([
    `differs resource types t: it loads here, but Puppet fails with its provider other: cannot load such file -- puppet_x/n/other (${ROOT}/modules/m/lib/puppet/provider/t/other.rb:2)`,
  ]);
});

const CASES: readonly (readonly [string, Readonly<Record<string, string>>, readonly string[]])[] = [
  [
    'an environment graph with an unknown group',
    { 'environment-graph.yaml': 'groups:\n  web:\n    nodes: [web01]\n    after: [db]\n' },
    [
      `fails settings environment-graph.yaml: the group web waits for the unknown group db (${ROOT}/environment-graph.yaml:4)`,
    ],
  ],
  ['an environment graph', { 'environment-graph.yaml': 'groups:\n  web:\n    nodes: [web01]\n' }, []],
  [
    'a function that needs the network',
    { [FUNCTION]: NEWFUNCTION('Net::HTTP.get(1)') },
    [`fails Ruby functions m::f: needs the network (Net::HTTP) (${ROOT}/${FUNCTION}:3)`],
  ],
  [
    'a function that needs a gem',
    { [FUNCTION]: `require 'nosuch'\n${NEWFUNCTION('1')}` },
    [`fails Ruby functions m::f: cannot load such file -- nosuch (${ROOT}/${FUNCTION}:1)`],
  ],
  [
    'a function whose library is missing',
    { [FUNCTION]: `require_relative '../../../puppet_x/m'\n${NEWFUNCTION('1')}` },
    [`fails Ruby functions m::f: cannot load such file -- ${ROOT}/modules/m/lib/puppet_x/m (${ROOT}/${FUNCTION}:1)`],
  ],
  [
    'a function that requires what raises, when it runs',
    {
      [FUNCTION]: NEWFUNCTION("# require 'other'\n    require_relative '../../../puppet_x/m'"),
      'modules/m/lib/puppet_x/m.rb': "raise 'no use'",
    },
    [`fails Ruby functions m::f: it requires ../../../puppet_x/m when it runs: no use (${ROOT}/${FUNCTION}:4)`],
  ],
  [
    'a function that does without a gem, and one that requires what is there',
    {
      [FUNCTION]: NEWFUNCTION("begin\n      require 'nosuch'\n    rescue LoadError\n      1\n    end"),
      'modules/m/lib/puppet/functions/m/g.rb': NEWFUNCTION("require 'json'").replaceAll(/\bf\b/g, 'g'),
    },
    [
      `differs Ruby functions m::f: it requires nosuch when it runs: cannot load such file -- nosuch (${ROOT}/${FUNCTION}:4)`,
    ],
  ],
  [
    'a function that calls one that does not run',
    {
      [FUNCTION]: NEWFUNCTION('Net::HTTP.get(1)'),
      'modules/m/lib/puppet/functions/m/g.rb': NEWFUNCTION("call_function('m::f')")
        .replace(/:'m::f'/, ":'m::g'")
        .replace('def f', 'def g'),
      'modules/m/templates/t.erb': "call_function('m::f')\n<%= scope.call_function('m::f', []) %>",
      'modules/m/templates/u.erb': "call_function('m::f')",
    },
    [
      `differs ERB templates templates/t.erb: it calls m::f, which does not run (${ROOT}/modules/m/templates/t.erb:2)`,
      `fails Ruby functions m::f: needs the network (Net::HTTP) (${ROOT}/${FUNCTION}:3)`,
      `differs Ruby functions m::g: it calls m::f, which does not run (${ROOT}/modules/m/lib/puppet/functions/m/g.rb:3)`,
    ],
  ],
  [
    'a template that requires a gem',
    { 'modules/m/templates/t.erb': "one\n<% require 'nosuch' %>" },
    [
      `fails ERB templates templates/t.erb: it requires nosuch when it runs: cannot load such file -- nosuch (${ROOT}/modules/m/templates/t.erb:2)`,
    ],
  ],
  [
    'a function whose library needs the network',
    {
      [FUNCTION]: `require_relative '../../../puppet_x/m'\n${NEWFUNCTION('1')}`,
      'modules/m/lib/puppet_x/m.rb': 'module PuppetX::M\n  def self.get = Net::HTTP.get(1)\nend\n',
    },
    [`differs Ruby functions m::f: a file that it requires needs the network (Net::HTTP) (${ROOT}/${FUNCTION})`],
  ],
  [
    'a function that hangs when it is loaded',
    { [FUNCTION]: 'loop {}\nPuppet::Functions.create_function(:x)' },
    [`fails Ruby functions m::f: Ruby was stopped in m::f: it took more than 2000 milliseconds (${ROOT}/${FUNCTION})`],
  ],
  [
    'a function of the old API',
    {
      'modules/m/lib/puppet/parser/functions/old.rb':
        'module Puppet::Parser::Functions\n  newfunction(:old) { |args| ENV["x"] }\nend\n',
    },
    [
      `differs Ruby functions old: reads environment variables: there are none (ENV) (${ROOT}/modules/m/lib/puppet/parser/functions/old.rb:2)`,
    ],
  ],
  [
    'a template that is none',
    { 'modules/m/templates/a/t.erb': 'x\n<% if @a %>\n' },
    [
      `fails ERB templates templates/a/t.erb: ${ROOT}/modules/m/templates/a/t.erb:3: syntax error, unexpected end-of-input, expecting \`end' or dummy end (${ROOT}/modules/m/templates/a/t.erb:3)`,
    ],
  ],
  [
    'an EPP template that is none',
    { 'modules/m/templates/t.epp': 'x\n<% if { %>\n' },
    [`invalid EPP templates templates/t.epp: Syntax error at end of input (${ROOT}/modules/m/templates/t.epp)`],
  ],
  [
    'a type that raises',
    { [TYPE]: "Puppet::Type.newtype(:t) do\n  [1].each { raise 'no' }\nend\n" },
    [`fails resource types t: no (${ROOT}/${TYPE}:2)`],
  ],
  [
    'a type that needs a gem',
    { [TYPE]: "require 'nosuch'\nPuppet::Type.newtype(:t) do\n  newparam(:name)\nend\n" },
    [
      `differs resource types t: it does not load, so its attributes are read from its text: cannot load such file -- nosuch (${ROOT}/${TYPE}:1)`,
    ],
  ],
  [
    'a type whose attributes are in code that does not load',
    {
      [TYPE]: "require 'puppet_x/maker'\nPuppetX::Maker.make(:t)\n",
      'modules/m/lib/puppet_x/maker.rb': "require 'nosuch/grammar'\n",
    },
    [`fails resource types t: cannot load such file -- nosuch/grammar (${ROOT}/modules/m/lib/puppet_x/maker.rb:1)`],
  ],
  [
    'types that ask for a module, and for what only a compile has',
    {
      [TYPE]:
        "Puppet::Type.newtype(:t) do\n  newparam(:name)\n  raise 'no' unless Puppet::Module.find('m').path\nend\n",
      'modules/m/lib/puppet/type/u.rb':
        "Puppet::Type.newtype(:u) do\n  newparam(:name)\n  Puppet::Parser::Files.find_file('m/x', nil)\nend\n",
    },
    [
      `note resource types u: not tried: Ruby asked for the function find_file where nothing is compiled (${ROOT}/modules/m/lib/puppet/type/u.rb)`,
    ],
  ],
  [
    'types with a provider that does not load',
    {
      [TYPE]: NEWTYPE('t'),
      'modules/m/lib/puppet/provider/t/good.rb': PROVIDER('t', "require 'json'"),
      'modules/m/lib/puppet/provider/t/late.rb': PROVIDER('t', '', "require 'nosuch'"),
      'modules/m/lib/puppet/provider/t/rescued.rb': PROVIDER(
        't',
        "begin\n  require 'nosuch'\nrescue LoadError\n  nil\nend",
      ),
      'modules/m/lib/puppet/provider/t/with_fact.rb': PROVIDER('t', "require 'json'\nFacter.value(:nosuch).split"),
      'modules/m/lib/puppet/type/u.rb': NEWTYPE('u'),
      'modules/m/lib/puppet/provider/u/one.rb': PROVIDER('u', "require_relative '../base'"),
      'modules/m/lib/puppet/provider/base.rb': "require 'nosuch/client'\n",
      'modules/m/lib/puppet/type/v.rb': NEWTYPE('v'),
      'modules/m/lib/puppet/provider/v/one.rb': PROVIDER('v', "require Puppet::Module.find('absent').path + '/x'"),
    },
    [
      `differs resource types u: it loads here, but Puppet fails with its provider one: cannot load such file -- nosuch/client (${ROOT}/modules/m/lib/puppet/provider/u/one.rb)`,
      `differs resource types v: it loads here, but Puppet fails with its provider one: undefined method \`path' for nil:NilClass (${ROOT}/modules/m/lib/puppet/provider/v/one.rb:1)`,
    ],
  ],
  [
    'a type that changes titles',
    {
      [TYPE]:
        'Puppet::Type.newtype(:t) do\n  newparam(:name)\n  def self.title_patterns\n    [[/(.*)/, [[:name, ->(x) { x.upcase }]]]]\n  end\nend\n',
    },
    [
      `differs resource types t: Ruby code converts the parts of titles for namevars; here the parts stay as they are (${ROOT}/${TYPE})`,
    ],
  ],
  [
    'a data type in Ruby',
    {
      'modules/m/lib/puppet/datatypes/point.rb':
        'Puppet::DataTypes.create_type("Line") { interface "attributes => { x => Integer }" }',
    },
    [
      `fails Ruby data types point: The code loaded from ${ROOT}/modules/m/lib/puppet/datatypes/point.rb produced mis-matched name, expected 'point', got Line (${ROOT}/modules/m/lib/puppet/datatypes/point.rb)`,
    ],
  ],
  [
    'a manifest that does not parse',
    { 'modules/m/manifests/init.pp': 'class m {\n  $a = \n}\n' },
    [`invalid manifests manifests/init.pp: Syntax error at '}' (${ROOT}/modules/m/manifests/init.pp:3)`],
  ],
  [
    'a manifest that is not valid',
    { 'modules/m/manifests/x.pp': 'class m::y {\n}\n' },
    [
      `invalid manifests manifests/x.pp: Unacceptable location. The name 'm::y' is unacceptable in file 'manifests/x.pp' (${ROOT}/modules/m/manifests/x.pp:1)`,
    ],
  ],
  [
    'dependencies',
    {
      'modules/m/metadata.json': metadata('1.0.0', [
        { name: 'a/n', version_requirement: '>= 2.0.0' },
        { name: 'a-o' },
        { name: 'a-n' },
      ]),
      'modules/n/metadata.json': metadata('1.5.0'),
    },
    [
      'note modules m: needs a/n >= 2.0.0: the version is 1.5.0 (null)',
      'note modules m: needs a-o: it is missing (null)',
    ],
  ],
  [
    'a hidden module',
    { '/modules/m/metadata.json': metadata('0.1.0'), 'modules/m/metadata.json': metadata('1.0.0') },
    [`note modules /code/modules/m: /code/modules/m is hidden by ${ROOT}/modules/m (/code/modules/m)`],
  ],
  [
    'metadata that is none',
    { 'modules/m/metadata.json': '{"name": "a-m"}' },
    [
      `note modules metadata.json: the module is left out, as Puppet does: No source module metadata provided for m (${ROOT}/modules/m/metadata.json)`,
    ],
  ],
  [
    'an unknown Hiera function',
    { 'hiera.yaml': 'version: 5\nhierarchy:\n  - name: a\n    lookup_key: m::vault\n    path: x.yaml\n' },
    [`fails Hiera ${ROOT}/hiera.yaml: function 'm::vault' does not exist (lookup_key) (${ROOT}/hiera.yaml)`],
  ],
  [
    'a Hiera function that needs the network',
    {
      'hiera.yaml': 'version: 5\nhierarchy:\n  - name: a\n    lookup_key: m::f\n    path: x.yaml\n',
      [FUNCTION]: NEWFUNCTION('Net::HTTP.get(1)'),
    },
    [
      `fails Hiera ${ROOT}/hiera.yaml: m::f needs the network (Net::HTTP) (${ROOT}/${FUNCTION}:3)`,
      `fails Ruby functions m::f: needs the network (Net::HTTP) (${ROOT}/${FUNCTION}:3)`,
    ],
  ],
  [
    'a Hiera of an unknown version',
    { 'modules/m/hiera.yaml': 'version: 6\n', 'modules/m/metadata.json': metadata('1.0.0') },
    [
      `fails Hiera hiera.yaml: This runtime does not support hiera.yaml version 6 (file: ${ROOT}/modules/m/hiera.yaml) (${ROOT}/modules/m/hiera.yaml)`,
    ],
  ],
  [
    'a Hiera 3 of an environment',
    { 'hiera.yaml': '---\n:backends:\n  - yaml\n' },
    [
      `fails Hiera ${ROOT}/hiera.yaml: hiera.yaml version 3 cannot be used in an environment (file: ${ROOT}/hiera.yaml) (${ROOT}/hiera.yaml)`,
    ],
  ],
  [
    'folders outside of the control repo that are not there',
    { 'environment.conf': 'modulepath = modules:none:/usr/share/none\nmanifest = /usr/share/none/site.pp\n' },
    ['/usr/share/none', '/usr/share/none/site.pp'].map(
      (path) =>
        `differs settings environment.conf: ${path} is neither in the control repo nor on this machine: its code is not inspected (${ROOT}/environment.conf)`,
    ),
  ],
  [
    'an eyaml key elsewhere',
    {
      '/hiera.yaml':
        'version: 5\nhierarchy:\n  - name: a\n    lookup_key: eyaml_lookup_key\n    path: x.eyaml\n    options:\n      pkcs7_private_key: /etc/keys/private.pem\n',
    },
    [
      'fails Hiera /code/hiera.yaml: the key /etc/keys/private.pem is not a file of the control repo: encrypted values fail (/code/hiera.yaml)',
    ],
  ],
  [
    'an eyaml key in an environment variable',
    {
      '/hiera.yaml':
        'version: 5\nhierarchy:\n  - name: a\n    lookup_key: eyaml_lookup_key\n    path: x.eyaml\n    options:\n      pkcs7_private_key_env_var: EYAML_KEY\n      pkcs7_public_key_env_var: EYAML_PUBLIC\n',
    },
    [
      'note Hiera /code/hiera.yaml: the key is read from the environment variable EYAML_KEY of the compiler: UNDERSTUDY_EYAML_VARIABLES must list it (/code/hiera.yaml)',
    ],
  ],
  [
    'settings',
    {
      'environment.conf': 'nosuch = 1\nconfig_version = scripts/version\n',
      '/puppet.conf': '[master]\nstrict = error\nnode_terminus = exec\nautosign = /x\n',
      '/fileserver.conf': '[files]\n  path /srv/files\n',
    },
    [
      `note settings environment.conf: Invalid settings in environment.conf at '${ROOT}/environment.conf'. The following unknown setting(s) are being ignored: nosuch (${ROOT}/environment.conf)`,
      `differs settings environment.conf: config_version '${ROOT}/scripts/version' is not run, as no program runs on a server: the version of a catalog is the time of its compile, and its code_id names the code (${ROOT}/environment.conf)`,
      'differs settings puppet.conf node_terminus: a program classifies nodes where `understudy server` has the option --enc (/code/puppet.conf:3)',
      'differs settings puppet.conf autosign: requests are signed by the option --autosign, or by hand: this setting is ignored (/code/puppet.conf:4)',
      "fails settings fileserver.conf: The path '/srv/files' of the mount 'files' is no folder of the control repo: give it relative to this file, or below /code (/code/fileserver.conf:2)",
    ],
  ],
];

describe('diagnose', () => {
  it.each(CASES)('reports %s', (_what, files, expected) => {
    expect(list(inspect(files))).toEqual(expected);
  });

  it('reports nothing of what runs', () => {
    const diagnosis = inspect({
      'manifests/site.pp': 'include m',
      'hiera.yaml': 'version: 5\n',
      'data/common.yaml': 'a: 1\n',
      'modules/m/metadata.json': metadata('1.0.0'),
      'modules/m/manifests/init.pp': 'class m { }',
      'modules/m/templates/a.erb': '<%= @a %>',
      'modules/m/templates/a.epp': '<%= $a %>',
      'modules/m/lib/facter/a.rb': 'Facter.add(:a) { }',
      [FUNCTION]: NEWFUNCTION('1'),
      [TYPE]: 'Puppet::Type.newtype(:t) do\n  newparam(:name)\nend\n',
    });
    expect(list(diagnosis)).toEqual([]);
    expect(printDiagnosis(diagnosis, true)).toBe(`Environment production: ${ROOT}

                          runs     differs       fails     invalid       notes
  modules                    1           -           -           -           -
  settings                   1           -           -           -           -
  Hiera                      1           -           -           -           -
  manifests                  2           -           -           -           -
  EPP templates              1           -           -           -           -
  ERB templates              1           -           -           -           -
  Ruby functions             1           -           -           -           -
  resource types             1           -           -           -           -
  facts                      1           -           -           -           -

Modules:
  m 1.0.0: 1 manifest, 1 EPP template, 1 ERB template, 1 Ruby function, 1
    resource type, 1 fact

1 module. All 10 things run.
`);
  });

  it("tells of stdlib's functions that need the network for some arguments", () => {
    const path = 'modules/stdlib/lib/puppet/parser/functions/loadyaml.rb';
    const text =
      "module Puppet::Parser::Functions\n  newfunction(:loadyaml) { |args| require 'open-uri'; URI.open(args[0]) }\nend\n";
    const diagnosis = inspect({ [path]: text }, 60_000, (environment) => assumeEdition(environment, '9'));
    expect(list(diagnosis)).toEqual([
      `differs Ruby functions loadyaml: needs the network (open-uri) (${ROOT}/${path}:2)`,
    ]);
  });

  it('groups what does not run by module, a few of each', () => {
    const files = Object.fromEntries([1, 2, 3, 4, 5].map((n) => [`modules/m/manifests/c${n}.pp`, 'class x { }']));
    expect(printDiagnosis(inspect(files), false)).toBe(`Environment production: ${ROOT}

                          runs     differs       fails     invalid       notes
  modules                    1           -           -           -           -
  settings                   1           -           -           -           -
  manifests                  -           -           -           5           -

Not valid, in Puppet either:
  m
    manifest manifests/c1.pp: Unacceptable location. The name 'x' is
      unacceptable in file 'manifests/c1.pp'
      at modules/m/manifests/c1.pp:1
    manifest manifests/c2.pp: Unacceptable location. The name 'x' is
      unacceptable in file 'manifests/c2.pp'
      at modules/m/manifests/c2.pp:1
    manifest manifests/c3.pp: Unacceptable location. The name 'x' is
      unacceptable in file 'manifests/c3.pp'
      at modules/m/manifests/c3.pp:1
    … and 2 more of m
  3 of 5: --verbose prints all

1 module. 2 things run, 0 with a difference besides; 0 do not, 5 are not valid.
`);
  });

  it('says which lines of Ruby led to the one that fails', () => {
    const files = { [TYPE]: "Puppet::Type.newtype(:t) do\n  [1].each { raise 'no' }\nend\n" };
    expect(printDiagnosis(inspect(files), false)).toMatch(
      /type t: no\n {6}at modules\/m\/lib\/puppet\/type\/t\.rb:2\n( {6}from modules\/m\/lib\/puppet\/type\/t\.rb:2:in .*\n)+ {6}from modules\/m\/lib\/puppet\/type\/t\.rb:1:in .*\n/,
    );
  });

  it('stops its trials when their time is over', () => {
    expect(list(inspect({ [FUNCTION]: 'loop {}\nPuppet::Functions.create_function(:x)' }, 0))).toEqual([
      `note Ruby functions m::f: not tried: the time limit for trials was reached (${ROOT}/${FUNCTION})`,
    ]);
  });
});

describe('the language', () => {
  const site = [
    'regsubst("a", "b", "c", "G", "N")',
    '"a".regsubst("b", "c", "G")',
    'notice($settings::pluginsync, $settings::strict)',
    'zone { "z": }',
    'package { "vim": environment => ["A=1"] }',
    'notice($facts["osfamily"], $facts["os"], $::hostname)',
    'notice(hiera("k"))',
  ].join('\n');
  const files = {
    'manifests/site.pp': site,
    'environment.conf': 'environment_data_provider = function\n',
  };
  const at = `${ROOT}/manifests/site.pp`;
  const common = [
    `note language manifests/site.pp: hiera is deprecated in favor of lookup (${at}:7)`,
    `differs language manifests/site.pp: reads legacy facts, which agents of Puppet 8 and OpenVox do not send: hostname, osfamily (${at}:6)`,
  ];

  it.each([
    ['puppet-8', [`fails language manifests/site.pp: package has no parameter 'environment' (${at}:5)`, ...common]],
    ['openvox-8', common],
    [
      'openvox-9',
      [
        `differs language environment.conf: environment_data_provider is ignored: environment::data() is no longer asked, and its data is missing (${ROOT}/environment.conf)`,
        `fails language manifests/site.pp: regsubst takes no encoding: the fifth argument is an error (${at}:1)`,
        `fails language manifests/site.pp: there is no setting pluginsync: the variable is unknown (${at}:3)`,
        `fails language manifests/site.pp: the type zone is in the module zone_core, which the environment has not (${at}:4)`,
        ...common,
      ],
    ],
  ] as const)('at the level %s', (level, findings) => {
    const found = list(inspect(files, undefined, undefined, level)).filter((line) => / language /.test(line));
    expect(found).toEqual(findings);
  });

  it('of puppet.conf lacks settings at a level', () => {
    const conf = {
      '/puppet.conf': '[main]\npluginsync = true\ndata_binding_terminus = none\n[agent]\nconfigprint = a\n',
    };
    const lines = (level: LevelName) =>
      list(inspect(conf, undefined, undefined, level)).filter((line) => / puppet.conf/.test(line));
    const hiera =
      "differs settings puppet.conf data_binding_terminus: the global layer is the control repo's hiera.yaml, as in OpenVox 9, which has no such setting (/code/puppet.conf:3)";
    const gone = (name: string, line: number) =>
      `note settings puppet.conf ${name}: OpenVox 9.0.0 has no such setting (/code/puppet.conf:${line})`;
    expect(lines('openvox-8')).toEqual([hiera]);
    expect(lines('openvox-9')).toEqual([gone('pluginsync', 2), hiera, gone('configprint', 5)]);
  });

  it('is that of the functions which Hiera calls', () => {
    const hiera = {
      'hiera.yaml': 'version: 5\nhierarchy:\n  - name: a\n    lookup_key: m::seek\n    path: x.yaml\n',
      'data/x.yaml': 'a: 1\n',
      'modules/m/lib/puppet/functions/m/seek.rb': `Puppet::Functions.create_function(:'m::seek') do
  dispatch(:seek) { param 'String', :key; param 'Hash', :options; param 'Puppet::LookupContext', :context }
  def seek(key, options, context)
    context.not_found if File.exists?(options['path']) || true
  end
end
`,
    };
    const lines = (level: LevelName) =>
      list(inspect(hiera, undefined, undefined, level)).filter((line) => / Hiera /.test(line));
    expect(lines('openvox-8')).toEqual([]);
    expect(lines('openvox-9')).toEqual([
      `fails Hiera ${ROOT}/hiera.yaml: undefined method 'exists?' for class File (${ROOT}/hiera.yaml)`,
    ]);
  });

  it('of Ruby code is that of the Ruby that servers of the level run', () => {
    const code = {
      [FUNCTION]: NEWFUNCTION(
        [
          "File.exists?('/x') # Dir.exists?",
          "'a'.untaint",
          'CGI.escape(CGI.parse("a=b").to_s)',
          "open('| date').read",
          "Puppet::Util.get_env('HOME')",
          "ERB.new(File.read('x'), nil, '-').result",
          "ERB.new(File.read('x'), trim_mode: '-').result",
          'x.is_a?(Fixnum)',
        ].join('\n    '),
      ),
      'modules/m/lib/puppet/functions/m/g.rb': NEWFUNCTION("CGI.escapeHTML(IO.popen(['date']).read)"),
      'modules/m/templates/t.erb': 'a\n<%= @facts -%>\n<%= @list.map { |one| one.inspect }.join %>\n',
      'modules/m/templates/u.erb': '<%= @list.inspect %> <%= @facts["os"] %>\n',
      'modules/m/templates/v.erb': '<%= @list.keys.sort.inspect %> <%= @list.join(",").inspect %>\n',
      'modules/m/lib/puppet_x/m/x.rb': "Dir.exists?('/x')\n",
      'modules/m/lib/puppet/provider/p/q.rb': "# File.exists?\nFile.exists?('/x')\n",
      'modules/m/lib/facter/f.rb': 'confine { 1.is_a?(Bignum) }\n',
    };
    const lines = (level: LevelName) =>
      list(inspect(code, undefined, undefined, level)).filter((line) => / language /.test(line));
    const printed = 'prints with inspect: Ruby 3.4 shows hashes otherwise';
    const ofAgents = 'uses exists?, Fixnum or Bignum, which agents since Puppet 8 have no more (Ruby 3.2)';
    const erb = 'calls ERB.new with more than a text, which Ruby 4.0 takes by name: trim_mode: and eoutvar:';
    expect(lines('openvox-8')).toEqual([]);
    expect(lines('openvox-9')).toEqual([
      `note language lib/puppet/functions/m/f.rb: calls a wrapper of ENV in Puppet::Util, which OpenVox 9 deprecates (${ROOT}/${FUNCTION}:7)`,
      `fails language lib/puppet/functions/m/f.rb: calls exists?, which Ruby 3.2 removed: exist? is there (${ROOT}/${FUNCTION}:3)`,
      `fails language lib/puppet/functions/m/f.rb: names Fixnum or Bignum, which Ruby 3.2 removed: Integer is there (${ROOT}/${FUNCTION}:10)`,
      `fails language lib/puppet/functions/m/f.rb: ${erb} (${ROOT}/${FUNCTION}:8)`,
      `fails language lib/puppet/functions/m/f.rb: calls untaint or tainted?, which Ruby 3.2 removed (${ROOT}/${FUNCTION}:4)`,
      `fails language lib/puppet/functions/m/f.rb: uses the library cgi, of which Ruby 4.0 keeps only the methods that escape (${ROOT}/${FUNCTION}:5)`,
      `fails language lib/puppet/functions/m/f.rb: starts a process by a text that begins with |, which Ruby 4.0 removed: IO.popen is there (${ROOT}/${FUNCTION}:6)`,
      `fails language lib/puppet_x/m/x.rb: calls exists?, which Ruby 3.2 removed: exist? is there (${ROOT}/modules/m/lib/puppet_x/m/x.rb:1)`,
      `note language lib/facter/f.rb: ${ofAgents} (${ROOT}/modules/m/lib/facter/f.rb:1)`,
      `note language lib/puppet/provider/p/q.rb: ${ofAgents} (${ROOT}/modules/m/lib/puppet/provider/p/q.rb:2)`,
      `differs language templates/t.erb: prints a hash, which Ruby 3.4 shows otherwise (${ROOT}/modules/m/templates/t.erb:2)`,
      `note language templates/u.erb: ${printed} (${ROOT}/modules/m/templates/u.erb:1)`,
    ]);
  });
});
