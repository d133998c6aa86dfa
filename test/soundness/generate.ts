import { memoryFile, type TreeFile } from '../../shared/puppet/environment/memory-tree.ts';
import type { State } from './subject.ts';

const ROOT = 'environments/production';
const MODULES = ['alpha', 'beta', 'gamma'] as const;
const NODES = ['one.example.com', 'two.example.com'];

/** Numbers from 0 to 1 that follow from `seed` (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** Expressions that read an input; `M` is the module's name, `N` a number. */
const EXPRESSIONS = [
  "$facts['os']['family']",
  "$facts['os']",
  "$facts['absent']",
  '$absentN',
  '$role',
  '$facts[\'net\'].map |$k, $v| { "$k=$v" }',
  "$facts['net'].keys",
  "$facts['disks'][0]",
  "'role' in $facts",
  "$facts.dig('os', 'release', 'major')",
  "$facts['num'] ? { Integer[3] => 'many', default => 'few' }",
  "if $facts['num'] =~ Integer and $facts['num'] > 3 { 'many' } else { 'few' }",
  "$facts['os'] ? { Struct[{family => String, Optional[x] => String}] => 'plain', default => 'more' }",
  "$trusted['certname']",
  "lookup('keyN', { 'default_value' => 'none' })",
  "lookup('hashN', { 'merge' => 'deep', 'default_value' => {} })",
  "lookup('hashN', { 'default_value' => {} }).map |$k, $v| { \"$k\" }",
  "lookup('listN', { 'merge' => 'unique', 'default_value' => [] })",
  "lookup('hashN.a', { 'default_value' => 'none' })",
  "lookup('linkN', { 'default_value' => 'none' })",
  "file('M/textN', 'M/other')",
  "find_file('M/textN', '/etc/puppetlabs/code/environments/production/data/roles')",
  "epp('M/page.epp')",
  'M::double(N)',
  "defined('M::extra')",
  "defined('gamma::extraN')",
  "module_directory('beta', 'nosuch')",
  '$tier',
] as const;

/** Statements; they may add resources of other nodes or classes. */
const STATEMENTS = [
  "Notify <<| tag == 'tagN' |>>",
  "Notify <<| tag == 'tagN' |>> { withpath => true }",
  "Notify <<| title == 'exportN' |>>",
  'Notify <<| |>>',
  "include 'gamma::extra'",
  `@@notify { "mine M N \${facts['os']['family']}": }`,
  "lookup('classes', { 'merge' => 'unique', 'default_value' => [] }).include",
] as const;

/** An environment with modules, data in layers and exports, and its nodes, as `seed` decides. */
export function generateSubjects(seed: number): readonly State[] {
  const random = seededRandom(seed);
  const texts: Record<string, string> = { ...FILES, 'hiera.yaml': HIERA };
  for (const module of MODULES) Object.assign(texts, generateModule(module, random));
  for (const path of ['common', 'os/Debian', 'roles/web', `nodes/${NODES[0]}`, 'globs/a', 'globs/b']) {
    if (random() < 0.85) texts[`data/${path}.yaml`] = generateData(random);
  }
  const files = new Map<string, TreeFile>(
    Object.entries(texts).map(([path, text]) => [`${ROOT}/${path}`, memoryFile(text)]),
  );
  return NODES.map((certname, index) => ({
    certname,
    files,
    facts: index === 0 ? FACTS : { ...FACTS, os: { family: 'RedHat', x: 'y' }, role: 'db', num: 5 },
    exports: generateExports(random),
    classification:
      random() < 0.5
        ? null
        : {
            classes: { beta: {}, 'gamma::extra': {} },
            parameters: { tier: 'gold', other: { a: 1, b: 2 } },
            environment: null,
          },
  }));
}

const FACTS = {
  os: { family: 'Debian', release: { major: '12', minor: '5' } },
  net: { eth0: '10.0.0.1', eth1: '10.0.0.2' },
  disks: ['sda', 'sdb'],
  num: 2,
  role: 'web',
  uptime: 5,
};

