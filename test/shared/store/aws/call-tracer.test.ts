import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CallTracer } from '../../../../shared/store/aws/call-tracer.ts';
import { awsClients } from '../../../../shared/store/aws/stores.ts';

const SAMPLED = 'Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1';
let daemon: Socket;
let variables: Record<string, string>;

beforeEach(async () => {
  daemon = createSocket('udp4').bind(0, '127.0.0.1');
  await once(daemon, 'listening');
  variables = { AWS_XRAY_DAEMON_ADDRESS: `127.0.0.1:${daemon.address().port}`, _X_AMZN_TRACE_ID: SAMPLED };
});
afterEach(() => daemon.close());

async function receive(): Promise<Record<string, unknown>> {
  const [packet]: Buffer[] = await once(daemon, 'message');
  const [header, body = ''] = String(packet).split('\n');
  expect(JSON.parse(header ?? '')).toEqual({ format: 'json', version: 1 });
  return JSON.parse(body);
}

function open(): CallTracer {
  return CallTracer.open(variables) ?? expect.fail('there is a daemon');
}

describe('a tracer', () => {
  it('writes a subsegment of the invocation for each call, without its keys', async () => {
    const clients = awsClients();
    open().traceClients(clients);
    clients.dynamodb.middlewareStack.add(() => async () => ({ response: {}, output: { $metadata: {} } }), {
      step: 'serialize',
      priority: 'high',
    });
    const received = receive();
    await clients.dynamodb.send(new GetItemCommand({ TableName: 'nodes', Key: { certname: { S: 'web01' } } }));
    const document = await received;
    expect(document).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{16}$/),
      trace_id: '1-5759e988-bd862e3fe1be46a994272793',
      parent_id: '53995c3f42cd8ad8',
      name: 'DynamoDB',
      type: 'subsegment',
      start_time: expect.any(Number),
      end_time: expect.any(Number),
      namespace: 'aws',
      aws: { operation: 'GetItem', table_name: 'nodes' },
    });
    expect(Number(document.end_time)).toBeGreaterThanOrEqual(Number(document.start_time));
  });

  it('marks a call that failed, and passes its error on', async () => {
    const clients = awsClients();
    open().traceClients(clients);
    clients.dynamodb.middlewareStack.add(() => () => Promise.reject(new Error('throttled')), {
      step: 'serialize',
      priority: 'high',
    });
    const received = receive();
    const call = clients.dynamodb.send(new GetItemCommand({ TableName: 'nodes', Key: {} }));
    await expect(call).rejects.toThrow('throttled');
    expect(await received).toMatchObject({ name: 'DynamoDB', fault: true });
  });

  it('writes phases, and their results and errors stay as they are', async () => {
    const double = open().traceWork('compile', (value: number) => {
      if (value < 0) throw new RangeError('negative');
      return 2 * value;
    });
    const first = receive();
    expect(double(2)).toBe(4);
    const made = await first;
    expect(made).toMatchObject({ name: 'compile', type: 'subsegment' });
    expect(Object(made).fault ?? false).toBe(false);
    const second = receive();
    expect(() => double(-1)).toThrow(new RangeError('negative'));
    expect(await second).toMatchObject({ name: 'compile', fault: true });
  });

  it('writes nothing for an invocation that is not sampled, and after it for one that is', async () => {
    const work = open().traceWork('phase', (name: string) => name);
    variables._X_AMZN_TRACE_ID = SAMPLED.replace('Sampled=1', 'Sampled=0');
    work('not sampled');
    variables._X_AMZN_TRACE_ID = SAMPLED.replace('53995c3f42cd8ad8', 'aaaaaaaaaaaaaaaa');
    const received = receive();
    work('sampled');
    expect(await received).toMatchObject({ parent_id: 'aaaaaaaaaaaaaaaa' });
  });

  it('is there in Lambda only', () => {
    expect(CallTracer.open({})).toBeNull();
  });
});
