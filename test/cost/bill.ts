import { INVENTORY_FUNCTIONS } from '../../shared/config/inventory.ts';
import { BROKER, countBrokerConnections } from '../../shared/config/orchestrator.ts';
import { budgetOf, DEFAULT_RING } from '../../shared/fleet/compiles/ring.ts';
import { HOURS_A_MONTH, PRICES } from './prices.ts';
import type { MeasuredUse, Use } from './use.ts';
import {
  BROKERS,
  COMPILE_GIGABYTES,
  CONTAINER,
  CROSS_ZONE_SHARE,
  FIXED,
  INDEX_WRITES,
  INVENTORY,
  ORCHESTRATOR_FIXED,
  STORED,
  WORK,
} from './work.ts';

/** A fleet, and what happens to it. */
export interface Fleet {
  readonly nodes: number;
  /** Minutes between two runs of an agent. */
  readonly interval: number;
  /**
   * Whether nodes are connected to the broker, and asked to run as soon as their catalog changed.
   */
  readonly push: boolean;
  /** Whether there is a broker, with the orchestrator. */
  readonly orchestrator: boolean;
  /** Deploys a month, and the share of the nodes whose catalog each changes. */
  readonly deploys: number;
  readonly changed: number;
  /** Compiles of a node a month because of its facts. */
  readonly factChanges: number;
  /** 0: interface endpoints in their place. */
  readonly natGateways: number;
  /** Dollars for a gigabyte to agents outside the region; 0 for none. */
  readonly egress: number;
  /** Whether there are daily backups. */
  readonly backups: boolean;
  /** Whether there is an inventory (`understudy:inventory`). */
  readonly inventory: boolean;
}

export const USUAL_FLEET: Omit<Fleet, 'nodes' | 'interval'> = {
  push: false,
  orchestrator: true,
  deploys: 20,
  changed: 1,
  factChanges: 30,
  natGateways: FIXED.natGateways,
  egress: 0,
  backups: false,
  inventory: false,
};

/** A row of the monthly bill, in dollars. */
export interface BillRow {
  readonly name: string;
  readonly dollars: number;
}

/** Returns the monthly bill of a fleet. */
export function makeBill(fleet: Fleet, use: MeasuredUse): readonly BillRow[] {
  const { nodes, factChanges, deploys, changed } = fleet;
  const runs = nodes * runsOfNode(fleet);
  const compile = jobDollars(WORK.compile);
  // A new catalog makes a run that changes something.
  const changes = factChanges + deploys * changed;
  return [
    { name: 'runs.dynamodb', dollars: runs * tableDollars(use.run, INDEX_WRITES.run) },
    { name: 'runs.shared', dollars: sharedDollars(runs, use.second) },
    { name: 'runs.s3', dollars: runs * objectDollars(use.run) },
    { name: 'runs.sqs', dollars: runs * use.run.queueRequests * PRICES.queueRequest },
    { name: 'runs.edge', dollars: edgeDollars(runs) },
    { name: 'runs.network', dollars: networkDollars(runs, fleet) },
    { name: 'runs.zones', dollars: gigabytesOf(runs) * CROSS_ZONE_SHARE * PRICES.crossZoneGigabyte },
    { name: 'runs.egress', dollars: gigabytesOf(runs) * fleet.egress },
    { name: 'runs.logs', dollars: (runs * WORK.run.logBytes * PRICES.logGigabyte) / 1e9 },
    { name: 'runs.flows', dollars: (runs * WORK.run.flowBytes * PRICES.deliveredGigabyte) / 1e9 },
    { name: 'reports', dollars: nodes * changes * storeDollars(use.report) },
    { name: 'facts', dollars: nodes * factChanges * (storeDollars(use.compile) + compile) },
    { name: 'deploys', dollars: nodes * deploys * changed * (storeDollars(use.deploy) + compile) },
    { name: 'ring', dollars: countVerified(nodes) * (storeDollars(use.ring) + jobDollars(WORK.verify)) },
    { name: 'prune', dollars: nodes * (HOURS_A_MONTH / 24) * storeDollars(use.prune) },
    { name: 'storage', dollars: nodes * storageDollars(fleet) },
    { name: 'orchestrator.broker', dollars: brokerDollars(fleet) },
    { name: 'orchestrator.network', dollars: connectionDollars(fleet) },
    { name: 'orchestrator.jobs', dollars: toldDollars(fleet) },
    { name: 'orchestrator.fixed', dollars: orchestratorDollars(fleet) },
    { name: 'fixed', dollars: fixedDollars(fleet.natGateways) },
    ...(fleet.inventory ? inventoryRows(fleet, runs, use) : []),
  ];
}

