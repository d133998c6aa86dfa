import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readLocalOptions } from '../../../../shared/local/options.ts';
import { printConfigFile, printTranslation } from '../../../../shared/moving-over/puppet-conf/print-translation.ts';
import {
  type ConfOrigin,
  collectConfigKeys,
  translatePuppetConf,
} from '../../../../shared/moving-over/puppet-conf/translate-puppet-conf.ts';

const FILE = '/etc/puppetlabs/puppet/puppet.conf';

const origin = (more: Partial<ConfOrigin> = {}): ConfOrigin => ({
  file: FILE,
  puppet: '8',
  hostname: 'host.example.com',
  hasFile: () => false,
  ...more,
});
const translate = (text: string, more?: Partial<ConfOrigin>) => translatePuppetConf(text, origin(more));
const keysOf = (text: string, more?: Partial<ConfOrigin>) => collectConfigKeys(translate(text, more));

/** The keys of a file without any setting. */
const SILENT = { 'control-repo': '/etc/puppetlabs/code', host: '0.0.0.0' };

describe('the keys for a puppet.conf', () => {
  it.each<[text: string, keys: object]>([
    ['', {}],
    ['[server]\nstrict = warning\nstrict_variables = false', { strict: 'warning', 'strict-variables': false }],
    ['[main]\nstrict=off\n[master]\nstrict=warning\n[server]\nstrict = error', { strict: 'error' }],
    ['strict = warning\n[agent]\nstrict = off\n[user]\nstrict = error', { strict: 'warning' }],
    ['[main]\nenvironmentpath = /srv/code/environments', { 'control-repo': '/srv/code' }],
    ['[main]\ncodedir = "/srv/code"', { 'control-repo': '/srv/code' }],
    ['[main]\nautosign = true', { autosign: true }],
    ['[main]\nautosign = $confdir/sign {mode = 755}', { autosign: '/etc/puppetlabs/puppet/sign' }],
    ['[main]\nautosign = \u0024{confdir}/sign', { autosign: '/etc/puppetlabs/puppet/sign' }],
    ['[server]\nnode_terminus = exec\nexternal_nodes = /bin/enc -v', { enc: '/bin/enc -v' }],
    ['[server]\nexternal_nodes = /bin/enc -v', {}],
    ['[server]\nmasterport = 8141', { port: 8141 }],
    ['[server]\nmasterport = 8141\nserverport = 8142', { port: 8142 }],
    ['[server]\nbindaddress = 10.0.0.1\nuser = pe\ngroup = ops', { host: '10.0.0.1', user: 'pe:ops' }],
    [
      '[main]\ncertname = web\n[server]\nca = false\nca_server = ca',
      {
        'ca-upstream': 'https://ca:8140',
        'tls-certificate': '/etc/puppetlabs/puppet/ssl/certs/web.pem',
        'tls-key': '/etc/puppetlabs/puppet/ssl/private_keys/web.pem',
        'tls-ca': '/etc/puppetlabs/puppet/ssl/certs/ca.pem',
      },
    ],
  ])('%j are %j', (text, keys) => {
    expect(keysOf(text)).toEqual({ ...SILENT, ...keys });
  });

  it.each(['6', '7'] as const)('are the defaults of Puppet %s where the file is silent', (puppet) => {
    expect(keysOf('', { puppet })).toEqual({ ...SILENT, strict: 'warning', 'strict-variables': false });
    expect(keysOf('strict = error', { puppet })).toEqual({ ...SILENT, strict: 'error', 'strict-variables': false });
  });

  it('name files that a server reads by default', () => {
    const hasFile = (path: string) => path === '/etc/puppet/autosign.conf';
    const file = '/etc/puppet/puppet.conf';
    const expected = { host: '0.0.0.0', 'control-repo': '/etc/puppet/code', autosign: '/etc/puppet/autosign.conf' };
    expect(keysOf('', { file, hasFile })).toEqual(expected);
    expect(keysOf('autosign = false', { file, hasFile })).toEqual({ ...expected, autosign: false });
  });
});

