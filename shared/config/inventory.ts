/** The folder of the embedded inventory in the data directory. */
export const INVENTORY_FOLDER = 'inventory';

/** Environment variables of the functions of the inventory in AWS, besides those of the stores. */
export const INVENTORY_VARIABLES = {
  /** `postgresql://user@host:port/name?sslmode=verify-full`; the password is a token of IAM. */
  url: 'UNDERSTUDY_INVENTORY_DATABASE',
  /** The URL of the database's owner, who makes that user; empty for those who may not. */
  owner: 'UNDERSTUDY_INVENTORY_OWNER',
  /** The owner's password. */
  ownerPassword: 'UNDERSTUDY_INVENTORY_OWNER_PASSWORD',
  /** The server's name, as the producer of what is fed. */
  producer: 'UNDERSTUDY_INVENTORY_PRODUCER',
  /** The function that answers queries, for those who do not reach the database; empty for none. */
  answers: 'UNDERSTUDY_INVENTORY_ANSWERS_FUNCTION',
} as const;

/** The functions of the inventory in AWS. */
export const INVENTORY_FUNCTIONS = {
  /** Seconds in which changes are gathered before they are fed. */
  batchSeconds: 30,
  /** Changes that the feed gets at once. */
  batchSize: 500,
  /** Seconds of the queries of one compile: a database that paused needs half a minute. */
  answerSeconds: 60,
  /** Longest time of one part of a pass. */
  passSeconds: 120,
} as const;

/** The role of PostgreSQL as which functions log in with their own credentials of AWS. */
export const IAM_ROLE = 'understudy_app';
