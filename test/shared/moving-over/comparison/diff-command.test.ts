import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CommandError } from '../../../../shared/cli/commands/node-files.ts';
import { addDiffCommand } from '../../../../shared/moving-over/comparison/diff-command.ts';
import { NO_VARIABLES } from '../../../../shared/puppet/environment/operator-variables.ts';
import { hasPuppet } from '../../../helpers/puppet.ts';

const NODE = 'web01.example.com';
const repo = mkdtempSync(join(tmpdir(), 'understudy-diff-'));

beforeAll(() => {
  const manifests = join(repo, 'environments', 'production', 'manifests');
  mkdirSync(manifests, { recursive: true });
  writeFileSync(join(manifests, 'site.pp'), `notify { "\${trusted['certname']} is \${facts['role']}": }`);
  writeFileSync(join(repo, 'facts.json'), '{"role": "web"}');
});
afterAll(() => rmSync(repo, { recursive: true }));

interface Ended {
  readonly code: number | undefined;
  readonly printed: string;
  readonly warned: readonly string[];
}

async function diff(...args: readonly string[]): Promise<Ended> {
  let [code, printed]: [number | undefined, string] = [undefined, ''];
  const warned: string[] = [];
  const program = new Command().exitOverride();
  addDiffCommand(program, {
    print: async (text) => {
      printed += text;
    },
    warn: (line) => warned.push(line),
    exit: (given) => {
      code = given;
    },
    now: () => 0,
    variables: NO_VARIABLES,
  });
  const node = ['--control-repo', repo, '--facts', join(repo, 'facts.json')];
  await program.parseAsync(['diff', NODE, ...node, ...args], { from: 'user' });
  return { code, printed, warned };
}

function catalogFile(name: string, resources: readonly object[]): string {
  const path = join(repo, name);
  writeFileSync(path, JSON.stringify({ resources, edges: [], classes: [] }));
  return path;
}

describe('understudy diff with a catalog from a file', () => {
  it('prints what only one of them has, and ends with 2', async () => {
    const { code, printed } = await diff('--with', catalogFile('other.json', [{ type: 'Notify', title: 'other' }]));
    expect(code).toBe(2);
    expect(printed).toContain('- resource Notify[web01.example.com is web]\n');
    expect(printed).toContain('+ resource Notify[other]\n');
  });

  it.each([
    ['nosuch.json', /^cannot read the catalog: ENOENT/],
    ['facts.json', /facts\.json is not a catalog$/],
  ])('refuses %s', async (name, message) => {
    await expect(diff('--with', join(repo, name))).rejects.toThrow(message);
  });
});

/** An external node classifier. */
function encFile(): string {
  const path = join(repo, 'enc.sh');
  const answer = 'environment: staging\\nclasses:\\n  web: {port: 8080}\\nparameters: {zone: a}\\n';
  writeFileSync(path, `#!/bin/sh\nprintf '${answer}'\n`, { mode: 0o755 });
  const manifests = join(repo, 'environments', 'staging', 'manifests');
  mkdirSync(manifests, { recursive: true });
  writeFileSync(join(manifests, 'site.pp'), `class web($port) { notify { "port \${port} in \${zone}": } }`);
  return path;
}

describe('understudy diff with a node classifier', () => {
  it('compiles what the classifier says', async () => {
    const other = catalogFile('none.json', []);
    const { code, printed } = await diff('--enc', encFile(), '--with', other);
    expect(code).toBe(2);
    expect(printed).toContain('- resource Notify[port 8080 in a]\n');
  });

  it.skipIf(!hasPuppet())('has Puppet ask the same classifier', async () => {
    expect(await diff('--enc', encFile())).toMatchObject({
      code: 0,
      printed: 'The catalogs of understudy (-) and puppet (+) are the same.\n',
    });
  });

  it('names a classifier that is not there', async () => {
    await expect(diff('--enc', '/nosuch/enc')).rejects.toThrow(
      "the external node classifier '/nosuch/enc' does not exist",
    );
  });
});

describe('understudy diff with real Puppet', () => {
  it.skipIf(!hasPuppet())('finds nothing where both see the same node, and ends with 0', async () => {
    expect(await diff()).toEqual({
      code: 0,
      printed: 'The catalogs of understudy (-) and puppet (+) are the same.\n',
      warned: [],
    });
  });

  it('names a program that is not there', async () => {
    const running = diff('--puppet', join(repo, 'nosuch'));
    await expect(running).rejects.toThrow(
      new CommandError(`cannot run '${join(repo, 'nosuch')}': there is no such program`),
    );
  });

  it.each([
    ['--trusted', "--trusted requires --with FILE: 'puppet catalog compile' reads no certificate"],
    ['--exports', "--exports requires --with FILE: 'puppet catalog compile' has no store of exported resources"],
  ])('refuses %s, which Puppet would not see', async (option, message) => {
    const path = join(repo, `given${option}.json`);
    writeFileSync(path, option === '--exports' ? '[]' : `{"certname": "${NODE}"}`);
    await expect(diff(option, path)).rejects.toThrow(new CommandError(message));
  });
});
