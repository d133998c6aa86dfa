import { randomBytes } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import type { AwsClients, AwsNames } from './stores.ts';

/** The trace that an invocation belongs to, as Lambda sets it before each of them. */
const TRACE = /Root=([^;]+);Parent=([^;]+);Sampled=1/;
const HEADER = '{"format": "json", "version": 1}\n';
const SERVICES = { dynamodb: 'DynamoDB', s3: 'S3', sqs: 'SQS' } as const;

/** A finished call or phase: X-Ray's subsegment document without its ids. */
interface Subsegment {
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly fault: boolean;
  readonly details: Readonly<Record<string, unknown>>;
}

/**
 * Writes subsegments to Lambda's X-Ray daemon, a UDP port of the sandbox: calls of the SDK's
 * clients, and phases of our own. Does nothing where there is no daemon, and for an invocation that
 * is not sampled. A packet that is lost, or that nobody takes, is no error. It holds no keys of
 * tables and buckets: they are certnames.
 */
// Our own, because AWS supports its library for X-Ray until February 2027 only
// (docs.aws.amazon.com/xray, "X-Ray SDK and daemon end of support timeline"). In the bundle of the
// compile function this takes 1.7 KB of 1.9 MB. (November 2026)
export class CallTracer {
  readonly #host: string;
  readonly #port: number;
  readonly #variables: AwsNames;
  #socket: Socket | null = null;

  private constructor(address: string, variables: AwsNames) {
    const [host = '127.0.0.1', port = '2000'] = address.split(':');
    this.#host = host;
    this.#port = Number(port);
    this.#variables = variables;
  }

  /** The tracer of a function; null outside of Lambda. */
  static open(variables: AwsNames): CallTracer | null {
    const { AWS_XRAY_DAEMON_ADDRESS: address } = variables;
    return address ? new CallTracer(address, variables) : null;
  }

  /** From now on each call of these clients is a subsegment, its retries included; returns them. */
  traceClients(clients: AwsClients): AwsClients {
    for (const [service, client] of Object.entries(clients)) {
      // The clients differ only in the types of their commands.
      (client as AwsClients['sqs']).middlewareStack.add(
        (next, { commandName = '' }) =>
          async (args) => {
            const startedAt = Date.now();
            const common = { name: SERVICES[service as keyof AwsClients], startedAt };
            const aws = { operation: commandName.replace(/Command$/, ''), ...placeOf(args.input) };
            try {
              const answer = await next(args);
              this.#send({ ...common, fault: false, details: { namespace: 'aws', aws } });
              return answer;
            } catch (error) {
              this.#send({ ...common, fault: true, details: { namespace: 'aws', aws } });
              throw error;
            }
          },
        { step: 'initialize', name: 'trace' },
      );
    }
    return clients;
  }

  /** Makes each call of a function a subsegment of this name. */
  traceWork<Parameters extends readonly unknown[], Result>(
    name: string,
    work: (...args: Parameters) => Result,
  ): (...args: Parameters) => Result {
    return (...args) => {
      const startedAt = Date.now();
      let fault = true;
      try {
        const result = work(...args);
        fault = false;
        return result;
      } finally {
        this.#send({ name, startedAt, fault, details: {} });
      }
    };
  }

  #send({ name, startedAt, fault, details }: Subsegment): void {
    const [, root, parent] = TRACE.exec(this.#variables._X_AMZN_TRACE_ID ?? '') ?? [];
    if (root === undefined || parent === undefined) return;
    const times = { start_time: startedAt / 1000, end_time: Date.now() / 1000 };
    const ids = { id: randomBytes(8).toString('hex'), trace_id: root, parent_id: parent };
    const document = { ...ids, name, type: 'subsegment', ...times, ...(fault ? { fault } : {}), ...details };
    this.#socket ??= createSocket('udp4').unref();
    this.#socket.send(HEADER + JSON.stringify(document), this.#port, this.#host, () => {});
  }
}

function placeOf(input: object): Readonly<Record<string, unknown>> {
  const { TableName, Bucket, QueueUrl } = input as Readonly<Record<string, unknown>>;
  return {
    ...(TableName === undefined ? {} : { table_name: TableName }),
    ...(Bucket === undefined ? {} : { bucket_name: Bucket }),
    ...(QueueUrl === undefined ? {} : { queue_url: QueueUrl }),
  };
}
