import type { DatabaseConnection } from '../database/inventory-database.ts';
import { bind, sql } from '../database/sql.ts';
import { bindTexts } from '../query/plan-values.ts';
import type { TopicKind } from './query-topics.ts';

/** A change of a node. */
interface TopicChange {
  readonly kind: Exclude<TopicKind, 'any'>;
  /** The names of facts, or the types of resources; none for other kinds. */
  readonly names: readonly string[];
  readonly certname: string;
}

/**
 * Notes what a transaction changes, for those who watch queries. Without a watched query it writes
 * nothing.
 */
export async function noteTopicChange(
  connection: DatabaseConnection,
  { kind, names, certname }: TopicChange,
): Promise<void> {
  await connection.run(
    sql`insert into changed_topics (kind, names, certname) select ${bind(kind)}, ${bindTexts(names)}, ${bind(certname)}
      where exists (select from watched_queries)`.render(),
  );
}
