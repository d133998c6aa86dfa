import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import { HttpApi, HttpMethod, HttpNoneAuthorizer, LogGroupLogDestination } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import type { NodejsFunction } from 'aws-cdk-lib/aws-lambda-nodejs';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { PREFIXES } from '../shared/config/deployment.ts';
import { understudyFunction } from './function.ts';
import { grantObjects, grantTable, type WorkerEnvironment } from './grants.ts';
import type { Queues } from './queues.ts';
import type { Storage } from './storage.ts';
import type { Tables } from './tables.ts';

export interface FrontDoorSettings {
  readonly tables: Tables;
  readonly storage: Storage;
  readonly queues: Queues;
  readonly environment: WorkerEnvironment;
}

/** The HTTP API and its function: the same Hono app as on the edge, behind API Gateway. */
export class FrontDoor extends Construct {
  readonly api: HttpApi;
  readonly handler: NodejsFunction;

  constructor(scope: Construct, id: string, settings: FrontDoorSettings) {
    super(scope, id);
    this.handler = this.#function(settings);
    this.api = new HttpApi(this, 'Api', { description: 'Understudy', createDefaultStage: false });
    // Identity is the client certificate's, checked by the app itself: nothing without one is open but status and CA bootstrap.
    this.api.addRoutes({
      path: '/{proxy+}',
      methods: [HttpMethod.ANY],
      integration: new HttpLambdaIntegration('App', this.handler),
      authorizer: new HttpNoneAuthorizer(),
    });
    const accessLog = new LogGroup(this, 'AccessLog', {
      retention: RetentionDays.THREE_MONTHS,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.api.addStage('Stage', {
      stageName: '$default',
      autoDeploy: true,
      throttle: { rateLimit: 2000, burstLimit: 4000 },
      detailedMetricsEnabled: true,
      accessLogSettings: {
        destination: new LogGroupLogDestination(accessLog),
        format: AccessLogFormat.jsonWithStandardFields(),
      },
    });
  }

  #function({ tables, storage, queues, environment }: FrontDoorSettings): NodejsFunction {
    const handler = understudyFunction(this, 'App', {
      entry: 'api',
      description: 'Answers agents and operators: catalogs, files, reports, CA, status',
      memoryMegabytes: 1024,
      timeout: Duration.seconds(29),
      environment: environment.withQueues,
    });
    grantTable(handler, tables, 'nodes', ['GetItem', 'UpdateItem', 'Query', 'DescribeTable']);
    grantTable(handler, tables, 'environments', ['GetItem', 'Scan']);
    grantTable(handler, tables, 'documents', ['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'Query']);
    grantObjects(handler, storage.bucket, 'read', Object.values(PREFIXES));
    grantObjects(handler, storage.bucket, 'write', [PREFIXES.facts, PREFIXES.reports, PREFIXES.bucket]);
    grantObjects(handler, storage.bucket, 'delete', [PREFIXES.reports]);
    queues.express.queue.grantSendMessages(handler);
    for (const { queue, deadLetters } of [queues.express, queues.background]) {
      queue.grant(handler, 'sqs:GetQueueAttributes');
      deadLetters.grant(handler, 'sqs:GetQueueAttributes');
    }
    return handler;
  }
}
