import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { Command } from 'commander';
import { packTar } from 'modern-tar/fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createToken } from '../../../shared/access/tokens/deploy-tokens.ts';
import { addCodeCommands } from '../../../shared/cli/commands/code/code-commands.ts';
import { workOff } from '../../../shared/fleet/compiles/work-off.ts';
import { readPreparedTypes } from '../../../shared/fleet/snapshots/prepare-types.ts';
import { listingsBlob, typesBlob } from '../../../shared/fleet/snapshots/snapshot-blobs.ts';
import { readListings } from '../../../shared/http/files/prepared-listings.ts';
import { openFrontDoor } from '../../../shared/http/front-door.ts';
import { startLocalServer } from '../../../shared/local/local-server.ts';
import { readLocalOptions } from '../../../shared/local/options.ts';
import { EnvironmentRuby } from '../../../shared/puppet/ruby/environment-ruby.ts';
import { createWasmRuby } from '../../../shared/puppet/ruby/wasm/wasm-host.ts';
import { type EmbeddedStores, openEmbeddedStores } from '../../../shared/store/embedded/stores.ts';
import { CompileWorld } from '../../helpers/compile-world.ts';
import { ScriptedTerminal } from '../../helpers/scripted-terminal.ts';

const FILES = {
  'manifests/site.pp': '',
  'modules/m/lib/puppet_x/names.rb': 'NAMES = %w[name size]',
  'modules/m/lib/puppet/type/computed.rb':
    "require 'puppet_x/names'\nPuppet::Type.newtype(:computed) do\n  NAMES.each { |name| newparam(name) }\nend\n",
};

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'understudy-prepared-'));
  for (const [path, text] of Object.entries(FILES)) {
    const file = join(folder, 'repo/environments/production', path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Names of the types and number of the listings that are precomputed for the code in force. */
async function listPrepared(stores: EmbeddedStores): Promise<readonly [types: readonly string[], listings: number]> {
  const { codeId = '' } = (await stores.environments.get('production')) ?? {};
  const types = readPreparedTypes(await stores.blobs.get(typesBlob(codeId)));
  return [[...types.keys()], readListings(await stores.blobs.get(listingsBlob(codeId))).size];
}
const ALL = [['computed'], 4];

async function withStores<T>(use: (stores: EmbeddedStores) => Promise<T>): Promise<T> {
  const stores = openEmbeddedStores(join(folder, 'data'));
  try {
    return await use(stores);
  } finally {
    stores.close();
  }
}

const log = { logError: (message: string, cause: unknown) => expect.fail(`${message}: ${cause}`) };

/** Works off jobs until the task is done. */
async function workWhile<T>(world: CompileWorld, task: Promise<T>): Promise<T> {
  const ruby = createWasmRuby();
  const context = { ...world.context, ruby: new EnvironmentRuby(ruby) };
  let isDone = false;
  const ended = task.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    for (const received of await world.stores.queue.receive(1, 0)) await workOff(received, world.stores.queue, context);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  ruby.close();
  return ended;
}

describe('resource types and listings are precomputed', () => {
  it('by code deploy', async () => {
    mkdirSync(join(folder, 'data'));
    const program = new Command().exitOverride();
    addCodeCommands(program, {
      print: async () => undefined,
      variables: {},
      newSecret: () => '',
      terminal: new ScriptedTerminal(),
      warn: () => {},
      release: '0',
    });
    await program.parseAsync(['code', 'deploy', join(folder, 'repo'), '--data', join(folder, 'data')], {
      from: 'user',
    });
    expect(await withStores(listPrepared)).toEqual(ALL);
  });

  it('by npm start', async () => {
    const args = ['--control-repo', join(folder, 'repo'), '--data', join(folder, 'data'), '--port', '0'];
    const options = readLocalOptions(args, { workers: 1 });
    const server = await startLocalServer(options, {
      hostname: 'localhost',
      uid: process.getuid?.() ?? 0,
      workerModule: new URL('../../helpers/stuck-worker.ts', import.meta.url),
      print: () => undefined,
      onFailure: (error) => {
        throw error;
      },
      readLoad: () => 0,
    });
    await expect.poll(() => withStores(listPrepared)).toEqual(ALL);
    await server.stop();
  });

  describe('by an upload', () => {
    let world: CompileWorld;
    beforeEach(() => {
      world = new CompileWorld();
    });
    afterEach(() => world.close());

    async function open(holdMs: number) {
      await createToken(world.stores, 'secret', 'pipeline', null);
      const { app } = await openFrontDoor(world.stores, { authorityName: 'x', autosign: false, log, hold: { holdMs } });
      return async (method: string, path: string, body: string | Uint8Array<ArrayBuffer>) => {
        const request = { method, headers: { 'X-Authentication': 'secret' }, body };
        const response = await app.request(path, request, { peer: null });
        expect([response.status, await response.text()]).toEqual([200, expect.any(String)]);
      };
    }
    const archive = async () =>
      Uint8Array.from(gzipSync(await buffer(packTar(join(folder, 'repo/environments/production')))));
    const DEPLOY = JSON.stringify({ environments: ['production'], wait: true });

    it('to a front door that runs no code of modules, with the help of a worker', async () => {
      const ask = await open(60_000);
      await workWhile(world, ask('PUT', '/understudy/v1/code/production', await archive()));
      await ask('POST', '/code-manager/v1/deploys', DEPLOY);
      expect(await listPrepared(world.stores)).toEqual(ALL);
      expect((await world.stores.blobs.list('requests/')).entries).toEqual([]);
    });

    it('which does not fail when no worker answers, and asks again when it is repeated', async () => {
      const ask = await open(50);
      await ask('PUT', '/understudy/v1/code/production', await archive());
      await ask('POST', '/code-manager/v1/deploys', DEPLOY);
      expect(await listPrepared(world.stores)).toEqual([[], 4]);
      expect(await world.runJobs()).toMatchObject([{ outcome: 'dropped' }]);
      const askAgain = await open(60_000);
      await workWhile(world, askAgain('PUT', '/understudy/v1/code/production', await archive()));
      expect(await listPrepared(world.stores)).toEqual(ALL);
    });
  });
});
