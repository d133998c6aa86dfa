/**
 * What a node's work takes beside requests to the stores. CPU times were measured on the bundles
 * with one CPU of x86 on a busy machine, and are upper bounds; `MEASURED` says when.
 */
export const MEASURED = 'commit e35aa57, 234 resources, 110 KB a run' as const;

export const WORK = {
  /** Of an agent run on the edge: five requests with a new mutual TLS connection. */
  run: { cpuSeconds: 0.072, networkBytes: 110_000, logBytes: 2900 },
  /** Of the compile function: its billed time, with the stores' latency. */
  compile: { seconds: 0.5, logBytes: 1500 },
  /** Of a job that finds every input unchanged. */
  verify: { seconds: 0.15, logBytes: 700 },
  /** Connections that a container of 2 GB holds for pushes. An estimate: 50 KB each, half full. */
  pushConnections: 20_000,
} as const;

/** What a node keeps: its record and rows; its catalog, facts and changed reports of a month. */
export const STORED = { tableBytes: 12_000, objectBytes: 250_000 } as const;

/** Index rows that a write to a node's record writes besides, on average. */
export const INDEX_WRITES = { run: 0, job: 1.5 } as const;

export const COMPILE_GIGABYTES = 1769 / 1024;
/** One container of the edge. */
export const CONTAINER = { cpu: 1, gigabytes: 2, busyShare: 0.5, least: 2 } as const;

/** What is there without any node. */
export const FIXED = {
  /** The authority service: one container. */
  authority: { cpu: 0.5, gigabytes: 2 },
  natGateways: 2,
  alarms: 24,
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
