import { Duration } from 'aws-cdk-lib';
import { FilterCriteria, FilterRule, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { DynamoEventSource, SqsDlq } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { type UnderstudyFunction, understudyFunction } from './function.ts';
import { grantNotify, type WorkerEnvironment } from './grants.ts';
import type { Tables } from './tables.ts';

interface NotifySettings {
  readonly tables: Tables;
  readonly environment: WorkerEnvironment;
  readonly tracing: boolean;
}

/** The function that makes nodes whose catalogs changed due for a Puppet run. */
export class Notify extends Construct {
  readonly record: UnderstudyFunction;
  /** Batches of the nodes table's stream that the function could not process. */
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: string, { tables, environment, tracing }: NotifySettings) {
    super(scope, id);
    this.deadLetters = new Queue(this, 'DeadLetters', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    });
    this.record = understudyFunction(this, 'Record', {
      entry: 'notify',
      tracing,
      description: 'Makes nodes due for a run when their catalogs change',
      memoryMegabytes: 512,
      timeout: Duration.minutes(1),
      environment: environment.withoutQueues,
    });
    this.record.addEventSource(
      new DynamoEventSource(tables.byName.nodes, {
        startingPosition: StartingPosition.LATEST,
        batchSize: 1000,
        maxBatchingWindow: Duration.seconds(1),
        // Only a changed catalog makes a node due: the old record must have one, too.
        filters: [FilterCriteria.filter({ dynamodb: { OldImage: { catalog: { S: FilterRule.exists() } } } })],
        bisectBatchOnError: true,
        reportBatchItemFailures: true,
        retryAttempts: 10,
        onFailure: new SqsDlq(this.deadLetters),
      }),
    );
    grantNotify(this.record, tables);
  }
}
