import { HOURS_A_MONTH, PRICES } from './prices.ts';
import type { MeasuredUse, Use } from './use.ts';
import { COMPILE_GIGABYTES, CONTAINER, FIXED, INDEX_WRITES, STORED, WORK } from './work.ts';

/** A fleet, and what happens to it. */
export interface Fleet {
  readonly nodes: number;
  /** Minutes between two runs of an agent. */
  readonly interval: number;
  /** Whether nodes are told to run as soon as their catalog changed. */
  readonly push: boolean;
  /** Deploys a month, and the share of the nodes whose catalog each changes. */
  readonly deploys: number;
  readonly changed: number;
  /** Compiles of a node a month because of its facts. */
  readonly factChanges: number;
  readonly natGateways: number;
}

export const USUAL_FLEET: Omit<Fleet, 'nodes' | 'interval'> = {
  push: false,
  deploys: 20,
  changed: 1,
  factChanges: 30,
  natGateways: FIXED.natGateways,
};

/** A row of the monthly bill, in dollars. */
export interface BillRow {
  readonly name: string;
  readonly dollars: number;
}

/** Rings turn once a day. */
const RING_TURNS = HOURS_A_MONTH / 24;

/** Returns the monthly bill of a fleet. */
export function makeBill(fleet: Fleet, use: MeasuredUse): readonly BillRow[] {
  const { nodes, factChanges, deploys, changed } = fleet;
  const runs = nodes * runsOfNode(fleet);
  const compile = jobDollars(WORK.compile);
  // A new catalog makes a run that changes something.
  const changes = factChanges + deploys * changed;
  return [
    { name: 'runs.dynamodb', dollars: runs * tableDollars(use.run, INDEX_WRITES.run) },
    { name: 'runs.s3', dollars: runs * objectDollars(use.run) },
    { name: 'runs.sqs', dollars: runs * use.run.queueRequests * PRICES.queueRequest },
    { name: 'runs.edge', dollars: edgeDollars(fleet, runs) },
    { name: 'runs.network', dollars: networkDollars(runs) },
    { name: 'runs.logs', dollars: (runs * WORK.run.logBytes * PRICES.logGigabyte) / 1e9 },
    { name: 'reports', dollars: nodes * changes * storeDollars(use.report) },
    { name: 'facts', dollars: nodes * factChanges * (storeDollars(use.compile) + compile) },
    { name: 'deploys', dollars: nodes * deploys * changed * (storeDollars(use.deploy) + compile) },
    { name: 'ring', dollars: nodes * RING_TURNS * (storeDollars(use.ring) + jobDollars(WORK.verify)) },
    { name: 'storage', dollars: nodes * storageDollars() },
    { name: 'fixed', dollars: fixedDollars(fleet.natGateways) },
  ];
}

/** Runs of a node a month: by its interval, and after each change if it is told. */
function runsOfNode({ interval, push, deploys, changed }: Fleet): number {
  return (HOURS_A_MONTH * 60) / interval + (push ? deploys * changed : 0);
}

function tableDollars({ readUnits, writeUnits, nodeWrites }: Use, indexWrites: number): number {
  return readUnits * PRICES.readUnit + (writeUnits + nodeWrites * indexWrites) * PRICES.writeUnit;
}

function objectDollars({ gets, puts }: Use): number {
  return gets * PRICES.objectGet + puts * PRICES.objectPut;
}

/** All stores of a job. */
function storeDollars(use: Use): number {
  return tableDollars(use, INDEX_WRITES.job) + objectDollars(use) + use.queueRequests * PRICES.queueRequest;
}

/** The function and the log of a job. */
function jobDollars({ seconds, logBytes }: { readonly seconds: number; readonly logBytes: number }): number {
  const gigabyteSeconds = seconds * COMPILE_GIGABYTES;
  return PRICES.lambdaRequest + gigabyteSeconds * PRICES.lambdaGigabyteSecond + (logBytes * PRICES.logGigabyte) / 1e9;
}

/** The containers: by their CPU, or by the connections that they hold. */
export function countContainers({ nodes, push }: Fleet, runs: number): number {
  const cpus = (runs * WORK.run.cpuSeconds) / (HOURS_A_MONTH * 3600);
  const busy = cpus / (CONTAINER.cpu * CONTAINER.busyShare);
  const held = push ? nodes / WORK.pushConnections : 0;
  return Math.max(CONTAINER.least, Math.ceil(busy), Math.ceil(held));
}

function edgeDollars(fleet: Fleet, runs: number): number {
  const hour = CONTAINER.cpu * PRICES.containerCpuHour + CONTAINER.gigabytes * PRICES.containerGigabyteHour;
  return countContainers(fleet, runs) * hour * HOURS_A_MONTH;
}

/** Bytes through the load balancer; a tenth of them goes to queues and logs through NAT. */
function networkDollars(runs: number): number {
  const gigabytes = (runs * WORK.run.networkBytes) / 1e9;
  return gigabytes * PRICES.loadBalancerUnit + 0.1 * gigabytes * PRICES.natGigabyte;
}

function storageDollars(): number {
  return (STORED.tableBytes * PRICES.tableGigabyte + STORED.objectBytes * PRICES.objectGigabyte) / 1e9;
}

function fixedDollars(natGateways: number): number {
  const hourly =
    PRICES.loadBalancerHour +
    natGateways * (PRICES.natHour + PRICES.publicAddressHour) +
    FIXED.authority.cpu * PRICES.containerCpuHour +
    FIXED.authority.gigabytes * PRICES.containerGigabyteHour +
    FIXED.pollsAnHour * PRICES.queueRequest +
    FIXED.feedsAnHour * (PRICES.lambdaRequest + FIXED.feedGigabyteSeconds * PRICES.lambdaGigabyteSecond);
  const monthly =
    FIXED.alarms * PRICES.alarm +
    FIXED.metrics * PRICES.metric +
    FIXED.keys * PRICES.key +
    FIXED.dashboards * PRICES.dashboard;
  return hourly * HOURS_A_MONTH + monthly;
}
