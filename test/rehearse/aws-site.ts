import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ENVIRONMENT_VARIABLES, TABLES } from '../../shared/config/deployment.ts';
import { FRONT_DOOR_VARIABLES } from '../../shared/config/front-doors.ts';
import { understudy, waitFor } from './commands.ts';
import type { Door, DoorName, Identity, Site, Variables } from './site.ts';

/** Ports of the load balancer. */
const PORTS: Readonly<Record<DoorName, number>> = {
  edge: 8140,
  authority: 8141,
  broker: 8142,
  orchestrator: 8143,
  access: 4433,
  console: 8443,
};
/** The tag of everything that a rehearsal makes. */
const TAG = 'understudy-rehearsal';

interface AwsSettings {
  readonly region: string;
  /** Begins the names of the stages, and so of the stacks. */
  readonly prefix: string;
  /** The network from which this machine connects, in CIDR notation. */
  readonly network: string;
  readonly folder: string;
  /** Runs a program; returns its output. Rejects when it fails. */
  readonly run: (program: string, args: readonly string[]) => Promise<string>;
}

interface StackResource {
  readonly LogicalResourceId: string;
  readonly PhysicalResourceId: string;
  readonly ResourceType: string;
}

/** The smallest stack in the account of the AWS CLI, and one for its restored backup. */
export class AwsSite implements Site {
  readonly #settings: AwsSettings;
  #address: string | null = null;

  constructor(settings: AwsSettings) {
    this.#settings = settings;
  }

