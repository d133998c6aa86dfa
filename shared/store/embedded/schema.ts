import { listTables, STORE_TABLES } from '../sql/schema.ts';
import { addRowDigests } from './row-digests.ts';

/**
 * The version of the tables, in the database's `user_version`. Raise it with each change of
 * `SCHEMA`: a release refuses a directory of another version, in place of not seeing, or damaging,
 * what is stored there. `test/shared/store/schema-version.test.ts` fails otherwise.
 */
export const SCHEMA_VERSION = 4;

/**
 * The tables of `understudy.db`. The statements are idempotent. Each table gets the column of
 * `row-digests.ts`.
 */
export const SCHEMA = addRowDigests(STORE_TABLES);

export const DIGESTED_TABLES = listTables(STORE_TABLES);
