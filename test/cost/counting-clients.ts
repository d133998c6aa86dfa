import type { AwsClients } from '../../shared/store/aws/stores.ts';
import { combineUse, NO_USE, type Use } from './use.ts';

type Fields = Readonly<Record<string, unknown>>;

const READS = new Set(['GetItem', 'Query', 'Scan', 'BatchGetItem']);
const OBJECT_GETS = new Set(['GetObject', 'HeadObject']);
const UNBILLED = new Set(['DescribeTable', 'DeleteObject', 'DeleteObjects']);

/** Adds up what the calls of SDK clients cost, by the capacity that DynamoDB says it consumed. */
export class CountingClients {
  #use: Use = NO_USE;
  readonly #nodesTable: string;

  constructor(clients: AwsClients, nodesTable: string) {
    this.#nodesTable = nodesTable;
    for (const client of Object.values(clients)) this.#listen(client);
  }

  /** Returns the use of `work`. */
  async during(work: () => Promise<unknown>): Promise<Use> {
    const before = this.#use;
    await work();
    return combineUse(this.#use, before, (after, earlier) => after - earlier);
  }

  #listen(client: AwsClients[keyof AwsClients]): void {
    // The clients differ only in the types of their commands.
    (client as AwsClients['dynamodb']).middlewareStack.add(
      (next, { commandName = '', clientName = '' }) =>
        async (args) => {
          const isTable = clientName.startsWith('DynamoDB');
          const input = args.input as unknown as Fields;
          const counted = isTable ? { ...args, input: { ...input, ReturnConsumedCapacity: 'TOTAL' } as never } : args;
          const answer = await next(counted);
          const name = commandName.replace(/Command$/, '');
          this.#add(clientName, name, input, answer.output as unknown as Fields);
          return answer;
        },
      { step: 'initialize', name: 'cost' },
    );
  }

  #add(client: string, name: string, input: Fields, output: Fields): void {
    // The event sources' empty polls are part of what is fixed.
    if (UNBILLED.has(name) || (name === 'ReceiveMessage' && output.Messages === undefined)) return;
    const use = client.startsWith('DynamoDB')
      ? { ...this.#tableUse(name, input, output), tableRequests: 1, rows: countRows(input, output) }
      : client.startsWith('S3')
        ? { ...NO_USE, ...(OBJECT_GETS.has(name) ? { gets: 1 } : { puts: 1 }) }
        : { ...NO_USE, queueRequests: 1 };
    this.#use = combineUse(this.#use, use, (a, b) => a + b);
  }

  #tableUse(name: string, input: Fields, { ConsumedCapacity }: Fields): Use {
    const parts: readonly Fields[] = [ConsumedCapacity ?? []].flat() as Fields[];
    const units = parts.reduce((sum, { CapacityUnits }) => sum + Number(CapacityUnits ?? 0), 0);
    // The emulator counts each scan as an eventually consistent one.
    const isHalf = name === 'Scan' && input.ConsistentRead === true;
    if (READS.has(name)) return { ...NO_USE, readUnits: isHalf ? 2 * units : units };
    return { ...NO_USE, writeUnits: units, nodeWrites: input.TableName === this.#nodesTable ? 1 : 0 };
  }
}

/** The rows that a request names, or that its answer has. */
function countRows({ RequestItems = {} }: Fields, { Items, Responses }: Fields): number {
  if (Array.isArray(Items)) return Items.length;
  if (Responses !== undefined) return countItems(Responses);
  return countItems(RequestItems) || 1;
}

function countItems(byTable: unknown): number {
  return Object.values(Object(byTable)).reduce((sum: number, rows) => sum + (Array.isArray(rows) ? rows.length : 0), 0);
}
