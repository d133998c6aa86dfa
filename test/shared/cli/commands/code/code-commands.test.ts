import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Command } from 'commander';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ClientError } from '../../../../../shared/cli/client/client-error.ts';
import { addCodeCommands } from '../../../../../shared/cli/commands/code/code-commands.ts';
import { createRuby } from '../../../../../shared/cli/commands/ruby-choice.ts';
import { NoSuchEnvironment } from '../../../../../shared/fleet/code/scan-environment.ts';
import { createWorkerContext } from '../../../../../shared/fleet/compiles/create-worker-context.ts';
import { processCompileJob } from '../../../../../shared/fleet/compiles/process-compile-job.ts';
import { openEmbeddedStores } from '../../../../../shared/store/embedded/stores.ts';
import { StoreRefused } from '../../../../../shared/store/ports/store-errors.ts';
import { ScriptedTerminal } from '../../../../helpers/scripted-terminal.ts';

const folder = mkdtempSync(join(tmpdir(), 'understudy-code-'));
const data = join(folder, 'data');
beforeAll(() => {
  mkdirSync(data);
  mkdirSync(join(folder, 'other'));
  for (const environment of ['production', 'staging']) {
    const manifests = join(folder, 'environments', environment, 'manifests');
    mkdirSync(manifests, { recursive: true });
    writeFileSync(join(manifests, 'site.pp'), `# ${environment}`);
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

class Nobody extends ScriptedTerminal {
  override readonly isInteractive = false;
}
const nobody = new Nobody();
let person: ScriptedTerminal | null = null;

async function run(...args: readonly string[]): Promise<string> {
  const printed: string[] = [];
  const program = new Command().exitOverride();
  addCodeCommands(program, {
    print: async (text) => void printed.push(text),
    variables: {},
    newSecret: () => 'a-secret',
    terminal: person ?? nobody,
    warn: () => {},
    release: '0',
  });
  await program.parseAsync(args, { from: 'user' });
  return printed.join('');
}

it('says of a config_version that it is not run', async () => {
  const conf = join(folder, 'environments', 'staging', 'environment.conf');
  const place = join(folder, 'other');
  writeFileSync(conf, 'config_version = scripts/version.sh $environment\n');
  try {
    const text = await run('code', 'deploy', folder, '--environment', 'staging', '--data', place);
    expect(text.split('\n').slice(1)).toEqual([
      "staging: config_version '/etc/puppetlabs/code/environments/staging/scripts/version.sh staging' is not run, as no program runs on a server: the version of a catalog is the time of its compile, and its code_id names the code",
      '',
    ]);
  } finally {
    rmSync(conf);
  }
});

it('deploys all environments, or those that are named', async () => {
  expect(await run('code', 'deploy', folder, '--data', data)).toMatch(
    /^production deployed: [0-9a-f]{12}, 1 file, 0 nodes touched\nstaging deployed: [0-9a-f]{12}, 1 file, 0 nodes touched\n$/,
  );
  expect(await run('code', 'deploy', folder, '--environment', 'staging', '--data', data)).toMatch(
    /^staging unchanged: [0-9a-f]{12}, 1 file, 0 nodes touched\n$/,
  );
  expect(await run('code', 'list', '--wide', '--data', data)).toMatch(
    /^ENVIRONMENT {2}CODE ID {57} {2}DEPLOYED {16} {2}BY {12}INVALIDATING\nproduction {3}[0-9a-f]{64} {2}\S+Z {2}command line {2}-\nstaging {6}[0-9a-f]{64} {2}\S+Z {2}command line {2}-\n$/,
  );
  expect(await run('code', 'list', '--data', data)).toMatch(/\nproduction {3}[0-9a-f]{12} {2}\S.* command line\n/);
});

it('names what is not there', async () => {
  await expect(run('code', 'deploy', folder, '--environment', 'none', '--data', data)).rejects.toThrow(
    NoSuchEnvironment,
  );
  const nosuch = join(folder, 'nosuch');
  await expect(run('code', 'list', '--data', nosuch)).rejects.toThrow(
    new StoreRefused(`data directory '${nosuch}' does not exist; npm start creates it`),
  );
  expect(existsSync(nosuch)).toBe(false);
});

describe('a folder that is no control repo', () => {
  const places = 'environment.conf, hiera.yaml, fileserver.conf, manifests, modules or the like';
  const override = 'Nothing was deployed; --allow-empty deploys it anyway';
  const wrong = mkdtempSync(join(tmpdir(), 'understudy-wrong-'));
  const own = join(wrong, 'data');
  const make = (path: string) => mkdirSync(join(wrong, path), { recursive: true });
  const empty = join(wrong, 'empty');
  const half = join(wrong, 'half');
  beforeAll(async () => {
    for (const path of [
      'data',
      'empty',
      'none/environments',
      'half/environments/dev/manifests',
      'half/environments/production/manifests',
    ])
      make(path);
    writeFileSync(join(half, 'environments/dev/manifests/site.pp'), '');
    writeFileSync(join(half, 'environments/production/README.md'), '');
    await run('code', 'deploy', folder, '--data', own);
  });
  afterAll(() => rmSync(wrong, { recursive: true }));

  it.each([
    [
      empty,
      `'${empty}' is no control repo: it has neither a folder 'environments' nor a file of an environment (${places}). ${override}`,
    ],
    [
      join(folder, 'environments'),
      `'${join(folder, 'environments')}' is no control repo: it has neither a folder 'environments' nor a file of an environment (${places}); its control repo is '${folder}'. ${override}`,
    ],
    [
      half,
      `'${join(half, 'environments/production')}' is no environment: there is no file in it of ${places}. ${override}`,
    ],
    [
      join(wrong, 'none'),
      `control repo '${join(wrong, 'none')}' has no environment: its folder 'environments' contains none`,
    ],
  ])('is refused, and changes nothing: %s', async (directory, message) => {
    const before = await run('code', 'list', '--wide', '--data', own);
    for (const flags of [[], ['--dry-run']]) {
      await expect(run('code', 'deploy', directory, ...flags, '--data', own)).rejects.toMatchObject({ message });
    }
    expect(await run('code', 'list', '--wide', '--data', own)).toBe(before);
  });

  it('is deployed when that is allowed', async () => {
    expect(await run('code', 'deploy', empty, '--allow-empty', '--yes', '--data', own)).toMatch(
      /^production: 0 added, 0 changed, 1 removed \(1 file before\)\nproduction deployed: [0-9a-f]{12}, 0 files, 0 nodes touched\n$/,
    );
  });
});

it('removes an environment when it is told to, alone or with all that the control repo does not have', async () => {
  const own = join(folder, 'removing');
  const other = join(folder, 'other');
  mkdirSync(own);
  mkdirSync(join(other, 'environments/production/manifests'), { recursive: true });
  writeFileSync(join(other, 'environments/production/manifests/site.pp'), '');
  const deployed = async () =>
    (await run('code', 'list', '--data', own))
      .split('\n')
      .slice(1)
      .map((line) => line.split(' ')[0]);
  await run('code', 'deploy', folder, '--data', own);
  await run('code', 'deploy', other, '--data', own);
  expect(await deployed()).toEqual(['production', 'staging', '']);
  expect(await run('code', 'deploy', other, '--purge', '--dry-run', '--data', own)).toMatch(
    /\nstaging would be removed\n$/,
  );
  expect(await deployed()).toEqual(['production', 'staging', '']);
  expect(await run('code', 'deploy', other, '--purge', '--data', own)).toMatch(
    /^production unchanged: .*\nstaging removed: 0 nodes touched\n$/,
  );
  expect(await run('code', 'remove', 'production', '--data', own)).toBe('production removed: 0 nodes touched\n');
  expect(await deployed()).toEqual(['']);
  await expect(run('code', 'remove', 'production', '--data', own)).rejects.toThrow(
    "no environment 'production' is deployed",
  );
});

describe('a deploy that removes more than a tenth of the files', () => {
  const repo = mkdtempSync(join(tmpdir(), 'understudy-losing-'));
  const own = join(repo, 'data');
  const manifests = join(repo, 'environments/production/manifests');
  const lose = (count: number) => {
    for (let index = 0; index < count; index += 1) rmSync(join(manifests, `${index}.pp`));
  };
  beforeEach(async () => {
    rmSync(own, { recursive: true, force: true });
    for (const folder of [manifests, own]) mkdirSync(folder, { recursive: true });
    for (let index = 0; index < 20; index += 1) writeFileSync(join(manifests, `${index}.pp`), `# ${index}`);
    await run('code', 'deploy', repo, '--data', own);
  });
  afterEach(() => {
    person = null;
  });
  afterAll(() => rmSync(repo, { recursive: true }));

  it('is refused where nobody can be asked, and made with --yes', async () => {
    lose(3);
    const before = await run('code', 'list', '--wide', '--data', own);
    await expect(run('code', 'deploy', repo, '--data', own)).rejects.toThrow(
      new ClientError(
        '3 of the 20 files of environment production would be removed. Nothing was changed; --yes does it without a question',
      ),
    );
    expect(await run('code', 'list', '--wide', '--data', own)).toBe(before);
    expect(await run('code', 'deploy', repo, '--yes', '--data', own)).toMatch(
      /^production: 0 added, 0 changed, 3 removed \(20 files before\)\nproduction deployed: [0-9a-f]{12}, 17 files,/,
    );
  });

  it.each([
    ['y', true],
    ['YES ', true],
    ['n', false],
    ['', false],
  ])('asks on a terminal; the answer is %j', async (answer, isMade) => {
    lose(3);
    person = new ScriptedTerminal();
    person.answers = [answer];
    const made = run('code', 'deploy', repo, '--data', own);
    if (isMade) await made;
    else await expect(made).rejects.toThrow(new ClientError('nothing was changed'));
    expect(person.questions).toEqual(['3 of the 20 files of environment production would be removed. Go on? [y/N] ']);
    expect((await run('code', 'list', 'production', '--data', own)).trimEnd().split('\n').slice(1)).toHaveLength(
      isMade ? 2 : 1,
    );
  });

  it('is not asked about at a tenth', async () => {
    lose(2);
    expect(await run('code', 'deploy', repo, '--data', own)).toMatch(/, 2 removed \(20 files before\)\n/);
  });
});

it('shows what a deploy would do, what it did, and goes back', async () => {
  const changing = mkdtempSync(join(tmpdir(), 'understudy-changing-'));
  const site = join(changing, 'environments', 'dev', 'manifests', 'site.pp');
  mkdirSync(join(changing, 'environments', 'dev', 'manifests'), { recursive: true });
  writeFileSync(site, '# one');
  await run('code', 'deploy', changing, '--data', data);
  writeFileSync(site, '# two');
  expect(await run('code', 'deploy', changing, '--dry-run', '--data', data)).toMatch(
    /^dev [0-9a-f]{12}: 0 added, 1 changed, 0 removed\n {2}M environments\/dev\/manifests\/site.pp\n {2}0 nodes touched\n$/,
  );
  await run('code', 'deploy', changing, '--data', data);
  expect(await run('code', 'diff', 'dev', '--data', data)).toMatch(
    /^dev [0-9a-f]{12}: 0 added, 1 changed, 0 removed\n {2}M/,
  );
  const [two, one] = (await run('code', 'list', 'dev', '--wide', '--data', data))
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.replaceAll(/ {2,}/g, ' '));
  const described = (line = '') => line.replace(/^dev (\S{12})\S* (\S+) (.*)$/, '$1 ($2, $3)');
  expect(await run('code', 'rollback', 'dev', '--data', data)).toBe(
    `dev rolled back: 1 file, 0 nodes touched\n  from ${described(two)}\n  to   ${described(one)}\nAnother rollback returns to ${two?.split(' ')[1]?.slice(0, 12)}; --to chooses a state of 'code list dev'.\nA git source or a watched control repo that has this code does not bring it again; its next change goes on.\n`,
  );
  expect(await run('code', 'rollback', 'dev', '--to', `${one?.split(' ')[1]}`, '--data', data)).toMatch(
    /^dev unchanged: [0-9a-f]{12} \(\S+Z, command line\) is in force\n$/,
  );
  const states = (await run('code', 'list', 'dev', '--wide', '--data', data))
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.replaceAll(/ {2,}/g, ' '));
  expect(states).toHaveLength(3);
  expect(states[0]?.split(' ')[1]).toBe(states[2]?.split(' ')[1]);
  rmSync(changing, { recursive: true });
});

it('makes, lists and revokes tokens', async () => {
  expect(await run('code', 'token', 'create', '--by', 'ci', '--days', '30', '--data', data)).toBe('a-secret\n');
  const [, listed = ''] = (await run('code', 'token', 'list', '--wide', '--data', data)).split('\n');
  expect(listed).toMatch(/^[0-9a-f]{12} {2}ci {2}\S+Z {2}\S+Z$/);
  const [id = ''] = listed.split(' ');
  expect(await run('code', 'token', 'revoke', id, '--data', data)).toBe(`${id} revoked\n`);
  await expect(run('code', 'token', 'revoke', id, '--data', data)).rejects.toThrow(`there is no token '${id}'`);
  await expect(run('code', 'token', 'create', '--by', 'ci', '--days', 'x', '--data', data)).rejects.toThrow(
    "error: option '--days <count>' argument 'x' is invalid. It must be a whole number from 1 to 99999.",
  );
});

it('prunes code that nothing needs, in its time', async () => {
  const changing = mkdtempSync(join(tmpdir(), 'understudy-pruned-'));
  const own = join(changing, 'data');
  mkdirSync(own);
  const site = join(changing, 'environments', 'dev', 'manifests', 'site.pp');
  mkdirSync(join(changing, 'environments', 'dev', 'manifests'), { recursive: true });
  for (const text of ['# one', '# two']) {
    writeFileSync(site, text);
    await run('code', 'deploy', changing, '--data', own);
  }
  // What was written within a day stays.
  expect(await run('code', 'prune', '--keep-history', '0', '--keep-days', '0', '--data', own)).toBe(
    '0 snapshots, 0 files, 0 bytes pruned\n',
  );
  expect(await run('code', 'prune', '--dry-run', '--data', own)).toBe(
    '0 snapshots, 0 files, 0 bytes would be pruned\n',
  );
  await expect(run('code', 'prune', '--keep-days', 'x', '--data', own)).rejects.toThrow(
    "error: option '--keep-days <days>' argument 'x' is invalid. It must be a whole number from 0 to 99999.",
  );
  rmSync(changing, { recursive: true });
});

describe('a deploy whose nodes are compiled before', () => {
  const repo = mkdtempSync(join(tmpdir(), 'understudy-trial-'));
  const own = join(repo, 'data');
  const site = join(repo, 'environments/production/manifests/site.pp');
  const write = (content: string) => writeFileSync(site, `notify { "hello": message => "${content}" }`);
  beforeAll(async () => {
    mkdirSync(own);
    mkdirSync(dirname(site), { recursive: true });
    write('one');
    await run('code', 'deploy', repo, '--data', own);
    const stores = openEmbeddedStores(own);
    const ruby = createRuby({ host: 'wasm', user: null, memoryLimitBytes: null }, undefined);
    const context = createWorkerContext({
      stores,
      ruby,
      limitMs: 60_000,
      processVariables: {},
      server: { name: hostname(), ip: null, release: '0' },
    });
    await stores.nodes.markSeen('web1', 'production', 1);
    await stores.nodes.want('web1', 'test', 1, { asked: true });
    await processCompileJob({ certname: 'web1', generation: 1, reason: 'test', at: 1 }, context);
    ruby.close();
    stores.close();
  });
  afterAll(() => rmSync(repo, { recursive: true }));

  it('prints the catalogs that a dry run would change, as text and as JSON', async () => {
    write('two');
    expect(await run('code', 'deploy', repo, '--dry-run', '--data', own)).toMatch(
      /^production [0-9a-f]{12}: 0 added, 1 changed, 0 removed\n {2}M environments\/production\/manifests\/site.pp\n {2}1 node touched, 1 compiled\n {2}1 node: Notify\[hello\] message: one -> two\n {10}\(web1\)\n$/,
    );
    const [preview] = JSON.parse(await run('code', 'deploy', repo, '--dry-run', '--format', 'json', '--data', own));
    const difference = { kind: 'changed', resource: 'Notify[hello]', parameter: 'message', from: 'one', to: 'two' };
    expect(preview).toMatchObject({ compared: 1, groups: [{ nodes: ['web1'], count: 1, differences: [difference] }] });
    expect((await run('code', 'list', 'production', '--data', own)).trimEnd().split('\n').slice(1)).toHaveLength(1);
  });

  it('prints what the deployed code of a branch would change', async () => {
    const branch = join(repo, 'environments', 'feature_x', 'manifests', 'site.pp');
    mkdirSync(dirname(branch), { recursive: true });
    writeFileSync(branch, 'notify { "hello": message => $environment }');
    await run('code', 'deploy', repo, '--environment', 'feature_x', '--data', own);
    const ask = ['code', 'dry-run', 'production', '--code-of', 'feature_x', '--data', own] as const;
    expect(await run(...ask)).toMatch(
      /^production with the code of feature_x [0-9a-f]{12}: 0 added, 1 changed, 0 removed\n {2}M environments\/production\/manifests\/site.pp\n {2}1 node touched, 1 compiled\n {2}1 node: Notify\[hello\] message: one -> feature_x\n {10}\(web1\)\n$/,
    );
    expect(JSON.parse(await run(...ask, '--format', 'json'))).toMatchObject({
      codeEnvironment: 'feature_x',
      compared: 1,
    });
    await expect(run('code', 'dry-run', 'production', '--code-of', 'none', '--data', own)).rejects.toThrow(
      NoSuchEnvironment,
    );
    await expect(run('code', 'dry-run', 'production', '--data', own)).rejects.toThrow(
      "'code dry-run' needs --code-of, --code or --language",
    );
    rmSync(dirname(dirname(branch)), { recursive: true });
    await run('code', 'remove', 'feature_x', '--yes', '--data', own);
  });

  it('refuses code with which a node fails, and invalid manifests', async () => {
    const place = 'environments/production/manifests/site.pp';
    writeFileSync(site, 'fail("oh no")');
    await expect(run('code', 'deploy', repo, '--check', '--data', own)).rejects.toMatchObject({
      name: 'DeployRefused',
      message: `environment production was not deployed:\n  web1 would fail: Evaluation Error: Error while evaluating a Function Call, oh no (file: /etc/puppetlabs/code/${place}, line: 1, column: 1) on node web1`,
    });
    writeFileSync(site, '}');
    await expect(run('code', 'deploy', repo, '--check', '--data', own)).rejects.toMatchObject({
      message: expect.stringContaining(`\n  ${place}:1: Syntax error at '}'\n`),
    });
    expect((await run('code', 'list', 'production', '--data', own)).trimEnd().split('\n').slice(1)).toHaveLength(1);
    write('three');
    expect(await run('code', 'deploy', repo, '--check', '--data', own)).toMatch(
      /\nproduction checked: 1 node compiles\nproduction deployed: /,
    );
  });
});
