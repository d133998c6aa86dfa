import { isIP } from 'node:net';
import type { NetworkContext } from './network-context.ts';
import type { OperationsContext } from './operations-context.ts';
import type { OperatorContext } from './operator-context.ts';

/** The settings that are checked against each other. */
interface Together {
  readonly operator: Pick<OperatorContext, 'upstream' | 'compilerUpstream'>;
  readonly api: { readonly certificateRequests?: unknown };
  readonly edge: { readonly internetFacing: boolean };
  readonly network: Pick<NetworkContext, 'addresses' | 'endpoints'>;
  readonly operations: Pick<OperationsContext, 'probe'>;
}

/**
 * Refuses settings that are valid one by one, and could not be deployed together or would not work.
 * Throws an Error that names the setting and the reason.
 */
export function assertTogether({ operator, api, edge, network, operations }: Together): void {
  const refuse = (key: string, name: string, reason: string): never => {
    throw new Error(`Context understudy:${key}: '${name}' ${reason}`);
  };
  if (api.certificateRequests && operator.upstream) {
    refuse('api', 'certificateRequests', "needs the stack's own certificate authority");
  }
  const { addresses, endpoints } = network;
  const isPrivate = (address: string) => isIP(address) === 4;
  if (edge.internetFacing && addresses.some(isPrivate)) {
    refuse('network', 'addresses', 'must be allocation ids (eipalloc-…), for the load balancer faces the Internet');
  }
  if (!edge.internetFacing && !addresses.every(isPrivate)) {
    refuse('network', 'addresses', 'must be private IPv4 addresses, for the load balancer is internal');
  }
  if (!endpoints) return;
  const away = "cannot be reached without NAT gateways ('endpoints' of understudy:network)";
  if (operator.upstream) refuse('settings', 'upstream', away);
  if (operator.compilerUpstream) refuse('settings', 'compilerUpstream', away);
  if (operations.probe && edge.internetFacing) {
    refuse('operations', 'probe', `tries public addresses, which ${away}`);
  }
}
