import { execFile } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SynthesizedStack, synthesizeCopy, synthesizedStack } from '../helpers/synthesized-stack.ts';

const FUNCTIONS = [
  'WorkersCompile',
  'WorkersExports',
  'WorkersFanOut',
  'WorkersFeed',
  'WorkersPrune',
  'NotifyRecord',
  'FrontDoorApp',
  'InventoryFeed',
  'InventoryMaintenance',
  'InventoryQuery',
  'InventoryAnswers',
  'ProbeRun',
];
const run = promisify(execFile);
let stack: SynthesizedStack;
let copies: string;

beforeAll(async () => {
  copies = await mkdtemp(join(tmpdir(), 'understudy-synth-'));
  stack = await synthesizedStack();
});

afterAll(() => rm(copies, { recursive: true, force: true }));

/** The code of a function. */
function folderOf(part: string): string {
  const [, folder] = Object.entries(stack.functions).find(([id]) => id.startsWith(part)) ?? [];
  if (folder === undefined) throw new Error(`no function ${part}`);
  return folder;
}

/** A copy of it, to be changed. */
async function copyOf(part: string): Promise<string> {
  await cp(folderOf(part), join(copies, part), { recursive: true });
  return join(copies, part);
}

describe('cdk synth', () => {
  it('bundles every function without Docker and network', () => {
    expect(Object.keys(stack.functions).map((id) => id.slice(0, -8))).toEqual(FUNCTIONS);
    expect(new Set(Object.values(stack.functions)).size).toBe(FUNCTIONS.length);
  });

  it('gives the same assets from the same sources in another folder, so that warm functions are kept', async () => {
    const copy = await synthesizeCopy(join(copies, 'elsewhere', 'repository'));
    expect(stack.assets).toHaveLength(14);
    expect(copy.assets).toEqual(stack.assets);
  });

  it('names sources in source maps from the root of the repository', async () => {
    const map = JSON.parse(await readFile(join(folderOf('WorkersCompile'), 'index.mjs.map'), 'utf8'));
    expect(map.sources).toContain('functions/compile.ts');
    expect(map.sources.filter((source: string) => !/^(functions|shared|node_modules|package)/.test(source))).toEqual(
      [],
    );
  });

  it('each bundle loads on Node and exports its handler', async () => {
    for (const folder of Object.values(stack.functions)) {
      const bundle = join(folder, 'index.mjs');
      const text = await readFile(bundle, 'utf8');
      expect(text).toMatch(/export\s*\{[^}]*\bhandler\b/);
      const { stdout } = await run(
        process.execPath,
        [
          '--input-type=module',
          '--eval',
          `const m = await import(${JSON.stringify(bundle)}); console.log(typeof m.handler); process.exit(0)`,
        ],
        { env: { ...process.env, AWS_REGION: 'eu-central-1' } },
      );
      expect(stdout.trim()).toBe('function');
    }
  });
});

/** What in the folder others can't read, or may write, with its mode. */
async function shutIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  expect(entries.length).toBeGreaterThan(1);
  return entries.flatMap((entry) => {
    const path = join(entry.parentPath, entry.name);
    const mode = statSync(path).mode & 0o777;
    const isOpen = mode === 0o755 || (mode === 0o644 && entry.isFile());
    return isOpen ? [] : [`${relative(folder, path)} ${mode.toString(8)}`];
  });
}

// Lambda runs code as another user than the one who owns the files, and keeps their modes.
describe('what is deployed', () => {
  it.each(FUNCTIONS)('of %s can be read by any user', async (part) => {
    expect(await shutIn(folderOf(part))).toEqual([]);
  });

  it('of the edge image can be read by any user', async () => {
    expect(await shutIn(stack.image)).toEqual([]);
  });
});

const INSTALLERS = ['install.ps1', 'install.sh', 'understudy-runner.rb'];
const AUTH_CONF = 'understudy_auth_conf-auth.conf';

describe('files of the operator', () => {
  it('are beside the code of the API, which reads them', async () => {
    const folder = await copyOf('FrontDoorApp');
    expect(await readFile(join(folder, AUTH_CONF), 'utf8')).toBe(stack.operatorFiles['auth.conf']);
    await writeFile(join(folder, AUTH_CONF), 'authorization { version: 2 }');
    const event = {
      version: '2.0',
      rawPath: '/',
      rawQueryString: '',
      headers: {},
      requestContext: { http: { method: 'GET', path: '/' } },
    };
    const call = `const { handler } = await import(${JSON.stringify(join(folder, 'index.mjs'))});
      await handler(${JSON.stringify(event)}, {}).then(console.log, (error) => console.log(error.message)); process.exit(0)`;
    const env = { ...process.env, AWS_REGION: 'eu-central-1', UNDERSTUDY_AUTH_CONF: `file:${AUTH_CONF}` };
    const { stderr, stdout } = await run(process.execPath, ['--input-type=module', '--eval', call], { env });
    expect(stdout + stderr).toContain(
      'UNDERSTUDY_AUTH_CONF: authorization.version: unsupported or missing; it must be 1',
    );
  });
});

