import { describe, expect, it } from 'vitest';
import { PuppetHash } from '../../../../shared/puppet/types/values/puppet-hash.ts';
import {
  catalogOf,
  compileSource,
  edgesOf,
  errorOf,
  parametersOf,
  referencesOf,
} from '../../../helpers/compile-source.ts';

describe('the order of a compile', () => {
  it('starts with the main stage, settings and the main class', () => {
    const { resources, edges, classes } = catalogOf('');
    expect(resources.map(({ type, title }) => `${type}[${title}]`)).toEqual([
      'Stage[main]',
      'Class[Settings]',
      'Class[main]',
    ]);
    expect(edges).toEqual([
      { source: 'Stage[main]', target: 'Class[Settings]' },
      { source: 'Stage[main]', target: 'Class[main]' },
    ]);
    expect(classes).toEqual(['settings']);
  });

  it('evaluates classes at once, defines when everything else is done', () => {
    const code = `
      define d() { notify { "in ${'$'}title": } }
      class c { notify { 'in c': } }
      d { 'd': }
      include c
      notify { 'end': }`;
    expect(referencesOf(code)).toEqual(['D[d]', 'Class[C]', 'Notify[in c]', 'Notify[end]', 'Notify[in d]']);
  });

  it('declares inherited classes first', () => {
    const code = 'class a { notify { a: } } class b inherits a { notify { b: } } include b';
    expect(referencesOf(code)).toEqual(['Class[A]', 'Class[B]', 'Notify[a]', 'Notify[b]']);
  });

  it.each([
    ["node 'node.example.com' { notify { 'by name': } } node default { }", 'Node[node.example.com]'],
    ['node /^(n\\w+)/ { notify { "by $1": } } node default { }', 'Node[__node_regexp__nw]'],
    ["node 'other', 'node.example.com' { } ", 'Node[node.example.com]'],
    ["node other { } node default { notify { 'by default': } }", 'Node[default]'],
  ])('selects the node of %s', (code, node) => {
    expect(referencesOf(code)[0]).toBe(node);
  });

  it('evaluates the classes of the classifier late, those with parameters first', () => {
    const classes = PuppetHash.of([
      ['b', null],
      ['a', PuppetHash.of([['x', 'y']])],
    ]);
    const code = 'class a($x) { notify { $x: } } class b { notify { b: } } notify { main: }';
    expect(referencesOf(code, { classes })).toEqual(['Notify[main]', 'Class[A]', 'Class[B]', 'Notify[y]', 'Notify[b]']);
  });
});

describe('containment', () => {
  it.each([
    ['class a { } include a', ['Stage[main] => Class[A]']],
    ['class a { } contain a', ['Stage[main] => Class[A]', 'Class[main] => Class[A]']],
    [
      "stage { s: } class a { notify { n: } } class { 'a': stage => s }",
      ['Stage[s] => Class[A]', 'Class[A] => Notify[n]'],
    ],
    ['define d() { notify { n: } } d { x: }', ['Class[main] => D[x]', 'D[x] => Notify[n]']],
  ])('%s', (code, edges) => {
    expect(edgesOf(code)).toEqual(edges);
  });

  it('requires a class by the parameter of what requires it', () => {
    const code = 'class a { } class b { require a } include b';
    expect(parametersOf(code, 'Class[B]')).toEqual({ require: ['Class[A]'] });
  });
});

describe('relationships', () => {
  it.each([
    ['notify { a: } -> notify { b: }', { before: ['Notify[b]'] }],
    ['notify { b: } <~ notify { a: }', { notify: ['Notify[b]'] }],
    ["notify { ['a', 'b', 'c']: } Notify[a] -> [Notify[b], Notify[c]]", { before: ['Notify[b]', 'Notify[c]'] }],
    ['notify { [a, b]: } Notify[a] -> Notify<| title == b |>', { before: ['Notify[b]'] }],
    ['notify { [a, b]: } Notify[a] -> Notify<| title == none |> -> Notify[b]', { before: ['Notify[b]'] }],
  ])('%s', (code, parameters) => {
    expect(parametersOf(code, 'Notify[a]')).toEqual(parameters);
  });
});

