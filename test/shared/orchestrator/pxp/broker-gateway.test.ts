import { describe, expect, it } from 'vitest';
import { BrokerGateway } from '../../../../shared/orchestrator/pxp/broker-gateway.ts';
import type { PxpAnswer } from '../../../../shared/orchestrator/pxp/pxp-gateway.ts';
import { makeTransactionId } from '../../../../shared/orchestrator/pxp/transaction-id.ts';
import { BrokerWorld, PREFIX } from '../../../helpers/broker-world.ts';

const ID = '6c1a52f8-3a8f-4a62-9d55-0e5b0b8f3f11';
const SERVER = 'understudy.example.com';
const URI = `pcp://${SERVER}/orchestrator`;
const REQUEST = { transactionId: ID, module: 'task', action: 'run', params: { task: 'a::b' }, isBlocking: false };

async function openGateway() {
  const world = new BrokerWorld();
  const gateway = new BrokerGateway(world.broker, SERVER, { random: () => 0.5 });
  const answers: PxpAnswer[] = [];
  gateway.listen((answer) => answers.push(answer));
  await gateway.attach();
  return { world, gateway, answers };
}

describe('the way to agents through a broker', () => {
  it.each([1, 2] as const)('sends requests to agents of version %d, as the orchestrator', async (version) => {
    const { world, gateway } = await openGateway();
    const agent = world.connect('web01.example.com', { version });
    expect(await gateway.request('web01.example.com', REQUEST)).toBeNull();
    expect(await gateway.request('web01.example.com', { ...REQUEST, isBlocking: true })).toBeNull();
    const data = { transaction_id: ID, module: 'task', action: 'run', params: { task: 'a::b' } };
    expect(agent.received).toMatchObject([
      { type: `${PREFIX}rpc_non_blocking_request`, sender: URI, data: { ...data, notify_outcome: true } },
      { type: `${PREFIX}rpc_blocking_request`, sender: URI, data },
    ]);
  });

  it('says that a node is not connected', async () => {
    const { gateway } = await openGateway();
    expect(await gateway.request('web01.example.com', REQUEST)).toBe('Not connected.');
  });

  it('reads the answers of agents, and of nobody else', async () => {
    const { world, answers } = await openGateway();
    const agent = world.connect('web01.example.com', { type: 'agent', version: 2 });
    const other = world.connect('web02.example.com', { type: 'tool', version: 2 });
    const write = (client: typeof agent, type: string, data: unknown) =>
      client.write({ type: PREFIX + type, target: URI, data });
    write(agent, 'rpc_provisional_response', { transaction_id: ID });
    write(agent, 'rpc_non_blocking_response', { transaction_id: ID, results: { exitcode: 0 } });
    write(agent, 'rpc_blocking_response', { transaction_id: ID, results: 'x' });
    write(agent, 'rpc_error_message', { transaction_id: ID, id: ID, description: 'unknown module: x' });
    for (const data of [{ results: {} }, [], { transaction_id: 5 }]) write(agent, 'rpc_blocking_response', data);
    write(agent, 'something', { transaction_id: ID });
    write(other, 'rpc_blocking_response', { transaction_id: ID, results: {} });
    expect(answers).toEqual(
      [
        { kind: 'accepted' },
        { kind: 'results', results: { exitcode: 0 } },
        { kind: 'results', results: {} },
        { kind: 'refused', description: 'unknown module: x' },
      ].map((content) => ({ certname: 'web01.example.com', transactionId: ID, content })),
    );
  });

  it('lists connected agents', async () => {
    const { world, gateway } = await openGateway();
    world.connect('web01.example.com', { type: 'agent', version: 2 });
    world.connect('web02.example.com', { type: 'agent', version: 1 });
    world.connect('web03.example.com', { type: 'tool', version: 2 });
    const names = async (asked?: readonly string[]) =>
      (await gateway.listConnected(asked)).map(({ certname }) => certname);
    expect(await names()).toEqual(['web01.example.com', 'web02.example.com']);
    expect(await names(['web02.example.com', 'web03.example.com'])).toEqual(['web02.example.com']);
    expect(gateway.broker).toBe(`pcp://${SERVER}/server`);
  });

  it('keeps its URI: no client can connect under it', async () => {
    const { world } = await openGateway();
    expect(world.connect(SERVER, { type: 'orchestrator', version: 2 }).end).toBe('4002 Association unsuccessful.');
  });
});

describe('the id of a transaction', () => {
  it('is a UUID of version 5 that follows from its parts', () => {
    const id = makeTransactionId('job', 5, 'web01.example.com', 1);
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(makeTransactionId('job', 5, 'web01.example.com', 1)).toBe(id);
    expect(makeTransactionId('job', 5, 'web01.example.com', 2)).not.toBe(id);
    expect(makeTransactionId('job', 51, 'web01.example.com')).not.toBe(
      makeTransactionId('job', 5, '1web01.example.com'),
    );
  });
});
