import { describe, expect, it } from 'vitest';
import { findConfigVersion } from '../../../../shared/puppet/environment/config-version.ts';
import { parseEnvironmentConf } from '../../../../shared/puppet/environment/environment-conf.ts';
import { NO_RECORDER } from '../../../../shared/puppet/environment/inputs.ts';
import { createMemoryEnvironment } from '../../../../shared/puppet/environment/memory-environment.ts';
import { DEFAULT_LANGUAGE } from '../../../../shared/puppet/levels/language.ts';
import { compileSource } from '../../../helpers/compile-source.ts';

const ROOT = '/code/environments/production';
const PLACE = { name: 'production', root: ROOT, codeDirectory: '/code', baseModulepath: ['/code/modules'] };
const DEFAULT = [`${ROOT}/modules`, '/code/modules'];
const VARDIR = '/opt/puppetlabs/server/data/puppetserver';

function parse(text: string) {
  return parseEnvironmentConf(text, `${ROOT}/environment.conf`, PLACE);
}

// Recorded from Puppet 8.10. Paths that it looks for in its working directory are below / here.
describe('modulepath', () => {
  it.each([
    ['', DEFAULT],
    ['modulepath = $confdir/modules:m1', ['/etc/puppetlabs/puppet/modules', `${ROOT}/m1`]],
    ['modulepath = m1:$vardir/x:$codedir/y:$basemodulepath', ['m1', `${VARDIR}/x`, '/code/y', '/code/modules']],
    ['modulepath = m1/$environment', ['m1/$environment']],
    ['modulepath = m1:$manifest', ['m1', 'manifests']],
    ['modulepath = $environmentpath/x:m1', ['/code/environments/x', 'm1']],
    ['modulepath = $certname:$http_read_timeout:$run_mode', ['/puppet', '/600', '/server']],
    ['modulepath = $libdir/x:$statedir', [`${VARDIR}/lib/x`, `${VARDIR}/state`]],
    ['modulepath = m1$codedir', ['m1/code']],
    ['modulepath = $codedir$confdir', ['/code/etc/puppetlabs/puppet']],
    ['modulepath = $environment_timeout/x', ['/0/x']],
    ['environment_timeout = 5m\nmodulepath = $environment_timeout/x', ['/5m/x']],
    ['modulepath = $codedir/environments/production/site/*:m1', ['m1']],
    ['modulepath = site/*:{mode = 0644}m1', ['site/*', 'm1']],
    ['modulepath = site/{}', ['site/{}']],
    ['modulepath = "m1"', ['m1']],
    ["modulepath = 'm1':site", ["m1'", 'site']],
    ['modulepath =', []],
    ['modulepath = :m1::', ['', 'm1']],
    ['modulepath = m1//x/:./m1', ['m1/x', 'm1']],
    ['modulepath = m1\r\nmanifest = a.pp\r\n', ['m1']],
    ['manifest = $confdir\nmodulepath = $manifest/x', ['/etc/puppetlabs/puppet/x']],
  ])('of %j', (text, expected) => {
    const absolute = expected.map((path) => (path.startsWith('/') ? path : `${ROOT}/${path}`.replace(/\/$/, '')));
    expect(parse(text).modulepath).toEqual(absolute);
  });
});

describe('manifest', () => {
  it.each([
    ['', `${ROOT}/manifests`],
    ['manifest = $vardir/x.pp', `${VARDIR}/x.pp`],
    ['manifest = $environment.pp', '/$environment.pp'],
    ['manifest=$config_version/x', '/x'],
    ['manifest = $hiera_config', '/etc/puppetlabs/puppet/hiera.yaml'],
    ['manifest = $storeconfigs/x', '/false/x'],
    ['manifest = $disable_warnings/x', '/[]/x'],
    ['manifest =', ROOT],
    ['[main]\nmanifest = a.pp\n[main]\nmanifest=b.pp', `${ROOT}/a.pp`],
    ['[other]\nmanifest = a.pp', `${ROOT}/manifests`],
    ['manifest = a.pp\nmanifest = b.pp', `${ROOT}/a.pp`],
    [' manifest = a.pp # comment', `${ROOT}/a.pp # comment`],
    ['# c\n\n  # d\nmanifest= a = b', `${ROOT}/a = b`],
    ['manifest\t=\ta.pp\t', `${ROOT}/a.pp`],
    ['manifest = "a b.pp"  ', `${ROOT}/a b.pp`],
    ["manifest = ''a''", `${ROOT}/'a'`],
    ['manifest = /abs/../x.pp', '/x.pp'],
    // Puppet refuses the byte order mark.
    ['\uFEFFmanifest = a.pp', `${ROOT}/a.pp`],
    ['\uFEFF# c\nmanifest = a.pp', `${ROOT}/a.pp`],
  ])('of %j', (text, expected) => {
    expect(parse(text).manifest).toBe(expected);
  });
});

