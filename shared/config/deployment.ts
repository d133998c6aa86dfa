/**
 * Names that the deployed functions and the CDK stack share: environment variables, table keys,
 * bucket prefixes and queue settings.
 */

/**
 * Environment variables of the functions. The values for tables, buckets and queues are physical
 * names or URLs.
 */
export const ENVIRONMENT_VARIABLES = {
  nodesTable: 'UNDERSTUDY_NODES_TABLE',
  exportsTable: 'UNDERSTUDY_EXPORTS_TABLE',
  collectorsTable: 'UNDERSTUDY_COLLECTORS_TABLE',
  environmentsTable: 'UNDERSTUDY_ENVIRONMENTS_TABLE',
  dependenciesTable: 'UNDERSTUDY_DEPENDENCIES_TABLE',
  documentsTable: 'UNDERSTUDY_DOCUMENTS_TABLE',
  jobsTable: 'UNDERSTUDY_JOBS_TABLE',
  bucket: 'UNDERSTUDY_BUCKET',
  waitingQueueUrl: 'UNDERSTUDY_WAITING_QUEUE_URL',
  expressQueueUrl: 'UNDERSTUDY_EXPRESS_QUEUE_URL',
  backgroundQueueUrl: 'UNDERSTUDY_BACKGROUND_QUEUE_URL',
  fanOutQueueUrl: 'UNDERSTUDY_FAN_OUT_QUEUE_URL',
  /** URLs of the dead-letter queues of compile jobs, separated by spaces. */
  deadLetterQueueUrls: 'UNDERSTUDY_DEAD_LETTER_QUEUE_URLS',
  fanOutDeadLetterQueueUrl: 'UNDERSTUDY_FAN_OUT_DEAD_LETTER_QUEUE_URL',
  /** The server's name in `$server_facts`; `puppet` by default. */
  serverName: 'UNDERSTUDY_SERVER_NAME',
  /**
   * The server's IP address in `$server_facts`, or a name that resolves to it. Without it,
   * `$server_facts` has no address.
   */
  serverAddress: 'UNDERSTUDY_SERVER_ADDRESS',
  /**
   * The variables that `pkcs7_private_key_env_var` in a hiera.yaml may name, separated by commas.
   */
  eyamlVariables: 'UNDERSTUDY_EYAML_VARIABLES',
} as const;

/** A DynamoDB table: its key attributes (all strings) and global secondary indexes. */
export interface TableShape {
  readonly partitionKey: string;
  readonly sortKey?: string;
  readonly indexes?: readonly IndexShape[];
  /** The attribute of DynamoDB's time to live; absent: items never expire. */
  readonly expiry?: string;
}

interface IndexShape {
  readonly name: string;
  readonly partitionKey: string;
  readonly sortKey: { readonly name: string; readonly type: 'S' | 'N' };
}

/** The attribute of documents that DynamoDB's time to live reads: seconds since the epoch. */
export const DOCUMENT_EXPIRY = 'expires';

/** The attribute of jobs that DynamoDB's time to live reads: seconds since the epoch. */
export const JOB_EXPIRY = 'expires';

/** The attribute of stored sums of queries on exports, as above, and their life in days. */
export const SUMS_EXPIRY = 'expires';
export const SUMS_DAYS = 30;

