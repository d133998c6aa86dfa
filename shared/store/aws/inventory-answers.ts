import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { INVENTORY_FUNCTIONS, INVENTORY_VARIABLES } from '../../config/inventory.ts';
import type { InventoryReply } from '../../puppet/compiler/inventory-questions.ts';
import type { AnswersCall, InventoryCall, InventoryCallResult } from '../inventory-call.ts';
import type { BlobStore } from '../ports/blob-store.ts';
import type {
  InventoryAnswers,
  InventoryApi,
  PassedAnswer,
  PassedRequest,
  QueryWatcher,
} from '../ports/inventory-answers.ts';
import { StoreUnavailable } from '../ports/store-errors.ts';
import { callSdk } from './errors.ts';
import type { AwsNames } from './stores.ts';

const CONNECT_MS = 3000;
const ANSWER_MS = 1000 * INVENTORY_FUNCTIONS.answerSeconds;

/**
 * Asks the inventory through a function inside its network: callers need neither a way to the
 * database nor a connection, which would keep it from pausing. A database that paused needs up to
 * half a minute.
 */
export class AwsInventoryAnswers implements InventoryAnswers, InventoryApi {
  readonly #client: Pick<LambdaClient, 'send'>;
  readonly #name: string;
  readonly #blobs: Pick<BlobStore, 'get'>;

  constructor(client: Pick<LambdaClient, 'send'>, name: string, blobs: Pick<BlobStore, 'get'>) {
    this.#client = client;
    this.#name = name;
    this.#blobs = blobs;
  }

  ask(queries: readonly string[], watcher: QueryWatcher | null): Promise<ReadonlyMap<string, InventoryReply>> {
    return this.#callForEach<InventoryReply>({ method: 'ask', queries, watcher });
  }

  digest(queries: readonly string[], watcher: QueryWatcher | null): Promise<ReadonlyMap<string, string>> {
    return this.#callForEach<string>({ method: 'digest', queries, watcher });
  }

  async keepOnly(queries: readonly string[], watcher: QueryWatcher): Promise<void> {
    await this.#call({ method: 'keepOnly', queries, watcher });
  }

  async pass(request: PassedRequest): Promise<PassedAnswer> {
    const [answer] = await this.#call({ method: 'pass', request });
    if (answer === undefined) throw this.#fault('it gave no answer');
    // The function is of the same release.
    return answer as PassedAnswer;
  }

  async #callForEach<T>(call: AnswersCall): Promise<ReadonlyMap<string, T>> {
    if (call.queries.length === 0) return new Map();
    const values = await this.#call(call);
    if (values.length !== call.queries.length) throw this.#fault('it gave other answers than were asked for');
    // The function is of the same release, and gives the values of this method.
    return new Map(call.queries.map((query, index) => [query, values[index] as T]));
  }

  async #call(call: InventoryCall): Promise<readonly unknown[]> {
    const name = this.#name;
    const { FunctionError: error, Payload: payload } = await callSdk(`function ${name}`, () =>
      this.#client.send(new InvokeCommand({ FunctionName: name, Payload: JSON.stringify(call) })),
    );
    const text = Buffer.from(payload ?? []).toString('utf8');
    if (error !== undefined) throw this.#fault(text);
    const result: InventoryCallResult = JSON.parse(text);
    if ('fault' in result) throw this.#fault(result.fault);
    return 'values' in result ? result.values : this.#load(result.stored);
  }

  async #load(key: string): Promise<readonly unknown[]> {
    const bytes = await this.#blobs.get(key);
    if (bytes === null) throw this.#fault(`its answer ${key} is gone`);
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  }

  #fault(reason: string): StoreUnavailable {
    return new StoreUnavailable(`the inventory: ${reason}`);
  }
}

/** Opens the way to the inventory that a deployment's variables name; null without one. */
export function openInventoryAnswers(names: AwsNames, blobs: Pick<BlobStore, 'get'>): AwsInventoryAnswers | null {
  const name = names[INVENTORY_VARIABLES.answers];
  if (name === undefined || name === '') return null;
  // The caller repeats what failed; a second call would take as long again.
  const client = new LambdaClient({
    maxAttempts: 1,
    requestHandler: { connectionTimeout: CONNECT_MS, requestTimeout: ANSWER_MS, throwOnRequestTimeout: true },
  });
  return new AwsInventoryAnswers(client, name, blobs);
}
