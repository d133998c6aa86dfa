import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { propertiesOf, stackOf } from '../helpers/stack-of.ts';

const KEY = 'understudy:network';
const VPC = {
  id: 'vpc-0123456789abcdef0',
  availabilityZones: ['eu-central-1a', 'eu-central-1b'],
  containerSubnets: ['subnet-0123456789abcdec1', 'subnet-0123456789abcdec2'],
  loadBalancerSubnets: ['subnet-0123456789abcdea1', 'subnet-0123456789abcdea2'],
};
const EDGE = { names: ['puppet'], agentNetworks: ['10.0.0.0/8'] };
const LOAD_BALANCER = 'AWS::ElasticLoadBalancingV2::LoadBalancer';

describe('the network of the edge', () => {
  it('is a VPC of two zones with NAT, unless the operator says otherwise', () => {
    const template = stackOf();
    template.hasResourceProperties('AWS::EC2::VPC', { CidrBlock: '10.140.0.0/20' });
    template.resourceCountIs('AWS::EC2::NatGateway', 2);
    template.resourceCountIs('AWS::EC2::Subnet', 4);
  });

  it('has the range, zones and gateways that the operator names', () => {
    const template = stackOf({ [KEY]: { cidr: '10.9.0.0/22', zones: 3, natGateways: 1 } });
    template.hasResourceProperties('AWS::EC2::VPC', { CidrBlock: '10.9.0.0/22' });
    template.resourceCountIs('AWS::EC2::NatGateway', 1);
    template.resourceCountIs('AWS::EC2::Subnet', 6);
    const zones = propertiesOf(template, 'AWS::EC2::Subnet').map(({ AvailabilityZone }) => AvailabilityZone);
    const selected = [0, 1, 2].map((zone) => ({ 'Fn::Select': [zone, { 'Fn::GetAZs': '' }] }));
    expect(new Set(zones.map((zone) => JSON.stringify(zone)))).toEqual(new Set(selected.map((z) => JSON.stringify(z))));
  });

  it('reaches AWS by endpoints in place of NAT, if told so', () => {
    const template = stackOf({ [KEY]: { endpoints: true } });
    template.resourceCountIs('AWS::EC2::NatGateway', 0);
    const services = propertiesOf(template, 'AWS::EC2::VPCEndpoint').map(({ ServiceName }) => {
      const text = JSON.stringify(ServiceName);
      return /\.([\w.-]+)"\]*\}?$/.exec(text)?.[1] ?? text;
    });
    expect(services.sort()).toEqual(['dynamodb', 'ecr.api', 'ecr.dkr', 'kms', 'logs', 's3', 'secretsmanager', 'sqs']);
    const [service] = propertiesOf(template, 'AWS::ECS::Service');
    const subnets = JSON.stringify(service?.NetworkConfiguration);
    expect(subnets).toContain('PrivateSubnet1');
    template.resourceCountIs('AWS::EC2::InternetGateway', 0);
    const asked = stackOf({ [KEY]: { endpoints: true }, 'understudy:inventory': true });
    expect(JSON.stringify(propertiesOf(asked, 'AWS::EC2::VPCEndpoint'))).toContain('.lambda"');
  });

  it('has zones by their names', () => {
    const availabilityZones = ['us-east-1b', 'us-east-1d', 'us-east-1f'];
    const template = stackOf({ [KEY]: { availabilityZones } });
    const zones = propertiesOf(template, 'AWS::EC2::Subnet').map(({ AvailabilityZone }) => AvailabilityZone);
    expect([...new Set(zones)]).toEqual(availabilityZones);
  });

  it('starts containers only when the ways to AWS are there', () => {
    for (const [context, way] of [
      [{}, /PrivateSubnet1DefaultRoute/],
      [{ endpoints: true }, /EdgeNetworkVpcSqs/],
    ] as const) {
      const services = stackOf({ [KEY]: context }).findResources('AWS::ECS::Service');
      expect(Object.keys(services)).toHaveLength(3);
      for (const { DependsOn } of Object.values(services)) expect(JSON.stringify(DependsOn)).toMatch(way);
    }
  });

  it.each([
    ['zones are added', { zones: 2 }, { zones: 3 }],
    ['endpoints take the place of NAT', {}, { endpoints: true }],
    ['NAT gateways change', {}, { natGateways: 1 }],
  ])('keeps the ranges of its subnets when %s', (_, before, after) => {
    const rangesOf = (context: object) => {
      const subnets = Object.entries(stackOf({ [KEY]: context }).findResources('AWS::EC2::Subnet'));
      return new Map(subnets.map(([id, { Properties }]) => [id, Properties.CidrBlock]));
    };
    const [ranges, changed] = [rangesOf(before), rangesOf(after)];
    const kept = [...ranges].filter(([id]) => changed.has(id));
    expect(kept.length).toBeGreaterThanOrEqual(2);
    expect(kept.filter(([id, range]) => changed.get(id) !== range)).toEqual([]);
    // No new subnet has the range of one that goes.
    const gone = [...ranges].filter(([id]) => !changed.has(id)).map(([, range]) => range);
    expect([...changed.values()].filter((range) => gone.includes(range))).toEqual([]);
  });

  it('is an existing VPC, of which nothing is created or changed', () => {
    const template = stackOf({ [KEY]: { vpc: VPC } });
    for (const type of ['VPC', 'Subnet', 'NatGateway', 'RouteTable', 'VPCEndpoint', 'FlowLog']) {
      template.resourceCountIs(`AWS::EC2::${type}`, 0);
    }
    template.hasResourceProperties(LOAD_BALANCER, { Subnets: VPC.loadBalancerSubnets });
    template.hasResourceProperties('AWS::ECS::Service', {
      NetworkConfiguration: { AwsvpcConfiguration: Match.objectLike({ Subnets: VPC.containerSubnets }) },
    });
    template.allResourcesProperties('AWS::EC2::SecurityGroup', { VpcId: 'vpc-0123456789abcdef0' });
  });

  it.each([
    [['10.0.1.10', '10.0.2.10'], 'PrivateIPv4Address'],
    [['eipalloc-1', 'eipalloc-2'], 'AllocationId'],
  ])('gives the load balancer the fixed addresses %j', (addresses, property) => {
    const internetFacing = property === 'AllocationId';
    const template = stackOf({ [KEY]: { vpc: VPC, addresses }, 'understudy:edge': { ...EDGE, internetFacing } });
    const [loadBalancer] = propertiesOf(template, LOAD_BALANCER);
    expect(loadBalancer?.Subnets).toBeUndefined();
    expect(loadBalancer?.SubnetMappings).toEqual(
      addresses.map((address, index) => ({ SubnetId: VPC.loadBalancerSubnets[index], [property]: address })),
    );
  });

  it('offers the load balancer to other accounts by an endpoint service', () => {
    const principal = 'arn:aws:iam::222222222222:root';
    const template = stackOf({ [KEY]: { endpointService: { principals: [principal] } } });
    template.hasResourceProperties('AWS::EC2::VPCEndpointService', {
      AcceptanceRequired: true,
      NetworkLoadBalancerArns: [{ Ref: Match.stringLikeRegexp('^EdgeLoadBalancer') }],
    });
    template.hasResourceProperties('AWS::EC2::VPCEndpointServicePermissions', { AllowedPrincipals: [principal] });
    template.hasResourceProperties(LOAD_BALANCER, { EnforceSecurityGroupInboundRulesOnPrivateLinkTraffic: 'off' });
  });

  it.each<[unknown, string]>([
    [{ zones: 4 }, "'zones' must be a whole number from 2 to 3"],
    [{ natGateways: 3 }, "'natGateways' must be a whole number from 1 to 2"],
    [{ cidr: '10.0.0.0/8' }, "'cidr' must be a network from /16 to /24"],
    [{ addresses: ['10.0.0.1'] }, "'addresses' must have one address for each of the 2 zones"],
    [{ addresses: ['a', 'b'] }, "'addresses' must be IPv4 addresses or allocation ids (eipalloc-…)"],
    [{ vpc: { ...VPC, id: 'x' } }, "'vpc.id' must be the id of a VPC"],
    [{ vpc: { ...VPC, containerSubnets: ['a'] } }, "'vpc.containerSubnets' must have a subnet for each zone"],
    [{ vpc: { ...VPC, availabilityZones: ['a'] } }, "'vpc.availabilityZones' must name at least two zones"],
    [{ vpc: VPC, endpoints: true }, "'endpoints' is for our own VPC"],
    [{ nat: 1 }, "'nat' is not a setting"],
    [{ availabilityZones: ['a', 'b'], zones: 3 }, "'availabilityZones' must name 3 zones, as 'zones' says"],
    [{ availabilityZones: ['a', 'b'], vpc: VPC }, "'availabilityZones' is for our own VPC; 'vpc' has its own"],
    [
      { addresses: ['10.140.1.9', '192.168.1.9'] },
      "'addresses' has 10.140.1.9 for zone 1, whose subnet is 10.140.6.0/23",
    ],
    [
      { addresses: ['eipalloc-1', 'eipalloc-2'] },
      "'addresses' must be private IPv4 addresses, for the load balancer is",
    ],
  ])('refuses the context %j', (context, message) => {
    expect(() => stackOf({ [KEY]: context })).toThrow(`Context ${KEY}: ${message}`);
  });
});

