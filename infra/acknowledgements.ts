import { Validations } from 'aws-cdk-lib';
import type { Construct, IConstruct } from 'constructs';
import type { FrontDoor } from './front-door.ts';
import type { Workers } from './job-functions.ts';
import type { Queues } from './queues.ts';

export interface Acknowledged {
  readonly workers: Workers;
  readonly frontDoor: FrontDoor;
  readonly queues: Queues;
}

/**
 * The findings of cdk-nag's AWS Solutions rules that are meant to be as they are, each with its reason. Those of object
 * prefixes stand where the permission is given (`grantObjects`).
 */
export function acknowledgeFindings({ workers, frontDoor, queues }: Acknowledged): void {
  acknowledge(
    queues.invalidateDeadLetters,
    'SQS3',
    'This queue is where a stream event source sends its failed batches: it is a dead-letter queue itself.',
  );
  acknowledge(
    workers.invalidate.role,
    'IAM5[Resource::*]',
    'dynamodb:ListStreams has no resource level; reading is limited to the exports table.',
  );
  acknowledge(
    frontDoor.api,
    'APIG4',
    'Agents identify themselves by client certificate, which the app checks; status and CA bootstrap are open by design.',
  );
}

function acknowledge(construct: Construct | IConstruct | undefined, rule: string, reason: string): void {
  if (construct) Validations.of(construct).acknowledge({ id: `AwsSolutions::AwsSolutions-${rule}`, reason });
}
