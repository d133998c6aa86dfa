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
    expect(subnets).toContain('IsolatedSubnet1');
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
    const template = stackOf({ [KEY]: { vpc: VPC, addresses } });
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
  ])('refuses the context %j', (context, message) => {
    expect(() => stackOf({ [KEY]: context })).toThrow(`Context ${KEY}: ${message}`);
  });
});