/** Facts of each run, stored once an hour; the feed; and the database, which nodes keep awake. */
function inventoryRows({ nodes }: Fleet, runs: number, use: MeasuredUse): readonly BillRow[] {
  const stores = nodes * Math.min(runs / nodes, HOURS_A_MONTH / INVENTORY.factHours);
  const seconds = runs * INVENTORY.report.seconds + stores * INVENTORY.facts.seconds;
  const work = runs * INVENTORY.report.databaseSeconds + stores * INVENTORY.facts.databaseSeconds;
  const capacity = Math.max(INVENTORY.leastCapacity, work / (HOURS_A_MONTH * 3600) / INVENTORY.capacitySeconds);
  const feeds = Math.max(INVENTORY.feedsAnHour * HOURS_A_MONTH, (runs + stores) / INVENTORY_FUNCTIONS.batchSize);
  const reportBytes = ((runs * 24) / HOURS_A_MONTH) * INVENTORY.reportDays * INVENTORY.report.bytes;
  const gigabytes = (nodes * INVENTORY.nodeBytes + reportBytes) / 1e9;
  return [
    { name: 'inventory.facts', dollars: stores * storeDollars(use.facts) },
    {
      name: 'inventory.feed',
      dollars: feeds * PRICES.lambdaRequest + seconds * INVENTORY.feedGigabytes * PRICES.lambdaGigabyteSecond,
    },
    { name: 'inventory.capacity', dollars: capacity * HOURS_A_MONTH * PRICES.capacityHour },
    {
      name: 'inventory.storage',
      dollars: gigabytes * PRICES.auroraGigabyte + (runs + stores) * INVENTORY.diskRequests * PRICES.auroraRequest,
    },
    { name: 'inventory.fixed', dollars: INVENTORY.alarms * PRICES.alarm },
  ];
}

/**
 * Nodes that the ring verifies in a month: a little more than its turn needs, and of a small fleet
 * as many as a round feeds at least, unless they rest.
 */
function countVerified(nodes: number): number {
  const ms = HOURS_A_MONTH * 3600_000;
  const fed = (budgetOf(nodes, 0, DEFAULT_RING) * ms) / DEFAULT_RING.roundMs;
  return Math.min(fed, (nodes * ms) / DEFAULT_RING.restMs);
}

/** Runs of a node a month: by its interval, and after each change if it is notified. */
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

/** The containers of the edge, by their CPU. */
export function countContainers(runs: number): number {
  const cpus = (runs * WORK.run.cpuSeconds) / (HOURS_A_MONTH * 3600);
  return Math.max(CONTAINER.least, Math.ceil(cpus / (CONTAINER.cpu * CONTAINER.busyShare)));
}

interface ContainerSize {
  readonly cpu: number;
  readonly gigabytes: number;
}

/** The containers of the broker, half full of connections: small ones as long as these suffice. */
export function chooseBrokers({ nodes, push }: Fleet): ContainerSize & { readonly count: number } {
  const connected = push ? nodes : 0;
  const countOf = ({ gigabytes }: ContainerSize) =>
    Math.ceil(connected / (countBrokerConnections(1024 * gigabytes) * BROKER.fullShare));
  const { usual, large, least } = BROKERS;
  const size = countOf(usual) <= usual.most ? usual : large;
  const { cpu, gigabytes } = size;
  return { cpu, gigabytes, count: Math.max(least, countOf(size)) };
}

