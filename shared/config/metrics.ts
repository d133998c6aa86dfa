/** The bundler replaces this name in the code of a stack that has a stage. */
declare const UNDERSTUDY_STAGE: string | undefined;

/**
 * The namespace in CloudWatch of the metrics of a stack: stacks of one account may share a region.
 */
export function metricNamespace(stage: string | undefined): string {
  return stage === undefined ? 'Understudy' : `Understudy/${stage}`;
}

/** The namespace of the metrics of this process. */
export const METRIC_NAMESPACE = metricNamespace(typeof UNDERSTUDY_STAGE === 'string' ? UNDERSTUDY_STAGE : undefined);

const COMPILE_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];
const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 120];

/** A thing that is measured, and its name in each system that shows it. */
export interface Measure {
  readonly kind: 'counter' | 'gauge' | 'histogram';
  readonly unit: 'Bytes' | 'Count' | 'Seconds';
  readonly help: string;
  /** Its name for Prometheus, served by this process at `/metrics`. */
  readonly prometheus?: string;
  /** Labels of the Prometheus metric. */
  readonly labels?: readonly string[];
  /** Upper bounds of a histogram, in its unit. */
  readonly buckets?: readonly number[];
  /**
   * Its name in CloudWatch, or names by the value of its one label. The functions write it as
   * embedded metric format; alarms read it.
   */
  readonly cloudWatch?: string | Readonly<Record<string, string>>;
}