describe('lists of relationships', () => {
  it('are shared by all that one expression made', () => {
    const code = "notify { ['a', 'b']: before => [Notify[c]] } notify { ['c', 'd']: } Notify[a] -> Notify[d]";
    expect(parametersOf(code, 'Notify[b]')).toEqual({ before: ['Notify[c]', 'Notify[d]'] });
  });

  it('can be those of the main stage', () => {
    expect(parametersOf('stage { s: } Stage[main] -> Stage[s]', 'Stage[main]')).toEqual({
      name: 'main',
      before: ['Stage[s]'],
    });
  });

  it('turn to what is left of a collector that found nothing, whichever way the arrow points', () => {
    const code = "notify { a: } Notify[a] <- Notify<| title == 'none' |>";
    expect(parametersOf(code, 'Notify[a]')).toEqual({ before: ['Notify[a]'] });
  });
});

describe('virtual and exported resources', () => {
  it.each([
    ['@notify { a: }', []],
    ['@notify { a: } realize(Notify[a])', ['Notify[a]']],
    ["@notify { [a, b]: } Notify<| title == 'b' |>", ['Notify[b]']],
    ["@notify { a: tag => 'x' } @notify { b: } Notify<| tag == 'x' |>", ['Notify[a]']],
    ['@notify { a: message => m } Notify<| message == m and title != z |>', ['Notify[a]']],
    ['define d() { @notify { inner: } } @d { x: } D<| |> Notify<| |>', ['D[x]', 'Notify[inner]']],
  ])('%s', (code, references) => {
    expect(referencesOf(code)).toEqual(references);
  });

  it('hands out exports and leaves them out of its own catalog', () => {
    const result = compileSource("@@notify { a: message => 'm', tag => 't' }", { settings: { storeconfigs: true } });
    expect(result).toMatchObject({
      status: 'ok',
      exported: [
        {
          certname: 'node.example.com',
          type: 'Notify',
          title: 'a',
          tags: ['a', 'class', 'notify', 't'],
          parameters: { message: 'm', tag: 't' },
        },
      ],
    });
  });

  it('asks for exports of types that it was not given', () => {
    const result = compileSource('Notify<<| |>>', { settings: { storeconfigs: true } });
    expect(result).toEqual({ status: 'needs', queries: [{ type: 'Notify', query: null }] });
  });

  it('names the queries of all collectors that it met', () => {
    const code = "Notify<<| tag == 'Web' |>> File<<| |>> Notify<<| tag == 'Web' |>>";
    const queries = [
      { type: 'Notify', query: ['tag', '==', 'Web'] },
      { type: 'File', query: null },
    ];
    expect(compileSource(code, { settings: { storeconfigs: true } })).toEqual({ status: 'needs', queries });
  });

  it('collects what other nodes export, and records what it asked for', () => {
    const exported = { certname: 'a', type: 'Notify', title: 'x', tags: ['web'], parameters: { message: 'hi' } };
    const options = { settings: { storeconfigs: true }, exports: { Notify: [exported] } };
    const code = "Notify<<| tag == 'web' |>> { withpath => true }";
    expect(parametersOf(code, 'Notify[x]', options)).toEqual({ message: 'hi', withpath: true });
    expect(compileSource(code, options)).toMatchObject({
      collectors: [{ certname: 'node.example.com', type: 'Notify', query: ['tag', '==', 'web'] }],
    });
  });
});

