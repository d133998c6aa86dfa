import { CfnOutput, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import { Key } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import { visibilitySeconds } from '../shared/config/compile-limit.ts';
import { EDGE } from '../shared/config/front-doors.ts';
import { acknowledgeFindings } from './acknowledgements.ts';
import { Alarms } from './alarms.ts';
import { Edge } from './edge.ts';
import { edgeContext } from './edge-context.ts';
import { FrontDoor } from './front-door.ts';
import { frontDoorVariables } from './front-door-variables.ts';
import { workerEnvironment } from './grants.ts';
import { Workers } from './job-functions.ts';
import { operatorContext } from './operator-context.ts';
import { Queues } from './queues.ts';
import { Storage } from './storage.ts';
import { Tables } from './tables.ts';

/** Everything of one Understudy installation. See README.md in this folder for the map. */
export class UnderstudyStack extends Stack {
  constructor(scope: Construct, id: string, props: StackProps = {}) {
    super(scope, id, { description: 'Understudy: Puppet catalogs as build artifacts', ...props });
    const tables = new Tables(this, 'Tables');
    const storage = new Storage(this, 'Storage');
    const operator = operatorContext(this.node);
    const {
      compileTimeLimit: compileSeconds,
      waitingConcurrency,
      expressConcurrency,
      backgroundConcurrency,
    } = operator;
    const queues = new Queues(this, 'Queues', { visibilitySeconds: visibilitySeconds(compileSeconds) });
    const authorityKey = new Key(this, 'AuthorityKey', {
      description: "Seals the private key of Understudy's certificate authority",
      enableKeyRotation: true,
      removalPolicy: RemovalPolicy.RETAIN,
    });
    const environment = workerEnvironment(tables, storage, queues);
    const settings = edgeContext(this.node);
    const workers = new Workers(this, 'Workers', {
      tables,
      storage,
      queues,
      environment,
      compileSeconds,
      serverName: operator.serverName ?? settings.names[0] ?? 'puppet',
      eyamlKeys: operator.eyamlKeys,
      retention: operator.retention,
      waitingConcurrency,
      expressConcurrency,
      backgroundConcurrency,
    });
    const variables = frontDoorVariables(operator);
    const edge = new Edge(this, 'Edge', {
      tables,
      storage,
      queues,
      authorityKey,
      environment,
      ...settings,
      operator: variables,
      containers: operator.containers,
    });
    const frontDoor = new FrontDoor(this, 'FrontDoor', {
      tables,
      storage,
      queues,
      authorityKey,
      environment,
      operator: variables,
      edgeUrl: `https://${settings.names[0]}:${EDGE.port}`,
    });
    const alarms = new Alarms(this, 'Alarms', {
      authorityKey,
      edge,
      frontDoor,
      queues,
      workers,
      waitingAgeSeconds: 60,
      expressAgeSeconds: 900,
      backgroundAgeSeconds: 3600,
      waitingDepth: 1000,
      expressDepth: 20_000,
      backgroundDepth: 20_000,
      ringLagSeconds: 24 * 3600,
    });
    acknowledgeFindings({ workers, frontDoor, queues, edge });
    new CfnOutput(this, 'ApiUrl', { value: frontDoor.api.apiEndpoint });
    new CfnOutput(this, 'EdgeAddress', { value: edge.loadBalancer.loadBalancerDnsName });
    // Its variables are those that commands work with; no secret is among them.
    new CfnOutput(this, 'FeedFunction', { value: workers.feed.functionName });
    new CfnOutput(this, 'AuthorityKeyArn', { value: authorityKey.keyArn });
    new CfnOutput(this, 'BucketName', { value: storage.bucket.bucketName });
    new CfnOutput(this, 'AlarmTopicArn', { value: alarms.topic.topicArn });
  }
}
