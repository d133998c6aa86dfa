import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  CfnStage,
  DomainName,
  HttpApi,
  HttpNoneAuthorizer,
  type HttpRoute,
  type HttpStage,
  type IHttpRouteAuthorizer,
  LogGroupLogDestination,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpIamAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Asset } from 'aws-cdk-lib/aws-s3-assets';
import { Construct } from 'constructs';
import { FRONT_DOOR_VARIABLES } from '../shared/config/front-doors.ts';
import {
  AGENT_ROUTES,
  type ApiRoute,
  CERTIFICATE_ROUTES,
  DEPLOY_ROUTES,
  INVENTORY_ROUTES,
  OPEN_ROUTES,
  REQUEST_ROUTE,
  routeKey,
} from './api-routes.ts';
import type { AgentsContext, ApiContext, CertificateRequestsContext } from './context/api-context.ts';
import type { FrontDoorVariables } from './front-door-variables.ts';
import { INSTALLERS, type UnderstudyFunction, understudyFunction } from './function.ts';
import {
  type AppResources,
  grantAuthorityKey,
  grantCommon,
  grantNodes,
  grantOpen,
  grantOperators,
  grantRequests,
  grantUpstreamLists,
  type WorkerEnvironment,
} from './grants.ts';

interface FrontDoorSettings extends AppResources, ApiContext {
  readonly environment: WorkerEnvironment;
  readonly operator: FrontDoorVariables;
  /** URL to which clients are redirected for answers that are too large for Lambda. */
  readonly edgeUrl: string;
  /** Whether X-Ray gets traces. */
  readonly tracing: boolean;
}

/** Requests a second, and at once, of all routes of the API with mutual TLS together. */
const THROTTLE = { rateLimit: 2000, burstLimit: 4000 } as const;
/**
 * The same of the API that is open to the Internet. Functions of an account share their
 * concurrency, and each request costs: strangers may neither keep compiles waiting, nor cost more
 * than $40 a day. Nodes that are installed take their packages one after another.
 */
const OPEN_THROTTLE = { rateLimit: 200, burstLimit: 400 } as const;

/**
 * The HTTP API and its function: the same Hono app as on the edge, behind API Gateway. A path
 * without a route does not reach the app. Agents have an API of their own, which answers only on a
 * domain with mutual TLS.
 */
export class FrontDoor extends Construct {
  readonly api: HttpApi;
  /** The API on the mutual-TLS domain; null without one. */
  readonly agents: HttpApi | null;
  readonly handler: UnderstudyFunction;

  constructor(scope: Construct, id: string, settings: FrontDoorSettings) {
    super(scope, id);
    this.handler = this.#createFunction(settings);
    this.api = new HttpApi(this, 'Api', { description: 'Understudy', createDefaultStage: false });
    const { certificateRequests: requests, agents, deploys } = settings;
    const open = [...OPEN_ROUTES, ...(requests ? CERTIFICATE_ROUTES : [])];
    const routes = this.#addRoutes(this.api, 'App', open, new HttpNoneAuthorizer());
    if (deploys) this.#addRoutes(this.api, 'Deploys', DEPLOY_ROUTES, new HttpIamAuthorizer());
    const stage = this.#addStage(this.api, 'Stage', 'AccessLog', OPEN_THROTTLE);
    if (requests) limitRequests(stage, routes, requests);
    this.agents = agents ? this.#createAgentsApi(agents) : null;
  }

  /** Routes the inventory's API to its function. */
  addInventory(query: UnderstudyFunction): void {
    this.#addRoutes(this.api, 'Inventory', INVENTORY_ROUTES, new HttpIamAuthorizer(), query);
  }

