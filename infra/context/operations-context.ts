import type { Node } from 'constructs';
import { SettingsReader } from './settings-reader.ts';

/**
 * The settings in `cdk.json` (or `-c`), under `understudy:operations`; README.md of this folder
 * describes each.
 */
export interface OperationsContext {
  /** Tags of all resources, for example for cost allocation. */
  readonly tags: Readonly<Record<string, string>>;
  /**
   * Dollars a month (in China, yuan); the alarm topic is notified when they are spent, or will be.
   */
  readonly budget?: number;
  /** Whether tables and the load balancer refuse to be deleted. */
  readonly deletionProtection: boolean;
  readonly backups?: BackupsContext;
  readonly subscribers: SubscribersContext;
  /** URL of the runbook, with an anchor for each alarm. */
  readonly runbook?: string;
  /** Throughput for which the tables are warm; absent: that of new tables. */
  readonly warmThroughput?: ThroughputContext;
  /** Throughput above which each table and index refuses requests; absent: the account's quota. */
  readonly maxThroughput?: ThroughputContext;
  /** Whether the functions write traces to X-Ray. */
  readonly tracing: boolean;
  /** Whether ECS writes the metrics of Container Insights, which are billed one by one. */
  readonly containerInsights: boolean;
  /** Whether a new compile function takes over step by step, and goes back on alarms. */
  readonly gradualDeploy: boolean;
  readonly dashboard: boolean;
  /** Absent: no probe. */
  readonly probe?: ProbeContext;
}

/** Addresses of mail, and URLs (https), that get alarms. */
export interface SubscribersContext {
  readonly critical: readonly string[];
  readonly warning: readonly string[];
}

/** Units a second of each table. */
interface ThroughputContext {
  readonly reads: number;
  readonly writes: number;
}

export interface ProbeContext {
  readonly certname: string;
  /** The secret in Secrets Manager with its `certificate` and `key` in JSON. */
  readonly secret: string;
}

export interface BackupsContext {
  /** Days that daily backups are kept. */
  readonly days: number;
  /** The ARN of a vault in another region or account to which backups are copied. */
  readonly copyTo?: string;
}

const KEY = 'understudy:operations';

/** Reads and checks the context. Throws an Error that names what is wrong. */
export function operationsContext(node: Node): OperationsContext {
  const settings = new SettingsReader(KEY, node.tryGetContext(KEY));
  const context = settings.readAll((reader) => ({
    tags: reader.readTextMap('tags'),
    ...reader.readOptional('budget', (one, name) => one.readNumber(name, 1, 10_000_000, 1)),
    deletionProtection: reader.readFlag('deletionProtection', true),
    ...reader.readOptionalMap('backups', readBackups),
    subscribers: reader.readMap('subscribers', readSubscribers),
    ...reader.readOptional('runbook', (one, name) => one.readForm(name, /^https:\/\/[^#]+$/, 'a URL without anchor')),
    ...reader.readOptionalMap('warmThroughput', readWarmThroughput),
    ...reader.readOptionalMap('maxThroughput', readMaxThroughput),
    tracing: reader.readFlag('tracing'),
    containerInsights: reader.readFlag('containerInsights'),
    gradualDeploy: reader.readFlag('gradualDeploy'),
    dashboard: reader.readFlag('dashboard', true),
    ...reader.readOptionalMap('probe', readProbe),
  }));
  checkSubscribers(context.subscribers, settings);
  checkThroughput(context, settings);
  return context;
}

function readSubscribers(reader: SettingsReader): SubscribersContext {
  return { critical: reader.readTexts('critical'), warning: reader.readTexts('warning') };
}

function checkSubscribers(subscribers: SubscribersContext, reader: SettingsReader): void {
  for (const name of ['critical', 'warning'] as const) {
    if (subscribers[name].every((one) => /^https:\/\/\S+$|^[^\s@]+@[^\s@]+$/.test(one))) continue;
    throw reader.invalid(`subscribers.${name}`, 'must be addresses of mail, or URLs (https)');
  }
}

/** New tables have the least of these; a table never has less again. */
function readWarmThroughput(reader: SettingsReader): ThroughputContext {
  return {
    reads: reader.readNumber('reads', 12_000, 1_000_000, 12_000),
    writes: reader.readNumber('writes', 4000, 1_000_000, 4000),
  };
}

/** The usual ones are the quotas of an account for a table. */
function readMaxThroughput(reader: SettingsReader): ThroughputContext {
  return {
    reads: reader.readNumber('reads', 100, 1_000_000, 40_000),
    writes: reader.readNumber('writes', 100, 1_000_000, 40_000),
  };
}

/** DynamoDB refuses a table that is warm for more than it takes. */
function checkThroughput(
  { warmThroughput: warm, maxThroughput: most }: OperationsContext,
  reader: SettingsReader,
): void {
  for (const unit of ['reads', 'writes'] as const) {
    if (!warm || !most || most[unit] >= warm[unit]) continue;
    throw reader.invalid(`maxThroughput.${unit}`, `must be at least that of 'warmThroughput', ${warm[unit]}`);
  }
}

function readProbe(reader: SettingsReader): ProbeContext {
  return { certname: reader.readText('certname'), secret: reader.readText('secret') };
}

function readBackups(reader: SettingsReader): BackupsContext {
  return {
    days: reader.readNumber('days', 1, 3650, 35),
    ...reader.readOptional('copyTo', (one, key) =>
      one.readForm(key, /^arn:aws[\w-]*:backup:.*:backup-vault:/, 'the ARN of a backup vault'),
    ),
  };
}
