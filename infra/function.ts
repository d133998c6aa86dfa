import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync } from 'node:fs';
import { basename, join } from 'node:path';
import { AssetHashType, DockerImage, type Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import { Effect, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  Code,
  type FunctionProps,
  Function as LambdaFunction,
  LoggingFormat,
  RecursiveLoop,
  Runtime,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { type ISecret, Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import { SECRET_VALUE } from '../shared/config/deployment.ts';
import { bundleFunction, bundleScript, type FunctionEntry, makeReadable } from './bundles.ts';
import { hasFeature } from './partition.ts';
import { ROOT } from './root-folder.ts';
import { createTemporaryFolder } from './temporary-folder.ts';

/**
 * Programs for nodes, by their names beside the code, where `shared/http/packages/installer.ts` and
 * `shared/orchestrator/runner/runner-program.ts` read them.
 */
export const INSTALLERS: Readonly<Record<string, string>> = Object.fromEntries(
  ['http/packages/install.sh', 'http/packages/install.ps1', 'orchestrator/runner/understudy-runner.rb'].map((path) => [
    basename(path),
    join(ROOT, 'shared', path),
  ]),
);

/** The folder with Ruby's files, which the function and the image have alike. */
let madeRuby: string | undefined;

/**
 * Writes Ruby itself, its library, its thread and its booted image, to the paths where
 * `shared/puppet/ruby/wasm/wasm-host.ts` reads them. A process boots it once: that takes 3 s of CPU
 * (2026-11-30).
 */
export function writeRuby(folder: string): void {
  madeRuby ??= makeRuby(createTemporaryFolder('understudy-ruby-'));
  cpSync(madeRuby, folder, { recursive: true });
}

function makeRuby(folder: string): string {
  const ruby = 'node_modules/@ruby/3.2-wasm-wasi';
  for (const file of ['package.json', 'dist/ruby.wasm', 'dist/LICENSE', 'dist/NOTICE']) {
    cpSync(join(ROOT, ruby, file), join(folder, ruby, file));
  }
  cpSync(join(ROOT, 'shared/puppet/ruby/side'), join(folder, 'side'), { recursive: true });
  bundleScript(join(ROOT, 'shared/puppet/ruby/wasm/wasm-worker.ts'), join(folder, 'wasm-worker.mjs'));
  execFileSync(process.execPath, [join(ROOT, 'functions/ruby-image.ts'), folder]);
  return folder;
}

/** The code of a function. Its hash follows from what is in the folder, not from the sources. */
function codeOf(scope: Construct, { entry, runsRuby, files = {} }: FunctionSettings): Code {
  const tryBundle = (folder: string): boolean => {
    cpSync(bundleFunction(scope, entry), folder, { recursive: true });
    if (runsRuby) writeRuby(folder);
    for (const [name, path] of Object.entries(files)) copyFileSync(path, join(folder, name));
    // Lambda keeps the modes, and runs as a user other than the owner of the files.
    makeReadable(folder);
    return true;
  };
  return Code.fromAsset(ROOT, {
    assetHashType: AssetHashType.OUTPUT,
    // No container is started: what is above makes the bundle. The CDK makes one bundle of those
    // that have the same command.
    bundling: { image: DockerImage.fromRegistry('unused'), command: [entry], local: { tryBundle } },
  });
}

/** A function of this project, as the CDK knows it. */
export type UnderstudyFunction = LambdaFunction;

export interface FunctionSettings {
  /** The file name in functions/, without its suffix. */
  readonly entry: FunctionEntry;
  readonly description: string;
  readonly memoryMegabytes: number;
  readonly timeout: Duration;
  readonly environment: Readonly<Record<string, string>>;
  /** Secrets that the function reads, by variable: names or ARNs, `#` with a field may follow. */
  readonly secrets?: Readonly<Record<string, string>>;
  /** Network of the function if it has to reach something inside a VPC. */
  readonly network?: Pick<FunctionProps, 'vpc' | 'vpcSubnets' | 'securityGroups'>;
  /**
   * Whether a schedule invokes it. Lambda would invoke a failed run twice more; the next run does
   * the same.
   */
  readonly isScheduled?: boolean;
  /** Whether it sends messages to the queue that it takes messages from. */
  readonly isRecursive?: boolean;
  /** Whether X-Ray gets its traces. */
  readonly tracing: boolean;
  /**
   * Whether the function runs the Ruby code of modules; its bundle then includes what Ruby needs.
   */
  readonly runsRuby?: boolean;
  /** Files that go beside the code, by their name there. */
  readonly files?: Readonly<Record<string, string>>;
}

/**
 * Creates a function of this project: arm64, an ESM bundle by esbuild, its own log group with a
 * retention, and a role that may only log.
 */
export function understudyFunction(scope: Construct, id: string, settings: FunctionSettings): UnderstudyFunction {
  const logGroup = new LogGroup(scope, `${id}Logs`, {
    retention: RetentionDays.ONE_MONTH,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  const role = new Role(scope, `${id}Role`, { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
  role.addToPolicy(
    new PolicyStatement({
      effect: Effect.ALLOW,
      actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
      resources: [logGroup.logGroupArn],
    }),
  );
  if (settings.tracing) allowTracing(role);
  if (settings.network) allowNetwork(role);
  const secrets = Object.entries(settings.secrets ?? {});
  const names = new Set(secrets.map(([, secret]) => secret.split('#')[0] ?? ''));
  for (const name of names) findSecret(role, `Secret-${name}`, name).grantRead(role);
  return new LambdaFunction(scope, id, {
    code: codeOf(scope, settings),
    handler: 'index.handler',
    description: settings.description,
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    memorySize: settings.memoryMegabytes,
    timeout: settings.timeout,
    environment: {
      NODE_OPTIONS: '--enable-source-maps',
      ...settings.environment,
      ...Object.fromEntries(secrets.map(([variable, secret]) => [variable, SECRET_VALUE + secret])),
    },
    role,
    ...settings.network,
    ...(settings.isScheduled ? { retryAttempts: 0 } : {}),
    // Lambda would stop a chain after 16 invocations as a loop that nobody wanted.
    ...(settings.isRecursive && hasFeature(scope, 'loopDetection') ? { recursiveLoop: RecursiveLoop.ALLOW } : {}),
    tracing: settings.tracing ? Tracing.ACTIVE : Tracing.DISABLED,
    logGroup,
    loggingFormat: hasFeature(scope, 'jsonLogs') ? LoggingFormat.JSON : LoggingFormat.TEXT,
  });
}

/** A secret of Secrets Manager by its name or ARN. */
export function findSecret(scope: Construct, id: string, name: string): ISecret {
  return name.startsWith('arn:')
    ? Secret.fromSecretCompleteArn(scope, id, name)
    : Secret.fromSecretNameV2(scope, id, name);
}

/** Lambda would add this to the role of a function by itself, but names no reason for the `*`. */
function allowTracing(role: Role): void {
  role.addToPolicy(
    new PolicyStatement({
      effect: Effect.ALLOW,
      actions: ['xray:PutTraceSegments', 'xray:PutTelemetryRecords'],
      resources: ['*'],
    }),
  );
  Validations.of(role).acknowledge({
    id: 'AwsSolutions::AwsSolutions-IAM5[Resource::*]',
    reason: 'Writing traces to X-Ray has no resource level.',
  });
}

/**
 * Lambda puts a function into a network with its own role. The actions are those of the managed
 * policy AWSLambdaVPCAccessExecutionRole, version 3.
 */
const NETWORK_ACTIONS = [
  'CreateNetworkInterface',
  'DescribeNetworkInterfaces',
  'DescribeSubnets',
  'DeleteNetworkInterface',
  'AssignPrivateIpAddresses',
  'UnassignPrivateIpAddresses',
];

function allowNetwork(role: Role): void {
  const actions = NETWORK_ACTIONS.map((name) => `ec2:${name}`);
  role.addToPolicy(new PolicyStatement({ effect: Effect.ALLOW, actions, resources: ['*'] }));
  Validations.of(role).acknowledge({
    id: 'AwsSolutions::AwsSolutions-IAM5[Resource::*]',
    reason: 'Neither network interfaces of functions nor dynamodb:ListStreams have a resource level.',
  });
}
