/**
 * What the deployed functions and the CDK stack must agree on: environment variables, table keys,
 * bucket prefixes, queue settings. The only part of the system that `infra/` imports.
 */

/**
 * Environment variables of the functions: what each holds. Values of the tables, buckets and queues
 * are physical names or URLs.
 */
export const ENVIRONMENT_VARIABLES = {
  nodesTable: 'UNDERSTUDY_NODES_TABLE',
  exportsTable: 'UNDERSTUDY_EXPORTS_TABLE',
  collectorsTable: 'UNDERSTUDY_COLLECTORS_TABLE',
  environmentsTable: 'UNDERSTUDY_ENVIRONMENTS_TABLE',
  dependenciesTable: 'UNDERSTUDY_DEPENDENCIES_TABLE',
  documentsTable: 'UNDERSTUDY_DOCUMENTS_TABLE',
  bucket: 'UNDERSTUDY_BUCKET',
  waitingQueueUrl: 'UNDERSTUDY_WAITING_QUEUE_URL',
  expressQueueUrl: 'UNDERSTUDY_EXPRESS_QUEUE_URL',
  backgroundQueueUrl: 'UNDERSTUDY_BACKGROUND_QUEUE_URL',
  /** URLs of the dead-letter queues, separated by a space. */
  deadLetterQueueUrls: 'UNDERSTUDY_DEAD_LETTER_QUEUE_URLS',
  /** What `$server_facts` call the server; `puppet` when it is not set. */
  serverName: 'UNDERSTUDY_SERVER_NAME',
  /**
   * The IP address of the server in `$server_facts`, or a name that leads to it; they have none
   * when it is not set.
   */
  serverAddress: 'UNDERSTUDY_SERVER_ADDRESS',
  /** How many seconds one catalog may take to compile; see `compile-limit.ts`. */
  compileSeconds: 'UNDERSTUDY_COMPILE_SECONDS',
  /**
   * Names of variables, separated by commas, that `pkcs7_private_key_env_var` in a hiera.yaml may
   * name.
   */
  eyamlVariables: 'UNDERSTUDY_EYAML_VARIABLES',
} as const;

/** A DynamoDB table: its key attributes (all strings) and global secondary indexes. */
export interface TableShape {
  readonly partitionKey: string;
  readonly sortKey?: string;
  readonly indexes?: readonly IndexShape[];
}

export interface IndexShape {
  readonly name: string;
  readonly partitionKey: string;
  readonly sortKey: { readonly name: string; readonly type: 'S' | 'N' };
}

export const TABLES = {
  /**
   * One item a node. `ring` holds a shard number, so that the ring's index has no hot partition; so
   * does `outstanding`, which only nodes with `built < wanted` have.
   */
  nodes: {
    partitionKey: 'certname',
    indexes: [
      { name: 'ring', partitionKey: 'ring', sortKey: { name: 'ringPosition', type: 'N' } },
      { name: 'outstanding', partitionKey: 'outstanding', sortKey: { name: 'touchedAt', type: 'N' } },
    ],
  },
  /**
   * Partition: resource type; sort: certname#title. Beside, one item a node: partition `#certname`,
   * the list of its rows. Its stream (new and old images) triggers the invalidate function, which
   * matches both images against the recorded collectors and sends express jobs. So the compile
   * function needs no permission to send to any queue.
   */
  exports: { partitionKey: 'type', sortKey: 'id' },
  /** Partition: resource type; sort: certname#query. Beside, one item a node as in `exports`. */
  collectors: { partitionKey: 'type', sortKey: 'id' },
  environments: { partitionKey: 'name' },
  /**
   * The way back from a path to nodes: `path#<environment>#<path>` -> sets,
   * `set#<environment>#<id>` -> certnames.
   */
  dependencies: { partitionKey: 'from', sortKey: 'to' },
  documents: { partitionKey: 'collection', sortKey: 'key' },
} as const satisfies Record<string, TableShape>;

/**
 * Prefixes of the bucket's keys; content below all but `facts/` and `reports/` is addressed by its
 * digest. `bucket/` is the file bucket.
 */
export const PREFIXES = {
  catalogs: 'catalogs/',
  facts: 'facts/',
  files: 'files/',
  snapshots: 'snapshots/',
  dependencies: 'dependencies/',
  reports: 'reports/',
  bucket: 'bucket/',
  /** Catalogs that are asked for and not kept, and their answers. */
  requests: 'requests/',
  packages: 'packages/',
} as const;

export const QUEUES = {
  /** Receives before a job goes to the dead-letter queue. */
  maxReceives: 5,
  /**
   * Messages of one invocation of the compile function: one, so that a job that takes the function
   * down takes no other with it.
   */
  batchSize: 1,
  /**
   * Seconds after which a job comes again that met a fault, by how often it was received: the
   * visibility time-out is that of a job whose function died. A store may be away for a quarter of
   * an hour before jobs are given up.
   */
  retrySeconds: [10, 30, 120, 600, 10],
} as const;
