import { Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import { BackupPlan, BackupPlanRule, BackupResource, BackupVault } from 'aws-cdk-lib/aws-backup';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import type { BackupsContext } from './context/operations-context.ts';
import type { Storage } from './storage.ts';
import type { Tables } from './tables.ts';

interface BackupsSettings extends BackupsContext {
  readonly tables: Tables;
  readonly storage: Storage;
}

/** AWS's policies for its backup service. */
const POLICIES = ['service-role/AWSBackupServiceRolePolicyForBackup', 'AWSBackupServiceRolePolicyForS3Backup'] as const;

/** Daily backups of the tables and the bucket in a vault of their own, which stays. */
export class Backups extends Construct {
  constructor(scope: Construct, id: string, { tables, storage, days, copyTo }: BackupsSettings) {
    super(scope, id);
    const vault = new BackupVault(this, 'Vault', { removalPolicy: RemovalPolicy.RETAIN });
    const deleteAfter = Duration.days(days);
    const elsewhere = copyTo === undefined ? [] : [BackupVault.fromBackupVaultArn(this, 'Elsewhere', copyTo)];
    const plan = new BackupPlan(this, 'Plan', {
      backupVault: vault,
      backupPlanRules: [
        new BackupPlanRule({
          ruleName: 'daily',
          deleteAfter,
          copyActions: elsewhere.map((destinationBackupVault) => ({ destinationBackupVault, deleteAfter })),
        }),
      ],
    });
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('backup.amazonaws.com'),
      managedPolicies: [...POLICIES.map((name) => ManagedPolicy.fromAwsManagedPolicyName(name))],
    });
    for (const policy of POLICIES) {
      Validations.of(role).acknowledge({
        id: `AwsSolutions::AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/${policy}]`,
        reason: "AWS maintains what its backup service needs; the plan's selection limits what it works on.",
      });
    }
    plan.addSelection('All', {
      role,
      resources: [
        ...Object.values(tables.byName).map((table) => BackupResource.fromDynamoDbTable(table)),
        BackupResource.fromArn(storage.bucket.bucketArn),
      ],
    });
  }
}
