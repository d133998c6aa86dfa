import { readHeldBody } from '../../shared/http/body/read-body.ts';
import { answerInventory, type InventoryServices } from '../../shared/http/routes/inventory/inventory-app.ts';
import { applyCommand } from '../../shared/inventory/commands/apply-command.ts';
import { CommandQueue } from '../../shared/inventory/commands/command-queue.ts';
import { InventoryReader } from '../../shared/inventory/query/inventory-reader.ts';
import { systemClock } from '../../shared/store/system-clock.ts';
import { openTestDatabase, type TestDatabase } from './inventory-database.ts';

/** A request of a test; parameters go into the address. */
export interface TestRequest {
  readonly method?: string;
  readonly path: string;
  readonly parameters?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** An answer of a test, with its whole body. */
export interface TestAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly bytes: Buffer;
}

/** An inventory without data, and its routes, in this process. */
export interface InventoryWorld extends TestDatabase {
  readonly services: InventoryServices & { readonly queue: CommandQueue };
  readonly faults: unknown[];
  send(request: TestRequest, services?: Partial<InventoryServices>): Promise<TestAnswer>;
  /** Applies a command at once. */
  apply(command: string, version: number, payload: unknown): Promise<void>;
}

export async function openInventoryWorld(): Promise<InventoryWorld> {
  const opened = await openTestDatabase();
  const { database } = opened;
  const faults: unknown[] = [];
  const services = {
    reader: new InventoryReader(database, { timeMs: 30_000, rows: 10_000, megabytes: 64 }),
    queue: new CommandQueue({ database, clock: systemClock, onTrouble: (message) => faults.push(message) }),
    clock: systemClock,
    reportFault: (error: unknown) => faults.push(error),
  };
  return {
    ...opened,
    services,
    faults,
    send: (request, others = {}) => send(request, { ...services, ...others }),
    apply: (command, version, payload) => {
      const text = typeof payload === 'string' ? payload : JSON.stringify(payload);
      const one = { command, version, certname: '', payload: text };
      return database.transaction((connection) =>
        applyCommand(connection, one, { received: '2026-11-05T00:00:00.000Z', blockedFacts: [] }),
      );
    },
  };
}

async function send(request: TestRequest, services: InventoryServices): Promise<TestAnswer> {
  const { method = 'GET', path, parameters = {}, headers = {}, body = '' } = request;
  const answer = await answerInventory(
    {
      method,
      path,
      parameters: new Map(Object.entries(parameters)),
      headers: new Map(Object.entries(headers)),
      origin: 'http://inventory.test',
      readBody: readHeldBody(Buffer.from(body), headers['content-encoding']),
      openBody: () => new Blob([Buffer.from(body)]).stream(),
    },
    services,
  );
  const pieces: Buffer[] = [];
  for await (const piece of typeof answer.body === 'string' ? [answer.body] : answer.body) {
    pieces.push(Buffer.from(piece as string));
  }
  const bytes = Buffer.concat(pieces);
  return { status: answer.status, headers: answer.headers, text: bytes.toString('utf8'), bytes };
}