describe('the image of the containers', () => {
  it.each([
    ['edge', 'The edge'],
    ['authority', 'The authority service'],
    ['broker', 'The broker'],
  ])(
    'has one bundled file for the %s, which starts and says why it cannot reach its stores',
    async (entry, what) => {
      expect(await readdir(stack.image)).toEqual([
        'Dockerfile',
        'authority.mjs',
        'authority.mjs.map',
        'body-thread.mjs',
        'body-thread.mjs.map',
        'broker.mjs',
        'broker.mjs.map',
        'console.json',
        'edge.mjs',
        'edge.mjs.map',
        ...INSTALLERS.slice(0, 2),
        'node_modules',
        'plan-worker.mjs',
        'plan-worker.mjs.map',
        expect.stringMatching(/^ruby-.*\.module$/),
        expect.stringMatching(/^ruby-.*\.image$/),
        'side',
        ...INSTALLERS.slice(2),
        AUTH_CONF,
        'understudy_autosign-autosign.conf',
        'understudy_compiler_upstream_ca-ca.pem',
        'understudy_tls_ca-ca.pem',
        'understudy_tls_certificate-cert.pem',
        'understudy_trusted_oid_mapping-mapping.yaml',
        'wasm-worker.mjs',
      ]);
      const started = run(process.execPath, [join(stack.image, `${entry}.mjs`)], {
        env: {
          AWS_REGION: 'eu-central-1',
          AWS_EC2_METADATA_DISABLED: 'true',
          UNDERSTUDY_AUTHORITY_URL: 'https://127.0.0.1:1',
        },
      });
      await expect(started).rejects.toMatchObject({
        code: 1,
        stderr: expect.stringContaining(
          `"${what} could not start","detail":"CredentialsProviderError: Could not load credentials`,
        ),
      });
    },
    60_000,
  );
});

describe('the installers of agents', () => {
  it.each(['the API', 'the edge'])('are beside the code of %s, as they are in the sources', async (door) => {
    const folder = door === 'the edge' ? stack.image : folderOf('FrontDoorApp');
    for (const name of INSTALLERS) {
      const folderOfSource = name.endsWith('.rb') ? 'shared/orchestrator/runner' : 'shared/http/packages';
      const source = await readFile(join(folderOfSource, name), 'utf8');
      expect(await readFile(join(folder, name), 'utf8')).toBe(source);
    }
  });
});

describe('Ruby', () => {
  it('is in the bundle of the compile function, and runs in it', async () => {
    const withRuby = Object.entries(stack.functions).filter(([, path]) => existsSync(join(path, 'side', 'main.rb')));
    expect(withRuby.map(([id]) => id)).toEqual([expect.stringMatching(/^WorkersCompile/)]);
    const folder = await copyOf('WorkersCompile');
    expect(existsSync(join(folder, 'node_modules/@ruby/3.2-wasm-wasi/dist/ruby.wasm'))).toBe(true);
    const images = (await readdir(folder)).filter((name) => name.endsWith('.image'));
    expect(images).toHaveLength(1);
    // The bundle exports its handler only: the host is bundled anew and run where the function's
    // code is.
    const probe = join(folder, 'probe.mjs');
    const code = `import { createWasmRuby } from './shared/puppet/ruby/wasm/wasm-host.ts';
      import { NO_CALLBACKS } from './test/helpers/ruby-callbacks.ts';
      const template = { path: 'x', text: '<%= 6 * 7 %>' };
      console.log(createWasmRuby({ rendersAll: true }).renderTemplate(template, NO_CALLBACKS));`;
    await build({
      stdin: { contents: code, resolveDir: process.cwd() },
      bundle: true,
      platform: 'node',
      format: 'esm',
      outfile: probe,
    });
    const { stdout } = await run(process.execPath, [probe], { cwd: folder });
    expect(stdout.trim()).toBe('42');
  });
});

describe('the runbook', () => {
  it('has a section for every alarm', async () => {
    const types = ['AWS::CloudWatch::Alarm', 'AWS::CloudWatch::CompositeAlarm'];
    const alarms = types.flatMap((type) => Object.values(stack.template.findResources(type)));
    const sections = alarms.map(({ Properties }) => /"(\w+)"\.$/.exec(Properties.AlarmDescription ?? '')?.[1]);
    expect(sections).toContain('AgentsUnserved');
    const readme = await readFile('infra/README.md', 'utf8');
    expect(sections.length).toBeGreaterThan(0);
    expect(sections.filter((name) => !readme.includes(`### ${name}\n`))).toEqual([]);
  });
});
