import { Validations } from 'aws-cdk-lib';
import type { IAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import type { Alias } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';

/**
 * Gives a new version a tenth of the events for five minutes, then all of them. If one of the
 * alarms goes off meanwhile, the former version gets all events again.
 */
export function deployGradually(scope: Construct, alias: Alias, alarms: readonly IAlarm[]): void {
  const group = new LambdaDeploymentGroup(scope, 'GradualDeploy', {
    alias,
    deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
    alarms: [...alarms],
  });
  const { role } = group;
  if (role === undefined) return;
  Validations.of(role).acknowledge({
    id: 'AwsSolutions::AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSCodeDeployRoleForLambdaLimited]',
    reason: 'AWS maintains what CodeDeploy needs to move an alias.',
  });
}
