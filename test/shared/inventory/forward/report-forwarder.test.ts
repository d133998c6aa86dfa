import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { storeQuietRun, storeReport } from '../../../../shared/fleet/reports/node-reports.ts';
import { packQuietRun } from '../../../../shared/fleet/reports/quiet-run.ts';
import { listDeadLetters, sendLettersAgain } from '../../../../shared/inventory/forward/dead-letters.ts';
import { DeliveryRejected, ReceiverAway } from '../../../../shared/inventory/forward/delivery-errors.ts';
import { ReportForwarder } from '../../../../shared/inventory/forward/report-forwarder.ts';
import { followOnce } from '../../../../shared/store/follow-changes.ts';
import { ForwardWorld } from '../../../helpers/forward-world.ts';

/** Puppet 7.23 printed both: what an agent sends, and what the report processor `http` posts. */
const read = (name: string) => readFileSync(new URL(`../../../fixtures/http-report/${name}`, import.meta.url), 'utf8');
const [REPORT, YAML] = [read('report.json'), read('report.yaml')];
const NODE = 'web01.example.com';

let world: ForwardWorld;
let forwarder: ReportForwarder;
let respond: () => void;
let bodies: string[] = [];
let counts: string[] = [];
let troubles: string[] = [];

beforeEach(async () => {
  [bodies, counts, troubles] = [[], [], []];
  respond = () => undefined;
  world = new ForwardWorld({ send: async () => undefined }, 'https://puppetdb.test', Date.UTC(2026, 10, 20));
  const send = async (body: string) => {
    respond();
    bodies.push(body);
  };
  forwarder = new ReportForwarder({
    stores: world.stores,
    sender: { send },
    url: 'https://reports.test/upload',
    onTrouble: (message) => troubles.push(message),
    count: (outcome) => counts.push(outcome),
  });
  await follow();
  troubles = [];
});
afterEach(() => world.close());

const follow = async () => {
  while (await followOnce(world.stores.nodeChanges, forwarder));
};
const common = () => ({
  certname: NODE,
  receivedAt: world.clock.now(),
  environment: 'production',
  time: '2026-11-20T22:00:00.123456000Z',
  puppetVersion: '7.23.0',
  noop: false,
});

async function report(uuid: string, text = REPORT): Promise<void> {
  world.clock.time += 1000;
  const summary = { ...common(), status: 'changed', transactionUuid: uuid };
  await storeReport(world.stores, summary, gzipSync(text), { kept: 20, days: 30 });
}

const letters = () => listDeadLetters('report-url', world.stores.documents);
const sendAgain = async () => sendLettersAgain(await letters(), world.stores.documents);

const reject = (isFinal: boolean) => () => {
  throw new DeliveryRejected('https://reports.test answered with status 500', isFinal);
};

describe('reports for an HTTP endpoint', () => {
  it('are those of Puppet byte for byte, each once, and none of before', async () => {
    await report('u-1');
    await report('u-2', REPORT.replace('"status":"failed"', '"status":"changed"'));
    await follow();
    expect(bodies).toEqual([YAML, YAML.replace('status: failed', 'status: changed')]);
    await follow();
    expect(counts).toEqual(['sent', 'sent']);
  });

  it('have the metrics alone of a run that changed nothing', async () => {
    const metrics = { time: { values: [['config_retrieval', 'Config retrieval', 0.5]] } };
    const quiet = packQuietRun({ report_format: 12, configuration_version: '2026-1', metrics });
    await storeQuietRun(world.stores, { ...common(), status: 'unchanged', transactionUuid: 'u-3', quiet });
    await follow();
    expect(bodies[0]).toContain(
      'metrics:\n  time:\n    name: time\n    label: Time\n    values:\n    - - config_retrieval\n      - Config retrieval\n      - 0.5\n',
    );
    expect(bodies[0]).toMatch(/^--- !ruby\/object:Puppet::Transaction::Report\nhost: web01\.example\.com\n/);
    expect(bodies[0]).toContain('status: unchanged\n');
  });

  it('wait while the endpoint is away', async () => {
    await report('u-1');
    respond = () => {
      throw new ReceiverAway('https://reports.test cannot be reached: refused');
    };
    for (let turn = 0; turn < 20; turn += 1) await expect(follow()).rejects.toThrow(ReceiverAway);
    respond = () => undefined;
    await follow();
    expect([bodies, await letters()]).toEqual([[YAML], []]);
  });

  it.each([
    ['rejects them', true, 0],
    ['fails over them ten times', false, 9],
  ])('are dead letters when the endpoint %s, and are sent again on demand', async (_, isFinal, failures) => {
    await report('u-1');
    respond = reject(isFinal);
    for (let turn = 0; turn < failures; turn += 1) await expect(follow()).rejects.toThrow(ReceiverAway);
    await follow();
    const reason = 'https://reports.test answered with status 500';
    const kept = { certname: NODE, report: { transactionUuid: 'u-1' }, reason, isDue: false };
    expect(await letters()).toMatchObject([kept]);
    expect([counts, troubles]).toEqual([['rejected'], [`the report of ${NODE} was not taken: ${reason}`]]);
    await forwarder.sendDueLetters();
    expect(counts).toEqual(['rejected']);
    await sendAgain();
    await forwarder.sendDueLetters();
    expect(await letters()).toMatchObject([{ isDue: false }]);
    await sendAgain();
    respond = () => undefined;
    await forwarder.sendDueLetters();
    expect([bodies, await letters()]).toEqual([[YAML], []]);
  });

  it('stay due as dead letters while the endpoint is away', async () => {
    await report('u-1');
    respond = reject(true);
    await follow();
    await sendAgain();
    respond = () => {
      throw new ReceiverAway('away');
    };
    await expect(forwarder.sendDueLetters()).rejects.toThrow('away');
    expect(await letters()).toMatchObject([{ isDue: true }]);
  });
});
