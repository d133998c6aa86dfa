import { expect, it } from 'vitest';
import { listMisfits } from './resource-schemas.ts';

const queue = (Properties: Readonly<Record<string, unknown>>) => ({
  Resources: { Queue: { Type: 'AWS::SQS::Queue', Properties } },
});

it.each([
  [queue({ VisibilityTimeout: 30, QueueName: { Ref: 'AWS::StackName' }, Tags: [{ Key: 'a', Value: 'b' }] }), []],
  [queue({ Visibility: 30 }), ['Queue.Visibility: is no property']],
  [queue({ VisibilityTimeout: 'long' }), ['Queue.VisibilityTimeout: "long" is no integer']],
  [{ Resources: { Key: { Type: 'AWS::None::Such' } } }, ['Key: no schema of AWS::None::Such']],
  [
    { Resources: { Topic: { Type: 'AWS::SNS::Subscription', Properties: { Protocol: 'email' } } } },
    ['Topic.TopicArn: is missing'],
  ],
  [
    {
      Resources: {
        Service: {
          Type: 'AWS::ECS::Service',
          Properties: { DeploymentConfiguration: { Alarms: { AlarmNames: 'one', Enable: true, Rollback: true } } },
        },
      },
    },
    ['Service.DeploymentConfiguration.Alarms.AlarmNames: "one" is no array'],
  ],
])('finds what CloudFormation would refuse in %j', (template, misfits) => {
  expect(listMisfits(template)).toEqual(misfits);
});
