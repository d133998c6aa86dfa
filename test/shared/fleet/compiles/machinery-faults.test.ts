import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { answerCheckIn } from '../../../../shared/fleet/catalogs/catalog-service.ts';
import { processCompileJob } from '../../../../shared/fleet/compiles/process-compile-job.ts';
import { limitCompile } from '../../../../shared/fleet/compiles/time-limit.ts';
import { runWorker } from '../../../../shared/fleet/compiles/worker-loop.ts';
import { SnapshotCache } from '../../../../shared/fleet/snapshots/snapshot-cache.ts';
import { contentBlob } from '../../../../shared/fleet/snapshots/stored-content.ts';
import { compile } from '../../../../shared/puppet/compiler/compile.ts';
import { MachineryFault } from '../../../../shared/puppet/errors/machinery-fault.ts';
import { EnvironmentRuby } from '../../../../shared/puppet/ruby/environment-ruby.ts';
import { createWasmRuby } from '../../../../shared/puppet/ruby/wasm/wasm-host.ts';
import { imageName } from '../../../../shared/puppet/ruby/wasm/wasm-image.ts';
import { imageKey, sideFiles } from '../../../../shared/puppet/ruby/wasm/wasm-module.ts';
import type { CompileJob } from '../../../../shared/store/ports/compile-queue.ts';
import { digestSha256 } from '../../../../shared/util/digest.ts';
import { CompileWorld, catalogOf, checkIn } from '../../../helpers/compile-world.ts';
import { fakeRuby, rubyError } from '../../../helpers/fake-ruby.ts';

/**
 * What is no fault of a node's code is never kept as its failure: the job is thrown, and comes
 * again.
 */
const NODE = 'web.example.com';
const FAULT = new MachineryFault('Ruby does not start: no room');
const fixture = (name: string) => readFileSync(new URL(`../../../fixtures/eyaml/${name}`, import.meta.url), 'utf8');
let world: CompileWorld;
beforeEach(async () => {
  world = new CompileWorld(undefined, compile);
  world.write({ 'environments/production/manifests/site.pp': 'notify { inline_template("<%= 6 * 7 %>"): }' });
  await world.deploy();
});
afterEach(() => world.close());

async function wantedJob(): Promise<CompileJob> {
  await answerCheckIn(world.createService({ holdMs: 0 }), checkIn(NODE));
  const [received] = await world.stores.queue.receive(1, 0);
  if (!received) throw new Error('no job');
  return received.job;
}
const record = () => world.stores.nodes.get(NODE);
const render = (body: () => string) => new EnvironmentRuby(fakeRuby({ render: body }));
const system = (code: string) => Object.assign(new Error(`${code}: denied, open 'x'`), { code, syscall: 'open' });
const coded = (code: string) => Object.assign(new Error(code), { code });

describe('a damaged manifest in the store', () => {
  const whole = 'notify { "one": }\nnotify { "two": }\n';

  it('is never compiled to a catalog without its resources, nor kept as a failure', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const { blobs } = world.stores;
    world.write({ 'environments/production/manifests/site.pp': whole });
    await world.deploy();
    const key = contentBlob(digestSha256(whole));
    await blobs.put(key, Buffer.from(whole.slice(0, whole.length / 2)));
    for (const pack of (await blobs.list('packs/')).entries) await blobs.put(pack.key, new Uint8Array());
    const job = await wantedJob();
    const cold = () => ({ ...world.context, snapshots: new SnapshotCache(blobs) });
    await expect(processCompileJob(job, cold())).rejects.toThrow(
      `blob ${key} is damaged: deploy its environment again`,
    );
    expect(await record()).toMatchObject({ wanted: 1, built: 0, failure: null, catalog: null });
    await world.deploy();
    expect(await processCompileJob(job, cold())).toMatchObject({ outcome: 'compiled' });
    const text = JSON.stringify(catalogOf(await answerCheckIn(world.createService(), checkIn(NODE))));
    for (const title of ['one', 'two']) expect(text).toContain(`"title":"${title}"`);
    warn.mockRestore();
  });
});

