import { ENVIRONMENT_VARIABLES } from '../../shared/config/deployment.ts';
import type { AwsClients } from '../../shared/store/aws/stores.ts';

/** The permissions of commands whose name differs from the permission's. */
const PERMISSIONS: Readonly<Record<string, string>> = {
  HeadObject: 'GetObject',
  ListObjectsV2: 'ListBucket',
  SendMessageBatch: 'SendMessage',
  DeleteMessageBatch: 'DeleteMessage',
};

type Input = Readonly<Record<string, unknown>>;

/**
 * Records the permissions that calls of the SDK's clients need, as `dynamodb:GetItem:table/nodes`.
 */
export class AwsCalls {
  readonly #byPart = new Map<string, Set<string>>();
  readonly #collections = new Map<string, Set<string>>();
  readonly #names: ReadonlyMap<string, string>;
  #part: string | null = null;

  /** `names`: tables, bucket and queues, by environment variable. */
  constructor(clients: AwsClients, names: Readonly<Record<string, string>>) {
    const variables = Object.entries(ENVIRONMENT_VARIABLES);
    const named = variables.map(
      ([name, variable]) => [names[variable] ?? '', name.replace(/(Table|QueueUrl)$/, '')] as const,
    );
    const { deadLetterQueueUrls, fanOutDeadLetterQueueUrl } = ENVIRONMENT_VARIABLES;
    const dead = [deadLetterQueueUrls, fanOutDeadLetterQueueUrl]
      .flatMap((variable) => (names[variable] ?? '').split(' '))
      .map((url) => [url, 'deadLetters'] as const);
    this.#names = new Map([...named, ...dead]);
    for (const [service, client] of Object.entries(clients)) this.#listen(service, client);
  }

  /** Records all calls until `work` ends as calls of `part`. */
  async recordDuring<T>(part: string, work: () => Promise<T>): Promise<T> {
    this.#part = part;
    try {
      return await work();
    } finally {
      this.#part = null;
    }
  }

  getCalls(part: string): readonly string[] {
    return [...(this.#byPart.get(part) ?? [])].sort();
  }

  /** The collections of documents that a part wrote. */
  getCollections(part: string): readonly string[] {
    return [...(this.#collections.get(part) ?? [])].sort();
  }

  #noteCollection({ Item, Key, TableName }: Input, action: string): void {
    const { collection } = Object(Item ?? Key);
    if (this.#part === null || typeof collection !== 'string' || this.#nameOf(TableName) !== 'documents') return;
    if (!/^(Put|Update|Delete)Item$/.test(action)) return;
    const of = this.#collections.get(this.#part) ?? new Set();
    this.#collections.set(this.#part, of.add(collection));
  }

  #listen(service: string, client: AwsClients[keyof AwsClients]): void {
    const note = (command: string, input: Input) => {
      const name = command.replace(/Command$/, '');
      const action = PERMISSIONS[name] ?? name;
      this.#noteCollection(input, action);
      for (const resource of this.#listResources(input, action)) this.#add(`${service}:${action}:${resource}`);
    };
    // The clients differ only in the types of their commands.
    (client as AwsClients['sqs']).middlewareStack.add(
      (next, { commandName = '' }) =>
        (args) => {
          note(commandName, args.input as unknown as Input);
          return next(args);
        },
      { step: 'initialize', name: 'calls' },
    );
  }

  #listResources(
    { TableName, RequestItems, IndexName, Bucket, Key, QueueUrl }: Input,
    action: string,
  ): readonly string[] {
    if (Bucket !== undefined) return [action === 'ListBucket' ? 'bucket' : `bucket/${String(Key).split('/')[0]}/*`];
    if (QueueUrl !== undefined) return [`queue/${this.#nameOf(QueueUrl)}`];
    const tables = TableName === undefined ? Object.keys(Object(RequestItems)) : [TableName];
    return tables.map((table) => `table/${this.#nameOf(table)}${IndexName === undefined ? '' : `/index/${IndexName}`}`);
  }

  #nameOf(physical: unknown): string {
    return this.#names.get(String(physical)) ?? `unknown ${physical}`;
  }

  #add(call: string): void {
    if (this.#part === null) return;
    const of = this.#byPart.get(this.#part) ?? new Set();
    this.#byPart.set(this.#part, of.add(call));
  }
}
