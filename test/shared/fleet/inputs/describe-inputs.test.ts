import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DescribedInput, describeInputs } from '../../../../shared/fleet/inputs/describe-inputs.ts';
import {
  findReaders,
  type InputPattern,
  parameterOfKey,
  patternOfFact,
  patternOfFile,
  patternOfKey,
} from '../../../../shared/fleet/inputs/find-readers.ts';
import { readInputValues } from '../../../../shared/fleet/inputs/input-values.ts';
import { compile } from '../../../../shared/puppet/compiler/compile.ts';
import { valueDigest } from '../../../../shared/puppet/environment/value-digest.ts';
import { CompileWorld, checkIn } from '../../../helpers/compile-world.ts';

const matches = (found: InputPattern | null, text: string) =>
  found === null ? null : findReaders([{ file: 'x.pp', text }], found).length === 1;

describe('lines that mention an input', () => {
  it.each([
    [['os', 'family'], "$x = $facts['os']['family']", true],
    [['os', 'family'], "if $::os['family'] == 'RedHat' {", true],
    [['os', 'family'], '<%= @os["family"] %>', true],
    [['os', 'family'], '  - "os/%{facts.os.family}.yaml"', true],
    [['os', 'family'], "fact('os.family')", true],
    [['os', 'family'], "$facts['os']['name']", false],
    [['os', 'family'], '# $facts["os"]["family"]', false],
    [['hostname'], '$hostname', true],
    [['hostname'], '$hostname_of_peer', false],
    [['a.b'], "$facts['axb']", false],
    [[], '$facts', null],
  ])('of the fact %j: %s', (path, text, expected) => {
    expect(matches(patternOfFact('facts', path), text)).toBe(expected);
  });

  it.each([
    ['modules/web/manifests/init.pp', 'include web', true],
    ['environments/production/modules/web/manifests/vhost/ssl.pp', "class { 'web::vhost::ssl': }", true],
    ['modules/web/manifests/init.pp', 'include web::vhost', false],
    ['modules/web/templates/a.epp', "epp('web/a.epp')", true],
    ['modules/web/files/a.conf', "source => 'puppet:///modules/web/a.conf'", true],
    ['modules/web/lib/puppet/functions/shout.rb', "$x = shout('a')", true],
    ['environments/production/manifests/site.pp', 'x', null],
  ])('of the file %s: %s', (path, text, expected) => {
    expect(matches(patternOfFile(path), text)).toBe(expected);
  });

  it('of a key are lookups, and the parameter of its class', () => {
    expect(matches(patternOfKey('ntp::servers'), "lookup('ntp::servers')")).toBe(true);
    expect(parameterOfKey('ntp::config::servers')?.manifest).toBe('ntp/manifests/config.pp');
    expect(parameterOfKey('ntp::servers')?.manifest).toBe('ntp/manifests/init.pp');
    expect(parameterOfKey('servers')).toBe(null);
  });

  it('are five at most, shortened, with their places', () => {
    const text = `${'x'.repeat(300)} $a\n`.repeat(9);
    const found = findReaders(
      [
        { file: 'own', text },
        { file: 'f', text },
      ],
      { word: '$a', pattern: /\$a/ },
      'own',
    );
    expect(found.map(({ file, line, text: shown }) => [file, line, shown.length])).toEqual(
      [1, 2, 3, 4, 5].map((line) => ['f', line, 160]),
    );
  });
});