const HIERA = `version: 5
hierarchy:
  - {name: node, path: "nodes/%{trusted.certname}.yaml"}
  - {name: os, path: "os/%{facts.os.family}.yaml"}
  - {name: role, paths: ["roles/%{facts.role}.yaml", "roles/none.yaml"]}
  - {name: globs, glob: "globs/*.yaml"}
  - {name: common, path: common.yaml}
`;

const FILES: Readonly<Record<string, string>> = {
  'environment.conf': 'modulepath = site:modules\n',
  'manifests/site.pp': "include alpha\ninclude beta\nnode 'one.example.com' { include gamma }\nnode default { }\n",
  'site/README': 'no module',
  'modules/gamma/manifests/extra.pp': "class gamma::extra { notify { 'extra': } }",
};

function generateModule(module: string, random: () => number): Record<string, string> {
  const values = many(3 + Math.floor(random() * 5), () => fill(choose(EXPRESSIONS, random), module, random));
  const statements = many(2, () => fill(choose(STATEMENTS, random), module, random));
  const body = [
    ...values.map(
      (value, index) => `  $v${index} = ${value}\n  notify { "${module} ${index}": message => "\${v${index}}" }`,
    ),
    ...new Set(statements.map((statement) => `  ${statement}`)),
  ];
  return {
    [`modules/${module}/manifests/init.pp`]: `class ${module}($param = 'none') {\n${body.join('\n')}\n  notify { "param of ${module} \${param}": }\n}\n`,
    [`modules/${module}/functions/double.pp`]: `function ${module}::double($x) { $x * 2 }\n`,
    [`modules/${module}/templates/page.epp`]: "role <%= $facts['role'] %>\n",
    [`modules/${module}/files/text1`]: 'text 1\n',
    [`modules/${module}/files/other`]: 'other\n',
    [`modules/${module}/hiera.yaml`]: 'version: 5\nhierarchy: [{name: common, path: common.yaml}]\n',
    [`modules/${module}/data/common.yaml`]:
      random() < 0.5 ? `${module}::param: of the module\n${module}::more: 1\n` : '{}\n',
  };
}

const ENTRIES: readonly ((random: () => number, number: number) => readonly [string, unknown])[] = [
  (random, number) => [`key${number}`, choose(['a', 1, true, '%{facts.role}', "%{lookup('key2')}", null], random)],
  (random, number) => [`hash${number}`, { a: choose([1, 'x'], random), b: { c: choose([1, 2], random) } }],
  (random, number) => [`list${number}`, [choose(['x', 'y'], random), '--z']],
  (random, number) => [`link${number}`, `%{lookup('${choose(['key1', 'hash1.a', 'key9'], random)}')}`],
  (random, number) => [`alias${number}`, `%{alias('${choose(['hash1', 'list1'], random)}')}`],
  (random) => ['alpha::param', choose(['from data', '%{facts.num}'], random)],
  (random) => [
    'lookup_options',
    {
      '^hash': { merge: choose(['deep', 'hash', 'first'], random) },
      ...choose<Record<string, unknown>>(
        [{}, { '^ha': { merge: 'first' } }, { key1: { convert_to: 'Array' } }],
        random,
      ),
      ...choose<Record<string, unknown>>([{}, { list1: { merge: 'unique' }, key9: { merge: 'first' } }], random),
    },
  ],
  () => ['classes', ['gamma::extra']],
  (_, number) => [`unused${number}`, number],
];

function generateData(random: () => number): string {
  const entries = many(6, () => choose(ENTRIES, random)(random, 1 + Math.floor(random() * 2)));
  return `${JSON.stringify(Object.fromEntries(entries))}\n`;
}

function generateExports(random: () => number): State['exports'] {
  return many(Math.floor(random() * 4), (index) => ({
    certname: `other${index}.example.com`,
    type: 'Notify',
    title: `export${index}`,
    tags: [`tag${index % 2}`, 'all'],
    parameters: { message: `m${index}` },
  }));
}

function fill(text: string, module: string, random: () => number): string {
  const number = String(1 + Math.floor(random() * 2));
  return text.replaceAll('M', module).replaceAll(/N(?![a-z])/g, number);
}

function choose<T>(items: readonly T[], random: () => number): T {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error('nothing to choose from');
  return item;
}

function many<T>(count: number, make: (index: number) => T): readonly T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}