describe('config_version', () => {
  it.each([
    ['', null],
    ['config_version = $environment', 'production'],
    ['config_version = /bin/echo $environment $confdir', '/bin/echo production /etc/puppetlabs/puppet'],
    ['config_version = scripts/v.sh $environmentpath', `${ROOT}/scripts/v.sh /code/environments`],
    ['config_version = $modulepath', DEFAULT.join(':')],
    ['config_version =', ROOT],
  ])('of %j', (text, expected) => {
    expect(parse(text).settings.configVersion).toBe(expected);
  });

  it.each([
    [null, { kind: 'none' }],
    ['', { kind: 'none' }],
    ['/bin/echo production', { kind: 'known', text: 'production' }],
    [`/usr/bin/echo 'a  b' "c d" e=1,2`, { kind: 'known', text: 'a  b c d e=1,2' }],
    ['/bin/echo  a   b ', { kind: 'known', text: 'a b' }],
  ])('gives the version of %j', (command, expected) => {
    expect(findConfigVersion(command)).toEqual(expected);
  });

  it.each([
    [`${ROOT}/scripts/version.sh`, 'no program runs on a server'],
    ['/bin/echo $HOME', 'it needs a shell'],
    ['/bin/echo a; /bin/echo b', 'it needs a shell'],
    ['/bin/echo "a', 'it needs a shell'],
    ['/bin/echo -n a', 'no program runs on a server'],
    ['/bin/false', 'it fails with the status 1'],
  ])('refuses %j', (command, reason) => {
    expect(findConfigVersion(command)).toEqual({
      kind: 'refused',
      reason: `config_version '${command}' is not run, as ${reason}: the version of a catalog is the time of its compile, and its code_id names the code`,
    });
  });

  it('is the version of catalogs where it is known', () => {
    const catalogWith = (conf: string) => {
      const result = compileSource('', { files: { 'environment.conf': conf } });
      return result.status === 'ok' ? JSON.parse(result.catalog).version : result;
    };
    expect(catalogWith('config_version = /bin/echo $environment-7')).toBe('production-7');
    expect(catalogWith('config_version = scripts/version.sh')).toBeUndefined();
  });
});

describe('an environment.conf that Puppet refuses', () => {
  it.each([
    ['modulepath = $nope/x', "Error converting value for param 'modulepath': Could not find value for $nope"],
    ['manifest = $nope', "Error converting value for param 'manifest': Could not find value for $nope"],
    ['config_version = $nope', "Error converting value for param 'config_version': Could not find value for $nope"],
    [
      'manifest = $environment_data_provider/x',
      "Error converting value for param 'manifest': Could not find value for $environment_data_provider",
    ],
    [`modulepath = \${confdir}/x`, `Could not parse '\${confdir}/x'`],
    ['modulepath = {m1,site}/*:x', "Could not parse '{m1,site}/*:x'"],
    ['modulepath = {size = 1}x', "Invalid file option 'size'"],
    ['modulepath = {mode = a}x', 'File modes must be numbers'],
    ['modulepath = $modulepath:m1', 'stack level too deep'],
    ['manifest = $manifest/x', 'stack level too deep'],
    ['[o-t]\nmanifest = a.pp', 'Could not match line [o-t]'],
    ['just text', 'Could not match line just text'],
    ['ma-nifest = x', 'Could not match line ma-nifest = x'],
    ['manifest : a.pp', 'Could not match line manifest : a.pp'],
    ['\u00a0manifest = a.pp', 'Could not match line \u00a0manifest = a.pp'],
    ['environment_timeout = 5x', `Invalid 'time to live' format '"5x"' for parameter: environment_timeout`],
  ])('%j', (text, message) => {
    expect(() => parse(text)).toThrow(`${message} (file: ${ROOT}/environment.conf, line: 1)`);
  });

  it('has bytes that are no UTF-8', () => {
    const files = { 'environments/production/environment.conf': Buffer.from('manifest = caf\xe9.pp', 'latin1') };
    const open = () =>
      createMemoryEnvironment({ name: 'production', codeDirectory: '/code', files, inputs: NO_RECORDER });
    expect(open).toThrow(`invalid byte sequence in UTF-8 (file: ${ROOT}/environment.conf, line: 1)`);
  });
});

it.each([
  [
    'modulepath = $environment/x:m1',
    `You cannot interpolate $environment within 'modulepath' when using directory environments. Its value will remain $environment/x:${ROOT}/m1.`,
  ],
  [
    'manifest = m/$environment.pp',
    `You cannot interpolate $environment within 'manifest' when using directory environments. Its value will remain ${ROOT}/m/$environment.pp.`,
  ],
  [
    '[main]\nmanifest = a.pp\n[other]\nx = y\n[third]\n',
    `Invalid sections in environment.conf at '${ROOT}/environment.conf'. Environment conf may not have sections. The following sections are being ignored: 'other,third'\n   (file & line not available)`,
  ],
  [
    'foo = bar\nbaz = x\nfoo=z',
    `Invalid settings in environment.conf at '${ROOT}/environment.conf'. The following unknown setting(s) are being ignored: foo, baz, foo\n   (file & line not available)`,
  ],
])('%j gives a warning', (text, message) => {
  expect(parse(text).listMessages(DEFAULT_LANGUAGE)).toEqual([{ level: 'warning', message }]);
});
