import { EDGE_SIZES, SIZES } from '../../shared/config/sizes.ts';

/**
 * The edge's CPU for a run, of x86 on a busy machine: the highest of three times of `npm run
 * cost:cpu -- 300` (0.0150, 0.0165 and 0.0176 s at a load of 25), rounded up.
 */
export const MEASURED = 'npm run cost:cpu, 2026-11-29, 234 resources' as const;

export const WORK = {
  /** Of an agent run on the edge: five requests over three new connections with mutual TLS. */
  run: { cpuSeconds: 0.018, networkBytes: 110_000, logBytes: 2900, flowBytes: 960 },
  /** Of the compile function: its billed time, with the stores' latency. */
  compile: { seconds: 0.5, logBytes: 1500 },
  /** Of a job that finds every input unchanged. */
  verify: { seconds: 0.15, logBytes: 700 },
  /**
   * For a node that is asked to run: its rows and events in the jobs table, its entry among those
   * to be asked, and four messages between job and agent, each written, read and deleted. An
   * estimate, from the requests that `npm run fleet -- --only jobs` counts.
   */
  notified: { writeUnits: 16, readUnits: 10 },
  /** For a connected agent: its ping and the answer, with TLS and TCP, each two minutes. */
  ping: { bytes: 400, seconds: 120 },
} as const;

/** What a node keeps: its record and rows; its catalog, facts and changed reports of a month. */
export const STORED = { tableBytes: 12_000, objectBytes: 250_000 } as const;

/** Index rows that a write to a node's record writes besides, on average. */
export const INDEX_WRITES = { run: 0, job: 1.5 } as const;

/** The share of bytes that cross zones, where containers and clients are in two of them. */
export const CROSS_ZONE_SHARE = 0.5;

export const COMPILE_GIGABYTES = 1769 / 1024;
/** One container of the edge. */
export const CONTAINER = {
  cpu: EDGE_SIZES.cpu / 1024,
  gigabytes: EDGE_SIZES.memory / 1024,
  busyShare: 0.5,
  least: SIZES.containers.min,
} as const;

/**
 * Containers of the broker, by `understudy:orchestrator`: the usual one, and one for large sites.
 */
export const BROKERS = {
  usual: { cpu: 0.25, gigabytes: 1, most: 20 },
  large: { cpu: 1, gigabytes: 8 },
  least: 2,
} as const;

/** What the orchestrator has without any node. */
export const ORCHESTRATOR_FIXED = {
  alarms: 11,
  metrics: 8,
  /** Looks into an empty mailbox, of two brokers and the authority service: four a second each. */
  looksAnHour: 3 * 4 * 3600,
} as const;

/** What is there without any node. */
export const FIXED = {
  /** The authority service: one container. */
  authority: { cpu: 0.5, gigabytes: 2 },
  natGateways: 2,
  /** Interface endpoints in their place, in two zones. */
  endpoints: 2 * 7,
  alarms: 31,
  /** Causes with several alarms that need somebody now. */
  compositeAlarms: 3,
  /** Of the scaling of edge and broker: two for each target. */
  scalingAlarms: 10,
  /** Our own metrics. Container Insights are off unless the operator wants them. */
  metrics: 14,
  /** Of the CA, and of the edge's certificate. */
  keys: 2,
  dashboards: 1,
  /** Long polls of the event sources: three queues, five pollers each, one in 20 seconds. */
  pollsAnHour: 3 * 5 * 180,
  /** The feeder runs once a minute, for a quarter of a gigabyte-second. */
  feedsAnHour: 60,
  feedGigabyteSeconds: 0.25,
} as const;

/**
 * The inventory. What the database does and stores is measured by `node test/fleet/inventory.ts
 * 4000` (PostgreSQL 15, November 2026): its CPU for a report and for facts, the bytes of a report
 * that changed nothing, and those of a node with 200 resources, here of 234. The time of the feed
 * function, which waits for the database, requests to disk and what a capacity unit does are
 * estimates. Requests to our own stores are counted.
 */
export const INVENTORY = {
  /** Of the feed function, and of the database's CPU, for a report and for facts. */
  report: { seconds: 0.01, databaseSeconds: 0.002, bytes: 640 },
  facts: { seconds: 0.02, databaseSeconds: 0.003 },
  /** Requests to disk for each of both. */
  diskRequests: 6,
  feedGigabytes: 1,
  /** Feeds of a quiet fleet: one in half a minute for each of four shards of two streams. */
  feedsAnHour: 120 * 4 * 2,
  /** Days that reports are kept; facts, catalog and indexes of a node, in bytes. */
  reportDays: 14,
  nodeBytes: 60_000,
  /** Seconds of CPU that a capacity unit has in a second, and the least of a busy database. */
  capacitySeconds: 0.25,
  leastCapacity: 0.5,
  /** Hours after which facts that change at each run are stored. */
  factHours: 1,
  alarms: 3,
} as const;