it.each<[text: string, message: string]>([
  ['[main]\nstrict: error', "'strict: error' is neither a section nor a setting (file: puppet.conf, line: 2)"],
  [
    '[production]\n',
    "there is no section 'production': known are main, server, master, agent, user (file: puppet.conf, line: 1)",
  ],
  ['\nstrict = warn', "strict must be one of off, warning, error, not 'warn' (file: puppet.conf, line: 2)"],
  ['strict_variables = 1', "strict_variables must be one of true, false, not '1' (file: puppet.conf, line: 1)"],
  ['serverport = http', "'http' is no port (file: puppet.conf, line: 1)"],
  ['autosign = $nowhere/a', "'$nowhere' has no value (file: puppet.conf, line: 1)"],
  ['\nvardir = $logdir\nlogdir = $vardir', "'$logdir' refers to itself (file: puppet.conf, line: 2)"],
  ['ssldir = /ssl {owner: x}', "'owner: x' is no owner, group or mode of a file (file: puppet.conf, line: 1)"],
  [
    '[server]\nnode_terminus = exec',
    "node_terminus is 'exec', but external_nodes names no program (file: puppet.conf, line: 2)",
  ],
])('%j is refused', (text, message) => {
  expect(() => translate(text, { file: 'puppet.conf' })).toThrow(message);
});

const EXAMPLE = `# Ours
[main]
server = puppet.example.com
[server]
strict = warning
hiera_config = $confdir/hiera.yaml
environment_timeout = unlimited
reports = store,http,tagmail
autosign = /srv/sign here
frob = 1
`;

it('is printed a line for each setting', () => {
  expect(printTranslation(translate(EXAMPLE), FILE)).toBe(`${FILE}

Settings of \`understudy server --config\` (--format yaml prints the file):
  line 5: strict = warning -> strict: warning
  line 9: autosign = /srv/sign here -> autosign: "/srv/sign here"
  default: codedir is this folder by default -> control-repo: /etc/puppetlabs/code
  default: a Puppet Server listens on all addresses -> host: "0.0.0.0"

To do:
  line 6: hiera_config = $confdir/hiera.yaml: copy /etc/puppetlabs/puppet/hiera.yaml to /etc/puppetlabs/code/hiera.yaml, the global layer of Hiera
  line 8: reports = store,http,tagmail: no report processor 'tagmail' runs: read reports at GET /understudy/v1/reports

Ignored:
  line 3: server = puppet.example.com: agents read it, not the server
  line 7: environment_timeout = unlimited: compiles use deployed code, and a deploy is in force at once: there is no cache to expire
  line 10: frob = 1: nothing here has this name
`);
});

it('is a file that the server reads', () => {
  const text = `strict = off\nstrict_variables = true\nautosign = false\ncodedir = /srv/on\nserverport = 8150`;
  const file = join(mkdtempSync(join(tmpdir(), 'understudy-conf-')), 'server.yaml');
  writeFileSync(file, printConfigFile(translate(`${text}\n[server]\nuser = yes`), FILE));
  expect(readLocalOptions(['--config', file], { workers: 1 })).toMatchObject({
    strict: 'off',
    strictVariables: true,
    autosign: false,
    controlRepo: '/srv/on',
    port: 8150,
    host: '0.0.0.0',
    user: 'yes',
  });
});

it.each([
  ['reports = http\nreporturl = https://foreman/api', { 'report-url': 'https://foreman/api' }],
  ['reports = store, http', { 'report-url': 'http://localhost:3000/reports/upload' }],
  ['reports = puppetdb\nreporturl = https://foreman/api', {}],
  ['reports = store', {}],
])('sends reports where %j sends them', (text, keys) => {
  const { 'report-url': url } = collectConfigKeys(translate(text));
  expect(url === undefined ? {} : { 'report-url': url }).toEqual(keys);
});
