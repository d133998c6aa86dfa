import { type IVpc, Peer, Port, SecurityGroup } from 'aws-cdk-lib/aws-ec2';
import { Construct } from 'constructs';
import { AUTHORITY, EDGE } from '../shared/config/front-doors.ts';
import { BROKER, ORCHESTRATOR } from '../shared/config/orchestrator.ts';

interface DoorwaySettings {
  readonly vpc: IVpc;
  /** The networks that agents connect from, in CIDR notation. */
  readonly agentNetworks: readonly string[];
  /** The networks that operators and pipelines connect from, in CIDR notation. */
  readonly operatorNetworks: readonly string[];
  /** Whether there is an orchestrator, with its ports. */
  readonly hasOrchestrator: boolean;
}

/** Rules that a security group may have in one direction, by AWS's default quota. */
const RULES = 60;
/** A group has the rules of at most two ports; the load balancer may have five groups. */
const PORTS_A_GROUP = 2;

/** Numbers of networks above which a group would have more rules than AWS allows. */
export const MOST_NETWORKS = { agentNetworks: RULES, operatorNetworks: RULES / PORTS_A_GROUP } as const;

/** The security groups of the load balancer: who may connect to which port. */
export class Doorway extends Construct {
  /** The group through which the load balancer reaches the containers, whose groups name it. */
  readonly group: SecurityGroup;
  readonly all: readonly SecurityGroup[];

  constructor(scope: Construct, id: string, settings: DoorwaySettings) {
    super(scope, id);
    const { vpc, agentNetworks, operatorNetworks, hasOrchestrator } = settings;
    this.group = new SecurityGroup(this, 'Inside', {
      vpc,
      description: 'The load balancer to the containers',
      allowAllOutbound: false,
    });
    const jobs = hasOrchestrator ? [ORCHESTRATOR.port] : [];
    this.all = [
      this.group,
      this.#letIn(vpc, 'Agents', agentNetworks, [EDGE.port]),
      ...(hasOrchestrator ? [this.#letIn(vpc, 'PxpAgents', agentNetworks, [BROKER.port])] : []),
      this.#letIn(vpc, 'Operators', operatorNetworks, [AUTHORITY.port, ...jobs]),
      this.#letIn(vpc, 'People', operatorNetworks, [ORCHESTRATOR.accessPort, ORCHESTRATOR.consolePort]),
    ];
  }

  #letIn(vpc: IVpc, id: string, networks: readonly string[], ports: readonly number[]): SecurityGroup {
    const description = `${id} to the load balancer`;
    const group = new SecurityGroup(this, id, { vpc, description, allowAllOutbound: false });
    for (const network of networks) {
      for (const port of ports) group.addIngressRule(Peer.ipv4(network), Port.tcp(port), id);
    }
    return group;
  }
}
