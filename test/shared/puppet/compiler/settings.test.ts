import { describe, expect, it } from 'vitest';
import { settingDefaults } from '../../../../shared/puppet/environment/setting-defaults.ts';
import { compileSource } from '../../../helpers/compile-source.ts';

function noticed(code: string, files: Readonly<Record<string, string>> = {}, storeconfigs = false): string[] {
  const exports = storeconfigs ? { exports: {} } : {};
  const result = compileSource(code, { files, settings: { storeconfigs }, ...exports });
  return result.status === 'needs' ? [] : result.log.map(({ message }) => message);
}

describe('$settings', () => {
  it.each([
    ['vardir', '/opt/puppetlabs/server/data/puppetserver'],
    ['statefile', '/opt/puppetlabs/server/data/puppetserver/state/state.yaml'],
    ['hostcert', '/etc/puppetlabs/puppet/ssl/certs/puppet.pem'],
    ['config', '/etc/puppetlabs/puppet/puppet.conf'],
    ['ca_name', 'Puppet CA: puppet'],
    ['runinterval', '1800'],
    ['exclude_unchanged_resources', 'true'],
    ['include_legacy_facts', 'false'],
    ['maxwaitforcert', 'Infinity'],
    ['priority', ''],
    ['supported_checksum_types', '[sha256, sha384, sha512, sha224, md5]'],
    ['server_list', '[]'],
    ['strict', 'error'],
    ['environment', 'production'],
  ])('%s is %s', (name, value) => {
    expect(noticed(`notice($settings::${name})`)).toEqual([value]);
  });

  it('are defined, with and without the name of the top scope', () => {
    const code = "notice(defined('$settings::strict'), defined('$::settings::strict'), defined('$::settings::none'))";
    expect(noticed(code)).toEqual(['true true false']);
  });

  it('shows what environment.conf says', () => {
    const files = { 'environment.conf': 'environment_timeout = 3m\nstatic_catalogs = false\n' };
    const code = 'notice($settings::environment_timeout, $settings::static_catalogs)';
    expect(noticed(code, files)).toEqual(['180 false']);
  });

  it('stores catalogs where exported resources are stored', () => {
    expect(noticed('notice($settings::catalog_cache_terminus)', {}, true)).toEqual(['store_configs']);
  });

  it('leaves no reference to another setting in a default', () => {
    expect([...settingDefaults().values()].filter((value) => typeof value === 'string' && value.includes('$'))).toEqual(
      [],
    );
  });

  it('have texts of the server in place of defaults, which others follow', () => {
    const settings = { texts: { server: 'puppet.example.com', rundir: '/run/p' } };
    const code = 'notice($settings::server, $settings::report_server, $settings::pidfile, $settings::vardir)';
    const result = compileSource(code, { settings });
    const log = result.status === 'needs' ? [] : result.log;
    const vardir = '/opt/puppetlabs/server/data/puppetserver';
    expect(log.map(({ message }) => message)).toEqual([
      `puppet.example.com puppet.example.com /run/p/puppetserver.pid ${vardir}`,
    ]);
  });

  it('notes a setting that was read', () => {
    const read: string[] = [];
    const ignore = () => {};
    const inputs = {
      fact: ignore,
      trusted: ignore,
      recordSetting: (name: string, value: string) => read.push(`${name}=${value}`),
      recordFilePresent: ignore,
      recordAttribute: ignore,
      recordKind: ignore,
      recordFileAbsent: ignore,
      recordDirectory: ignore,
      recordFiles: ignore,
      site: null,
      recordLookup: ignore,
      recordKeyReads: ignore,
      recordVolatile: ignore,
      retractVolatile: ignore,
      recordQuery: ignore,
      recordKeptValue: ignore,
      recordTimeLimit: ignore,
    };
    compileSource('notice($settings::keylength)', { inputs });
    expect(read).toContain('keylength=4096');
  });
});