/** All metrics of ours, those of the process itself aside. */
export const MEASURES = {
  catalogAnswers: {
    kind: 'counter',
    unit: 'Count',
    help: 'Catalog requests by answer: hit (stored, at once), miss (compiled meanwhile), stale, failed, unavailable',
    prometheus: 'understudy_catalog_answers_total',
    labels: ['answer'],
    cloudWatch: {
      hit: 'CatalogHits',
      miss: 'CatalogMisses',
      stale: 'StaleAnswers',
      failed: 'FailedAnswers',
      unavailable: 'UnavailableAnswers',
    },
  },
  requestDuration: {
    kind: 'histogram',
    unit: 'Seconds',
    help: 'Time from a request to its answer, waiting for a compile included',
    prometheus: 'understudy_http_request_duration_seconds',
    labels: ['method', 'path', 'status'],
    buckets: REQUEST_SECONDS,
  },
  compileDuration: {
    kind: 'histogram',
    unit: 'Seconds',
    help: 'Time of the compiles of this process',
    prometheus: 'understudy_compile_duration_seconds',
    labels: ['outcome'],
    buckets: COMPILE_SECONDS,
  },
  compileJobs: {
    kind: 'counter',
    unit: 'Count',
    help: 'Jobs of this process by what became of them',
    prometheus: 'understudy_jobs_total',
    labels: ['outcome'],
    cloudWatch: {
      compiled: 'CompiledCatalogs',
      /** Because of the user's code or data. */
      failed: 'FailedCatalogs',
      /** Without a compile, because every input was unchanged. */
      verified: 'VerifiedCatalogs',
    },
  },
  /** In a data directory. */
  damageFound: {
    kind: 'counter',
    unit: 'Count',
    help: 'Damaged blobs, rows, and faults of the database that were found since the last repair',
    prometheus: 'understudy_damage_found_total',
    labels: ['kind'],
  },
  /** Defects of ours. */
  nativeRubyDefects: {
    kind: 'counter',
    unit: 'Count',
    help: 'Templates and functions that Ruby ran because native code failed at them; the access log names them',
    prometheus: 'understudy_native_ruby_defects_total',
    labels: [],
    cloudWatch: 'NativeRubyDefects',
  },
  requestsWaiting: {
    kind: 'gauge',
    unit: 'Count',
    help: 'Catalog requests that this process holds until their compile is done',
    prometheus: 'understudy_catalog_requests_waiting',
    labels: [],
    cloudWatch: 'HeldRequests',
  },
  /** Written by the edge. */
  openConnections: {
    kind: 'gauge',
    unit: 'Count',
    help: 'Connections of clients to this process',
    cloudWatch: 'OpenConnections',
  },
  queueJobs: {
    kind: 'gauge',
    unit: 'Count',
    help: 'Jobs by queue: visible ones wait, the others are worked on',
    prometheus: 'understudy_queue_jobs',
    labels: ['queue', 'state'],
  },
  queueAge: {
    kind: 'gauge',
    unit: 'Seconds',
    help: 'Age of the oldest waiting job; 0 where only CloudWatch knows it',
    prometheus: 'understudy_queue_oldest_seconds',
    labels: ['queue'],
  },
  nodes: {
    kind: 'gauge',
    unit: 'Count',
    help: 'Nodes; outstanding ones have a catalog that is out of date',
    prometheus: 'understudy_nodes',
    labels: ['state'],
  },
  ringLag: {
    kind: 'gauge',
    unit: 'Seconds',
    help: 'Time since the node least recently compiled or verified had its turn',
    prometheus: 'understudy_ring_lag_seconds',
    labels: [],
    cloudWatch: 'RingLagSeconds',
  },
  stagedDeploys: {
    kind: 'gauge',
    unit: 'Count',
    help: 'Environments with a staged deploy: on trial, or held until somebody decides',
    prometheus: 'understudy_staged_deploys',
    labels: ['state'],
    cloudWatch: { trial: 'StagesOnTrial', held: 'StagesHeld' },
  },
  jobFaults: {
    kind: 'counter',
    unit: 'Count',
    help: 'Jobs of this process that met a fault of the installation and are tried again; the log names it',
    prometheus: 'understudy_job_faults_total',
    labels: [],
    cloudWatch: 'JobFaults',
  },
  missingPacks: {
    kind: 'counter',
    unit: 'Count',
    help: 'Packs of code that were missing or damaged, so that a worker read their files one by one; the log names them',
    prometheus: 'understudy_missing_packs_total',
    labels: [],
    cloudWatch: 'MissingPacks',
  },
  skippedComparisons: {
    kind: 'counter',
    unit: 'Count',
    help: 'Nodes with the policy compare that were not compared because too many waited',
    prometheus: 'understudy_comparisons_skipped_total',
    labels: [],
  },
  forwardedReports: {
    kind: 'counter',
    unit: 'Count',
    help: 'Reports for the HTTP endpoint of report-url: sent, or rejected (dead letters)',
    prometheus: 'understudy_forwarded_reports_total',
    labels: ['outcome'],
  },
  notifyNodes: {
    kind: 'gauge',
    unit: 'Count',
    help: 'Nodes with changed catalogs: due for a run, notified again later, parked until they connect, dead letters',
    prometheus: 'understudy_notify_nodes',
    labels: ['state'],
    cloudWatch: { due: 'NotifyBacklog', later: 'NotifyRetries', parked: 'NotifyParked', dead: 'NotifyGivenUp' },
  },
  notifiedNodes: {
    kind: 'counter',
    unit: 'Count',
    help: 'Nodes that this process had run because their catalogs changed',
    prometheus: 'understudy_notified_nodes_total',
    labels: [],
    cloudWatch: 'NotifiedNodes',
  },
  notifyPaused: {
    kind: 'gauge',
    unit: 'Count',
    help: 'Rollouts of changed catalogs that wait for an operator because of their first nodes',
    prometheus: 'understudy_notify_paused',
    labels: [],
    cloudWatch: 'NotifyPaused',
  },
  /** Written by the edge, where there is an upstream CA. */
  revocationListAge: {
    kind: 'gauge',
    unit: 'Seconds',
    help: 'Time since an upstream CA last confirmed its revocation lists',
    cloudWatch: 'RevocationListAgeSeconds',
  },
  /** Written by the broker, once a minute. */
  brokerConnections: {
    kind: 'gauge',
    unit: 'Count',
    help: 'PXP agents and other clients that are connected to this broker',
    cloudWatch: 'BrokerConnections',
  },
  brokerDisconnects: {
    kind: 'counter',
    unit: 'Count',
    help: 'Connections of this broker that ended',
    cloudWatch: 'BrokerDisconnects',
  },
  brokerShed: {
    kind: 'counter',
    unit: 'Count',
    help: 'Connections that this broker turned away before TLS, so that agents come back later',
    cloudWatch: 'BrokerShedConnections',
  },
  brokerMailWait: {
    kind: 'gauge',
    unit: 'Seconds',
    help: 'The longest time that a message waited in the mailbox of this process',
    cloudWatch: 'BrokerMailWaitSeconds',
  },
  /** Written by the orchestrator, once a minute. */
  activeJobs: {
    kind: 'gauge',
    unit: 'Count',
    help: 'Jobs of the orchestrator that this process runs',
    cloudWatch: 'ActiveJobs',
  },
  jobsPutOff: {
    kind: 'gauge',
    unit: 'Count',
    help: 'Jobs of the orchestrator that cannot go on, and are tried again; the log names them',
    cloudWatch: 'JobsPutOff',
  },
  probeFailures: {
    kind: 'counter',
    unit: 'Count',
    help: "Runs of the probe, an agent's whole run, that failed; 0 for each that did not",
    cloudWatch: 'ProbeFailures',
  },
  authorityKeyFailures: {
    kind: 'counter',
    unit: 'Count',
    help: "Times that KMS did not seal or open the certificate authority's key",
    cloudWatch: 'AuthorityKeyFailures',
  },
  /** The servers that share a database. */
  servers: {
    kind: 'gauge',
    unit: 'Count',
    help: 'Servers that share the database: alive, and dead ones that lived within a day',
    prometheus: 'understudy_servers',
    labels: ['state'],
  },
  leads: {
    kind: 'gauge',
    unit: 'Count',
    help: 'Works that one server at a time does: 1 where this server leads',
    prometheus: 'understudy_leads',
    labels: ['work'],
  },
  databaseLag: {
    kind: 'gauge',
    unit: 'Bytes',
    help: 'Log of the shared database that its slowest standby has not replayed; absent without a standby',
    prometheus: 'understudy_database_lag_bytes',
    labels: [],
  },
  databaseSynchronous: {
    kind: 'gauge',
    unit: 'Count',
    help: 'Replication of the shared database: 1 synchronous, 0 asynchronous or none; absent where it cannot be seen',
    prometheus: 'understudy_database_synchronous',
    labels: [],
  },
  databaseClockOffset: {
    kind: 'gauge',
    unit: 'Seconds',
    help: "Time of this machine less the shared database's",
    prometheus: 'understudy_database_clock_offset_seconds',
    labels: [],
  },
  databaseConnections: {
    kind: 'gauge',
    unit: 'Count',
    help: 'Connections of this process to the shared database: open, of them idle, and calls waiting for one',
    prometheus: 'understudy_database_connections',
    labels: ['state'],
  },
  inventoryNodesBrought: {
    kind: 'counter',
    unit: 'Count',
    help: 'Nodes of which a pass brought the inventory something that the streams did not',
    cloudWatch: 'InventoryNodesBrought',
  },
} as const satisfies Readonly<Record<string, Measure>>;

/** The names in CloudWatch with their units. */
export const CLOUDWATCH_UNITS: ReadonlyMap<string, Measure['unit']> = new Map(
  Object.values<Measure>(MEASURES).flatMap(({ cloudWatch = {}, unit }) => {
    const names = typeof cloudWatch === 'string' ? [cloudWatch] : Object.values(cloudWatch);
    return names.map((name) => [name, unit] as const);
  }),
);
