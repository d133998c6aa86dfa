import { BlockList, isIP } from 'node:net';
import { Validations } from 'aws-cdk-lib';
import {
  CfnEIP,
  FlowLogDestination,
  GatewayVpcEndpointAwsService,
  InterfaceVpcEndpointAwsService,
  IpAddresses,
  type ISubnet,
  type IVpc,
  Peer,
  Port,
  SecurityGroup,
  Subnet,
  type SubnetSelection,
  SubnetType,
  Vpc,
} from 'aws-cdk-lib/aws-ec2';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import { Construct, type IDependable } from 'constructs';
import type { ExistingVpcContext, NetworkContext } from './context/network-context.ts';

/** Services that containers reach through interface endpoints where there is no NAT. */
const ENDPOINTS = {
  Sqs: InterfaceVpcEndpointAwsService.SQS,
  Kms: InterfaceVpcEndpointAwsService.KMS,
  Logs: InterfaceVpcEndpointAwsService.CLOUDWATCH_LOGS,
  Ecr: InterfaceVpcEndpointAwsService.ECR,
  EcrDocker: InterfaceVpcEndpointAwsService.ECR_DOCKER,
  SecretsManager: InterfaceVpcEndpointAwsService.SECRETS_MANAGER,
} as const;
/** Zones for which our own VPC has ranges, whether it has subnets there or not. */
const MOST_ZONES = 3;

interface NetworkSettings extends NetworkContext {
  readonly internetFacing: boolean;
  /** The bucket of the flow logs. */
  readonly logs: IBucket;
  /** Whether containers call functions. */
  readonly callsFunctions: boolean;
}

/** Groups of subnets of our own VPC: those with public addresses, and those of the containers. */
const SUBNETS = { open: 'Public', containers: 'Private' } as const;

/** The VPC of the edge, and where in it containers and the load balancer are. */
export class Network extends Construct {
  readonly vpc: IVpc;
  readonly containers: SubnetSelection;
  readonly loadBalancer: SubnetSelection;
  /** Routes and endpoints by which containers reach what they need to start. */
  readonly ways: readonly IDependable[];

  constructor(scope: Construct, id: string, settings: NetworkSettings) {
    super(scope, id);
    const { vpc: existing, endpoints, internetFacing } = settings;
    if (existing) {
      this.vpc = Vpc.fromVpcAttributes(this, 'Existing', {
        vpcId: existing.id,
        availabilityZones: [...existing.availabilityZones],
      });
      this.containers = { subnets: this.#findSubnets('Containers', existing, existing.containerSubnets) };
      this.loadBalancer = { subnets: this.#findSubnets('LoadBalancer', existing, existing.loadBalancerSubnets) };
      this.ways = [];
      const id = 'Annotation::@aws-cdk/aws-ec2:noSubnetRouteTableId';
      Validations.of(this).acknowledge({ id, reason: 'Nothing is added to the routes of an existing VPC.' });
      return;
    }
    const vpc = this.#createVpc(settings);
    this.vpc = vpc;
    this.containers = { subnetGroupName: SUBNETS.containers };
    this.loadBalancer = internetFacing ? { subnetGroupName: SUBNETS.open } : this.containers;
    const routes = vpc.selectSubnets(this.containers).internetConnectivityEstablished;
    this.ways = [routes, ...(endpoints ? this.#addEndpoints(vpc, settings) : [])];
  }

  /** Throws an Error for a private address that is outside its zone's subnet of our own VPC. */
  assertAddresses(addresses: readonly string[]): void {
    if (!(this.vpc instanceof Vpc)) return;
    for (const [index, { ipv4CidrBlock }] of this.vpc.selectSubnets(this.loadBalancer).subnets.entries()) {
      const address = addresses[index] ?? '';
      if (isIP(address) === 0 || isInside(address, ipv4CidrBlock)) continue;
      throw new Error(
        `Context understudy:network: 'addresses' has ${address} for zone ${index + 1}, whose subnet is ${ipv4CidrBlock}`,
      );
    }
  }

  /** The addresses from which containers and functions of our own VPC reach the Internet. */
  listNatAddresses(): readonly string[] {
    const open = this.vpc instanceof Vpc ? this.vpc.publicSubnets : [];
    return open.flatMap((subnet) => {
      const address = subnet.node.tryFindChild('EIP');
      return address instanceof CfnEIP ? [address.attrPublicIp] : [];
    });
  }

  #findSubnets(id: string, { availabilityZones }: ExistingVpcContext, ids: readonly string[]): ISubnet[] {
    return ids.map((subnetId, index) => {
      const availabilityZone = availabilityZones[index] ?? '';
      return Subnet.fromSubnetAttributes(this, `${id}${index}`, { subnetId, availabilityZone });
    });
  }

  /**
   * Containers reach the stores through gateway endpoints, and the queues and an upstream CA
   * through NAT, or the former through interface endpoints. A subnet keeps its range when zones are
   * added, or endpoints take the place of NAT: a live stack can be changed so.
   */
  #createVpc({ cidr, zones, availabilityZones, natGateways, endpoints, internetFacing, logs }: NetworkSettings): Vpc {
    const needsOpen = internetFacing || !endpoints;
    const vpc = new Vpc(this, 'Vpc', {
      ipAddresses: IpAddresses.cidr(cidr),
      ...(availabilityZones.length > 0 ? { availabilityZones: [...availabilityZones] } : { maxAzs: zones }),
      reservedAzs: MOST_ZONES - zones,
      natGateways: endpoints ? 0 : natGateways,
      subnetConfiguration: [
        { name: SUBNETS.open, subnetType: SubnetType.PUBLIC, reserved: !needsOpen },
        {
          name: SUBNETS.containers,
          subnetType: endpoints ? SubnetType.PRIVATE_ISOLATED : SubnetType.PRIVATE_WITH_EGRESS,
        },
      ],
      restrictDefaultSecurityGroup: false,
      gatewayEndpoints: {
        S3: { service: GatewayVpcEndpointAwsService.S3 },
        DynamoDb: { service: GatewayVpcEndpointAwsService.DYNAMODB },
      },
    });
    // A log group would cost twice as much.
    vpc.addFlowLog('Flows', { destination: FlowLogDestination.toS3(logs, 'flows/') });
    return vpc;
  }

  #addEndpoints(vpc: Vpc, { cidr, callsFunctions }: NetworkSettings): readonly IDependable[] {
    const doorway = new SecurityGroup(this, 'Endpoints', { vpc, description: 'Containers to the interface endpoints' });
    doorway.addIngressRule(Peer.ipv4(cidr), Port.tcp(443), 'Our own network');
    const services = { ...ENDPOINTS, ...(callsFunctions ? { Lambda: InterfaceVpcEndpointAwsService.LAMBDA } : {}) };
    return Object.entries(services).map(([id, service]) =>
      vpc.addInterfaceEndpoint(id, { service, open: false, securityGroups: [doorway], subnets: this.containers }),
    );
  }
}

function isInside(address: string, network: string): boolean {
  const [base = '', bits = ''] = network.split('/');
  const list = new BlockList();
  list.addSubnet(base, Number(bits));
  return list.check(address);
}
