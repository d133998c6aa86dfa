import type { Clock } from '../../store/ports/clock.ts';
import { type DatabaseConnection, DatabaseError, type InventoryDatabase } from '../database/inventory-database.ts';
import { bind, sql } from '../database/sql.ts';
import { bindTexts } from '../query/plan-values.ts';
import { writeTime } from '../query/timestamps.ts';
import { applyCommand, type InventoryCommand } from './apply-command.ts';
import { InvalidPayload } from './payload.ts';
import { cleanText } from './wire-json.ts';

/** How a command ended: stored, or why not. */
export interface CommandOutcome {
  readonly error: string | null;
}

/** Attempts before a command is discarded. */
const MOST_ATTEMPTS = 5;
/** Milliseconds to the second attempt; each further one waits twice as long. */
const FIRST_PAUSE_MS = 1000;
/** Milliseconds between attempts to reach a database that is away. */
const AWAY_PAUSE_MS = 5000;
/** Discarded commands that are kept for a look at their reasons. */
const MOST_DISCARDED = 1000;

export interface CommandQueueOptions {
  readonly database: InventoryDatabase;
  readonly clock: Clock;
  /** Told of each command that was discarded, and of a database that is away. */
  onTrouble(message: string): void;
}

/**
 * The durable queue of commands. A command is in the database when `enqueue` returns. One loop
 * applies commands in their order, each in one transaction with its removal from the queue, so
 * that it takes effect once. A command that can never be stored, or fails too often, goes to
 * `discarded_commands` with the reason.
 */
export class CommandQueue {
  readonly #options: CommandQueueOptions;
  readonly #waiting = new Map<string, (outcome: CommandOutcome) => void>();
  #wake: () => void = () => undefined;
  #running: Promise<void> | null = null;
  readonly #stopping = new AbortController();

  constructor(options: CommandQueueOptions) {
    this.#options = options;
  }

  /** Starts to apply commands. */
  start(): void {
    this.#running ??= this.#loop();
  }

  /** Stops after the command that is being applied; others stay in the queue. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#wake();
    await this.#running;
  }

  /** Stores the command for later. Gives a promise of its outcome, which need not be awaited. */
  async enqueue({ command, version, certname, payload }: InventoryCommand): Promise<Promise<CommandOutcome>[]> {
    const received = bind(writeTime(this.#options.clock.now()), 'timestamptz');
    const id = await this.#options.database.transaction(async (connection) => {
      const [row] = await connection.run(
        sql`insert into queued_commands (command, version, certname, payload, received)
          values (${bind(command)}, ${bind(String(version), 'int')}, ${bind(cleanText(certname))},
            ${bind(payload.replaceAll('\u0000', ' '))}, ${received}) returning id`.render(),
      );
      return String(row?.[0]);
    });
    const outcome = new Promise<CommandOutcome>((resolve) => this.#waiting.set(id, resolve));
    this.#wake();
    return [outcome];
  }

  async #loop(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      try {
        if (await this.#applyNext()) continue;
        await this.#settleElsewhere();
        await this.#pause(FIRST_PAUSE_MS);
      } catch (error) {
        this.#options.onTrouble(`commands wait for the inventory's database: ${String(error)}`);
        await this.#pause(AWAY_PAUSE_MS);
      }
    }
  }

  async #pause(milliseconds: number): Promise<void> {
    if (this.#stopping.signal.aborted) return;
    const woken = new AbortController();
    this.#wake = () => woken.abort();
    await this.#options.clock.sleep(milliseconds, woken.signal);
    this.#wake = () => undefined;
  }

  /** Applies the oldest command that is due; false without one. */
  async #applyNext(): Promise<boolean> {
    let taken: TakenCommand | null = null;
    try {
      await this.#options.database.transaction(async (connection) => {
        taken = await this.#take(connection);
        if (taken === null) return;
        await applyCommand(connection, taken, taken.received);
        await remove(connection, taken);
      });
      if (taken !== null) this.#settle(taken, null);
    } catch (error) {
      if (taken === null || !(error instanceof InvalidPayload || error instanceof DatabaseError)) throw error;
      await this.#fail(taken, error);
    }
    return taken !== null;
  }

  async #take(connection: DatabaseConnection): Promise<TakenCommand | null> {
    const now = bind(writeTime(this.#options.clock.now()), 'timestamptz');
    const [row] = await connection.run(
      sql`select id, command, version, certname, payload, received, attempts from queued_commands
        where retry_after is null or retry_after <= ${now} order by id limit 1 for update skip locked`.render(),
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

  async #fail(command: TakenCommand, error: Error): Promise<void> {
    if (error instanceof InvalidPayload || command.attempts >= MOST_ATTEMPTS) {
      await this.#discard(command, error.message);
      return;
    }
    const due = this.#options.clock.now() + FIRST_PAUSE_MS * 2 ** (command.attempts - 1);
    await this.#options.database.transaction(async (connection) => {
      await connection.run(
        sql`update queued_commands set attempts = ${bind(String(command.attempts), 'int')},
            retry_after = ${bind(writeTime(due), 'timestamptz')} where id = ${bind(command.id, 'bigint')}`.render(),
      );
    });
  }

  async #discard(command: TakenCommand, reason: string): Promise<void> {
    await this.#options.database.transaction(async (connection) => {
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
    });
    this.#options.onTrouble(`'${command.command}' of ${command.certname} was discarded: ${reason}`);
    this.#settle(command, reason);
  }

  /** Settles commands of this queue that another server applied. */
  async #settleElsewhere(): Promise<void> {
    const ids = [...this.#waiting.keys()];
    if (ids.length === 0) return;
    const rows = await this.#options.database.transaction((connection) =>
      connection.run(
        sql`select given.id, discarded.reason from unnest(${bindTexts(ids)}) given (id)
          left join discarded_commands discarded on discarded.id = given.id::bigint
          where not exists (select from queued_commands queued where queued.id = given.id::bigint)`.render(),
      ),
    );
    for (const [id, reason] of rows) this.#settle({ id: id ?? '' }, reason ?? null);
  }

  #settle({ id }: { readonly id: string }, error: string | null): void {
    this.#waiting.get(id)?.({ error });
    this.#waiting.delete(id);
  }
}

interface TakenCommand extends InventoryCommand {
  readonly id: string;
  readonly received: string;
  readonly attempts: number;
}

async function remove(connection: DatabaseConnection, { id }: TakenCommand): Promise<void> {
  await connection.run(sql`delete from queued_commands where id = ${bind(id, 'bigint')}`.render());
}
