import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { addValues } from '../../../../../shared/cli/commands/code/code-values-command.ts';
import { CommandError } from '../../../../../shared/cli/commands/node-files.ts';
import { KeptValueRecords } from '../../../../../shared/fleet/values/kept-value-records.ts';
import { openEmbeddedStores } from '../../../../../shared/store/embedded/stores.ts';
import { ManualClock } from '../../../../helpers/memory-stores.ts';
import { NO_INPUTS } from '../../../../helpers/no-inputs.ts';

const data = mkdtempSync(join(tmpdir(), 'understudy-values-'));
const WEB = 'web.example.com';
const AT = Date.UTC(2026, 0, 2);

beforeAll(async () => {
  const stores = openEmbeddedStores(data, { clock: new ManualClock(AT) });
  const values = new KeptValueRecords(stores);
  await values.store('production', [{ name: 'app/password', from: null, text: 's3cret' }], WEB);
  await values.store('staging', [{ name: 'app/key', from: null, text: 'a\n' }], WEB);
  await stores.nodes.markSeen(WEB, 'production', AT);
  const keptValues = Object.fromEntries(await values.versions('production', ['app/password']));
  await stores.nodes.want(WEB, 'first catalog', AT, { asked: true });
  await stores.nodes.commit({
    certname: WEB,
    generation: 1,
    catalog: null,
    failure: { message: 'x', at: AT, codeId: null },
    inputs: { ...NO_INPUTS, keptValues },
    at: AT,
  });
  stores.close();
});
afterAll(() => rmSync(data, { recursive: true }));

async function run(...args: readonly string[]): Promise<string> {
  const printed: string[] = [];
  const program = new Command().exitOverride();
  addValues(program.command('code'), { print: async (text) => void printed.push(text), variables: {} });
  await program.parseAsync(['code', 'values', ...args, '--data', data], { from: 'user' });
  return printed.join('');
}

it('lists, shows and rotates values', async () => {
  const header = `ENVIRONMENT  NAME          CHANGED                   BY\n`;
  expect(await run('list', '--wide')).toBe(
    `${header}production   app/password  2026-01-02T00:00:00.000Z  ${WEB}\nstaging      app/key       2026-01-02T00:00:00.000Z  ${WEB}\n`,
  );
  expect(JSON.parse(await run('list', 'staging', '--format', 'json'))).toEqual([
    { environment: 'staging', name: 'app/key', changed: '2026-01-02T00:00:00.000Z', by: WEB },
  ]);
  expect(await run('show', 'production', 'app/password')).toBe(`CERTNAME\n${WEB}\n`);
  expect(await run('show', 'production', 'app/password', '--value')).toBe('s3cret\n');
  expect(await run('show', 'staging', 'app/key', '--value')).toBe('a\n');
  expect(await run('rotate', 'production', 'app/password', '--to', 'other', '--by', 'anna')).toBe(
    'app/password rotated: 1 node compiles\n',
  );
  expect(await run('list', 'production')).toMatch(/\nproduction {3}app\/password {2}\S.* anna\n$/);
  expect(await run('show', 'production', 'app/password', '--value')).toBe('other\n');
  expect(await run('rotate', 'staging', 'app/key')).toBe('app/key rotated: 0 nodes compile\n');
  expect(await run('list', 'staging')).toBe('No value is kept.\n');
});

it('names a value that is not there', async () => {
  const error = new CommandError("environment 'production' keeps no value 'app/none'");
  await expect(run('show', 'production', 'app/none')).rejects.toThrow(error);
  await expect(run('rotate', 'production', 'app/none')).rejects.toThrow(error);
});
