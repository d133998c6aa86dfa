import { Validations } from 'aws-cdk-lib';
import type { Construct, IConstruct } from 'constructs';
import type { Edge } from './edge.ts';
import type { FrontDoor } from './front-door.ts';
import type { Workers } from './job-functions.ts';
import type { Notify } from './notify.ts';
import type { Queues } from './queues.ts';

interface Acknowledged {
  readonly workers: Workers;
  readonly frontDoor: FrontDoor;
  readonly queues: Queues;
  readonly edge: Edge;
  /** Null without an orchestrator. */
  readonly notify: Notify | null;
}

/**
 * Acknowledges the findings of cdk-nag's AWS Solutions rules that are intended, each with its
 * reason. Findings on object prefixes are acknowledged where the permission is granted
 * (`grantObjects`).
 */
export function acknowledgeFindings({ workers, frontDoor, queues, edge, notify }: Acknowledged): void {
  acknowledge(
    queues.exportsDeadLetters,
    'SQS3',
    'This queue receives the failed batches of a stream event source: it is a dead-letter queue itself.',
  );
  acknowledge(
    workers.exports.role,
    'IAM5[Resource::*]',
    'dynamodb:ListStreams has no resource level; reading is limited to the exports table.',
  );
  acknowledge(
    notify?.deadLetters,
    'SQS3',
    'This queue receives the failed batches of a stream event source: it is a dead-letter queue itself.',
  );
  acknowledge(
    notify?.record.role,
    'IAM5[Resource::*]',
    'dynamodb:ListStreams has no resource level; reading is limited to the nodes table.',
  );
  acknowledge(
    frontDoor.api,
    'APIG4',
    'Status, packages and CA bootstrap are open by design; deploys, if routed, need IAM and a token.',
  );
  acknowledge(
    frontDoor.agents ?? undefined,
    'APIG4',
    'Mutual TLS of the domain identifies the clients; the app checks the certificate and its rules.',
  );
  acknowledge(
    edge.loadBalancer,
    'ELB2',
    'A network load balancer logs only TLS listeners; this one passes TLS on unopened, and the app logs each request.',
  );
  acknowledge(
    edge.cluster,
    'ECS4',
    'Container Insights are billed by metric; alarms use free metrics of ECS and our own. A setting turns them on.',
  );
  for (const { task } of [edge, edge.authority, ...(edge.broker ? [edge.broker] : [])]) {
    acknowledge(task, 'ECS2', 'The variables are names of tables, queues, the bucket and the server: none is secret.');
    acknowledge(
      task.executionRole,
      'IAM5[Resource::*]',
      'ecr:GetAuthorizationToken has no resource level; pulling is limited to the repository of the image.',
    );
  }
}

function acknowledge(construct: Construct | IConstruct | undefined, rule: string, reason: string): void {
  if (construct) Validations.of(construct).acknowledge({ id: `AwsSolutions::AwsSolutions-${rule}`, reason });
}
