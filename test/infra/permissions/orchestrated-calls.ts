import type { Template } from 'aws-cdk-lib/assertions';
import { expect, vi } from 'vitest';
import { AccessService } from '../../../shared/access/accounts/access-service.ts';
import { NO_VAULT } from '../../../shared/access/ca/authority-record.ts';
import { ORCHESTRATOR } from '../../../shared/config/orchestrator.ts';
import { openFrontDoor } from '../../../shared/http/front-door.ts';
import { openCertificates } from '../../../shared/http/open-certificates.ts';
import { assembleOrchestrator } from '../../../shared/http/operator/orchestrator-service.ts';
import { joinBrokers } from '../../../shared/orchestrator/broker/join-brokers.ts';
import { openAwsStores } from '../../../shared/store/aws/stores.ts';
import { systemSecrets } from '../../../shared/store/system-secrets.ts';
import { CHEAP_COST } from '../../helpers/access-world.ts';
import { AwsCalls } from '../../helpers/aws-calls.ts';
import { deployNames, type Emulators, openEmulatorClients } from '../../helpers/aws-emulators.ts';
import { PREFIX } from '../../helpers/broker-world.ts';
import type { RolePolicies } from '../../helpers/iam/policies.ts';
import { namesInTemplate } from '../../helpers/iam/resource-ids.ts';

const NODE = 'web01.example.com';
const SERVER = 'puppet';
/** The part to which `AwsCalls` counts all calls of a process. */
export const OWN = 'own';
const log = { logError: (message: string, cause: unknown) => expect.fail(`${message}: ${cause}`) };

/** The roles of the two processes. */
export interface OrchestratorRoles {
  readonly broker: RolePolicies;
  readonly authority: RolePolicies;
}

/** A process of its own: its clients, whose calls are judged all the time, and its stores. */
function openProcess(
  { variables }: Emulators,
  names: Readonly<Record<string, string>>,
  template: Template,
  role: RolePolicies,
) {
  const clients = openEmulatorClients(variables);
  const judged = new AwsCalls(clients, namesInTemplate(template, names), { [OWN]: role });
  const ended = Promise.withResolvers<void>();
  const recording = judged.recordDuring(OWN, () => ended.promise);
  return { calls: judged, stores: openAwsStores(names, clients), end: () => ended.resolve(), recording };
}

/**
 * Does what a broker and an authority service do for a user of the orchestrator, over stores of
 * their own. Returns their calls, each under the part `OWN`.
 */
export async function orchestrate(
  emulators: Emulators,
  template: Template,
  roles: OrchestratorRoles,
): Promise<Readonly<Record<'broker' | 'authority', AwsCalls>>> {
  const names = await deployNames(emulators.clients, { visibilityMs: 60_000, maxReceives: 5 });
  const authority = openProcess(emulators, names, template, roles.authority);
  const broker = openProcess(emulators, names, template, roles.broker);
  const common = { authorityName: 'understudy.example.com', autosign: true, log };
  const door = await openFrontDoor(authority.stores, { ...common, authority: { keyBits: 2048 } });
  await door.serverCredentials(SERVER, [], NO_VAULT);
  const keyHolder = { url: 'https://localhost:1', name: SERVER, vault: NO_VAULT };
  const certificates = await openCertificates(broker.stores, { ...common, keyHolder });
  expect(await certificates.shown.readRevocations()).toContain('X509 CRL');

  // As the broker's process, which only listens in addition.
  const outside = await joinBrokers(broker.stores, { instance: 'broker-1', pace: ORCHESTRATOR.mail }, log.logError);
  await outside.broker.attach({
    uri: `pcp://${NODE}/agent`,
    receive: ({ id, type, sender, data }) => {
      const { transaction_id } = JSON.parse(Buffer.from(data ?? []).toString());
      if (!type.endsWith('rpc_non_blocking_request')) return;
      const answer = (kind: string, content: object) =>
        outside.broker.send({
          ...{
            id: `${id}${kind}`,
            type: PREFIX + kind,
            sender: `pcp://${NODE}/agent`,
            target: sender,
            inReplyTo: null,
          },
          ...{ data: Buffer.from(JSON.stringify({ transaction_id, ...content })), isMulticast: false },
        });
      const results = { status: 'unchanged', transaction_uuid: transaction_id, environment: 'production', exitcode: 0 };
      void answer('rpc_provisional_response', {}).then(() => answer('rpc_non_blocking_response', { results }));
    },
  });
  const inside = await joinBrokers(authority.stores, { instance: 'one', pace: ORCHESTRATOR.mail }, log.logError);
  const access = new AccessService({ ...authority.stores, secrets: systemSecrets }, { passwordCost: CHEAP_COST });
  const { app, run } = await assembleOrchestrator({
    ...{
      stores: authority.stores,
      log,
      access,
      broker: inside.broker,
      vault: NO_VAULT,
      queries: null,
      changes: null,
    },
    ...{ server: SERVER, controllerType: 'orchestrator-one', reportUrl: () => '', keepDays: 30 },
  });
  const stopping = new AbortController();
  const running = run(stopping.signal);
  await administer(app, access);
  stopping.abort();
  await running;
  await Promise.all([inside.stop(), outside.stop()]);
  for (const one of [authority, broker]) {
    one.end();
    await one.recording;
  }
  return { broker: broker.calls, authority: authority.calls };
}

/** What users ask of the orchestrator. */
async function administer(app: Awaited<ReturnType<typeof assembleOrchestrator>>['app'], access: AccessService) {
  const names = { login: 'alice', email: '', displayName: 'Alice' };
  const password = await access.hash('not used');
  const account = await access.accounts.create({ ...names, isGroup: false, roleIds: [1], password });
  const token = await access.tokens.create(account, { lifetimeMs: 60_000 });
  const ask = async (path: string, sentBody?: unknown) => {
    const headers = { 'X-Authentication': token, 'Content-Type': 'application/json' };
    const sent = sentBody === undefined ? {} : { method: 'POST', body: JSON.stringify(sentBody) };
    const response = await app.request(`/orchestrator/v1${path}`, { headers, ...sent });
    const body: Readonly<Record<string, unknown>> = Object(await response.json());
    return { status: response.status, body };
  };
  const begun = await ask('/command/deploy', { environment: '', enforce_environment: false, scope: { nodes: [NODE] } });
  expect(begun).toMatchObject({ status: 202 });
  // No test runs yet, which `expect.poll` needs.
  const look = async () => expect((await ask('/jobs/1')).body.state).toBe('finished');
  await vi.waitFor(look, { timeout: 60_000, interval: 100 });
  expect((await ask('/jobs/1/nodes')).body.items).toMatchObject([{ name: NODE, state: 'finished' }]);
  expect(Object((await ask('/jobs/1/events')).body.items).length).toBeGreaterThan(1);
  expect((await ask('/inventory')).body.items).toMatchObject([{ name: NODE, connected: true }]);
  expect((await ask(`/inventory/${NODE}`)).body).toMatchObject({ connected: true });
  const at = new Date(Date.now() + 3600_000).toISOString();
  // So many nodes that they are in an object of their own.
  const nodes = Array.from({ length: 500 }, (_, index) => `n${index}.example.com`);
  const planned = await ask('/command/schedule_deploy', {
    environment: '',
    enforce_environment: false,
    scope: { nodes },
    scheduled_time: at,
  });
  expect(planned).toMatchObject({ status: 202 });
  expect((await ask('/scheduled_jobs/environment_jobs')).body.items).toHaveLength(1);
  expect((await ask('/command/stop', { job: '1' })).status).toBe(202);
  expect((await ask('/usage')).status).toBe(200);
}
