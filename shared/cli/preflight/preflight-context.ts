import { BROKER_SIZES, EDGE_SIZES, SIZES } from '../../config/sizes.ts';

/** Settings in `cdk.json` that the checks read. */
export interface PreflightContext {
  readonly stackName: string;
  /** Null for the region of the credentials. */
  readonly region: string | null;
  /** Host names of the edge, the first of them the agents' server. */
  readonly names: readonly string[];
  readonly concurrency: number;
  /** Maximum CPUs of all edge containers together. */
  readonly mostEdgeCpus: number;
  /** Maximum CPUs of all broker containers together; 0 without an orchestrator. */
  readonly mostBrokerCpus: number;
  /** NAT gateways and VPCs that the stack makes. */
  readonly natGateways: number;
  readonly vpcs: number;
  /** The names of the zones of our own VPC; empty: the region's first ones. */
  readonly zones: readonly string[];
  readonly zoneCount: number;
  /** Names or ARNs of secrets. */
  readonly secrets: readonly string[];
  /** The mutual-TLS domain of the API: its certificate's ARN, and the file with the trusted CA. */
  readonly agents: { readonly certificate: string; readonly trustStore: string } | null;
}

type Settings = Readonly<Record<string, unknown>>;

/**
 * Reads the context of a `cdk.json`. `cdk synth` checks it; values that are not valid are ignored.
 */
export function readPreflightContext(text: string): PreflightContext {
  const all = objectOf(objectOf(JSON.parse(text)).context);
  const [settings, network] = [objectOf(all['understudy:settings']), objectOf(all['understudy:network'])];
  const [edge, api] = [objectOf(all['understudy:edge']), objectOf(all['understudy:api'])];
  const stage = textOf(all['understudy:stage']);
  const agents = objectOf(api.agents);
  const zones = numberOf(network.zones, SIZES.zones);
  const hasVpc = network.vpc !== undefined;
  const [certificate, trustStore] = [textOf(agents.certificate), textOf(agents.trustStore)];
  return {
    stackName: stage === null ? 'Understudy' : `Understudy-${stage}`,
    region: textOf(all['understudy:region']),
    names: listOf(edge.names),
    concurrency:
      numberOf(settings.waitingConcurrency, SIZES.waitingConcurrency) +
      numberOf(settings.expressConcurrency, SIZES.expressConcurrency) +
      numberOf(settings.backgroundConcurrency, SIZES.backgroundConcurrency),
    mostEdgeCpus: (numberOf(objectOf(settings.containers).max, SIZES.containers.max) * EDGE_SIZES.cpu) / 1024,
    mostBrokerCpus: countBrokerCpus(all['understudy:orchestrator']),
    natGateways: hasVpc || network.endpoints === true ? 0 : numberOf(network.natGateways, zones),
    vpcs: hasVpc ? 0 : 1,
    zones: listOf(hasVpc ? objectOf(network.vpc).availabilityZones : network.availabilityZones),
    zoneCount: zones,
    secrets: [
      ...Object.values(objectOf(settings.eyamlKeys)),
      objectOf(settings.upstream).keySecret,
      objectOf(api.certificateRequests).challengeSecret,
    ].filter((secret) => typeof secret === 'string'),
    agents: certificate === null || trustStore === null ? null : { certificate, trustStore },
  };
}

function countBrokerCpus(orchestrator: unknown): number {
  if (orchestrator === false) return 0;
  const settings = objectOf(orchestrator);
  const containers = numberOf(objectOf(settings.containers).max, BROKER_SIZES.containers.max);
  return (containers * numberOf(settings.cpu, BROKER_SIZES.cpu)) / 1024;
}

function objectOf(value: unknown): Settings {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function listOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function numberOf(value: unknown, usual: number): number {
  return typeof value === 'number' ? value : usual;
}
