import { Duration, Validations } from 'aws-cdk-lib';
import { Port, SecurityGroup } from 'aws-cdk-lib/aws-ec2';
import { EventField, Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { CANARY_VARIABLES } from '../shared/config/canary.ts';
import { EDGE } from '../shared/config/front-doors.ts';
import type { Edge } from './edge.ts';
import { secretText, type UnderstudyFunction, understudyFunction } from './function.ts';
import type { CanaryContext } from './operations-context.ts';

interface CanarySettings extends CanaryContext {
  readonly edge: Edge;
  /** Whether X-Ray gets traces. */
  readonly tracing: boolean;
}

/** Does an agent's whole run against the edge every five minutes, from inside its network. */
export class Canary extends Construct {
  readonly handler: UnderstudyFunction;

  constructor(scope: Construct, id: string, { edge, tracing, certname, secret }: CanarySettings) {
    super(scope, id);
    const { vpc, containers } = edge.network;
    const group = new SecurityGroup(this, 'Group', { vpc, description: 'The canary', allowAllOutbound: false });
    group.addEgressRule(edge.doorway, Port.tcp(EDGE.port), 'Load balancer');
    edge.doorway.addIngressRule(group, Port.tcp(EDGE.port), 'Canary');
    this.handler = understudyFunction(this, 'Run', {
      entry: 'canary',
      description: "Does an agent's whole run against the edge",
      memoryMegabytes: 256,
      // A request for a catalog may be held.
      timeout: Duration.seconds(EDGE.holdSeconds + 50),
      tracing,
      network: { vpc, vpcSubnets: containers, securityGroups: [group] },
      environment: {
        [CANARY_VARIABLES.url]: `https://${edge.loadBalancer.loadBalancerDnsName}:${EDGE.port}`,
        [CANARY_VARIABLES.certname]: certname,
        [CANARY_VARIABLES.certificate]: secretText(secret, 'certificate'),
        [CANARY_VARIABLES.key]: secretText(secret, 'key'),
      },
    });
    this.#allowNetwork();
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

  /** Lambda puts the function into the network with its own role. */
  #allowNetwork(): void {
    const { role } = this.handler;
    if (!role) return;
    const actions = ['CreateNetworkInterface', 'DescribeNetworkInterfaces', 'DeleteNetworkInterface'];
    this.handler.addToRolePolicy(
      new PolicyStatement({ effect: Effect.ALLOW, actions: actions.map((name) => `ec2:${name}`), resources: ['*'] }),
    );
    Validations.of(role).acknowledge({
      id: 'AwsSolutions::AwsSolutions-IAM5[Resource::*]',
      reason: 'Lambda describes the network interfaces of functions, which has no resource level.',
    });
  }
}
