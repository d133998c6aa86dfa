import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readLocalOptions, UsageExit } from '../../../shared/local/options.ts';

const folder = mkdtempSync(join(tmpdir(), 'understudy-settings-'));
const file = join(folder, 'server.yaml');
const defaults = { workers: 1 };
afterAll(() => rmSync(folder, { recursive: true }));

function read(yaml: string, variables: Readonly<Record<string, string>> = {}, args: readonly string[] = []) {
  writeFileSync(file, yaml);
  return readLocalOptions([`--config=${file}`, ...args], defaults, variables);
}

describe('a configuration file', () => {
  it('sets options by their names', () => {
    expect(
      read(`
port: 9140
host: "0.0.0.0"
control-repo: /srv/code
autosign: /etc/autosign.conf
follow-links: true
allow-weak-keys: false
puppetdb-blocked-facts: [uptime, "/^docker_/"]
pcp-port: "off"
`),
    ).toMatchObject({
      port: 9140,
      host: '0.0.0.0',
      controlRepo: '/srv/code',
      autosign: '/etc/autosign.conf',
      followLinks: true,
      allowWeakKeys: false,
      puppetdbBlockedFacts: ['uptime', '/^docker_/'],
      pcpPort: 'off',
    });
  });

  it('is preceded by environment variables, and they by arguments', () => {
    const variables = {
      UNDERSTUDY_PORT: '2',
      UNDERSTUDY_WORKERS: '7',
      UNDERSTUDY_AUTOSIGN: 'true',
      UNDERSTUDY_HOST: '',
    };
    expect(read('strict: off\nstrict-variables: false\n', {}, [])).toMatchObject({
      strict: 'off',
      strictVariables: false,
    });
    const options = read('port: 1\nhost: x\nworkers: 3\n', variables, ['--workers', '5']);
    expect(options).toMatchObject({ port: 2, host: 'x', workers: 5, autosign: true });
    expect(readLocalOptions([], defaults, { UNDERSTUDY_CONFIG: file }).workers).toBe(3);
    expect(readLocalOptions([], defaults, { UNDERSTUDY_NODES_TABLE: 't' }).port).toBe(8140);
  });

  it.each([
    ['ports: 1', `error: ${file}: there is no setting 'ports'`],
    ['config: x', `error: ${file}: there is no setting 'config'`],
    [
      'port: high',
      `${file}: error: option '--port <number>' argument 'high' is invalid. It must be a whole number from 0 to 65535.`,
    ],
    ['follow-links: 3', `error: ${file}: 'follow-links' must be true or false`],
    ['host: {a: 1}', `error: ${file}: 'host' must be a text or a number`],
    ['port: true', `error: ${file}: 'port' must be a text or a number`],
    ['- port', `error: ${file}: settings are a hash, such as 'port: 8140'`],
  ])('is refused: %s', (yaml, message) => {
    expect(() => read(yaml)).toThrow(new UsageExit(message, 1));
  });

  it('may be TOML', () => {
    const toml = join(folder, 'server.toml');
    const readToml = (text: string) => {
      writeFileSync(toml, text);
      return readLocalOptions([`--config=${toml}`], defaults, {});
    };
    const options =
      'port = 9_140\nhost = "0.0.0.0" # all\nfollow-links = true\npuppetdb-blocked-facts = ["uptime", "/^d/"]';
    expect(readToml(options)).toMatchObject({
      port: 9140,
      host: '0.0.0.0',
      followLinks: true,
      puppetdbBlockedFacts: ['uptime', '/^d/'],
    });
    const refused: readonly (readonly [string, string])[] = [
      ['ports = 1', `error: ${toml}: there is no setting 'ports'`],
      ['[host]\na = 1', `error: ${toml}: 'host' must be a text or a number`],
      ['host = 1979-05-27', `error: ${toml}: 'host' must be a text or a number`],
      ['host = "a"\nport = ', `error: --config: (${toml}): invalid value at line 2 column 8`],
      [
        'port = 1\nport = 2',
        `error: --config: (${toml}): trying to redefine an already defined table or value at line 2 column 1`,
      ],
    ];
    for (const [text, message] of refused) expect(() => readToml(text)).toThrow(new UsageExit(message, 1));
  });

  it('that does not exist is refused, and so is an invalid variable', () => {
    expect(() => readLocalOptions(['--config', '/nope'], defaults)).toThrow("--config: '/nope' cannot be read: ENOENT");
    expect(() => readLocalOptions([], defaults, { UNDERSTUDY_FOLLOW_LINKS: 'perhaps' })).toThrow(
      new UsageExit('error: UNDERSTUDY_FOLLOW_LINKS must be true or false', 1),
    );
  });
});
