import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Command, CommanderError, type Option } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createProgram } from '../../functions/program.ts';
import { CertificateAuthority } from '../../shared/access/ca/authority.ts';
import { EXPECTED_ERRORS } from '../../shared/cli/commands/expected-errors.ts';
import { CommandError } from '../../shared/cli/commands/node-files.ts';
import { openEmbeddedStores } from '../../shared/store/embedded/stores.ts';

const folder = mkdtempSync(join(tmpdir(), 'understudy-program-'));
const data = join(folder, 'data');

beforeAll(async () => {
  const stores = openEmbeddedStores(data);
  await CertificateAuthority.open(stores.documents, stores.clock, { name: 'x', autosign: false, keyType: 'ec' });
  stores.close();
});
afterAll(() => rmSync(folder, { recursive: true }));

/** All commands that have no commands below them, by their words. */
function listLeaves(command: Command, words: readonly string[] = []): readonly (readonly [string, Command])[] {
  if (command.commands.length === 0) return [[words.join(' '), command]];
  return command.commands.flatMap((one) => listLeaves(one, [...words, one.name()]));
}

const LEAVES = listLeaves(createProgram());

/** What a command says of its arguments; nothing is done. */
async function refusal(words: string, ...args: readonly string[]): Promise<string> {
  const program = createProgram();
  const written: string[] = [];
  const prepare = (command: Command) => {
    command.exitOverride().configureOutput({ writeErr: (text) => written.push(text), writeOut: () => {} });
    command.commands.forEach(prepare);
  };
  prepare(program);
  try {
    await program.parseAsync([...words.split(' '), ...args], { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) return written.join('');
    const isExpected = [CommandError, ...EXPECTED_ERRORS].some((kind) => error instanceof kind);
    return error instanceof Error ? `${isExpected ? '' : 'unexpected: '}${error.message}` : String(error);
  }
  return 'it went through';
}

const FILE = join(folder, 'file');
mkdirSync(folder, { recursive: true });
writeFileSync(FILE, 'x');

/** Values for what a command needs beside the option. */
function needed(command: Command, option: Option | null): readonly string[] {
  const others = command.options.filter((one) => one.mandatory && one.long !== option?.long);
  return [
    ...command.registeredArguments.filter(({ required }) => required).map(() => 'a'),
    ...others.flatMap(({ long, flags }) => [long ?? '', /<(dir|file|path)>/.test(flags) ? FILE : 'a']),
  ];
}

describe('every command', () => {
  it.each(LEAVES.filter(([words]) => words !== 'server').map(([words]) => words))(
    'suggests an option for a slip: %s',
    async (words) => {
      const [, command] = LEAVES.find(([name]) => name === words) ?? [];
      const [known] = command?.options.filter(({ long }) => (long?.length ?? 0) > 6) ?? [];
      const slip = known?.long ?? '--help';
      const rest = command === undefined ? [] : needed(command, null);
      const message = await refusal(words, ...rest, `${slip}${slip === '--help' ? 'p' : 'x'}`);
      expect(message).toBe(
        `error: unknown option '${slip}${slip === '--help' ? 'p' : 'x'}'\n(Did you mean ${slip}?)\n`,
      );
    },
  );
});

/** Options whose values have a form, by what their flags say of the value. */
const FORMS =
  /<(boolean|bytes|column\[:desc\]|count|days|end|format|how|level|nodes|number|port|range|rate|release|seconds|state|states|status|strategy|type|uid:gid|queue|whose)>|\[seconds\]/;
/** Their values have no form: the services or the data know them. */
const FREE: Readonly<Record<string, string>> = {
  '--canary code deploy': 'it may have names of nodes, too',
  '--type': 'a Puppet type, which lookup parses',
  '--merge': 'a strategy of Hiera, which lookup parses',
  '--serial-number': 'the service compares it',
  '--state job list': 'the service knows the states',
};
const WITH_FORMS = LEAVES.flatMap(([words, command]) =>
  command.options
    .filter(({ flags, long }) => FORMS.test(flags) && !(`${long}` in FREE) && !(`${long} ${words}` in FREE))
    .map((option): readonly [string, string, Command, Option] => [words, option.flags, command, option]),
);

describe('a value that cannot be used', () => {
  it.each(WITH_FORMS)('is named with its option and what it must be: %s %s', async (words, flags, command, option) => {
    const bad = '?bad?';
    const message = await refusal(words, ...needed(command, option), `${option.long}=${bad}`);
    expect(message.split('\n')[0]).toMatch(
      new RegExp(
        `^error: option '${flags.replace(/[|[\]<>.\\]/g, '\\$&')}' argument '\\?bad\\?' is invalid\\. (It must be|Allowed choices are|It must) `,
      ),
    );
  });
});

describe('--format', () => {
  /** The only commands with other formats. */
  const OTHERS: Readonly<Record<string, readonly string[]>> = {
    parse: ['pn', 'nodes'],
    query: ['json', 'text', 'csv'],
    compare: ['text', 'json', 'html'],
    'import puppet-conf': ['text', 'yaml'],
    'import server-conf': ['text', 'yaml'],
  };
  /** The commands that Puppet Enterprise's client tools have, too. */
  const CLIENTS = /^(job (run|plan|show|stop)|task|plan|app|agents) ?/;
  const formatOf = ({ options }: Command) => options.find(({ long }) => long === '--format');
  const FORMATTED = LEAVES.filter(([, command]) => formatOf(command) !== undefined);

  it.each(FORMATTED)('is text or json, and human for client tools: %s', (words, command) => {
    const option = formatOf(command);
    expect(option?.flags).toBe('-o, --format <format>');
    expect(option?.argChoices).toEqual(OTHERS[words] ?? ['text', 'json']);
    const parse = (text: string) => option?.parseArg?.(text, undefined);
    if (CLIENTS.test(words)) expect(parse('human')).toBe('text');
    else expect(() => parse('human')).toThrow('Allowed choices are');
    expect(() => parse('table')).toThrow('Allowed choices are');
  });

  it('is with --limit and --sort at each list', () => {
    const has = ({ options }: Command, name: string) => options.some(({ long }) => long === name);
    const lists = LEAVES.filter(([words]) => /(^| )list$/.test(words));
    for (const [words, command] of lists) {
      expect([words, has(command, '--limit'), has(command, '--sort')]).toEqual([words, true, true]);
    }
    expect(
      LEAVES.filter(([, command]) => has(command, '--sort') !== has(command, '--limit')).map(([words]) => words),
    ).toEqual(['job show', 'app show']);
  });

  it('is an option of each command that reads and prints', () => {
    const reading = LEAVES.filter(([words]) =>
      /(^| )(list|show|status|diff|explain|compare|preview|check|ping|why)$/.test(words),
    );
    const without = reading.filter(([, command]) => formatOf(command) === undefined).map(([words]) => words);
    // The token alone, as it is put into a header; and the exit code of `puppet catalog diff`.
    expect(without).toEqual(['diff', 'access show']);
  });
});

/** Files and folders that commands read. */
const READ = /<(file|path|dir)>/;
const MADE = new Set([
  '--into',
  '--state-file',
  '--git-folder',
  '--data',
  '--token-file',
  '--token-path',
  '--ca-key-file',
]);
const FILES = LEAVES.flatMap(([words, command]) =>
  command.options
    .filter(({ flags, long }) => READ.test(flags) && !MADE.has(long ?? ''))
    .map((option): readonly [string, string, Command, Option] => [words, option.flags, command, option]),
);

describe('a file that is not there', () => {
  it.each(FILES)('is named: %s %s', async (words, _, command, option) => {
    const missing = join(folder, 'not-there');
    const where = command.options.some(({ long }) => long === '--data') ? ['--data', data] : [];
    const message = await refusal(words, ...needed(command, option), `${option.long}=${missing}`, ...where);
    expect(message).toBe(`error: option '${option.flags}' argument '${missing}' is invalid. It does not exist.\n`);
  });

  const READING = LEAVES.filter(
    ([words, { registeredArguments }]) =>
      registeredArguments.some((one) => /^(file|dir)$/.test(one.name())) && !/^(backup|ca export)$/.test(words),
  );
  it.each(READING.map(([words]) => words))('is named as an argument: %s', async (words) => {
    const missing = join(folder, 'not-there');
    const command = LEAVES.find(([name]) => name === words)?.[1];
    const hasData = command?.options.some(({ long }) => long === '--data') === true;
    const where = words === 'restore' ? join(folder, 'restored') : data;
    const rest = words === 'packages upload' ? ['--package-version', '8.0.0', '--platform', 'a'] : [];
    const message = await refusal(words, missing, ...rest, ...(hasData ? ['--data', where] : []));
    expect(message).toContain(missing);
    expect(message).not.toMatch(/^(unexpected|ENOENT|it went through)/);
  });
});

/** Verbs of commands that may end more than they name, or cannot be taken back. */
const DESTRUCTIVE =
  /^(abort|clean|delete|import|prune|purge|reject|remove|replace|restore|revoke|rollback|rotate|stop|unclassify)/;
/** These ask nothing, for these reasons. */
const UNASKED: Readonly<Record<string, string>> = {
  'ca clean': 'it names the nodes, as `puppetserver ca clean` does',
  'ca delete': 'it deletes only what counts no more',
  'ca prune': 'it removes only entries of certificates that expired',
  'ca revoke': 'it names the nodes, as `puppetserver ca revoke` does',
  'ca revoke-server': 'the server gets another certificate when it starts',
  'ca import': 'it refuses a store with a CA that nodes use',
  'code prune': 'it deletes only what nothing needs',
  'code rollback': 'another rollback returns',
  'code stage abort': 'the code may be staged again',
  'code sources remove': 'the environments stay',
  'code token revoke': 'it names the token',
  'code values rotate': 'it names the value, which has to be new',
  'node unclassify': 'it names the node; `node classify` brings it back',
  'access user revoke': 'it names the user',
  'access user revoke-tokens': 'it names the user, who logs in again',
  'access delete-token-file': 'the user logs in again',
  'access directory delete': 'it names the directory, which keeps its users',
  'access group import': 'it adds a group, and fails if there is one',
  'import puppet-conf': 'it changes nothing',
  'import server-conf': 'it changes nothing',
  'import puppetdb': 'it adds to an inventory',
  'job stop': 'it names the job',
  'plan stop': 'it names the plan',
  restore: 'it refuses a directory with anything in it',
};

it('asks, or has a reason not to: every command that may destroy something', () => {
  const destructive = LEAVES.filter(([words]) => words.split(' ').some((word) => DESTRUCTIVE.test(word)));
  const asking = destructive.filter(([, { options }]) => options.some(({ long }) => long === '--yes'));
  const names = (some: typeof LEAVES) => some.map(([words]) => words).sort();
  expect(names(asking)).toEqual(['code remove', 'group delete', 'group import', 'node purge', 'policy delete']);
  expect(names(destructive.filter((one) => !asking.includes(one)))).toEqual(Object.keys(UNASKED).sort());
});
