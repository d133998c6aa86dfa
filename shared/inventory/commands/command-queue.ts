import type { Clock } from '../../store/ports/clock.ts';
import { type InventoryDatabase, StatementTimedOut } from '../database/inventory-database.ts';
import { sql } from '../database/sql.ts';
import { bindTexts } from '../query/plan-values.ts';
import { writeTime } from '../query/timestamps.ts';
import { APPLY_NEXT, type AppliedCommand, blameNextCommand } from './apply-next.ts';
import { type QueueBounds, QueueRoom } from './queue-room.ts';
import { type SentCommand, STORE_COMMAND } from './store-command.ts';

/** Outcome of a command: stored, or the reason why not. */
export interface CommandOutcome {
  readonly error: string | null;
}

/** Milliseconds between looks for commands that wait for another attempt, or that others sent. */
const IDLE_PAUSE_MS = 1000;
/** Milliseconds between attempts to reach a database that is away. */
const AWAY_PAUSE_MS = 5000;
interface CommandQueueOptions {
  readonly database: InventoryDatabase;
  readonly clock: Clock;
  /** Facts that are not kept: see `matchBlockedFacts`. */
  readonly blockedFacts?: readonly string[];
  /** Absent: `QUEUE_BOUNDS`. */
  readonly bounds?: QueueBounds;
  /** Receives messages about each discarded command, and about a database that is away. */
  onTrouble(message: string): void;
}

/**
 * The durable queue of commands, which is bounded. A command is in the database when `enqueue`
 * returns. One loop has the database apply commands in their order: see `applyNextCommand`. A
 * command that runs into the time limit counts as failed, too.
 */
export class CommandQueue {
  readonly #options: CommandQueueOptions;
  readonly #room: QueueRoom;
  readonly #waiting = new Map<string, (outcome: CommandOutcome) => void>();
  #wake: () => void = () => undefined;
  #running: Promise<void> | null = null;
  readonly #stopping = new AbortController();

  constructor(options: CommandQueueOptions) {
    this.#options = options;
    this.#room = new QueueRoom(options.database, options.clock, options.bounds);
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

  /**
   * Stores the command for later. Gives a promise of its outcome, which need not be awaited. Throws
   * QueueFull, and DatabaseUnavailable.
   */
  async enqueue(command: SentCommand): Promise<Promise<CommandOutcome>[]> {
    const bytes = command.payload.byteLength;
    const id = await this.#room.admit(bytes, () => this.#insert(command));
    const outcome = new Promise<CommandOutcome>((resolve) => this.#waiting.set(id, resolve));
    this.#wake();
    return [outcome];
  }

  #insert(command: SentCommand): Promise<string> {
    const { clock, database } = this.#options;
    return database.perform(STORE_COMMAND, { ...command, received: writeTime(clock.now()) });
  }

  async #loop(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      try {
        if (await this.#applyNext()) continue;
        await this.#settleElsewhere();
        await this.#pause(IDLE_PAUSE_MS);
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
    const { database, clock, blockedFacts = [] } = this.#options;
    const applied = await database.perform(APPLY_NEXT, { now: clock.now(), blockedFacts }).catch((error: unknown) => {
      if (!(error instanceof StatementTimedOut)) throw error;
      return database.transaction((connection) => blameNextCommand(connection, error, clock.now()));
    });
    if (applied !== null && !applied.isPending) this.#finish(applied);
    return applied !== null;
  }

  #finish({ id, command, certname, error }: AppliedCommand): void {
    if (error !== null) this.#options.onTrouble(`'${command}' of ${certname} was discarded: ${error}`);
    this.#settle(id, error);
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
    for (const [id, reason] of rows) this.#settle(id ?? '', reason ?? null);
  }

  #settle(id: string, error: string | null): void {
    this.#waiting.get(id)?.({ error });
    this.#waiting.delete(id);
  }
}