  /** Finds the addresses of a stack that an earlier call deployed. */
  async find(): Promise<void> {
    const query = "Stacks[0].Outputs[?OutputKey=='EdgeAddress'].OutputValue | [0]";
    const answer = await this.#ask(
      'cloudformation',
      'describe-stacks',
      '--stack-name',
      this.#stack(),
      '--query',
      query,
    );
    this.#address = String(answer);
  }

  async deploy(): Promise<void> {
    await this.#deployStack(this.#stage, {});
    await this.find();
  }

  door(name: DoorName): Door {
    if (this.#address === null) throw new Error('nothing is deployed');
    return { host: this.#address, port: PORTS[name] };
  }

  variables(): Promise<Variables> {
    return this.#variablesOf(this.#stack());
  }

  async settle(): Promise<void> {}

  async runProbe({ certname, certificate, key }: Identity): Promise<void> {
    const file = join(this.#settings.folder, 'probe.json');
    writeFileSync(file, JSON.stringify({ certificate, key }), { mode: 0o600 });
    const text = `file://${file}`;
    const tags = ['--tags', `Key=${TAG},Value=${this.#settings.prefix}`];
    const secret = ['--name', this.#secret, '--secret-string', text, ...tags];
    await this.#aws('secretsmanager', 'create-secret', ...secret).catch(() =>
      this.#aws('secretsmanager', 'put-secret-value', '--secret-id', this.#secret, '--secret-string', text),
    );
    await this.#deployStack(this.#stage, { probe: { certname, secret: this.#secret } });
    const name = await this.#find(this.#stack(), 'AWS::Lambda::Function', 'ProbeRun');
    const output = join(this.#settings.folder, 'probe-answer.json');
    const payload = JSON.stringify({ time: new Date().toISOString() });
    const how = ['--cli-binary-format', 'raw-in-base64-out', '--payload', payload, output];
    const answer = await this.#ask('lambda', 'invoke', '--function-name', name, ...how);
    if (Object(answer).FunctionError !== undefined) throw new Error(`the probe failed: see its log, and ${output}`);
  }

  async killEdge(): Promise<void> {
    const cluster = await this.#find(this.#stack(), 'AWS::ECS::Cluster', 'EdgeCluster');
    const service = await this.#find(this.#stack(), 'AWS::ECS::Service', 'EdgeService');
    const of = ['--cluster', cluster];
    const { taskArns = [] } = Object(await this.#ask('ecs', 'list-tasks', ...of, '--service-name', service));
    const [task] = taskArns;
    if (task === undefined) throw new Error('the edge has no task');
    await this.#aws('ecs', 'stop-task', ...of, '--task', task, '--reason', 'a rehearsal');
  }

  async restore(): Promise<Variables> {
    const [source, target] = [this.#stack(), this.#stack('restored')];
    await this.#deployStack(`${this.#stage}-restored`, {});
    const from: string[] = [];
    for (const name of Object.keys(TABLES)) {
      const table = await this.#find(source, 'AWS::DynamoDB::Table', `Tables${name[0]?.toUpperCase()}${name.slice(1)}`);
      const copy = `${source}-${name}-copy`;
      await this.#restoreTable(table, copy);
      from.push(`${name}=${copy}`);
    }
    const [old, empty] = [await this.variables(), await this.#variablesOf(target)];
    const { bucket } = ENVIRONMENT_VARIABLES;
    await this.#aws('s3', 'sync', '--quiet', `s3://${old[bucket]}`, `s3://${empty[bucket]}`);
    await understudy(empty, 'copy-tables', '--from', ...from);
    return empty;
  }

  async remove(): Promise<readonly string[]> {
    const stacks = [this.#stack('restored'), this.#stack()];
    for (const stack of stacks) {
      const kept = await this.#listResources(stack).catch((): readonly StackResource[] => []);
      await this.#aws('cloudformation', 'delete-stack', '--stack-name', stack);
      await this.#aws('cloudformation', 'wait', 'stack-delete-complete', '--stack-name', stack);
      for (const { ResourceType: type, PhysicalResourceId: id } of kept) await this.#removeKept(type, id);
    }
    for (const name of Object.keys(TABLES))
      await this.#quietly('dynamodb', 'delete-table', '--table-name', `${this.#stack()}-${name}-copy`);
    await this.#quietly(
      'secretsmanager',
      'delete-secret',
      '--secret-id',
      this.#secret,
      '--force-delete-without-recovery',
    );
    const filter = ['--tag-filters', `Key=${TAG},Values=${this.#settings.prefix}`];
    const answer = await this.#ask('resourcegroupstaggingapi', 'get-resources', ...filter);
    const left: readonly { readonly ResourceARN: string }[] = Object(answer).ResourceTagMappingList ?? [];
    return left.map(({ ResourceARN }) => ResourceARN);
  }

  get #stage(): string {
    return this.#settings.prefix;
  }

  get #secret(): string {
    return `${this.#settings.prefix}/probe`;
  }

  #stack(part?: string): string {
    return `Understudy-${this.#stage}${part === undefined ? '' : `-${part}`}`;
  }

  async #deployStack(stage: string, operations: object): Promise<void> {
    const { region, prefix, network, folder, run } = this.#settings;
    mkdirSync(folder, { recursive: true });
    const context = {
      'understudy:stage': stage,
      'understudy:region': region,
      'understudy:edge': { names: ['puppet'], internetFacing: true, agentNetworks: [network] },
      'understudy:network': { natGateways: 1 },
      'understudy:settings': { autosign: ['*.example.com'], containers: { min: 1, max: 2 } },
      'understudy:operations': { deletionProtection: false, dashboard: false, tags: { [TAG]: prefix }, ...operations },
    };
    const given = Object.entries(context).flatMap(([key, value]) => [
      '--context',
      `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
    ]);
    await run('npx', ['cdk', 'deploy', '--require-approval', 'never', ...given]);
  }

  async #variablesOf(stack: string): Promise<Variables> {
    const { region } = this.#settings;
    const name = await this.#find(stack, 'AWS::Lambda::Function', 'WorkersFeed');
    const query = ['--query', 'Environment.Variables'];
    const all = await this.#ask('lambda', 'get-function-configuration', '--function-name', name, ...query);
    const ours = Object.entries(Object(all)).filter(([key]) => key.startsWith('UNDERSTUDY_'));
    const key = await this.#find(stack, 'AWS::KMS::Key', 'AuthorityKey');
    const credentials = Object.entries(process.env).filter(([variable]) => variable.startsWith('AWS_'));
    return Object.fromEntries([
      ...credentials,
      ...ours,
      ['AWS_REGION', region],
      [FRONT_DOOR_VARIABLES.authorityKey, key],
    ]) as Variables;
  }

  /** A backup of now, under another name. */
  async #restoreTable(table: string, copy: string): Promise<void> {
    const where = ['--table-name', table, '--backup-name', copy];
    const made = Object(await this.#ask('dynamodb', 'create-backup', ...where)).BackupDetails;
    const { BackupArn: arn } = Object(made);
    const status = async () => {
      const found = Object(await this.#ask('dynamodb', 'describe-backup', '--backup-arn', arn)).BackupDescription;
      return Object(Object(found).BackupDetails).BackupStatus;
    };
    await waitFor(`the backup of ${table}`, async () => (await status()) === 'AVAILABLE');
    await this.#aws('dynamodb', 'restore-table-from-backup', '--target-table-name', copy, '--backup-arn', arn);
    await this.#aws('dynamodb', 'wait', 'table-exists', '--table-name', copy);
    await this.#aws('dynamodb', 'delete-backup', '--backup-arn', arn);
  }

  /** Tables, buckets and keys outlast their stack. */
  async #removeKept(type: string, id: string): Promise<void> {
    if (type === 'AWS::DynamoDB::Table') await this.#quietly('dynamodb', 'delete-table', '--table-name', id);
    if (type === 'AWS::KMS::Key') {
      await this.#quietly('kms', 'schedule-key-deletion', '--key-id', id, '--pending-window-in-days', '7');
    }
    if (type === 'AWS::S3::Bucket') await this.#removeBucket(id);
  }

  /** With all versions of its objects. */
  async #removeBucket(bucket: string): Promise<void> {
    const query = '{Objects: [Versions, DeleteMarkers][][].{Key: Key, VersionId: VersionId}}';
    for (;;) {
      const list = ['--bucket', bucket, '--max-items', '1000', '--query', query];
      const found = await this.#ask('s3api', 'list-object-versions', ...list).catch(() => null);
      const objects: readonly unknown[] = Object(found).Objects ?? [];
      if (objects.length === 0) break;
      const file = join(this.#settings.folder, 'versions.json');
      writeFileSync(file, JSON.stringify({ Objects: objects, Quiet: true }));
      await this.#aws('s3api', 'delete-objects', '--bucket', bucket, '--delete', `file://${file}`);
    }
    await this.#quietly('s3api', 'delete-bucket', '--bucket', bucket);
  }

  async #find(stack: string, type: string, part: string): Promise<string> {
    const found = (await this.#listResources(stack)).find(
      ({ ResourceType, LogicalResourceId }) => ResourceType === type && LogicalResourceId.startsWith(part),
    );
    if (!found) throw new Error(`the stack ${stack} has no ${part}`);
    return found.PhysicalResourceId;
  }

  async #listResources(stack: string): Promise<readonly StackResource[]> {
    const answer = await this.#ask('cloudformation', 'list-stack-resources', '--stack-name', stack);
    return Object(answer).StackResourceSummaries ?? [];
  }

  async #ask(...args: readonly string[]): Promise<unknown> {
    return JSON.parse(await this.#aws(...args, '--output', 'json'));
  }

  #aws(...args: readonly string[]): Promise<string> {
    const { run, region } = this.#settings;
    return run('aws', [...args, '--region', region]);
  }

  /** For what may be gone already; what is left shows at the end. */
  async #quietly(...args: readonly string[]): Promise<void> {
    await this.#aws(...args).catch(() => undefined);
  }
}
