import { isIP } from 'node:net';
import type { Node } from 'constructs';
import { SIZES } from '../../shared/config/sizes.ts';
import { SettingsReader } from './settings-reader.ts';

/**
 * The settings in `cdk.json` (or `-c`), under `understudy:network`; README.md of this folder
 * describes each.
 */
export interface NetworkContext {
  /** An existing VPC; absent: one of our own. */
  readonly vpc?: ExistingVpcContext;
  /** Parts of our own VPC: its range, its availability zones, and its NAT gateways. */
  readonly cidr: string;
  readonly zones: number;
  /** The names of these zones; empty: the first ones of the region. */
  readonly availabilityZones: readonly string[];
  readonly natGateways: number;
  /** Whether our own VPC has interface endpoints in place of NAT gateways. */
  readonly endpoints: boolean;
  /**
   * Fixed addresses of the load balancer, one a zone: private IPv4 addresses, or allocation ids of
   * elastic ones when it faces the Internet.
   */
  readonly addresses: readonly string[];
  /** Absent: no endpoint service. */
  readonly endpointService?: EndpointServiceContext;
}

/** The ids of subnets are in the order of the zones. */
export interface ExistingVpcContext {
  readonly id: string;
  readonly availabilityZones: readonly string[];
  /** Subnets of the containers: they need a way to S3, DynamoDB, SQS, KMS, ECR and the logs. */
  readonly containerSubnets: readonly string[];
  readonly loadBalancerSubnets: readonly string[];
}

export interface EndpointServiceContext {
  /** ARNs of accounts, users or roles that may connect. */
  readonly principals: readonly string[];
  /** Whether each connection must be accepted by hand. */
  readonly acceptance: boolean;
}

const KEY = 'understudy:network';

/** Reads and checks the context. Throws an Error that names what is wrong. */
export function networkContext(node: Node): NetworkContext {
  const reader = new SettingsReader(KEY, node.tryGetContext(KEY));
  const context = reader.readAll(readNetwork);
  if (context.vpc) checkVpc(context.vpc, reader);
  const { addresses, availabilityZones, zones } = context;
  if (context.vpc && context.endpoints) throw reader.invalid('endpoints', 'is for our own VPC');
  if (availabilityZones.length > 0 && availabilityZones.length !== zones) {
    throw reader.invalid('availabilityZones', `must name ${zones} zones, as 'zones' says`);
  }
  if (context.vpc && availabilityZones.length > 0) {
    throw reader.invalid('availabilityZones', "is for our own VPC; 'vpc' has its own");
  }
  const places = context.vpc?.loadBalancerSubnets.length ?? zones;
  if (addresses.length > 0 && addresses.length !== places) {
    throw reader.invalid('addresses', `must have one address for each of the ${places} zones`);
  }
  if (!addresses.every((one) => isIP(one) === 4 || one.startsWith('eipalloc-'))) {
    throw reader.invalid('addresses', 'must be IPv4 addresses or allocation ids (eipalloc-…)');
  }
  return context;
}

function readNetwork(reader: SettingsReader): NetworkContext {
  const availabilityZones = reader.readTexts('availabilityZones');
  const zones = reader.readNumber('zones', 2, 3, availabilityZones.length || SIZES.zones);
  return {
    ...reader.readOptionalMap('vpc', readVpc),
    cidr: reader.has('cidr') ? reader.readForm('cidr', /^[\d.]+\/(1[6-9]|2[0-4])$/, 'a network from /16 to /24') : CIDR,
    zones,
    availabilityZones,
    natGateways: reader.readNumber('natGateways', 1, zones, zones),
    endpoints: reader.readFlag('endpoints'),
    addresses: reader.readTexts('addresses'),
    ...reader.readOptionalMap('endpointService', readEndpointService),
  };
}

const CIDR = '10.140.0.0/20';

function readVpc(reader: SettingsReader): ExistingVpcContext {
  return {
    id: reader.readForm('id', /^vpc-/, 'the id of a VPC'),
    availabilityZones: reader.readTexts('availabilityZones'),
    containerSubnets: reader.readTexts('containerSubnets'),
    loadBalancerSubnets: reader.readTexts('loadBalancerSubnets'),
  };
}

function checkVpc({ availabilityZones: zones, id: _, ...subnets }: ExistingVpcContext, reader: SettingsReader): void {
  if (zones.length < 2) throw reader.invalid('vpc.availabilityZones', 'must name at least two zones');
  for (const [key, ids] of Object.entries(subnets)) {
    if (ids.length !== zones.length) throw reader.invalid(`vpc.${key}`, 'must have a subnet for each zone');
  }
}

function readEndpointService(reader: SettingsReader): EndpointServiceContext {
  return { principals: reader.readTexts('principals'), acceptance: reader.readFlag('acceptance', true) };
}
