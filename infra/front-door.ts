import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import { HttpApi, HttpMethod, HttpNoneAuthorizer, LogGroupLogDestination } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import type { NodejsFunction } from 'aws-cdk-lib/aws-lambda-nodejs';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { FRONT_DOOR_VARIABLES } from '../shared/config/front-doors.ts';
import type { FrontDoorVariables } from './front-door-variables.ts';
import { INSTALLERS, secretText, understudyFunction } from './function.ts';
import { type AppResources, grantApp, type WorkerEnvironment } from './grants.ts';

export interface FrontDoorSettings extends AppResources {
  readonly environment: WorkerEnvironment;
  readonly operator: FrontDoorVariables;
  /** Where clients are redirected for answers that are too large for Lambda. */
  readonly edgeUrl: string;
}

/** The HTTP API and its function: the same Hono app as on the edge, behind API Gateway. */
export class FrontDoor extends Construct {
  readonly api: HttpApi;
  readonly handler: NodejsFunction;

  constructor(scope: Construct, id: string, settings: FrontDoorSettings) {
    super(scope, id);
    this.handler = this.#createFunction(settings);
    this.api = new HttpApi(this, 'Api', { description: 'Understudy', createDefaultStage: false });
    // The app itself checks client certificates. Only status and CA bootstrap are open without one.
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

  #createFunction({ environment, operator, edgeUrl, ...resources }: FrontDoorSettings): NodejsFunction {
    const handler = understudyFunction(this, 'App', {
      entry: 'api',
      description: 'Serves agents and operators: catalogs, files, reports, CA, status',
      memoryMegabytes: 1024,
      timeout: Duration.seconds(29),
      files: { ...INSTALLERS, ...operator.files },
      environment: {
        ...environment.withQueues,
        ...operator.variables,
        ...Object.fromEntries(Object.entries(operator.secrets).map(([name, secret]) => [name, secretText(secret)])),
        [FRONT_DOOR_VARIABLES.edgeUrl]: edgeUrl,
        [FRONT_DOOR_VARIABLES.authorityKey]: resources.authorityKey.keyArn,
      },
    });
    grantApp(handler, resources);
    return handler;
  }
}
