import { beforeAll, describe, expect, it } from 'vitest';
import { ClassForms } from '../../../../shared/http/information/class-forms.ts';
import { deployFiles, httpServices } from '../../../helpers/http-services.ts';

const WEB = `# @summary A web server
#
# @param ensure Whether it runs
# @param port   Its port,
#   a number
class web (
  Web::Ensure $ensure,
  Stdlib::Port $port = 80,
  Optional[String[1]] $owner = undef,
  Boolean $manage = true,
  Variant[Boolean, Enum['mask']] $enable = true,
  Hash[String, Integer] $limits = {},
  Float $ratio = 0.5,
  Missing::Type $unknown = 'x',
  $free = $facts['os']['name'],
) { }
`;
const FILES = {
  'environments/production/modules/web/manifests/init.pp': WEB,
  'environments/production/modules/web/manifests/broken.pp': 'class web::broken (',
  'environments/production/modules/web/types/ensure.pp': "type Web::Ensure = Enum['running', 'stopped']\n",
  'environments/production/modules/stdlib/types/port.pp': 'type Stdlib::Port = Integer[0, 65535]\n',
};
const environment = 'production';
let forms: ClassForms;

beforeAll(async () => {
  const http = await httpServices();
  await deployFiles(http, environment, FILES);
  forms = new ClassForms(http.services.files, http.services.classes);
});

describe('the form of a class', () => {
  it('has the type, documentation, default and control of each parameter', async () => {
    const form = await forms.describe(environment, 'web');
    const shown = form?.parameters.map(({ name, type, description, isRequired, default: preset, ...control }) => {
      const { control: kind, choices, isOptional } = control;
      return [name, type, description, isRequired, preset, kind, choices, isOptional];
    });
    expect([form?.name, form?.environment, form?.description]).toEqual(['web', environment, 'A web server']);
    expect(shown).toEqual([
      ['ensure', 'Web::Ensure', 'Whether it runs', true, null, 'choice', ['running', 'stopped'], false],
      ['port', 'Stdlib::Port', 'Its port,\na number', false, '80', 'integer', [], false],
      ['owner', 'Optional[String[1]]', '', false, 'undef', 'text', [], true],
      ['manage', 'Boolean', '', false, 'true', 'choice', [true, false], false],
      ['enable', "Variant[Boolean, Enum['mask']]", '', false, 'true', 'choice', [true, false, 'mask'], false],
      ['limits', 'Hash[String, Integer]', '', false, '{}', 'json', [], false],
      ['ratio', 'Float', '', false, '0.5', 'number', [], false],
      ['unknown', 'Missing::Type', '', false, "'x'", 'json', [], false],
      ['free', 'Any', '', false, "$facts['os']['name']", 'json', [], false],
    ]);
  });

  it.each([
    [environment, 'nowhere'],
    [environment, 'web::broken'],
    ['staging', 'web'],
  ])('is none in %s for %s', async (wanted, name) => {
    expect(await forms.describe(wanted, name)).toBeNull();
  });
});

describe('values of a group', () => {
  it.each<[object, readonly string[]]>([
    [{ ensure: 'running', port: 8080, owner: 'root', manage: false, enable: 'mask', limits: { a: 1 } }, []],
    [{ owner: null, ratio: 1, unknown: 7, nowhere: 7, free: [1] }, []],
    [{ ensure: 'on' }, ["parameter 'ensure' expects a match for Web::Ensure = Enum['running', 'stopped'], got 'on'"]],
    [{ port: '80' }, ["parameter 'port' expects a Stdlib::Port = Integer[0, 65535] value, got String"]],
    [{ limits: { a: 'x' } }, ["parameter 'limits' entry 'a' expects an Integer value, got String"]],
  ])('%j are compared with the types', async (values, messages) => {
    const faults = await forms.check(environment, { web: { ...values } });
    expect(faults.map(({ message }) => message)).toEqual(messages);
  });

  it('have no faults where nothing is deployed', async () => {
    expect(await forms.check('staging', { web: { port: 'x' } })).toEqual([]);
    expect(await forms.check(environment, { nowhere: { port: 'x' } })).toEqual([]);
  });
});