function containerDollars({ cpu, gigabytes }: ContainerSize): number {
  return (cpu * PRICES.containerCpuHour + gigabytes * PRICES.containerGigabyteHour) * HOURS_A_MONTH;
}

function edgeDollars(runs: number): number {
  return countContainers(runs) * containerDollars(CONTAINER);
}

function brokerDollars(fleet: Fleet): number {
  if (!fleet.orchestrator) return 0;
  const brokers = chooseBrokers(fleet);
  return brokers.count * containerDollars(brokers);
}

/** Units of the load balancer, by connections or by bytes, whichever is more. */
function connectionDollars({ nodes, push, orchestrator }: Fleet): number {
  if (!push || !orchestrator) return 0;
  const gigabytesAnHour = (nodes * WORK.ping.bytes * (3600 / WORK.ping.seconds)) / 1e9;
  return Math.max(nodes / PRICES.loadBalancerFlows, gigabytesAnHour) * PRICES.loadBalancerUnit * HOURS_A_MONTH;
}

function toldDollars({ nodes, push, orchestrator, deploys, changed }: Fleet): number {
  if (!push || !orchestrator) return 0;
  const { writeUnits, readUnits } = WORK.notified;
  return nodes * deploys * changed * (writeUnits * PRICES.writeUnit + readUnits * PRICES.readUnit);
}

function orchestratorDollars({ orchestrator }: Fleet): number {
  if (!orchestrator) return 0;
  const { alarms, metrics, looksAnHour } = ORCHESTRATOR_FIXED;
  return alarms * PRICES.alarm + metrics * PRICES.metric + looksAnHour * HOURS_A_MONTH * PRICES.readUnit;
}

/** Bytes through the load balancer; logs go through NAT, or an endpoint at a lower price. */
function networkDollars(runs: number, { natGateways }: Fleet): number {
  const logs = (runs * WORK.run.logBytes) / 1e9;
  const onward = natGateways > 0 ? PRICES.natGigabyte : PRICES.endpointHour;
  return gigabytesOf(runs) * PRICES.loadBalancerUnit + logs * onward;
}

function gigabytesOf(runs: number): number {
  return (runs * WORK.run.networkBytes) / 1e9;
}

/** Records that a container reads once a second while requests come. */
function sharedDollars(runs: number, second: Use): number {
  const seconds = HOURS_A_MONTH * 3600;
  const containers = countContainers(runs);
  return Math.min(runs, containers * seconds) * tableDollars(second, 0);
}

function storageDollars({ backups }: Fleet): number {
  const bytes = STORED.tableBytes + STORED.objectBytes;
  const stored = STORED.tableBytes * PRICES.tableGigabyte + STORED.objectBytes * PRICES.objectGigabyte;
  return (stored + (backups ? bytes * PRICES.backupGigabyte : 0)) / 1e9;
}

function fixedDollars(natGateways: number): number {
  const hourly =
    PRICES.loadBalancerHour +
    natGateways * (PRICES.natHour + PRICES.publicAddressHour) +
    (natGateways === 0 ? FIXED.endpoints * PRICES.endpointHour : 0) +
    FIXED.authority.cpu * PRICES.containerCpuHour +
    FIXED.authority.gigabytes * PRICES.containerGigabyteHour +
    FIXED.pollsAnHour * PRICES.queueRequest +
    FIXED.feedsAnHour * (PRICES.lambdaRequest + FIXED.feedGigabyteSeconds * PRICES.lambdaGigabyteSecond);
  const monthly =
    (FIXED.alarms + FIXED.scalingAlarms) * PRICES.alarm +
    FIXED.compositeAlarms * PRICES.compositeAlarm +
    FIXED.metrics * PRICES.metric +
    FIXED.keys * PRICES.key +
    FIXED.dashboards * PRICES.dashboard;
  return hourly * HOURS_A_MONTH + monthly;
}