describe('parameters', () => {
  it.each([
    ["File { mode => '0600' } file { '/x': }", 'File[/x]', { mode: '0600' }],
    ["File { mode => '0600' } file { '/x': mode => '0644' }", 'File[/x]', { mode: '0644' }],
    [
      'class a { notify { n: message => a } } class b inherits a { Notify[n] { message => b } } include b',
      'Notify[n]',
      { message: 'b' },
    ],
    [
      "class a { file { '/f': tag => x } } class b inherits a { File['/f'] { tag +> y } } include b",
      'File[/f]',
      { tag: ['x', 'y'] },
    ],
    ['notify { n: } Notify<| |> { message => m }', 'Notify[n]', { message: 'm' }],
    ["file { 'x': path => '/y' }", 'File[x]', { path: '/y' }],
    [
      "notify { n: message => [File['/x'], Class[a]] } file { '/x': } class a { }",
      'Notify[n]',
      { message: ['File[/x]', 'Class[A]'] },
    ],
    ['define d($a, $b = "$a!") { } d { x: a => v }', 'D[x]', { a: 'v', b: 'v!' }],
  ])('%s', (code, reference, parameters) => {
    expect(parametersOf(code, reference)).toEqual(parameters);
  });

  it('unwraps sensitive ones and names them', () => {
    const { resources } = catalogOf("notify { n: message => Sensitive('s') }");
    expect(resources[3]).toMatchObject({ parameters: { message: 's' }, sensitive_parameters: ['message'] });
  });
});

describe('tags', () => {
  it("are in Puppet's order: given, type and title, defaults, then what contains it", () => {
    const code =
      "class a::b { Notify { tag => 'late' } notify { ['x', 'y']: } Notify['y'] { tag => 'set' } } include a::b";
    const given = "class a::b { notify { 'x': tag => ['one', 'two'] } } include a::b";
    expect(catalogOf(given).resources.at(-1)?.tags).toEqual(['one', 'two', 'notify', 'x', 'class', 'a::b', 'a', 'b']);
    expect(catalogOf(code).resources.at(-2)?.tags).toEqual(['notify', 'x', 'late', 'class', 'a::b', 'a', 'b']);
  });
});

describe('titles that are no texts', () => {
  it('stay what they are in the code, and are no tags', () => {
    const code = `
      define d() { notify { "\${type($title)}": message => "\${$name}" } }
      create_resources('d', { 443 => {} })
      D <| title == 443 |> { tag => 'found' }`;
    const [resource, said] = catalogOf(code).resources.slice(3);
    expect(resource?.title).toBe('443');
    expect(resource?.tags?.toSorted()).toEqual(['class', 'd', 'found']);
    expect(resource?.parameters).toEqual({ name: '443', tag: 'found' });
    expect(said).toMatchObject({ title: 'Integer[443, 443]', parameters: { message: '443' } });
  });
});

describe('modules', () => {
  const files = {
    'modules/m/manifests/init.pp': 'class m { include m::sub }',
    'modules/m/manifests/sub.pp': 'class m::sub { m::d { x: } }',
    'modules/m/manifests/d.pp': 'define m::d() { notify { m::f(): } }',
    'modules/m/functions/f.pp': 'function m::f() { "from f" }',
    'modules/m/types/t.pp': 'type M::T = Integer[1, 3]',
    'modules/m/lib/puppet/type/thing.rb':
      'Puppet::Type.newtype(:thing) do\n newparam(:name)\n newproperty(:size)\nend\n',
    'modules/bad/manifests/init.pp': 'class bad { }\nnotify { loose: }',
    'modules/bad/manifests/other.pp': 'class bad::different { }',
  };

  it('loads definitions when they are named', () => {
    expect(referencesOf('include m', { files })).toEqual(['Class[M]', 'Class[M::Sub]', 'M::D[x]', 'Notify[from f]']);
    expect(referencesOf('if 2 =~ M::T and !(4 =~ M::T) { notify { yes: } }', { files })).toEqual(['Notify[yes]']);
    expect(parametersOf('thing { x: size => 3 }', 'Thing[x]', { files })).toEqual({ size: 3 });
  });

  it.each([['include bad', 'This construct is not allowed at the top level of a module (file: x)']])(
    'refuses %s',
    (code) => {
      expect(errorOf(code, { files })).toContain(
        '(file: /code/environments/production/modules/bad/manifests/init.pp, line: 2, column: 1)',
      );
    },
  );
});

