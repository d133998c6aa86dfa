/** The folder of the embedded inventory in the data directory. */
export const INVENTORY_FOLDER = 'inventory';

/** Environment variables of the functions of the inventory in AWS, besides those of the stores. */
export const INVENTORY_VARIABLES = {
  /** `postgresql://user:password@host:port/name?sslmode=verify-full`. */
  url: 'UNDERSTUDY_INVENTORY_DATABASE',
  /** The server's name, as the producer of what is fed. */
  producer: 'UNDERSTUDY_INVENTORY_PRODUCER',
  /** Days, as of `npm start`; 0 for never. */
  nodeTtl: 'UNDERSTUDY_INVENTORY_NODE_TTL',
  nodePurgeTtl: 'UNDERSTUDY_INVENTORY_NODE_PURGE_TTL',
  reportTtl: 'UNDERSTUDY_INVENTORY_REPORT_TTL',
  /** The function that answers queries, for those who do not reach the database; empty for none. */
  answers: 'UNDERSTUDY_INVENTORY_ANSWERS_FUNCTION',
  /** What one query may take, as of `npm start`. */
  querySeconds: 'UNDERSTUDY_INVENTORY_QUERY_SECONDS',
  queryRows: 'UNDERSTUDY_INVENTORY_QUERY_ROWS',
  queryMegabytes: 'UNDERSTUDY_INVENTORY_QUERY_MEGABYTES',
} as const;

/** Days after which the inventory expires and purges nodes, and deletes reports; 0 for never. */
export const INVENTORY_DAYS = { node: 7, nodePurge: 14, report: 14, most: 3650 } as const;

/** What one query may take. A minute is PuppetDB's own limit; more rows are a mistake. */
export const INVENTORY_QUERIES = {
  seconds: { usual: 60, most: 3600 },
  rows: { usual: 5_000_000, most: 1_000_000_000 },
  megabytes: { usual: 64, least: 4, most: 4096 },
} as const;

/** The functions of the inventory in AWS. */
export const INVENTORY_FUNCTIONS = {
  /** Seconds in which changes are gathered before they are fed. */
  batchSeconds: 30,
  /** Changes that the feed gets at once. */
  batchSize: 500,
  /** Seconds of a query: API Gateway ends a request after 30. */
  querySeconds: 25,
  /** Seconds of the queries of one compile: a database that paused needs half a minute. */
  answerSeconds: 60,
  /** Rows beyond this do not fit into an answer. */
  queryRows: 500_000,
  /** What one part of a pass may take. */
  passSeconds: 120,
} as const;
