import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeStartImage } from '../../../../shared/cli/start-image/make-start-image.ts';
import { imageFiles } from '../../../../shared/cli/start-image/start-image.ts';

const PROJECT = join(import.meta.dirname, '..', '..', '..', '..');
const NODE = process.execPath;

describe('a start image', () => {
  const root = mkdtempSync(join(tmpdir(), 'understudy-start-'));
  const files = imageFiles(root);
  const make = () => makeStartImage({ root, node: NODE, now: Date.now() });

  beforeAll(async () => {
    for (const folder of ['functions', 'shared', 'examples']) {
      cpSync(join(PROJECT, folder), join(root, folder), { recursive: true });
    }
    cpSync(join(PROJECT, 'package.json'), join(root, 'package.json'));
    mkdirSync(join(root, 'node_modules'));
    // Without .bin: Node comes from PATH, and no command makes an image.
    const packages = readdirSync(join(PROJECT, 'node_modules')).filter((name) => !['.bin', '.cache'].includes(name));
    for (const name of packages) symlinkSync(join(PROJECT, 'node_modules', name), join(root, 'node_modules', name));
    writeRubyModule(join(root, 'code'));
    await make();
  });

  afterAll(() => rmSync(root, { recursive: true, force: true }));

  function understudy(args: readonly string[], node = NODE) {
    const env = { ...process.env, PATH: `${join(node, '..')}:${process.env.PATH}` };
    const { status, stdout, stderr } = spawnSync(join(root, 'functions', 'understudy'), args, {
      encoding: 'utf8',
      env,
    });
    return { status, stdout, stderr };
  }

  const example = [
    '--control-repo',
    join(root, 'examples', 'control-repo'),
    '--facts',
    join(root, 'examples', 'facts.json'),
  ];
  const ruby = ['--control-repo', join(root, 'code'), '--facts', join(root, 'examples', 'facts.json')];

  it.each([
    ['a catalog', ['compile', 'web01.example.com', ...example]],
    ['what a compile read', ['compile', 'web01.example.com', '--explain', ...example]],
    ['a catalog that needs Ruby', ['compile', 'web01.example.com', ...ruby]],
    ['a looked up value', ['lookup', 'role', '--node', 'web01.example.com', ...example]],
    ['help', ['compile', '--help']],
    ['the version', ['compile', '--version']],
    ['a missing option', ['compile', 'web01.example.com']],
    ['a file that is not there', ['compile', 'a', '--control-repo', '/nonexistent', '--facts', '/nonexistent']],
  ])('prints %s as the sources do', (_, args) => {
    const image = understudy(args);
    expect(existsSync(files.node)).toBe(true);
    const { status, stdout, stderr } = spawnSync(NODE, [join(PROJECT, 'functions', 'cli.ts'), ...args], {
      encoding: 'utf8',
    });
    expect(withoutTime(image)).toEqual(withoutTime({ status, stdout, stderr }));
  });

  it('is not used once a source has changed', async () => {
    const source = join(root, 'shared', 'cli', 'commands', 'lookup-options.ts');
    appendFileSync(source, '// changed\n');
    const lookup = ['lookup', 'role', '--node', 'web01.example.com', ...example];
    expect(understudy(lookup)).toEqual({ status: 0, stdout: '--- role::web\n', stderr: '' });
    expect(existsSync(files.node)).toBe(false);
    await make();
    expect(understudy(lookup)).toEqual({ status: 0, stdout: '--- role::web\n', stderr: '' });
    expect(existsSync(files.node)).toBe(true);
  });

  it('is not used and made anew when it is damaged', async () => {
    const image = readFileSync(files.blob);
    image.writeUInt8(image.readUInt8(image.length >> 1) ^ 1, image.length >> 1);
    writeFileSync(files.blob, image);
    const lookup = ['lookup', 'role', '--node', 'web01.example.com', ...example];
    const stderr = 'understudy: the start image is damaged; this command starts from the sources\n';
    expect(understudy(lookup)).toEqual({ status: 0, stdout: '--- role::web\n', stderr });
    expect(existsSync(files.node)).toBe(false);
    await make();
    expect(understudy(lookup)).toEqual({ status: 0, stdout: '--- role::web\n', stderr: '' });
    expect(existsSync(files.node)).toBe(true);
  });

  it('is not used where it was not made', async () => {
    const moved = mkdtempSync(join(tmpdir(), 'understudy-moved-'));
    try {
      cpSync(root, moved, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
      const args = ['lookup', 'role', '--node', 'web01.example.com', ...example];
      const env = { ...process.env, PATH: `${join(NODE, '..')}:${process.env.PATH}` };
      rmSync(join(moved, 'shared', 'cli', 'commands', 'lookup-options.ts'));
      const { status } = spawnSync(join(moved, 'functions', 'understudy'), args, { encoding: 'utf8', env });
      expect([status, existsSync(files.node), existsSync(imageFiles(moved).node)]).toEqual([1, true, true]);
    } finally {
      rmSync(moved, { recursive: true, force: true });
    }
  });

  it('is not used by a Node that took the place of the one that made it', async () => {
    const node = join(root, 'bin', 'node');
    const other = join(root, 'other-node');
    const lookup = ['lookup', 'role', '--node', 'web01.example.com', ...example];
    const change = () => appendFileSync(join(root, 'shared', 'cli', 'commands', 'lookup-options.ts'), '// changed\n');
    mkdirSync(join(root, 'bin'));
    for (const path of [node, other]) copyFileSync(NODE, path);
    await makeStartImage({ root, node, now: Date.now() });
    // As old as what a package holds.
    utimesSync(other, 0, 0);
    renameSync(other, node);
    change();
    expect(understudy(lookup, node)).toEqual({ status: 0, stdout: '--- role::web\n', stderr: '' });
    // The sources that it was made of have changed: who starts from it takes it away.
    expect(existsSync(files.node)).toBe(true);
    await makeStartImage({ root, node, now: Date.now() });
    change();
    expect(understudy(lookup, node)).toEqual({ status: 0, stdout: '--- role::web\n', stderr: '' });
    expect(existsSync(files.node)).toBe(false);
  });

  it('is used by a Node whose times are in the future', async () => {
    const folder = join(root, 'later');
    const node = join(folder, 'node');
    mkdirSync(folder);
    copyFileSync(NODE, node);
    const [later, before] = [new Date(Date.now() + 86_400_000), new Date(Date.now() - 86_400_000)];
    for (const path of [node, folder]) utimesSync(path, later, later);
    await makeStartImage({ root, node, now: Date.now() });
    const lookup = ['lookup', 'role', '--node', 'web01.example.com', ...example];
    const isUsed = () => {
      appendFileSync(join(root, 'shared', 'cli', 'commands', 'lookup-options.ts'), '// changed\n');
      expect(understudy(lookup, node)).toEqual({ status: 0, stdout: '--- role::web\n', stderr: '' });
      // Who starts from an image of sources that have changed takes it away.
      return !existsSync(files.node);
    };
    expect(isUsed()).toBe(true);
    await makeStartImage({ root, node, now: Date.now() });
    utimesSync(node, before, before);
    expect(isUsed()).toBe(false);
  });

  it('is left alone while another process makes it, unless that one died', async () => {
    rmSync(files.node, { force: true });
    writeFileSync(files.lock, '');
    await make();
    expect(existsSync(files.node)).toBe(false);
    utimesSync(files.lock, 0, 0);
    await make();
    expect([existsSync(files.node), existsSync(files.lock)]).toEqual([true, false]);
    rmSync(files.node);
    writeFileSync(files.lock, '');
    const later = new Date(Date.now() + 86_400_000);
    utimesSync(files.lock, later, later);
    await make();
    expect([existsSync(files.node), existsSync(files.lock)]).toEqual([true, false]);
  });
});

function withoutTime(result: { status: number | null; stdout: string; stderr: string }) {
  return { ...result, stdout: result.stdout.replace(/"version":\d+/, '"version":0') };
}

function writeRubyModule(code: string): void {
  const environment = join(code, 'environments', 'production');
  const functions = join(environment, 'modules', 'shout', 'lib', 'puppet', 'functions');
  mkdirSync(functions, { recursive: true });
  mkdirSync(join(environment, 'manifests'));
  writeFileSync(join(environment, 'manifests', 'site.pp'), 'notify { shout("a"): }\n');
  writeFileSync(
    join(functions, 'shout.rb'),
    'Puppet::Functions.create_function(:shout) do\n  def shout(text) = text.upcase\nend\n',
  );
}
