import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { listNotedChanges } from '../../../../shared/fleet/nodes/noted-changes.ts';
import { KEPT_VALUES } from '../../../../shared/fleet/values/kept-value-list.ts';
import { KeptValueRecords } from '../../../../shared/fleet/values/kept-value-records.ts';
import { rotateValue } from '../../../../shared/fleet/values/rotate-value.ts';
import type { CompileRequest, CompileResult } from '../../../../shared/puppet/compiler/compile.ts';
import { KeptValues, NeedsKeptValue, NOTHING_KEPT } from '../../../../shared/puppet/compiler/kept-values.ts';
import { StoreRefused } from '../../../../shared/store/ports/store-errors.ts';
import { CompileWorld, catalogOf, checkIn } from '../../../helpers/compile-world.ts';

const NAME = 'app/password';
const [WEB, DB] = ['web.example.com', 'db.example.com'];

let world: CompileWorld;
let values: KeptValueRecords;
/** How many values were drawn, and what a node's compile does after it drew one. */
let drawn: number;
let afterDrawing: (certname: string) => string | null;

/** As code that keeps a password: creates it unless it is there, and shows it in the catalog. */
function compile({ keptValues = NOTHING_KEPT, inputs, node }: CompileRequest): CompileResult {
  const kept = new KeptValues(keptValues, inputs);
  try {
    let password = kept.read(NAME);
    let fault: string | null = null;
    if (password === null) {
      drawn += 1;
      password = `drawn-${drawn}`;
      kept.write(NAME, password);
      fault = afterDrawing(node.certname);
    }
    const common = { collectors: [], kept: kept.changes, log: [] };
    if (fault !== null) return { status: 'failed', error: { message: fault, basic: fault }, ...common };
    return {
      status: 'ok',
      catalog: JSON.stringify({ name: node.certname, password }),
      lastValue: undefined,
      exported: [],
      ...common,
    };
  } catch (error) {
    if (error instanceof NeedsKeptValue) return { status: 'needs', queries: [], keptValue: error.valueName };
    throw error;
  }
}

beforeEach(async () => {
  drawn = 0;
  afterDrawing = () => null;
  world = new CompileWorld(undefined, compile);
  values = new KeptValueRecords(world.stores);
  world.write({ 'environments/production/manifests/site.pp': '' });
  await world.deploy();
});
afterEach(() => world.close());

const passwordOf = async (certname: string) => catalogOf(await world.run(checkIn(certname))).password;
const textNow = async () => (await values.fetch('production', [NAME])).get(NAME)?.text;

it('creates a value once, and gives it to all nodes and later compiles', async () => {
  expect([await passwordOf(WEB), await passwordOf(DB)]).toEqual(['drawn-1', 'drawn-1']);
  expect([drawn, await textNow()]).toEqual([1, 'drawn-1']);
  const versions = await values.versions('production', [NAME]);
  const inputs = (await world.stores.nodes.get(WEB))?.inputs;
  expect(inputs?.keptValues).toEqual(Object.fromEntries(versions));
});

it('gives the value of the first of two compiles that create it at once to both', async () => {
  const late = new OvertakenRecords(world.stores);
  Object.assign(world.context, { keptValues: late });
  expect(await passwordOf(WEB)).toBe('of the other compile');
  expect(await textNow()).toBe('of the other compile');
});

it('keeps what a compile created that then failed', async () => {
  afterDrawing = (certname) => (certname === WEB ? 'no such thing' : null);
  Object.assign(world.context, { compile: (request: CompileRequest) => failing(compile(request)) });
  await world.run(checkIn(WEB));
  expect((await world.stores.nodes.get(WEB))?.failure?.message).toBe('no such thing on node web.example.com');
  expect(await textNow()).toBe('drawn-1');
  Object.assign(world.context, { compile });
  expect([await passwordOf(DB), drawn]).toEqual(['drawn-1', 1]);
});

it('compiles the nodes of a rotated value anew', async () => {
  await passwordOf(WEB);
  await passwordOf(DB);
  expect(await rotateValue('production', NAME, null, 'an operator', world.stores)).toEqual({ certnames: [DB, WEB] });
  const why = `the kept value ${NAME} was rotated`;
  expect(await listNotedChanges(world.stores, 10)).toMatchObject([
    {
      ...{ kind: 'value', environment: 'production', summary: why, user: 'an operator', count: 2 },
      nodes: [
        { certname: DB, why },
        { certname: WEB, why },
      ],
    },
  ]);
  const reports = await world.runJobs();
  expect(reports.map(({ certname, outcome }) => [certname, outcome]).sort()).toEqual([
    [DB, 'compiled'],
    [WEB, 'compiled'],
  ]);
  expect([await passwordOf(WEB), await passwordOf(DB), drawn]).toEqual(['drawn-2', 'drawn-2', 2]);
  expect(await rotateValue('production', 'app/none', null, 'an operator', world.stores)).toBeNull();
});

it('leaves nodes alone whose values did not change', async () => {
  await passwordOf(WEB);
  const compiles = (await world.stores.nodes.get(WEB))?.compiles;
  await world.run(checkIn(WEB, { some: 'fact' }));
  expect((await world.stores.nodes.get(WEB))?.compiles).toBe(compiles);
});

it('keeps no text legible in the database', async () => {
  await passwordOf(WEB);
  const stored = await world.stores.documents.get(KEPT_VALUES, `production/${NAME}`);
  expect(JSON.stringify(stored)).not.toContain('drawn-1');
  expect(String(stored?.sealed)).toMatch(/^sealed:2:/);
  const other = new KeptValueRecords({ ...world.stores, seal: { seal: String, open: refuse } });
  await expect(other.fetch('production', [NAME])).rejects.toThrow(StoreRefused);
  expect(readFileSync(join(world.directory, 'data/values-key-file'), 'utf8')).toMatch(
    /^key:[0-9a-f]{8}:[0-9a-f]{64}\n$/,
  );
});

/** Values that another compile creates just before. */
class OvertakenRecords extends KeptValueRecords {
  override async store(...[environment, changes, by]: Parameters<KeptValueRecords['store']>): Promise<boolean> {
    await values.store(environment, [{ name: NAME, from: null, text: 'of the other compile' }], DB);
    return super.store(environment, changes, by);
  }
}

function refuse(): never {
  throw new StoreRefused('sealed elsewhere');
}

/** The same result as a failure. */
function failing(result: CompileResult): CompileResult {
  if (result.status !== 'ok') return result;
  const error = { message: 'no such thing', basic: 'no such thing' };
  return { status: 'failed', error, collectors: [], log: [], ...(result.kept && { kept: result.kept }) };
}
