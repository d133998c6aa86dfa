import { join } from 'node:path';
import { type Duration, RemovalPolicy, SecretValue, Validations } from 'aws-cdk-lib';
import { Effect, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, LoggingFormat, Runtime, Tracing } from 'aws-cdk-lib/aws-lambda';
import {
  type ICommandHooks,
  NodejsFunction,
  type NodejsFunctionProps,
  OutputFormat,
} from 'aws-cdk-lib/aws-lambda-nodejs';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct, IConstruct } from 'constructs';

/** The root folder of the repository. */
export const ROOT = join(import.meta.dirname, '..');

/** The stage of the stack under `understudy:stage`; undefined for the only stack of an account. */
export function stageOf({ node }: IConstruct): string | undefined {
  const stage: unknown = node.tryGetContext('understudy:stage');
  if (stage === undefined || stage === '') return undefined;
  if (typeof stage === 'string' && /^[a-z][a-z0-9-]{0,19}$/.test(stage)) return stage;
  throw new Error("Context understudy:stage: it must be up to 20 lower-case letters, digits and '-', a letter first");
}

/** Constants that the bundler writes into the code; `shared/config/metrics.ts` reads them. */
export function defineOf(scope: IConstruct): Readonly<Record<string, string>> {
  const stage = stageOf(scope);
  return stage === undefined ? {} : { UNDERSTUDY_STAGE: JSON.stringify(stage) };
}

/** Bundling of entry points, for functions and for the edge. */
export const BUNDLE = {
  target: 'node24',
  minify: true,
  keepNames: true,
  sourcesContent: false,
  // CommonJS dependencies inside an ES module bundle call `require`.
  banner: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);",
} as const;

/**
 * Scripts that the front doors serve, by their names beside the code, where
 * `shared/http/packages/installer.ts` reads them.
 */
export const INSTALLERS: Readonly<Record<string, string>> = Object.fromEntries(
  ['install.sh', 'install.ps1'].map((name) => [name, join(ROOT, 'shared/http/packages', name)]),
);

/** Returns commands that copy files to a folder. */
function copyCommands(files: Readonly<Record<string, string>>, to: string): string[] {
  return Object.entries(files).map(([name, path]) => `cp "${path}" "${to}/${name}"`);
}

/**
 * Returns a reference to a secret of Secrets Manager, by its name or ARN, that CloudFormation
 * resolves; to one field of it if it is JSON.
 */
export function secretText(secret: string, jsonField?: string): string {
  return SecretValue.secretsManager(secret, jsonField === undefined ? {} : { jsonField }).unsafeUnwrap();
}

/**
 * Ruby itself, its library, its thread and its booted image, at the paths where
 * `shared/puppet/ruby/wasm/wasm-host.ts` reads them.
 */
function rubyFiles(from: string, to: string): string[] {
  const ruby = 'node_modules/@ruby/3.2-wasm-wasi';
  const thread = `"${from}/node_modules/.bin/esbuild" "${from}/shared/puppet/ruby/wasm/wasm-worker.ts" --bundle --minify --keep-names --platform=node --format=esm`;
  return [
    `mkdir -p "${to}/${ruby}/dist"`,
    `cp "${from}/${ruby}/package.json" "${to}/${ruby}/"`,
    `cp "${from}/${ruby}/dist/ruby.wasm" "${from}/${ruby}/dist/LICENSE" "${from}/${ruby}/dist/NOTICE" "${to}/${ruby}/dist/"`,
    `cp -R "${from}/shared/puppet/ruby/side" "${to}/side"`,
    `${thread} --log-level=error --outfile="${to}/wasm-worker.mjs"`,
    `node "${from}/functions/ruby-image.ts" "${to}"`,
  ];
}

function afterBundling({ runsRuby, files = {} }: FunctionSettings): ICommandHooks {
  return {
    beforeBundling: () => [],
    beforeInstall: () => [],
    afterBundling: (from, to) => [
      ...(runsRuby ? rubyFiles(from, to) : []),
      ...copyCommands(files, to),
      `node "${from}/infra/portable-sources.ts" "${to}"`,
      // Lambda keeps the modes, and runs as a user other than the owner of the files.
      `chmod -R u=rwX,go=rX "${to}"`,
    ],
  };
}

export interface FunctionSettings {
  /** The file name in functions/, without its suffix. */
  readonly entry: string;
  readonly description: string;
  readonly memoryMegabytes: number;
  readonly timeout: Duration;
  readonly environment: Readonly<Record<string, string>>;
  /** Where the function is if it has to reach something inside a VPC. */
  readonly network?: Pick<NodejsFunctionProps, 'vpc' | 'vpcSubnets' | 'securityGroups'>;
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
export function understudyFunction(scope: Construct, id: string, settings: FunctionSettings): NodejsFunction {
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
  return new NodejsFunction(scope, id, {
    entry: join(ROOT, 'functions', `${settings.entry}.ts`),
    projectRoot: ROOT,
    depsLockFilePath: join(ROOT, 'package-lock.json'),
    handler: 'handler',
    description: settings.description,
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    memorySize: settings.memoryMegabytes,
    timeout: settings.timeout,
    environment: { NODE_OPTIONS: '--enable-source-maps', ...settings.environment },
    role,
    ...settings.network,
    tracing: settings.tracing ? Tracing.ACTIVE : Tracing.DISABLED,
    logGroup,
    loggingFormat: LoggingFormat.JSON,
    bundling: {
      ...BUNDLE,
      define: defineOf(scope),
      format: OutputFormat.ESM,
      sourceMap: true,
      externalModules: [],
      commandHooks: afterBundling(settings),
    },
  });
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