export const TABLES = {
  /**
   * One item per node. `ring` holds a shard number, so that the index of the ring has no hot
   * partition. So does `outstanding`, which exists only on nodes with `built < wanted`.
   */
  nodes: {
    partitionKey: 'certname',
    indexes: [
      { name: 'ring', partitionKey: 'ring', sortKey: { name: 'ringPosition', type: 'N' } },
      { name: 'outstanding', partitionKey: 'outstanding', sortKey: { name: 'touchedAt', type: 'N' } },
    ],
  },
  /**
   * Exports: partition `Type#<shard>` (one of 16, by certname), sort `certname#title`. Pointers to
   * them, without content, with the same sort key: partition `Type#<shard>#tag=<tag>`, and
   * `Type#title=<title>`. Partition `@Type` has the versions of the type's shards and stored sums
   * of queries, which expire: the next who asks sums again. Partition `#certname` has one item,
   * which lists the node's rows.
   *
   * The stream (new and old images) triggers the exports function, which raises the versions,
   * matches both images against the recorded collectors and sends express jobs. The compile
   * function therefore needs no permission to send to a queue.
   */
  exports: { partitionKey: 'type', sortKey: 'id', expiry: SUMS_EXPIRY },
  /**
   * Sort key: `certname#<digest of the query>`. Partition: `Type#<shard>` for collectors that
   * examine all exports of a type, else `Type#tag=<tag>` or `Type#title=<title>` of what must
   * match; such a partition has an item `#`, so that those with collectors are found in one
   * request. In addition, one item per node as in `exports`.
   */
  collectors: { partitionKey: 'type', sortKey: 'id' },
  environments: { partitionKey: 'name' },
  /**
   * Leads from a changed path back to nodes: parts by name, sets, their members in shards, and the
   * owners of paths. `shared/store/aws/dependency-index.ts` describes the keys.
   */
  dependencies: { partitionKey: 'from', sortKey: 'to' },
  /**
   * Jobs of the orchestrator with their nodes and events; plan jobs, scheduled jobs and task
   * targets. `shared/store/aws/job-store.ts` describes the keys.
   */
  jobs: { partitionKey: 'ledger', sortKey: 'item', expiry: JOB_EXPIRY },
  documents: { partitionKey: 'collection', sortKey: 'key', expiry: DOCUMENT_EXPIRY },
} as const satisfies Record<string, TableShape>;

/**
 * Prefixes of the bucket's keys. Content is addressed by its digest, except below `reports/` and
 * what `facts/` has of nodes that sent none. `bucket/` is the file bucket.
 */
export const PREFIXES = {
  catalogs: 'catalogs/',
  facts: 'facts/',
  files: 'files/',
  /** Contents of files that compiles read together. */
  packs: 'packs/',
  /** Names of files that a reader found missing or damaged. */
  damaged: 'damaged/',
  snapshots: 'snapshots/',
  dependencies: 'dependencies/',
  /** Places of the first reads of each node's last compile. */
  readers: 'readers/',
  reports: 'reports/',
  bucket: 'bucket/',
  /** Requests for catalogs that are not kept, and their answers. */
  requests: 'requests/',
  packages: 'packages/',
  /** Plans of deploys that are not settled. */
  fanOuts: 'fan-outs/',
  /** Nodes, requests and large results of jobs. */
  jobs: 'jobs/',
  /** States of the node groups. */
  groups: 'groups/',
  /** Large inputs of scheduled jobs. */
  schedules: 'schedules/',
} as const;

/**
 * Days after which the plan of an unfinished deploy is written anew, and after which a plan that
 * nobody wrote anew expires.
 */
export const PLAN_DAYS = { renewed: 7, kept: 30 } as const;

export const QUEUES = {
  /** Number of receives before a job goes to the dead-letter queue. */
  maxReceives: 5,
  /**
   * Messages per invocation of the compile function: one, so that a job that crashes the function
   * affects no other job.
   */
  batchSize: 1,
  /** Time limit of the fan-out function: a chain that needs more is sent again. */
  fanOutSeconds: 60,
  /**
   * Back-off of a job after a fault, in seconds, by the number of receives. (The visibility
   * time-out applies to a job whose function died.) A store may be unavailable for a quarter of an
   * hour before jobs are given up.
   */
  retrySeconds: [10, 30, 120, 600, 10],
} as const;

/**
 * Begins the value of a variable that is a secret of Secrets Manager. Its name or ARN follows, and
 * `#` with a field if only that is meant.
 */
export const SECRET_VALUE = 'secret:';
