import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const run = promisify(execFile);
let output: string;
let authConf: string;

beforeAll(async () => {
  output = await mkdtemp(join(tmpdir(), 'understudy-synth-'));
  authConf = join(output, 'auth.conf');
  await writeFile(authConf, 'authorization { version: 1, rules: [] }');
  const settings = `understudy:settings=${JSON.stringify({ authConf })}`;
  const args = ['synth', '--quiet', '--output', output, '--context', settings];
  await run(join('node_modules', '.bin', 'cdk'), args, { maxBuffer: 1 << 26 });
}, 180_000);

afterAll(() => rm(output, { recursive: true, force: true }));

async function bundles(): Promise<string[]> {
  const folders = (await readdir(output)).filter((name) => name.startsWith('asset.'));
  const files = await Promise.all(folders.map((folder) => readdir(join(output, folder))));
  return folders
    .filter((_, index) => files[index]?.includes('index.mjs'))
    .map((folder) => join(output, folder, 'index.mjs'));
}

describe('cdk synth', () => {
  it('bundles every function without Docker and network', async () => {
    expect(await bundles()).toHaveLength(5);
  });

  it('each bundle loads on Node and exports its handler', async () => {
    for (const bundle of await bundles()) {
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
  }, 60_000);
});

const AUTH_CONF = 'understudy_auth_conf-auth.conf';

describe('files of the operator', () => {
  it('are beside the code of the API, which reads them', async () => {
    const folders = (await bundles()).map((bundle) => join(bundle, '..'));
    const [folder = ''] = folders.filter((one) => existsSync(join(one, AUTH_CONF)));
    expect(await readFile(join(folder, AUTH_CONF), 'utf8')).toBe(await readFile(authConf, 'utf8'));
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
  }, 60_000);
});

describe('the edge image', () => {
  it('is one bundled file that starts and says why it cannot reach its stores', async () => {
    const folders = (await readdir(output)).map((name) => join(output, name));
    const [image = ''] = folders.filter((folder) => existsSync(join(folder, 'edge.mjs')));
    expect(await readdir(image)).toEqual(['Dockerfile', 'edge.mjs', 'edge.mjs.map', AUTH_CONF]);
    const started = run(process.execPath, [join(image, 'edge.mjs')], {
      env: { AWS_REGION: 'eu-central-1', AWS_EC2_METADATA_DISABLED: 'true' },
    });
    await expect(started).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /"The edge could not start","detail":"CredentialsProviderError: Could not load credentials/,
      ),
    });
  }, 60_000);
});

describe('Ruby', () => {
  it('is in the bundle of the compile function, and runs in it', async () => {
    const folders = (await bundles()).map((bundle) => join(bundle, '..'));
    const withRuby = folders.filter((folder) => existsSync(join(folder, 'side', 'main.rb')));
    expect(withRuby).toHaveLength(1);
    const [folder = ''] = withRuby;
    expect(existsSync(join(folder, 'node_modules/@ruby/3.2-wasm-wasi/dist/ruby.wasm'))).toBe(true);
    const images = (await readdir(folder)).filter((name) => name.endsWith('.image'));
    expect(images).toHaveLength(1);
    // The bundle exports its handler only: the host is bundled anew and run where the function's code is.
    const probe = join(folder, 'probe.mjs');
    const code = `import { createWasmRuby } from './shared/ruby/wasm-host.ts';
      console.log(createWasmRuby({ rendersAll: true }).renderTemplate({ path: 'x', text: '<%= 6 * 7 %>' }, {}));`;
    await build({
      stdin: { contents: code, resolveDir: process.cwd() },
      bundle: true,
      platform: 'node',
      format: 'esm',
      outfile: probe,
    });
    const { stdout } = await run(process.execPath, [probe], { cwd: folder });
    expect(stdout.trim()).toBe('42');
  }, 60_000);
});

describe('the runbook', () => {
  it('has a section for every alarm', async () => {
    const template = JSON.parse(await readFile(join(output, 'Understudy.template.json'), 'utf8'));
    const resources: { Type: string; Properties: { AlarmDescription?: string } }[] = Object.values(template.Resources);
    const sections = resources
      .filter(({ Type }) => Type === 'AWS::CloudWatch::Alarm')
      .map(({ Properties }) => /"(\w+)"\.$/.exec(Properties.AlarmDescription ?? '')?.[1]);
    const readme = await readFile('infra/README.md', 'utf8');
    expect(sections.length).toBeGreaterThan(0);
    expect(sections.filter((name) => !readme.includes(`### ${name}\n`))).toEqual([]);
  });
});