describe('a fault of the machinery', () => {
  it.each<[string, Error]>([
    ['that is one by name', FAULT],
    ['of a file', system('EACCES')],
    ['of a file that is gone', system('ENOENT')],
    ['of a thread', coded('ERR_WORKER_INIT_FAILED')],
    ['of memory', new RangeError('Array buffer allocation failed')],
    ['of memory for Ruby', new RangeError('WebAssembly.Memory(): could not allocate memory')],
  ])('%s is thrown and not kept', async (_what, error) => {
    const job = await wantedJob();
    const broken = () => {
      throw error;
    };
    const thrown = processCompileJob(job, { ...world.context, compile: broken });
    await expect(thrown).rejects.toThrow(new MachineryFault(error.message));
    await expect(thrown).rejects.toBeInstanceOf(MachineryFault);
    expect(await record()).toMatchObject({ wanted: 1, built: 0, failure: null, catalog: null });
  });

  it('crosses templates and the compiler as it is, and the next try mends it', async () => {
    const job = await wantedJob();
    let isFaulty = true;
    const ruby = {
      ...fakeRuby({}),
      renderTemplate: () => {
        if (isFaulty) throw FAULT;
        return '42';
      },
    };
    const context = { ...world.context, ruby: new EnvironmentRuby(ruby) };
    await expect(processCompileJob(job, context)).rejects.toBe(FAULT);
    expect(await record()).toMatchObject({ built: 0, failure: null });
    isFaulty = false;
    expect(await processCompileJob(job, context)).toMatchObject({ outcome: 'compiled' });
    expect(JSON.stringify(catalogOf(await answerCheckIn(world.createService(), checkIn(NODE))))).toContain(
      '"title":"42"',
    );
  });

  it('is told by a worker, which tries the job again', async () => {
    const told: string[] = [];
    let starts = 0;
    const ruby = {
      ...fakeRuby({}),
      renderTemplate: () => {
        starts += 1;
        if (starts === 1) throw FAULT;
        return '42';
      },
    };
    const stop = new AbortController();
    const context = { ...world.context, ruby: new EnvironmentRuby(ruby) };
    const observer = {
      onStart: () => undefined,
      onReport: ({ outcome }: { outcome: string }) => told.push(outcome),
      onFault: (error: unknown) => told.push(String(error)),
    };
    const { queue, documents, changes } = world.stores;
    const loop = runWorker({ context, queue, documents, changes, invalidate: world.stores }, observer, stop.signal);
    expect((await answerCheckIn(world.createService(), checkIn(NODE))).status).toBe('current');
    stop.abort();
    await loop;
    expect(told).toEqual(['MachineryFault: Ruby does not start: no room', 'compiled']);
  });

  it('is an image of Ruby that cannot be read', async () => {
    const cacheFolder = mkdtempSync(join(tmpdir(), 'ruby-faults-'));
    mkdirSync(join(cacheFolder, imageName(imageKey(sideFiles()))));
    const ruby = createWasmRuby({ cacheFolder, rendersAll: true });
    try {
      const job = await wantedJob();
      const thrown = processCompileJob(job, { ...world.context, ruby: new EnvironmentRuby(ruby) });
      await expect(thrown).rejects.toThrow(
        /^Ruby was stopped in .*: Error: EISDIR: illegal operation on a directory, read$/,
      );
      expect(await record()).toMatchObject({ built: 0, failure: null });
    } finally {
      ruby.close();
      rmSync(cacheFolder, { recursive: true });
    }
  });

  it('is a compile that is cut off while it waits for Ruby to start', async () => {
    const job = await wantedJob();
    const endless = () => {
      for (;;);
    };
    const ruby = new EnvironmentRuby({ ...fakeRuby({}), isStarting: true });
    await expect(
      processCompileJob(job, { ...world.context, compile: limitCompile(endless, 400), ruby }),
    ).rejects.toThrow(
      new MachineryFault('Ruby did not start while the compile could wait: it took more than 200 milliseconds'),
    );
    expect(await record()).toMatchObject({ built: 0, failure: null });
  });
});

describe('a failure of the node', () => {
  it.each<[string, () => string, RegExp]>([
    [
      'is Ruby of a module that was ended',
      () => {
        throw rubyError('Ruby was stopped in t: it took more than 10000 milliseconds', 'RubyBroken');
      },
      /Ruby was stopped in t: it took more than 10000 milliseconds/,
    ],
    [
      'is a defect of ours',
      () => {
        throw new TypeError('x is not a function');
      },
      /x is not a function/,
    ],
  ])('%s', async (_what, body, message) => {
    const job = await wantedJob();
    expect(await processCompileJob(job, { ...world.context, ruby: render(body) })).toMatchObject({ outcome: 'failed' });
    expect((await record())?.failure?.message).toMatch(message);
  });
});

it('fetches a key of encrypted data that is not in memory', async () => {
  world.write({
    'environments/production/hiera.yaml': `---
version: 5
hierarchy:
  - name: secrets
    path: secrets.eyaml
    lookup_key: eyaml_lookup_key
    options: { pkcs7_private_key: /etc/puppetlabs/code/environments/production/keys/private.pem }
`,
    'environments/production/keys/private.pem': fixture('private_key.pkcs7.pem'),
    'environments/production/data/secrets.eyaml': fixture('secrets.eyaml'),
    'environments/production/manifests/site.pp': "notify { lookup('one'): }",
  });
  await world.deploy();
  expect(JSON.stringify(catalogOf(await world.run(checkIn(NODE))))).toContain('"title":"s3cret"');
});
