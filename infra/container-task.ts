import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import {
  type ContainerImage,
  Secret as ContainerSecret,
  CpuArchitecture,
  FargateTaskDefinition,
  LogDrivers,
  OperatingSystemFamily,
  UlimitName,
} from 'aws-cdk-lib/aws-ecs';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { EDGE, FRONT_DOOR_VARIABLES } from '../shared/config/front-doors.ts';
import { findSecret } from './function.ts';

interface ContainerTaskSettings {
  readonly image: ContainerImage;
  /** The bundled file to run, without `.mjs`. */
  readonly entry: 'edge' | 'authority' | 'broker';
  readonly port: number;
  /** Further ports that the container listens on. */
  readonly morePorts?: readonly number[];
  /** Health-check endpoint; default: the front door's status route. */
  readonly status?: StatusPlace;
  /** Limit of open files; default: Fargate's. */
  readonly openFiles?: number;
  /** Node flags in addition to `--enable-source-maps`. */
  readonly nodeFlags?: readonly string[];
  /** CPU units; 1024 are one vCPU. */
  readonly cpu: number;
  /** MiB. */
  readonly memory: number;
  readonly environment: Readonly<Record<string, string>>;
  /**
   * Names or ARNs in Secrets Manager, by the environment variable that gets the value; `#` with a
   * field may follow.
   */
  readonly secrets: Readonly<Record<string, string>>;
}

interface StatusPlace {
  readonly port: number;
  readonly path: string;
  /** Whether the endpoint is HTTP without TLS. */
  readonly isPlain: boolean;
}

const CONTAINERS = { edge: 'Edge', authority: 'Authority', broker: 'Broker' } as const;
const SCRATCH = { name: 'scratch', path: '/tmp' } as const;

/**
 * Node code that requests the status from within the container. It verifies no certificate: that
 * does not name `localhost`.
 */
function healthCheck({ port, path, isPlain }: StatusPlace): string {
  return `require('node:${isPlain ? 'http' : 'https'}').get({port:${port},path:'${path}',rejectUnauthorized:false},(answer)=>process.exit(answer.statusCode===200?0:1)).on('error',()=>process.exit(1))`;
}

/**
 * Creates the task definition of one of our containers: arm64, a read-only root with a scratch
 * folder, its own log group with a retention, and a health check. Callers grant permissions to its
 * role, which has none yet.
 */
export function containerTask(scope: Construct, settings: ContainerTaskSettings): FargateTaskDefinition {
  const { entry, port, morePorts = [], nodeFlags = [], openFiles } = settings;
  const status = settings.status ?? { port, path: '/status/v1/simple/status-service', isPlain: false };
  const task = new FargateTaskDefinition(scope, 'Task', {
    cpu: settings.cpu,
    memoryLimitMiB: settings.memory,
    runtimePlatform: { cpuArchitecture: CpuArchitecture.ARM64, operatingSystemFamily: OperatingSystemFamily.LINUX },
  });
  const logGroup = new LogGroup(scope, 'Log', {
    retention: RetentionDays.ONE_MONTH,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  task.addVolume({ name: SCRATCH.name });
  const container = task.addContainer(CONTAINERS[entry], {
    image: settings.image,
    command: ['node', '--enable-source-maps', ...nodeFlags, `${entry}.mjs`],
    readonlyRootFilesystem: true,
    stopTimeout: Duration.seconds(EDGE.stopSeconds),
    healthCheck: {
      command: ['CMD', 'node', '--eval', healthCheck(status)],
      interval: Duration.seconds(30),
      startPeriod: Duration.seconds(EDGE.certificateSeconds),
    },
    portMappings: [port, ...morePorts].map((containerPort) => ({ containerPort })),
    ...(openFiles === undefined
      ? {}
      : { ulimits: [{ name: UlimitName.NOFILE, softLimit: openFiles, hardLimit: openFiles }] }),
    logging: LogDrivers.awsLogs({ logGroup, streamPrefix: entry }),
    secrets: readSecrets(scope, settings.secrets),
    environment: {
      ...settings.environment,
      [FRONT_DOOR_VARIABLES.edgeHost]: '0.0.0.0',
      [FRONT_DOOR_VARIABLES.edgePort]: String(port),
      AWS_REGION: Stack.of(scope).region,
    },
  });
  // Uploaded code archives are unpacked in the scratch folder.
  container.addMountPoints({ sourceVolume: SCRATCH.name, containerPath: SCRATCH.path, readOnly: false });
  return task;
}

/** Secrets are read when a container starts, and are not part of the template. */
function readSecrets(scope: Construct, secrets: Readonly<Record<string, string>>): Record<string, ContainerSecret> {
  return Object.fromEntries(
    Object.entries(secrets).map(([variable, secret]) => {
      const [name = '', field] = secret.split('#');
      return [variable, ContainerSecret.fromSecretsManager(findSecret(scope, variable, name), field)];
    }),
  );
}
