import { QueryRefused } from '../ast/query-error.ts';

/** Refuses a clause that no operator takes, in the words that PuppetDB's clients know. */
export function refuseClause(): never {
  throw new QueryRefused(
    "No implementation of method: :-plan->sql of protocol: #'puppetlabs.puppetdb.query-eng.engine/SQLGen found for class: nil",
  );
}
