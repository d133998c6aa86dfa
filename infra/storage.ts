import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { PLAN_DAYS, PREFIXES } from '../shared/config/deployment.ts';
import { CONSOLE_PREFIX } from '../shared/config/front-doors.ts';
import type { SettingValues } from '../shared/config/settings.ts';

/**
 * The bucket of catalogs, facts, environment files, snapshots and reports, and the bucket of its
 * access logs.
 */
export class Storage extends Construct {
  readonly bucket: Bucket;
  readonly accessLogs: Bucket;

  /** Reports and files that nodes backed up expire here, reports for good a day later. */
  constructor(scope: Construct, id: string, retention: Pick<SettingValues, 'keepReports' | 'keepBucket' | 'keepJobs'>) {
    super(scope, id);
    this.accessLogs = new Bucket(this, 'AccessLogs', {
      encryption: BucketEncryption.S3_MANAGED,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      enforceSSL: true,
      lifecycleRules: [{ expiration: Duration.days(90) }],
      removalPolicy: RemovalPolicy.RETAIN,
    });
    this.bucket = new Bucket(this, 'Data', {
      encryption: BucketEncryption.S3_MANAGED,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      enforceSSL: true,
      versioned: true,
      serverAccessLogsBucket: this.accessLogs,
      serverAccessLogsPrefix: 'data/',
      lifecycleRules: [
        {
          noncurrentVersionExpiration: Duration.days(30),
          // Removes the delete marker of a deleted object once its last version has expired.
          expiredObjectDeleteMarker: true,
          abortIncompleteMultipartUploadAfter: Duration.days(1),
        },
        { prefix: PREFIXES.requests, expiration: Duration.days(1), noncurrentVersionExpiration: Duration.days(1) },
        {
          prefix: PREFIXES.reports,
          expiration: Duration.days(retention.keepReports),
          noncurrentVersionExpiration: Duration.days(1),
        },
        // Plans of deploys are deleted when all affected nodes are invalidated. The feeder writes
        // the plan of a fan-out that lasts anew (`keepPlan`), so that only a crash leaves some to
        // expire.
        {
          prefix: PREFIXES.fanOuts,
          expiration: Duration.days(PLAN_DAYS.kept),
          noncurrentVersionExpiration: Duration.days(1),
        },
        // A server stores those of its release anew when it starts.
        {
          prefix: CONSOLE_PREFIX,
          expiration: Duration.days(365),
          noncurrentVersionExpiration: Duration.days(1),
        },
        { prefix: PREFIXES.bucket, expiration: Duration.days(retention.keepBucket) },
        {
          prefix: PREFIXES.jobs,
          expiration: Duration.days(retention.keepJobs),
          noncurrentVersionExpiration: Duration.days(1),
        },
      ],
      removalPolicy: RemovalPolicy.RETAIN,
    });
  }
}