  #addRoutes(
    api: HttpApi,
    id: string,
    routes: readonly ApiRoute[],
    authorizer: IHttpRouteAuthorizer,
    handler = this.handler,
  ): readonly HttpRoute[] {
    const integration = new HttpLambdaIntegration(id, handler);
    return routes.flatMap(({ method, path }) => api.addRoutes({ path, methods: [method], integration, authorizer }));
  }

  #addStage(
    api: HttpApi,
    id: string,
    logId: string,
    throttle: typeof THROTTLE | typeof OPEN_THROTTLE,
    domainName?: DomainName,
  ): HttpStage {
    const accessLog = new LogGroup(this, logId, {
      retention: RetentionDays.THREE_MONTHS,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    return api.addStage(id, {
      stageName: '$default',
      ...(domainName ? { domainMapping: { domainName } } : {}),
      autoDeploy: true,
      throttle,
      detailedMetricsEnabled: true,
      accessLogSettings: {
        destination: new LogGroupLogDestination(accessLog),
        format: AccessLogFormat.jsonWithStandardFields(),
      },
    });
  }

  /** API Gateway verifies clients against the trust store; the app verifies them again. */
  #createAgentsApi({ domain, certificate, trustStore }: AgentsContext): HttpApi {
    const asset = new Asset(this, 'TrustStore', { path: trustStore });
    const domainName = new DomainName(this, 'Domain', {
      domainName: domain,
      certificate: Certificate.fromCertificateArn(this, 'Certificate', certificate),
      mtls: { bucket: asset.bucket, key: asset.s3ObjectKey },
    });
    const api = new HttpApi(this, 'Agents', {
      description: 'Understudy: agents with a client certificate',
      createDefaultStage: false,
      // Another address would have no mutual TLS.
      disableExecuteApiEndpoint: true,
    });
    this.#addRoutes(api, 'App', AGENT_ROUTES, new HttpNoneAuthorizer());
    this.#addStage(api, 'Stage', 'AgentsAccessLog', THROTTLE, domainName);
    return api;
  }

  #createFunction({ environment, operator, edgeUrl, tracing, ...resources }: FrontDoorSettings): UnderstudyFunction {
    const { certificateRequests: requests, agents, deploys, authorityKey } = resources;
    const { challengeSecret } = requests ?? {};
    // A renewal signs, and so does a request with the right challenge password.
    const signs = agents !== undefined || challengeSecret !== undefined;
    const handler = understudyFunction(this, 'App', {
      entry: 'api',
      tracing,
      description: 'Serves status, packages and the CA, and agents on a mutual-TLS domain',
      memoryMegabytes: 1024,
      timeout: Duration.seconds(29),
      files: { ...INSTALLERS, ...operator.files },
      environment: {
        ...environment.withQueues,
        ...operator.variables,
        [FRONT_DOOR_VARIABLES.edgeUrl]: edgeUrl,
        [FRONT_DOOR_VARIABLES.apiSigns]: String(signs),
        ...(signs ? { [FRONT_DOOR_VARIABLES.authorityKey]: authorityKey.keyArn } : {}),
        [FRONT_DOOR_VARIABLES.pendingRequests]: String(requests?.mostPending ?? 0),
        [FRONT_DOOR_VARIABLES.challengePassword]: '',
      },
      secrets: {
        ...operator.secrets,
        ...(challengeSecret === undefined ? {} : { [FRONT_DOOR_VARIABLES.challengePassword]: challengeSecret }),
      },
    });
    if (requests || agents || deploys) grantCommon(handler, resources);
    else grantOpen(handler, resources);
    if (requests || agents) grantRequests(handler, resources);
    // The first catalog of a node that was signed is compiled at once.
    if (signs) grantNodes(handler, resources);
    if (deploys) grantOperators(handler, resources);
    if (signs) grantAuthorityKey(handler, resources);
    if (operator.variables[FRONT_DOOR_VARIABLES.upstream] !== undefined) grantUpstreamLists(handler, resources);
    return handler;
  }
}

/** Anybody can make requests, and each is stored. */
function limitRequests(stage: HttpStage, routes: readonly HttpRoute[], requests: CertificateRequestsContext): void {
  const element = stage.node.defaultChild;
  if (!(element instanceof CfnStage)) throw new Error('a stage without a resource');
  element.routeSettings = {
    [routeKey(REQUEST_ROUTE)]: {
      ThrottlingRateLimit: requests.rate,
      ThrottlingBurstLimit: requests.burst,
      DetailedMetricsEnabled: true,
    },
  };
  // The settings name a route, which must exist before.
  for (const route of routes) stage.node.addDependency(route);
}
