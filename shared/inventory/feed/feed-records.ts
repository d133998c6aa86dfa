import type { ChangeConsumer } from '../../store/follow-changes.ts';
import type { NodeChange } from '../../store/ports/node-changes.ts';
import { StoreUnavailable } from '../../store/ports/store-errors.ts';
import { DatabaseUnavailable, StatementTimedOut } from '../database/inventory-database.ts';

/** A record of a stream: the changes that it stands for, and its number. */
interface ChangeRecord {
  readonly number: string;
  /** Throws when it cannot be read. */
  readChanges(): readonly NodeChange[];
}

/** Records that are handled together. */
const TOGETHER = 100;

/**
 * Handles records in their order. Returns the number of the first one that has to come again,
 * because the inventory or a store is away; null when all are handled. A record that can never be
 * handled is reported, and left out.
 */
export async function feedRecords(
  records: readonly ChangeRecord[],
  consumer: Pick<ChangeConsumer, 'handleChanges'>,
  onLoss: (error: unknown) => Promise<void>,
): Promise<string | null> {
  for (let first = 0; first < records.length; first += TOGETHER) {
    const part = records.slice(first, first + TOGETHER);
    const failed = (await feedTogether(part, consumer)) ? null : await feedSingly(part, consumer, onLoss);
    if (failed !== null) return failed;
  }
  return null;
}

async function feedTogether(
  records: readonly ChangeRecord[],
  consumer: Pick<ChangeConsumer, 'handleChanges'>,
): Promise<boolean> {
  try {
    await consumer.handleChanges(records.flatMap((record) => record.readChanges()));
    return true;
  } catch {
    // Handling them one by one finds the record.
    return false;
  }
}

async function feedSingly(
  records: readonly ChangeRecord[],
  consumer: Pick<ChangeConsumer, 'handleChanges'>,
  onLoss: (error: unknown) => Promise<void>,
): Promise<string | null> {
  for (const record of records) {
    try {
      await consumer.handleChanges(record.readChanges());
    } catch (error) {
      const isAway = [DatabaseUnavailable, StatementTimedOut, StoreUnavailable].some((kind) => error instanceof kind);
      if (isAway) return record.number;
      await onLoss(error);
    }
  }
  return null;
}