describe('errors', () => {
  it.each([
    [
      'notify { a: } notify { a: }',
      'Evaluation Error: Error while evaluating a Resource Statement, Duplicate declaration: Notify[a] is already declared at (line: 1); cannot redeclare (line: 1) (line: 1, column: 15) on node node.example.com',
    ],
    ['notify { a: bad => 1 }', "no parameter named 'bad' (line: 1) on Notify[a] (line: 1) on node node.example.com"],
    [
      'notify { a: require => Notify[b] }',
      "Could not find resource 'Notify[b]' in parameter 'require' (line: 1) on node node.example.com",
    ],
    [
      'notify { a: } -> Notify[b]',
      "Could not find resource 'Notify[b]' for relationship from 'Notify[a]' on node node.example.com",
    ],
    ['Notify[a] { message => x }', 'Could not find resource(s) Notify[a] for overriding on node node.example.com'],
    ['realize(Notify[a])', 'Failed to realize virtual resources Notify[a] on node node.example.com'],
    [
      'include nosuch',
      'Evaluation Error: Error while evaluating a Function Call, Could not find class ::nosuch for node.example.com (line: 1, column: 1) on node node.example.com',
    ],
    [
      'node other { }',
      "Could not find node statement with name 'default' or 'node.example.com' on node node.example.com",
    ],
    [
      'class a { } class a { }',
      "Class 'a' is already defined (line: 1); cannot redefine (line: 1) on node node.example.com",
    ],
    [
      'define d(Integer $x) { } d { t: x => a, y => 1 }',
      "Evaluation Error: Error while evaluating a Resource Statement, D[t]:\n  has no parameter named 'y'\n  parameter 'x' expects an Integer value, got String (line: 1) on node node.example.com",
    ],
    [
      'class a { notify { n: message => 1 } } class b { Notify[n] { message => 2 } } include a include b',
      'Only subclasses can override parameters (line: 1) on node node.example.com',
    ],
    [
      'Notify { message => 1 } Notify { message => 2 }',
      'Default already defined for Notify { message }; cannot redefine (line: 1) on node node.example.com',
    ],
    [
      'notify { n: stage => s }',
      "Evaluation Error: Error while evaluating a Resource Statement, Only classes can set 'stage'; normal resources like Notify[n] cannot change run stage (line: 1, column: 1) on node node.example.com",
    ],
    [
      'class a { } class { a: stage => nope }',
      'Evaluation Error: Error while evaluating a Resource Statement, Could not find stage nope specified by Class[A] (line: 1, column: 13) on node node.example.com',
    ],
    [
      "notify { a: } notify { b: alias => 'x' } Notify<| title == a |> { alias => 'x' }",
      'Cannot alias Notify[b] to "x" at (line: 1); resource ["Notify", "x"] already declared (line: 1) on node node.example.com',
    ],
    ["notify { a: tag => 'bad tag' }", "Invalid tag 'bad tag' (line: 1) on node node.example.com"],
    [
      'type T = String type T = Integer',
      "Attempt to redefine entity 'http://puppet.com/2016.1/runtime/type/t'. Originally set at string:?line=1&pos=6. on node node.example.com",
    ],
  ])('%s', (code, message) => {
    expect(errorOf(code)).toBe(message);
  });
});

describe('what the server says of itself', () => {
  const serverFacts = PuppetHash.of([
    ['servername', 'puppet.example.com'],
    ['serverversion', '8.10.0'],
    ['environment', 'production'],
  ]);
  const shown = (code: string, facts?: PuppetHash) =>
    parametersOf(`notify { 'n': message => ${code} }`, 'Notify[n]', { serverFacts, ...(facts && { facts }) });

  it('is in variables of top scope too, below the facts', () => {
    const all = "[$servername, $::serverversion, $server_facts['servername'], $environment]";
    expect(shown(all)).toMatchObject({ message: ['puppet.example.com', '8.10.0', 'puppet.example.com', 'production'] });
    expect(shown('$servername', PuppetHash.of([['servername', 'of the node']]))).toMatchObject({
      message: 'of the node',
    });
  });
});