describe('settings together', () => {
  const upstream = { url: 'https://ca:8140', certificate: 'README.md', trusted: 'README.md', keySecret: 'a' };
  const probe = { certname: 'probe', secret: 'probe' };
  const open = { ...EDGE, internetFacing: true };

  it.each<[Readonly<Record<string, unknown>>, string]>([
    [
      { 'understudy:edge': open, [KEY]: { addresses: ['10.140.0.9', '10.140.2.9'] } },
      "understudy:network: 'addresses' must be allocation ids",
    ],
    [
      { 'understudy:settings': { upstream }, [KEY]: { endpoints: true } },
      "understudy:settings: 'upstream' cannot be reached without NAT gateways ('endpoints' of understudy:network)",
    ],
    [
      { 'understudy:settings': { compilerUpstream: { url: 'https://puppet:8140' } }, [KEY]: { endpoints: true } },
      "understudy:settings: 'compilerUpstream' cannot be reached without NAT gateways",
    ],
    [
      { 'understudy:operations': { probe }, 'understudy:edge': open, [KEY]: { endpoints: true } },
      "understudy:operations: 'probe' tries public addresses, which cannot be reached without NAT gateways",
    ],
    [
      { 'understudy:edge': { ...EDGE, agentNetworks: Array(61).fill('10.0.0.0/8') } },
      "understudy:edge: 'agentNetworks' may have 60 networks, the rules of a security group; join some",
    ],
    [
      { 'understudy:edge': { ...EDGE, operatorNetworks: Array(31).fill('10.0.0.0/8') } },
      "understudy:edge: 'operatorNetworks' may have 30 networks",
    ],
    [
      { 'understudy:edge': { ...EDGE, agentNetworks: ['fd00::/8'] } },
      "understudy:edge: 'agentNetworks' has 'fd00::/8', which is no IPv4 network (CIDR)",
    ],
  ])('are refused: %j', (context, message) => {
    expect(() => stackOf(context)).toThrow(`Context ${message}`);
  });

  it('let a probe reach public addresses, through NAT', () => {
    const template = stackOf({ 'understudy:edge': open, 'understudy:operations': { probe } });
    const rules = propertiesOf(template, 'AWS::EC2::SecurityGroup').flatMap(
      ({ SecurityGroupIngress = [] }) => SecurityGroupIngress as readonly { readonly Description: string }[],
    );
    expect(rules.filter(({ Description }) => Description === 'Probe')).toEqual([
      expect.objectContaining({ CidrIp: { 'Fn::Join': ['', [{ 'Fn::GetAtt': expect.anything() }, '/32']] } }),
      expect.objectContaining({ CidrIp: expect.anything() }),
    ]);
    template.hasResourceProperties('AWS::EC2::SecurityGroup', {
      GroupDescription: 'The probe',
      SecurityGroupEgress: [Match.objectLike({ CidrIp: '0.0.0.0/0', FromPort: 8140 })],
    });
  });
});
