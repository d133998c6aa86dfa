import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { describeCommand, listUnknownVariables, readLocalOptions, UsageExit } from '../../../shared/local/options.ts';

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
    ['ports: 1', "1: there is no setting 'ports' (did you mean port?)"],
    ['port: 1\n\n# a slip\nfolow-links: true', "4: there is no setting 'folow-links' (did you mean follow-links?)"],
    ['zzz: 1', "1: there is no setting 'zzz'"],
    ['config: x', "1: there is no setting 'config'"],
    ['# x\nport: high', "2: port 'high' is invalid. It must be a whole number from 0 to 65535."],
    ['port: 1.5', "1: port '1.5' is invalid. It must be a whole number from 0 to 65535."],
    ['port: true', "1: port 'true' is invalid. It must be a text or a number."],
    ['port:', "1: port 'null' is invalid. It must be a text or a number."],
    ['strict: maybe', "1: strict 'maybe' is invalid. Allowed choices are off, warning, error."],
    ['follow-links: 3', "1: follow-links '3' is invalid. It must be true or false."],
    ['host: {a: 1}', "1: host 'a hash' is invalid. It must be a text or a number."],
    [
      "forge: ['https://user:secret@forge.example.com']",
      '1: forge \'["https://…@forge.example.com"]\' is invalid. It must be a text or a number, not a list.',
    ],
    ['host: [127.0.0.1]', '1: host \'["127.0.0.1"]\' is invalid. It must be a text or a number, not a list.'],
    ['port: 1\nhost: x\nport: 2', '3: port is set twice, first in line 1'],
    ['"port": 1\nport: 2', '2: port is set twice, first in line 1'],
    ['port: 1\nhost: "x', '2: found unexpected end of stream while scanning a quoted scalar'],
  ])('is refused with the line: %s', (yaml, message) => {
    expect(() => read(yaml)).toThrow(new UsageExit(`error: ${file}:${message}`, 1));
  });

  it('is refused when it is no hash', () => {
    expect(() => read('- port')).toThrow(new UsageExit(`error: ${file}: settings are a hash, such as 'port: 8140'`, 1));
  });

  it('has several names where an option takes them', () => {
    expect(read('ruby-command: [git, ssh]\nport: 1')).toMatchObject({ rubyCommand: ['git', 'ssh'], port: 1 });
    expect(read('ruby-command: git\n')).toMatchObject({ rubyCommand: ['git'] });
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
      ['ports = 1', "1: there is no setting 'ports' (did you mean port?)"],
      ['port = 1\n[host]\na = 1', '2: host \'{"a":1}\' is invalid. It must be a text or a number.'],
      ['host = 1979-05-27', '1: host \'"1979-05-27"\' is invalid. It must be a text or a number.'],
      ['host = "a"\nport = ', '2: invalid value'],
      ['port = 1\nport = 2', '2: trying to redefine an already defined table or value'],
    ];
    for (const [text, message] of refused) {
      expect(() => readToml(text)).toThrow(new UsageExit(`error: ${toml}:${message}`, 1));
    }
  });

  it('that does not exist is refused, and so is an invalid variable', () => {
    expect(() => readLocalOptions(['--config', '/nope'], defaults)).toThrow(
      new UsageExit("error: option '--config <file>' argument '/nope' is invalid. It does not exist.", 1),
    );
    expect(() => readLocalOptions([], defaults, { UNDERSTUDY_FOLLOW_LINKS: 'perhaps' })).toThrow(
      new UsageExit("error: UNDERSTUDY_FOLLOW_LINKS 'perhaps' is invalid. It must be true or false.", 1),
    );
  });
});

describe('every setting', () => {
  /** Values that no option of the kind takes; texts take all. */
  const command = describeCommand(defaults);
  const FORMS = command.options.filter(
    ({ parseArg, long, flags }) => (parseArg !== undefined || !flags.includes('<')) && long !== '--config',
  );

  it.each(FORMS.map(({ long }) => long?.slice(2) ?? ''))(
    'is refused with its place, its value and a remedy: %s',
    (name) => {
      const value = '/?bad(/';
      const remedy = "'/\\?bad\\(/' is invalid\\. \\S";
      const variable = `UNDERSTUDY_${name.replaceAll('-', '_').toUpperCase()}`;
      const isFlag = !command.options.find(({ long }) => long === `--${name}`)?.flags.includes('<');
      if (name === 'autosign') return;
      expect(() => read(`# first\n${name}: "${value}"`)).toThrow(new RegExp(`^error: ${file}:2: ${name} ${remedy}`));
      expect(() => readLocalOptions([], defaults, { [variable]: value })).toThrow(
        new RegExp(`^error: ${variable} ${remedy}`),
      );
      if (isFlag) return;
      expect(() => readLocalOptions([`--${name}=${value}`], defaults)).toThrow(
        new RegExp(`^error: option '--${name} <.+>' argument ${remedy}`),
      );
    },
  );

  it('that is misspelt is named with the right one, wherever it is set', () => {
    for (const { long = '' } of command.options) {
      const name = long.slice(2);
      if (name.length < 6) continue;
      const slip = `${name.slice(0, 2)}x${name.slice(2)}`;
      if (name !== 'config') {
        expect(() => read(`${slip}: 1`)).toThrow(
          `error: ${file}:1: there is no setting '${slip}' (did you mean ${name}?)`,
        );
      }
      expect(() => readLocalOptions([`--${slip}`], defaults)).toThrow(
        `error: unknown option '--${slip}'\n(Did you mean --${name}?)`,
      );
      const [variable, wrong] = [name, slip].map((one) => `UNDERSTUDY_${one.replaceAll('-', '_').toUpperCase()}`);
      expect(listUnknownVariables({ [wrong ?? '']: '1' }, defaults)).toEqual([
        `there is no setting ${wrong} (did you mean ${variable}?)`,
      ]);
    }
  });

  it('of others that begins alike is left alone', () => {
    const others = { UNDERSTUDY_NODES_TABLE: 't', UNDERSTUDY_TEST_DISK: '/x', PORT: '1', UNDERSTUDY_PORT: '1' };
    expect(listUnknownVariables(others, defaults)).toEqual([]);
  });
});
