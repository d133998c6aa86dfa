import type { DatabaseConnection, InventoryDatabase } from '../../shared/inventory/database/inventory-database.ts';
import { bind, sql } from '../../shared/inventory/database/sql.ts';
import { openTestDatabase, type TestDatabase } from '../helpers/inventory-database.ts';
import type { Rewindable, Trail } from './trail.ts';

/** What the inventory has of a node. */
export interface KnownNode {
  readonly isActive: boolean;
  /** The facts `f` and `load`. */
  readonly facts: readonly (string | null)[];
  readonly catalogUuid: string | null;
  /** The runs of its reports, by their `transaction_uuid`. */
  readonly runs: readonly string[];
}

class RunEnded extends Error {}

/**
 * The inventory's database for runs: all of them share one transaction, in which each run is a
 * savepoint that its end rolls back.
 */
export class SimulatedInventory implements Rewindable {
  readonly #opened: TestDatabase;
  readonly #connection: DatabaseConnection;
  readonly #end: () => void;
  readonly #ended: Promise<unknown>;
  #isFilled = false;
  #last: Promise<unknown> = Promise.resolve();

  private constructor(opened: TestDatabase, connection: DatabaseConnection, end: () => void, ended: Promise<unknown>) {
    this.#opened = opened;
    this.#connection = connection;
    this.#end = end;
    this.#ended = ended;
  }

  static async open(): Promise<SimulatedInventory> {
    const opened = await openTestDatabase();
    const { promise: hold, reject } = Promise.withResolvers<never>();
    const { promise, resolve } = Promise.withResolvers<DatabaseConnection>();
    const ended = opened.database.transaction((connection) => {
      resolve(connection);
      return hold;
    });
    const quiet = ended.catch((error: unknown) => {
      if (!(error instanceof RunEnded)) throw error;
    });
    const inventory = new SimulatedInventory(opened, await promise, () => reject(new RunEnded()), quiet);
    await inventory.save('empty');
    return inventory;
  }

  /** Begins a run; `fill` brings what all runs begin with. */
  async begin(
    trail: Trail | undefined,
    fill: (database: InventoryDatabase) => Promise<void>,
  ): Promise<InventoryDatabase> {
    await this.#last;
    const fillOnce = () => (this.#isFilled ? Promise.resolve() : fill(this.#database()));
    await (trail ? trail.pause(fillOnce) : fillOnce());
    this.#isFilled = true;
    if (trail?.begin(this) ?? true) await this.save('run');
    return trail ? trail.wrap('inventory', this.#database(), this) : this.#database();
  }

  save(name: string): Promise<void> {
    return this.#run(`savepoint ${name}`);
  }

  async rewind(name: string): Promise<void> {
    await this.#run(`rollback to ${name}`);
    await this.#run(`release ${name}`);
  }

  end(): Promise<void> {
    return this.rewind('run');
  }

  /** Undoes the run before the next one begins. */
  endSoon(): void {
    this.#last = this.end();
  }

  /** Takes out what all runs began with: the next one begins with something else. */
  async empty(): Promise<void> {
    await this.#last;
    await this.rewind('empty');
    await this.save('empty');
    this.#isFilled = false;
  }

  async close(): Promise<void> {
    await this.#last;
    this.#end();
    await this.#ended;
    await this.#opened.remove();
  }

  async find(certname: string): Promise<KnownNode | null> {
    const [row] = await this.#connection.run(
      sql`select deactivated is null, (stable || volatile) ->> 'f', (stable || volatile) ->> 'load', catalog_uuid from certnames
        left join factsets on factsets.certname_id = certnames.id
        left join catalogs on catalogs.certname_id = certnames.id
        where certnames.certname = ${bind(certname)}`.render(),
    );
    if (row === undefined) return null;
    const [isActive, f = null, load = null, uuid = null] = row;
    const reports = await this.#connection.run(
      sql`select transaction_uuid::text from reports where certname = ${bind(certname)}`.render(),
    );
    const runs = reports.map(([run]) => String(run));
    return { isActive: isActive === 't', facts: [f, load], catalogUuid: uuid, runs };
  }

  #database(): InventoryDatabase {
    const connection = this.#connection;
    const inSavepoint = async <T>(body: () => Promise<T>): Promise<T> => {
      await this.#run('savepoint work');
      try {
        const result = await body();
        await this.#run('release work');
        return result;
      } catch (error) {
        await this.#run('rollback to work');
        throw error;
      }
    };
    return {
      transaction: (body) => inSavepoint(() => body(connection)),
      perform: (task, argument) => inSavepoint(() => task.run(connection, structuredClone(argument))),
      read: () => {
        throw new Error('nobody queries the inventory of a run');
      },
      close: async () => undefined,
    };
  }

  async #run(text: string): Promise<void> {
    await this.#connection.run({ text, values: [] });
  }
}
