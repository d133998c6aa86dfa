import { isIP } from 'node:net';
import type { Node } from 'constructs';
import { MOST_NETWORKS } from '../doorway.ts';

/** The settings of the edge in `cdk.json` (or `-c`), under `understudy:edge`. */
interface EdgeContext {
  readonly names: readonly string[];
  readonly internetFacing: boolean;
  readonly agentNetworks: readonly string[];
  /** The networks of operators and pipelines; those of agents by default. */
  readonly operatorNetworks: readonly string[];
  /** The IP address that agents use, if it is not an address of the load balancer. */
  readonly address: string | undefined;
  /** The base image, with its digest; undefined for Node's official one by its tag. */
  readonly baseImage: string | undefined;
}

const KEY = 'understudy:edge';

/** Reads and checks the context. Throws an Error that names what is wrong. */
export function edgeContext(node: Node): EdgeContext {
  const given: unknown = node.tryGetContext(KEY);
  const context: Partial<Record<keyof EdgeContext, unknown>> =
    typeof given === 'string' ? JSON.parse(given) : typeof given === 'object' && given !== null ? given : {};
  const { names, internetFacing = false, agentNetworks, address, baseImage } = context;
  const { operatorNetworks = agentNetworks } = context;
  if (!isTexts(names)) throw new Error(`Context ${KEY}: 'names' must be a list of host names, the server's first`);
  if (!isTexts(agentNetworks)) throw new Error(`Context ${KEY}: 'agentNetworks' must be a list of networks (CIDR)`);
  if (!isTexts(operatorNetworks)) {
    throw new Error(`Context ${KEY}: 'operatorNetworks' must be a list of networks (CIDR)`);
  }
  for (const [name, networks] of Object.entries({ agentNetworks, operatorNetworks })) {
    const most = MOST_NETWORKS[name as keyof typeof MOST_NETWORKS];
    if (networks.length > most) {
      throw new Error(`Context ${KEY}: '${name}' may have ${most} networks, the rules of a security group; join some`);
    }
    const bad = networks.find((one) => !isNetwork(one));
    if (bad !== undefined) throw new Error(`Context ${KEY}: '${name}' has '${bad}', which is no IPv4 network (CIDR)`);
  }
  if (typeof internetFacing !== 'boolean') throw new Error(`Context ${KEY}: 'internetFacing' must be true or false`);
  if (address !== undefined && !isAddress(address)) throw new Error(`Context ${KEY}: 'address' must be an IP address`);
  if (baseImage !== undefined && !isImage(baseImage)) {
    throw new Error(`Context ${KEY}: 'baseImage' must be an image with its digest (NAME@sha256:…)`);
  }
  return { names, internetFacing, agentNetworks, operatorNetworks, address, baseImage };
}

function isAddress(value: unknown): value is string {
  return typeof value === 'string' && isIP(value) !== 0;
}

function isNetwork(value: string): boolean {
  const [address = '', bits = '', ...rest] = value.split('/');
  return isIP(address) === 4 && /^\d+$/.test(bits) && Number(bits) <= 32 && rest.length === 0;
}

function isImage(value: unknown): value is string {
  return typeof value === 'string' && /^[\w./:-]+@sha256:[0-9a-f]{64}$/.test(value);
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string');
}
