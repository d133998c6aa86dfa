import type { Node } from 'constructs';
import { SettingsReader } from './settings-reader.ts';

/**
 * The settings in `cdk.json` (or `-c`), under `understudy:operations`; README.md of this folder
 * describes each.
 */
export interface OperationsContext {
  /** Tags of all resources, for example for cost allocation. */
  readonly tags: Readonly<Record<string, string>>;
  /** Dollars a month; the alarm topic is notified when they are spent, or will be. */
  readonly budget?: number;
  /** Whether tables and the load balancer refuse to be deleted. */
  readonly deletionProtection: boolean;
  readonly backups?: BackupsContext;
  /** Whether the functions write traces to X-Ray. */
  readonly tracing: boolean;
  /** Whether ECS writes the metrics of Container Insights, which are billed one by one. */
  readonly containerInsights: boolean;
  /** Whether a new compile function takes over step by step, and goes back on alarms. */
  readonly gradualDeploy: boolean;
  readonly dashboard: boolean;
  /** Absent: no canary. */
  readonly canary?: CanaryContext;
}

export interface CanaryContext {
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
  const reader = new SettingsReader(KEY, node.tryGetContext(KEY));
  const context = {
    tags: reader.readTextMap('tags'),
    ...reader.readOptional('budget', (one, name) => one.readNumber(name, 1, 10_000_000, 1)),
    deletionProtection: reader.readFlag('deletionProtection', true),
    ...reader.readOptional('backups', readBackups),
    tracing: reader.readFlag('tracing'),
    containerInsights: reader.readFlag('containerInsights'),
    gradualDeploy: reader.readFlag('gradualDeploy'),
    dashboard: reader.readFlag('dashboard', true),
    ...reader.readOptional('canary', readCanary),
  };
  reader.assertAllRead();
  return context;
}

function readCanary(settings: SettingsReader, name: string): CanaryContext {
  const reader = settings.enter(name);
  const context = { certname: reader.readText('certname'), secret: reader.readText('secret') };
  reader.assertAllRead();
  return context;
}

function readBackups(settings: SettingsReader, name: string): BackupsContext {
  const reader = settings.enter(name);
  const context = {
    days: reader.readNumber('days', 1, 3650, 35),
    ...reader.readOptional('copyTo', (one, key) =>
      one.readForm(key, /^arn:aws[\w-]*:backup:.*:backup-vault:/, 'the ARN of a backup vault'),
    ),
  };
  reader.assertAllRead();
  return context;
}
