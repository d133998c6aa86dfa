import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CertificateAuthority } from '../../shared/access/ca/authority.ts';
import { openEmbeddedStores } from '../../shared/store/embedded/stores.ts';

const ENTRY = fileURLToPath(new URL('../../functions/local.ts', import.meta.url));
const ROOT = dirname(dirname(ENTRY));
const folder = mkdtempSync(join(tmpdir(), 'understudy-local-'));
let other: Server;

beforeAll(async () => {
  other = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => other.once('listening', resolve));
});
afterAll(() => {
  other.close();
  rmSync(folder, { recursive: true });
});

function write(path: string, text = ''): string {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

/** A data directory with a CA in it, so that no start makes a large key. */
async function dataDirectory(name: string): Promise<string> {
  const directory = join(folder, name);
  const stores = openEmbeddedStores(directory);
  await CertificateAuthority.open(stores.documents, stores.clock, { name, autosign: false, keyBits: 2048 });
  stores.close();
  return directory;
}

function start(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [ENTRY, ...args], { encoding: 'utf8', cwd: folder });
  return { status, stdout, stderr };
}

describe('npm start names what it cannot use, and exits with 1', () => {
  it('a port that is in use', async () => {
    const address = other.address();
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    const { status, stderr } = start('--data', await dataDirectory('port'), '--port', String(port));
    expect([status, stderr]).toEqual([
      1,
      `understudy: --port: Cannot listen on 127.0.0.1:${port}: the port is in use by another program\n`,
    ]);
  });

  it('a data directory that another process serves', async () => {
    const directory = await dataDirectory('served');
    const stores = openEmbeddedStores(directory);
    stores.serveAlone();
    const { status, stderr } = start('--data', directory, '--port', '0');
    stores.close();
    expect([status, stderr]).toEqual([
      1,
      `understudy: data directory '${directory}' is already served by another process: ${process.pid}\n`,
    ]);
  });

  it('a data directory that is none', () => {
    const file = write('occupied', 'a file');
    const { status, stderr } = start('--data', file);
    expect([status, stderr]).toEqual([
      1,
      `understudy: data directory '${file}' cannot be used: EEXIST: file already exists, mkdir '${file}'\n`,
    ]);
  });

  it('a control repo that is not there', () => {
    const { status, stderr } = start('--data', 'data', '--control-repo', '/no/such/repo');
    expect([status, stderr]).toEqual([
      1,
      "understudy: --control-repo: The control repo '/no/such/repo' is not a directory\n",
    ]);
  });

  it('a control repo without an environment', () => {
    write('empty/README.md');
    const { status, stderr } = start('--data', 'data', '--control-repo', 'empty');
    expect([status, stderr]).toEqual([
      1,
      "understudy: --control-repo: The control repo 'empty' has no environment: it contains neither a folder in 'empty/environments' nor a folder 'manifests'\n",
    ]);
  });

  it('a control repo whose only environment has a broken environment.conf', async () => {
    const conf = write('broken/environments/production/environment.conf', 'modulepath = site\n???\n');
    const { status, stderr } = start('--data', await dataDirectory('conf'), '--control-repo', join(folder, 'broken'));
    expect([status, stderr]).toEqual([
      1,
      `understudy: No environment of the control repo '${join(folder, 'broken')}' could be deployed:\n` +
        `  production: Could not match line ??? (file: ${conf}, line: 2)\n`,
    ]);
  });

  it.each([
    [
      ['--port', 'x'],
      "error: option '--port <number>' argument 'x' is invalid. It must be a whole number from 0 to 65535.\n",
    ],
    [
      ['--workers', '0'],
      "error: option '--workers <number>' argument '0' is invalid. It must be a whole number from 1 to 256.\n",
    ],
    [['--nonsense'], "error: unknown option '--nonsense'\n"],
    [['more'], 'error: too many arguments. Expected 0 arguments but got 1.\n'],
  ])('the options %j', (args, message) => {
    expect(start(...args)).toEqual({ status: 1, stdout: '', stderr: message });
  });
});

describe('npm start -- --help', () => {
  it('explains every option', () => {
    const { status, stdout } = start('--help');
    expect(status).toBe(0);
    for (const flag of [
      '--control-repo <dir>',
      '--data <dir>',
      '--host <address>',
      '--port <number>',
      '--workers <number>',
      '--autosign',
    ]) {
      expect(stdout).toContain(flag);
    }
  });
});

describe('a start with a fresh data directory', () => {
  it.each([
    ['npm', ['start', '--'], `Reading the control repo ${join(ROOT, 'examples/control-repo')}`],
    ['functions/understudy', ['server'], 'No code is deployed, so agents get an error and change nothing. '],
  ])('by %s %j says which code it serves', async (command, first, message) => {
    const flags = ['--data', join(folder, `fresh-${command.length}`), '--port', '0', '--ca-key-type', 'ec'];
    const { npm_lifecycle_event: _, ...env } = process.env;
    const started = spawn(command, [...first, ...flags], {
      cwd: ROOT,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    });
    try {
      expect(await printedUntil(started, 'listens on')).toContain(message);
    } finally {
      endGroup(started.pid ?? 0);
    }
  });
});

describe('npm start', () => {
  it('ends with npm: the shell between them keeps no signal to itself', async () => {
    // Each try has its own: a start seals the key of the CA.
    const directory = await dataDirectory(`signalled-${randomUUID()}`);
    const npm = spawn('npm', ['start', '--', '--data', directory, '--port', '0'], {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    });
    try {
      await printedUntil(npm, 'listens on');
      const ended = once(npm, 'exit');
      npm.kill('SIGTERM');
      const said = await printedUntil(npm, 'stopped');
      expect(said.trim().split('\n')).toEqual([
        expect.stringMatching(/^\S+Z stopping \(SIGTERM\): requests and compiles in progress may end$/),
        expect.stringMatching(/^\S+Z stopped$/),
      ]);
      await ended;
      const stores = openEmbeddedStores(directory);
      expect(() => stores.serveAlone()).not.toThrow();
      stores.close();
    } finally {
      endGroup(npm.pid ?? 0);
    }
  });
});

/** What the process prints, up to the chunk with `words`. */
async function printedUntil({ stdout }: ChildProcessByStdio<null, Readable, null>, words: string): Promise<string> {
  let printed = '';
  for await (const text of stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    printed += text;
    if (printed.includes(words)) break;
  }
  return printed;
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // All of it has ended.
  }
}
