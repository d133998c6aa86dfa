import { type DatabaseConnection, DatabaseError, type DatabaseTask } from '../database/inventory-database.ts';
import { bind, sql } from '../database/sql.ts';
import { writeTime } from '../query/timestamps.ts';
import { applyCommand, type CommandTerms, type InventoryCommand } from './apply-command.ts';
import { InvalidPayload } from './payload.ts';
import { cleanText } from './wire-json.ts';

/** Attempts before a command is discarded. */
const MOST_ATTEMPTS = 5;
/** Milliseconds to the second attempt; each further one waits twice as long. */
const FIRST_PAUSE_MS = 1000;
/** Discarded commands that are kept for a look at their reasons. */
const MOST_DISCARDED = 1000;

/** Terms for the next command of the queue. */
interface NextCommand {
  /** Milliseconds. */
  readonly now: number;
  /** Facts that are not kept: see `matchBlockedFacts`. */
  readonly blockedFacts: readonly string[];
}

/** Outcome of a command of the queue. */
export interface AppliedCommand {
  readonly id: string;
  readonly command: string;
  readonly certname: string;
  /** Whether it waits for another attempt. */
  readonly isPending: boolean;
  /** Why it was discarded; null when it was applied, or is pending. */
  readonly error: string | null;
}

interface TakenCommand extends InventoryCommand {
  readonly id: string;
  readonly received: string;
  readonly attempts: number;
}

/**
 * Applies the oldest command that is due at `now` and removes it from the queue, in the transaction
 * of the connection: it takes effect once. One that can never be stored, or failed too often, goes
 * to `discarded_commands` with the reason. Null without a command.
 */
export async function applyNextCommand(
  connection: DatabaseConnection,
  { now, blockedFacts }: NextCommand,
): Promise<AppliedCommand | null> {
  const taken = await takeNext(connection, now);
  if (taken === null) return null;
  const error = await applyGuarded(connection, taken, { received: taken.received, blockedFacts });
  if (error !== null) return fail(connection, taken, error, now);
  await remove(connection, taken);
  return { ...nameOf(taken), isPending: false, error: null };
}

/** `applyNextCommand` as a task. */
export const APPLY_NEXT: DatabaseTask<NextCommand, AppliedCommand | null> = {
  module: import.meta.url,
  name: 'applyNextCommand',
  run: applyNextCommand,
};

/** Counts a failed attempt of the command whose application ended the database. */
export async function blameNextCommand(
  connection: DatabaseConnection,
  error: Error,
  now: number,
): Promise<AppliedCommand | null> {
  const taken = await takeNext(connection, now);
  return taken && fail(connection, taken, error, now);
}

const nameOf = ({ id, command, certname }: TakenCommand) => ({ id, command, certname });

async function takeNext(connection: DatabaseConnection, now: number): Promise<TakenCommand | null> {
  const [row] = await connection.run(
    sql`select id, command, version, certname, payload, received, attempts from queued_commands
      where retry_after is null or retry_after <= ${bind(writeTime(now), 'timestamptz')}
      order by id limit 1 for update skip locked`.render(),
  );
  if (row === undefined) return null;
  const [id, command, version, certname, payload, received, attempts] = row.map(String);
  return {
    id: id ?? '',
    command: command ?? '',
    version: Number(version),
    certname: certname ?? '',
    payload: payload ?? '',
    received: received ?? '',
    attempts: Number(attempts) + 1,
  };
}

async function fail(
  connection: DatabaseConnection,
  command: TakenCommand,
  error: InvalidPayload | DatabaseError | Error,
  now: number,
): Promise<AppliedCommand> {
  if (error instanceof InvalidPayload || command.attempts >= MOST_ATTEMPTS) {
    await discard(connection, command, error.message);
    return { ...nameOf(command), isPending: false, error: error.message };
  }
  const due = now + FIRST_PAUSE_MS * 2 ** (command.attempts - 1);
  await connection.run(
    sql`update queued_commands set attempts = ${bind(String(command.attempts), 'int')},
        retry_after = ${bind(writeTime(due), 'timestamptz')} where id = ${bind(command.id, 'bigint')}`.render(),
  );
  return { ...nameOf(command), isPending: true, error: null };
}

async function discard(connection: DatabaseConnection, command: TakenCommand, reason: string): Promise<void> {
  await connection.run(
    sql`insert into discarded_commands (id, command, version, certname, payload, received, reason)
      select id, command, version, certname, payload, received, ${bind(cleanText(reason))}
      from queued_commands where id = ${bind(command.id, 'bigint')} on conflict do nothing`.render(),
  );
  await remove(connection, command);
  await connection.run(
    sql`delete from discarded_commands where id <=
      (select id from discarded_commands order by id desc offset ${bind(String(MOST_DISCARDED), 'int')} limit 1)`.render(),
  );
}

async function remove(connection: DatabaseConnection, { id }: TakenCommand): Promise<void> {
  await connection.run(sql`delete from queued_commands where id = ${bind(id, 'bigint')}`.render());
}

/**
 * Applies a command as a part of the transaction. A command that cannot be applied leaves no trace:
 * returns the reason. Throws when the database is away.
 */
export async function applyGuarded(
  connection: DatabaseConnection,
  command: InventoryCommand,
  terms: CommandTerms,
): Promise<InvalidPayload | DatabaseError | null> {
  await connection.run({ text: 'savepoint command', values: [] });
  try {
    await applyCommand(connection, command, terms);
    await connection.run({ text: 'release savepoint command', values: [] });
    return null;
  } catch (error) {
    if (!(error instanceof InvalidPayload || error instanceof DatabaseError)) throw error;
    await connection.run({ text: 'rollback to savepoint command', values: [] });
    return error;
  }
}
