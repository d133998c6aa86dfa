/**
 * The synthesized stack, run: each function as Lambda runs it and the edge as its container does,
 * with the template's variables, against the emulators behind proxies that count and enforce the
 * policies of the role.
 */
import { DeleteMessageCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { ENVIRONMENT_VARIABLES, TABLES } from '../../../shared/config/deployment.ts';
import { FRONT_DOOR_VARIABLES as DOOR } from '../../../shared/config/front-doors.ts';
import { INVENTORY_VARIABLES } from '../../../shared/config/inventory.ts';
import { PROBE_VARIABLES } from '../../../shared/config/probe.ts';
import { variableOf } from '../../../shared/config/read-setting.ts';
import { openAwsStores } from '../../../shared/store/aws/stores.ts';
import type { Stores } from '../../../shared/store/ports/stores.ts';
import { deployNames, type Emulators, startEmulators } from '../aws-emulators.ts';
import { type FakeKms, startFakeKms } from '../fake-kms.ts';
import { type FakeSecrets, startFakeSecrets } from '../fake-secrets.ts';
import { EnforcingProxy, type RequestCounts } from '../iam/enforcing-proxy.ts';
import type { ResourceNames } from '../iam/needs.ts';
import { RolePolicies } from '../iam/policies.ts';
import { namesInTemplate } from '../iam/resource-ids.ts';
import { type SynthesizedStack, synthesizedStack } from '../synthesized-stack.ts';
import { TableStream } from '../table-stream.ts';
import { EdgeProcess } from './edge-process.ts';
import { type InvokeApi, startInvokeApi } from './invoke-api.ts';
import { LambdaFunction } from './lambda-function.ts';
import { Sandbox } from './sandbox.ts';

const RUNTIME = new URL('./runtime-process.ts', import.meta.url).pathname;
/** So long a request for messages stays open, as Lambda's do; the end of the stack waits for it. */
const POLL_SECONDS = 1;

/** The name and the logical id of the function that answers queries. */
const ANSWERS = 'InventoryAnswers';

interface Resource {
  readonly Properties: Readonly<Record<string, unknown>>;
}

interface FunctionProperties {
  readonly Handler: string;
  readonly MemorySize: number;
  readonly Timeout: number;
  readonly Environment: { readonly Variables: Readonly<Record<string, unknown>> };
}

interface Container {
  readonly Command: readonly string[];
  readonly Environment: readonly { readonly Name: string; readonly Value: unknown }[];
}

/** Values of the variables that only an account, or the operator of this stack, has. */
const LOCAL: Readonly<Record<string, string>> = {
  [DOOR.authorityKey]: 'authority-key',
  [DOOR.edgeKey]: 'edge-key',
  [DOOR.authorityNames]: 'localhost',
  [DOOR.edgeNames]: 'localhost',
  [DOOR.edgeHost]: '127.0.0.1',
  [ENVIRONMENT_VARIABLES.serverAddress]: '127.0.0.1',
  [PROBE_VARIABLES.url]: 'https://localhost',
  // Nobody listens there.
  [INVENTORY_VARIABLES.url]: 'postgresql://127.0.0.1:1/none',
  [INVENTORY_VARIABLES.answers]: ANSWERS,
  [INVENTORY_VARIABLES.owner]: '',
  [INVENTORY_VARIABLES.ownerPassword]: '',
  NODE_EXTRA_CA_CERTS: '',
  AWS_REGION: 'us-east-1',
};
/** The stack's own authority and rules apply, not those that the synthesized settings name. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  DOOR.upstream,
  DOOR.certificate,
  DOOR.certificateKey,
  DOOR.trusted,
  variableOf('authConf'),
  variableOf('trustedOidMapping'),
]);

/** A message of SQS as a function gets it. */
interface QueueMapping {
  readonly functionId: string;
  readonly url: string;
  readonly batchSize: number;
}

export class DeployedStack {
  readonly stores: Stores;
  readonly sandbox = new Sandbox();
  readonly #stack: SynthesizedStack;
  readonly #emulators: Emulators;
  readonly #names: Readonly<Record<string, string>>;
  readonly #kms: FakeKms;
  readonly #lambda: InvokeApi;
  readonly #secrets: FakeSecrets;
  readonly #resources: ResourceNames;
  readonly #stream: TableStream;
  readonly #nodesStream: TableStream;
  readonly #functions = new Map<string, LambdaFunction>();
  readonly #proxies = new Map<string, readonly EnforcingProxy[]>();
  readonly #roles = new Map<string, RolePolicies>();
  /** The requests that AWS would have denied, in words. */
  readonly denials = new Set<string>();
  readonly #stopping = new AbortController();
  readonly #containers: EdgeProcess[] = [];
  #consumers: Promise<unknown> = Promise.resolve();

  private constructor(
    stack: SynthesizedStack,
    emulators: Emulators,
    names: Readonly<Record<string, string>>,
    kms: FakeKms,
    lambda: InvokeApi,
    secrets: FakeSecrets,
  ) {
    this.#stack = stack;
    this.#emulators = emulators;
    this.#names = names;
    this.#kms = kms;
    this.#lambda = lambda;
    this.#secrets = secrets;
    this.#resources = namesInTemplate(stack.template, { ...LOCAL, ...names });
    this.stores = openAwsStores(names, emulators.clients);
    this.#stream = new TableStream(
      emulators.clients.dynamodb,
      names[ENVIRONMENT_VARIABLES.exportsTable] ?? '',
      TABLES.exports,
    );
    const nodes = names[ENVIRONMENT_VARIABLES.nodesTable] ?? '';
    this.#nodesStream = new TableStream(emulators.clients.dynamodb, nodes, TABLES.nodes);
  }

  /** Creates tables, bucket and queues, and makes every function ready for its first event. */
  static async deploy(): Promise<DeployedStack> {
    const stack = await synthesizedStack();
    const emulators = await startEmulators();
    const queues = Object.values(stack.template.findResources('AWS::SQS::Queue') as Record<string, Resource>);
    const pattern = queues.find(({ Properties }) => 'RedrivePolicy' in Properties)?.Properties;
    const redrive = Object(pattern?.RedrivePolicy);
    const names = await deployNames(emulators.clients, {
      visibilityMs: 1000 * Number(pattern?.VisibilityTimeout),
      maxReceives: Number(redrive.maxReceiveCount),
    });
    const lambda = await startInvokeApi((name, event) => deployed.function(name).invoke(event));
    const secrets = await startFakeSecrets({ 'puppet/eyaml': 'no key', 'puppet/alerts': '', 'puppet/probe': '{}' });
    const deployed: DeployedStack = new DeployedStack(stack, emulators, names, await startFakeKms(), lambda, secrets);
    const runtime = deployed.sandbox.place(RUNTIME, 'runtime/runtime-process.ts');
    for (const [id, folder] of Object.entries(stack.functions)) await deployed.#prepare(id, folder, runtime);
    return deployed;
  }

  /** The function whose logical id begins so. */
  function(part: string): LambdaFunction {
    return this.#functions.get(this.#idOf(part)) ?? fail(`no function ${part}`);
  }

  /** The requests of a function, or of the container `edge` or `authority`, so far. */
  countsOf(part: string): RequestCounts {
    const proxies = this.#proxies.get(part) ?? this.#proxies.get(this.#idOf(part)) ?? [];
    return Object.assign({}, ...proxies.map(({ counts }) => counts));
  }

  /**
   * Starts the containers as their image's user: the authority service, then the edge that forwards
   * to it. `more` are variables of the former. Returns when both answer.
   */
  async startContainers(
    more: Readonly<Record<string, string>> = {},
  ): Promise<{ readonly authority: EdgeProcess; readonly edge: EdgeProcess }> {
    const authority = await this.startContainer('authority', more);
    const url = `https://localhost:${authority.port}`;
    return { authority, edge: await this.startContainer('edge', { [DOOR.keyHolder]: url }) };
  }

  /** Starts one more container; `id` names it for `countsOf`. */
  async startContainer(
    entry: 'authority' | 'edge' | 'broker',
    more: Readonly<Record<string, string>>,
    id: string = entry,
  ): Promise<EdgeProcess> {
    const tasks = Object.values(
      this.#stack.template.findResources('AWS::ECS::TaskDefinition') as Record<string, Resource>,
    );
    const containers = tasks.flatMap(({ Properties }) => Properties.ContainerDefinitions as readonly Container[]);
    const container = containers.find(({ Command }) => Command.includes(`${entry}.mjs`));
    if (!container) throw new Error(`no container ${entry}`);
    const given = Object.fromEntries(container.Environment.map(({ Name, Value }) => [Name, Value]));
    const file = `${entry}.mjs`;
    const role = this.#roles.get(entry) ?? RolePolicies.ofContainer(this.#stack.template, file);
    this.#roles.set(entry, role);
    const variables = { ...this.#resolve(id, { ...given, ...more }), ...(await this.#endpoints(id, role)) };
    const folder = this.sandbox.unpack(this.#stack.image, id, true);
    const process = await EdgeProcess.start(this.sandbox, folder, container.Command, variables);
    this.#containers.push(process);
    return process;
  }

  /** The texts of the stack's secrets, by name. */
  get secrets(): Map<string, string> {
    return this.#secrets.texts;
  }

  /** The variables of commands that work on the stack, with an operator's credentials. */
  get operatorVariables(): Readonly<Record<string, string>> {
    return { ...this.#emulators.variables, ...this.#names };
  }

  /** Creates other tables beside the same bucket; returns the variables of their stack. */
  async createTables(): Promise<Readonly<Record<string, string>>> {
    const names = await deployNames(this.#emulators.clients, { visibilityMs: 60_000, maxReceives: 5 });
    const { bucket } = ENVIRONMENT_VARIABLES;
    return { ...this.#emulators.variables, ...names, [bucket]: this.#names[bucket] ?? '' };
  }

  /** Takes messages of every queue to its function, until the stack is removed. */
  startQueues(): void {
    const { signal } = this.#stopping;
    this.#consumers = Promise.all(this.#listMappings().map((mapping) => this.#consume(mapping, signal)));
  }

  /** Hands the changed rows of exports since the last call to the function of the stream. */
  async deliverStream(): Promise<number> {
    const records = await this.#stream.takeRecords();
    if (records.length > 0) await this.function('WorkersExports').invoke({ Records: records });
    return records.length;
  }

  /** Hands the changed rows of nodes since the last call to the function that makes nodes due. */
  async deliverNodes(): Promise<number> {
    const records = await this.#nodesStream.takeRecords();
    const answer = records.length === 0 ? null : await this.function('NotifyRecord').invoke({ Records: records });
    if (answer !== null && JSON.stringify(answer) !== '{"batchItemFailures":[]}') throw new Error('a batch failed');
    return records.length;
  }

  async remove(): Promise<void> {
    this.#stopping.abort();
    await this.#consumers;
    for (const one of this.#containers) await one.end();
    for (const one of this.#functions.values()) await one.end();
    for (const proxy of [...this.#proxies.values()].flat()) proxy.close();
    this.#kms.close();
    this.#lambda.close();
    this.#secrets.close();
    await this.#emulators.close();
    this.sandbox.remove();
  }

  async #prepare(id: string, folder: string, runtime: string): Promise<void> {
    const resource = this.#stack.template.findResources('AWS::Lambda::Function')[id] as Resource | undefined;
    const properties = resource?.Properties as unknown as FunctionProperties;
    const variables = this.#resolve(id, properties.Environment.Variables);
    const role = RolePolicies.ofFunction(this.#stack.template, id);
    this.#roles.set(id, role);
    const settings = {
      name: id,
      handler: properties.Handler,
      memoryMegabytes: properties.MemorySize,
      timeoutMs: 1000 * properties.Timeout,
      variables: { ...variables, ...(await this.#endpoints(id, role)) },
    };
    this.#functions.set(id, new LambdaFunction(this.sandbox, this.sandbox.unpack(folder, id), runtime, settings));
  }

  /** Endpoints and credentials of one function: its requests are counted and judged alone. */
  async #endpoints(id: string, role: RolePolicies): Promise<Record<string, string>> {
    const { variables } = this.#emulators;
    const sender = { name: id, role, names: this.#resources, denials: this.denials };
    const targets = [variables.AWS_ENDPOINT_URL_DYNAMODB ?? '', variables.AWS_ENDPOINT_URL_S3 ?? ''];
    const proxies: EnforcingProxy[] = [];
    for (const target of [...targets, this.#kms.url, this.#lambda.url, this.#secrets.url]) {
      proxies.push(await EnforcingProxy.start(target, sender));
    }
    this.#proxies.set(id, proxies);
    const [database = '', others = '', kms = '', lambda = '', secrets = ''] = proxies.map(({ url }) => url);
    return {
      ...variables,
      AWS_ENDPOINT_URL_DYNAMODB: database,
      AWS_ENDPOINT_URL_S3: others,
      AWS_ENDPOINT_URL_SQS: others,
      AWS_ENDPOINT_URL_KMS: kms,
      AWS_ENDPOINT_URL_LAMBDA: lambda,
      AWS_ENDPOINT_URL_SECRETS_MANAGER: secrets,
    };
  }

  /** The template's variables with the emulators' names in place of references. */
  #resolve(id: string, variables: Readonly<Record<string, unknown>>): Record<string, string> {
    const given = Object.entries(variables).filter(([name]) => !LEFT_OUT.has(name));
    return Object.fromEntries(
      given.map(([name, value]) => {
        const known = this.#names[name] ?? LOCAL[name] ?? value;
        return [name, typeof known === 'string' ? known : fail(`no value for ${name} of ${id}`)];
      }),
    );
  }

  /** The queues that functions consume, by the template. */
  #listMappings(): readonly QueueMapping[] {
    const { template } = this.#stack;
    const urls = this.#listQueueUrls();
    const sources = Object.values(
      template.findResources('AWS::Lambda::EventSourceMapping') as Record<string, Resource>,
    );
    return sources.flatMap(({ Properties: { EventSourceArn, FunctionName, BatchSize } }) => {
      const url = urls.get(Object(EventSourceArn)['Fn::GetAtt'][0]);
      return url === undefined
        ? []
        : [{ functionId: this.#functionOf(FunctionName), url, batchSize: Number(BatchSize) }];
    });
  }

  /** The function that an event source calls, by itself or by its alias. */
  #functionOf(reference: unknown): string {
    const id: string = Object(reference).Ref ?? '';
    const alias = this.#stack.template.findResources('AWS::Lambda::Alias')[id] as Resource | undefined;
    return alias ? this.#functionOf(alias.Properties.FunctionName) : id;
  }

  /** URLs of the emulator's queues by the template's queue: functions name both in a variable. */
  #listQueueUrls(): ReadonlyMap<string, string> {
    const functions = Object.values(
      this.#stack.template.findResources('AWS::Lambda::Function') as Record<string, Resource>,
    );
    const variables = functions.flatMap(({ Properties }) =>
      Object.entries(Object(Properties.Environment).Variables ?? {}),
    );
    return new Map(
      variables.flatMap(([name, value]) => {
        const { Ref: id } = Object(value);
        const url = this.#names[name];
        return typeof id === 'string' && url?.startsWith('http') ? [[id, url] as const] : [];
      }),
    );
  }

  async #consume({ functionId, url, batchSize }: QueueMapping, signal: AbortSignal): Promise<void> {
    const { sqs } = this.#emulators.clients;
    const handler = this.#functions.get(functionId) ?? fail(`no function ${functionId}`);
    while (!signal.aborted) {
      const receive = new ReceiveMessageCommand({
        QueueUrl: url,
        MaxNumberOfMessages: Math.min(batchSize, 10),
        WaitTimeSeconds: POLL_SECONDS,
        MessageSystemAttributeNames: ['All'],
      });
      const { Messages = [] } = await sqs.send(receive);
      if (Messages.length === 0) continue;
      const Records = Messages.map(({ MessageId, ReceiptHandle, Body, Attributes }) => ({
        messageId: MessageId,
        receiptHandle: ReceiptHandle,
        body: Body,
        attributes: Attributes,
        messageAttributes: {},
        eventSource: 'aws:sqs',
        eventSourceARN: `arn:aws:sqs:us-east-1:000000000000:${url.split('/').at(-1)}`,
        awsRegion: 'us-east-1',
      }));
      const answer = await handler.invoke({ Records }).catch((error: unknown) => {
        if (!signal.aborted) console.error(error);
        return { batchItemFailures: Records.map(({ messageId }) => ({ itemIdentifier: messageId })) };
      });
      const failures: readonly { itemIdentifier: string }[] = Object(answer).batchItemFailures ?? [];
      const failed = new Set(failures.map(({ itemIdentifier }) => itemIdentifier));
      for (const { messageId, receiptHandle } of Records) {
        if (messageId === undefined || failed.has(messageId)) continue;
        await sqs.send(new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle: receiptHandle }));
      }
    }
  }

  #idOf(part: string): string {
    return [...this.#functions.keys()].find((id) => id.startsWith(part)) ?? fail(`no function ${part}`);
  }
}

function fail(message: string): never {
  throw new Error(message);
}
