import { RemovalPolicy } from 'aws-cdk-lib';
import {
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
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { ExistingVpcContext, NetworkContext } from './network-context.ts';

/** Services that containers reach through interface endpoints where there is no NAT. */
const ENDPOINTS = {
  Sqs: InterfaceVpcEndpointAwsService.SQS,
  Kms: InterfaceVpcEndpointAwsService.KMS,
  Logs: InterfaceVpcEndpointAwsService.CLOUDWATCH_LOGS,
  Ecr: InterfaceVpcEndpointAwsService.ECR,
  EcrDocker: InterfaceVpcEndpointAwsService.ECR_DOCKER,
  SecretsManager: InterfaceVpcEndpointAwsService.SECRETS_MANAGER,
} as const;

interface NetworkSettings extends NetworkContext {
  readonly internetFacing: boolean;
}

/** The VPC of the edge, and where in it containers and the load balancer are. */
export class Network extends Construct {
  readonly vpc: IVpc;
  readonly containers: SubnetSelection;
  readonly loadBalancer: SubnetSelection;

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
      return;
    }
    this.vpc = this.#create(settings);
    this.containers = { subnetType: endpoints ? SubnetType.PRIVATE_ISOLATED : SubnetType.PRIVATE_WITH_EGRESS };
    this.loadBalancer = internetFacing ? { subnetType: SubnetType.PUBLIC } : this.containers;
  }

  #findSubnets(id: string, { availabilityZones }: ExistingVpcContext, ids: readonly string[]): ISubnet[] {
    return ids.map((subnetId, index) => {
      const availabilityZone = availabilityZones[index] ?? '';
      return Subnet.fromSubnetAttributes(this, `${id}${index}`, { subnetId, availabilityZone });
    });
  }

  /**
   * Containers reach the stores through gateway endpoints, and the queues and an upstream CA
   * through NAT, or the former through interface endpoints.
   */
  #create({ cidr, zones, natGateways, endpoints }: NetworkSettings): Vpc {
    const vpc = new Vpc(this, 'Vpc', {
      ipAddresses: IpAddresses.cidr(cidr),
      maxAzs: zones,
      natGateways: endpoints ? 0 : natGateways,
      restrictDefaultSecurityGroup: false,
      gatewayEndpoints: {
        S3: { service: GatewayVpcEndpointAwsService.S3 },
        DynamoDb: { service: GatewayVpcEndpointAwsService.DYNAMODB },
      },
    });
    if (endpoints) this.#addEndpoints(vpc, cidr);
    const log = new LogGroup(this, 'FlowLog', {
      retention: RetentionDays.ONE_MONTH,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    vpc.addFlowLog('Flows', { destination: FlowLogDestination.toCloudWatchLogs(log) });
    return vpc;
  }

  #addEndpoints(vpc: Vpc, cidr: string): void {
    const doorway = new SecurityGroup(this, 'Endpoints', { vpc, description: 'Containers to the interface endpoints' });
    doorway.addIngressRule(Peer.ipv4(cidr), Port.tcp(443), 'Our own network');
    for (const [id, service] of Object.entries(ENDPOINTS)) {
      vpc.addInterfaceEndpoint(id, { service, open: false, securityGroups: [doorway] });
    }
  }
}
