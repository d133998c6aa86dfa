import { Duration, Fn } from 'aws-cdk-lib';
import { Peer, Port, SecurityGroup } from 'aws-cdk-lib/aws-ec2';
import { EventField, Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { Construct } from 'constructs';
import { EDGE } from '../shared/config/front-doors.ts';
import { PROBE_VARIABLES } from '../shared/config/probe.ts';
import type { ProbeContext } from './context/operations-context.ts';
import type { Edge } from './edge.ts';
import { type UnderstudyFunction, understudyFunction } from './function.ts';

interface ProbeSettings extends ProbeContext {
  readonly edge: Edge;
  /** Whether X-Ray gets traces. */
  readonly tracing: boolean;
}

/** Does an agent's whole run against the edge every five minutes, from inside its network. */
export class Probe extends Construct {
  readonly handler: UnderstudyFunction;

  constructor(scope: Construct, id: string, { edge, tracing, certname, secret }: ProbeSettings) {
    super(scope, id);
    const { vpc, containers } = edge.network;
    const group = new SecurityGroup(this, 'Group', { vpc, description: 'The probe', allowAllOutbound: false });
    const port = Port.tcp(EDGE.port);
    if (edge.isInternetFacing) {
      // The name of the load balancer has public addresses, which no group stands for.
      group.addEgressRule(Peer.anyIpv4(), port, 'Load balancer');
      for (const address of edge.network.listNatAddresses()) {
        edge.doorway.addIngressRule(Peer.ipv4(Fn.join('', [address, '/32'])), port, 'Probe');
      }
    } else {
      group.addEgressRule(edge.doorway, port, 'Load balancer');
      edge.doorway.addIngressRule(group, port, 'Probe');
    }
    this.handler = understudyFunction(this, 'Run', {
      entry: 'probe',
      description: "Does an agent's whole run against the edge",
      memoryMegabytes: 256,
      // A request for a catalog may be held.
      timeout: Duration.seconds(EDGE.holdSeconds + 50),
      tracing,
      isScheduled: true,
      network: { vpc, vpcSubnets: containers, securityGroups: [group] },
      environment: {
        [PROBE_VARIABLES.url]: `https://${edge.loadBalancer.loadBalancerDnsName}:${EDGE.port}`,
        [PROBE_VARIABLES.certname]: certname,
      },
      secrets: {
        [PROBE_VARIABLES.certificate]: `${secret}#certificate`,
        [PROBE_VARIABLES.key]: `${secret}#key`,
      },
    });
    new Rule(this, 'Schedule', {
      schedule: Schedule.rate(Duration.minutes(5)),
      targets: [
        new LambdaFunction(this.handler, {
          retryAttempts: 0,
          event: RuleTargetInput.fromObject({ time: EventField.time }),
        }),
      ],
    });
  }
}