describe('the inputs of a compile', () => {
  const ROOT = 'environments/production';
  const DATA = `web::port: 80
web::db_password: told to nobody
web::pin: '1234'
web::salt: pepper
web::users: [{ name: a, token: abc }]
lookup_options:
  web::pin: { convert_to: Sensitive }
  '^web::sa.t$': { convert_to: Sensitive }
`;
  let world: CompileWorld;
  let inputs: readonly DescribedInput[];
  beforeAll(async () => {
    world = new CompileWorld(undefined, compile);
    world.write({
      [`${ROOT}/manifests/site.pp`]: "node default {\n  include web\n  notify { $facts['os']['family']: }\n}\n",
      [`${ROOT}/modules/web/manifests/init.pp`]:
        'class web (\n  $port,\n  $db_password,\n  Sensitive $pin,\n  $salt,\n  $users,\n) { notify { "on $port": } }\n',
      [`${ROOT}/hiera.yaml`]: 'version: 5\nhierarchy:\n  - { name: all, path: common.yaml }\n',
      [`${ROOT}/data/common.yaml`]: DATA,
    });
    await world.deploy();
    await world.run(checkIn('web1', { os: { family: 'Debian' } }));
    const record = await world.stores.nodes.get('web1');
    if (record === null) throw new Error('the node was compiled');
    expect(record.failure).toBe(null);
    inputs = (await describeInputs(record, world.stores))?.inputs ?? [];
  });
  afterAll(() => world.close());

  const find = (kind: string, name: string) => inputs.find((one) => one.kind === kind && one.name.endsWith(name));
  const places = (one: DescribedInput | undefined) =>
    one?.readers.map(({ file, line }) => `${file.slice(ROOT.length + 1)}:${line}`);

  it('name the line that reads each', () => {
    expect(find('fact', 'os.family')?.why).toBe('Its value counts');
    expect(places(find('fact', 'os.family'))).toEqual(['manifests/site.pp:3']);
    expect(places(find('file', 'modules/web/manifests/init.pp'))).toEqual(['manifests/site.pp:2']);
    expect(places(find('data', 'common.yaml web::port'))).toEqual(['modules/web/manifests/init.pp:2']);
    expect(find('data', 'common.yaml web::port')?.why).toBe('The value of the key counts');
  });

  it('have their values, but for secrets', () => {
    const values = inputs.filter(({ value }) => value !== undefined).map(({ name, value }) => [name, value]);
    expect(values).toEqual([
      ['os.family', '"Debian"'],
      [`${ROOT}/data/common.yaml web::port`, '80'],
    ]);
  });

  it('say which values are of later facts', async () => {
    const record = await world.stores.nodes.get('web1');
    const values = await readInputValues(record ?? { certname: 'x', facts: null }, null, [], world.stores.blobs);
    expect(values.ofFact('facts', ['os', 'family'], valueDigest('RedHat'))).toBe('another one by now: "Debian"');
    expect(values.ofFact('facts', ['os', 'name'], valueDigest('Debian'))).toBe('absent by now');
    expect(values.ofFact('facts', ['os', 'root_password'], valueDigest('x'))).toBe(null);
  });

  it('are none before a compile', async () => {
    expect(
      await describeInputs({ certname: 'web1', facts: null, catalog: null, failure: null, inputs: null }, world.stores),
    ).toBe(null);
  });

  it('keep the catalog before that differed', async () => {
    const before = (await world.stores.nodes.get('web1'))?.catalog;
    world.write({ [`${ROOT}/data/common.yaml`]: DATA.replace('80', '81') });
    await world.deploy();
    await world.runJobs();
    const after = (await world.stores.nodes.get('web1'))?.catalog;
    expect(after?.hash).not.toBe(before?.hash);
    expect(after?.previous).toEqual({
      hash: before?.hash,
      codeId: before?.codeId,
      compiledAt: before?.compiledAt,
    });
    expect((await world.stores.nodes.get('web1'))?.inputs?.compiles).toMatchObject([
      { outcome: 'compiled', hash: after?.hash, reasons: [`data web::port of ${ROOT}/data/common.yaml changed`] },
      { outcome: 'compiled', hash: before?.hash, reasons: ['first catalog'] },
    ]);
  });

  it('name the first reader that the compile recorded, whatever its text', async () => {
    world.write({
      [`${ROOT}/hiera.yaml`]: 'version: 5\nhierarchy:\n  - name: all\n    paths: ["%{facts.role}.yaml", common.yaml]\n',
      [`${ROOT}/manifests/site.pp`]: [
        "$which = 'os'",
        'node default {',
        '  include app',
        "  notify { $facts[$which]['family']: }",
        "  $key = 'name'",
        '  notify { lookup("app::$key"): }',
        "  notify { epp('app/a.epp'): }",
        "  file { '/x': content => file('app/x') }",
        '}',
      ].join('\n'),
      [`${ROOT}/data/common.yaml`]: 'app::port: 80\napp::name: n\n',
      [`${ROOT}/modules/app/templates/a.epp`]: "text\n<%= $facts['kernel'] %>",
      [`${ROOT}/modules/app/files/x`]: 'x',
      [`${ROOT}/modules/app/manifests/init.pp`]: 'class app ($port) { notify { "on $port": } }',
    });
    await world.deploy();
    await world.run(checkIn('web2', { os: { family: 'Debian' }, role: 'r', kernel: 'Linux' }));
    const record = await world.stores.nodes.get('web2');
    expect(record?.failure).toBe(null);
    inputs = (record && (await describeInputs(record, world.stores)))?.inputs ?? [];
    const first = (kind: string, name: string) => find(kind, name)?.readers.filter(({ isFirst }) => isFirst);
    expect(first('fact', 'os.family')).toEqual([
      {
        file: `${ROOT}/manifests/site.pp`,
        line: 4,
        text: "notify { $facts[$which]['family']: }",
        isFirst: true,
      },
    ]);
    expect(first('fact', 'role')).toMatchObject([{ file: `${ROOT}/hiera.yaml`, line: 4 }]);
    expect(first('fact', 'kernel')).toMatchObject([{ file: `${ROOT}/modules/app/templates/a.epp`, line: 2 }]);
    expect(first('data', 'common.yaml app::name')).toMatchObject([{ line: 6 }]);
    expect(places(find('data', 'common.yaml app::port'))).toEqual(['modules/app/manifests/init.pp:1']);
    expect(first('file', 'files/x')).toMatchObject([{ file: `${ROOT}/manifests/site.pp`, line: 8 }]);
    expect(first('file', 'templates/a.epp')).toMatchObject([{ line: 7 }]);
  });
});
