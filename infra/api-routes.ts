import { HttpMethod } from 'aws-cdk-lib/aws-apigatewayv2';

/** A route of an HTTP API. */
export interface ApiRoute {
  readonly method: HttpMethod;
  readonly path: string;
}

const { ANY, GET, POST, PUT } = HttpMethod;

/** Open to everybody: status, packages, and what an agent must know to trust the server. */
export const OPEN_ROUTES: readonly ApiRoute[] = [
  { method: GET, path: '/status/v1/{proxy+}' },
  { method: GET, path: '/packages/{proxy+}' },
  { method: GET, path: '/puppet-ca/v1/certificate/ca' },
  { method: GET, path: '/puppet-ca/v1/certificate_revocation_list/ca' },
];

/** The route that stores something for anybody; it is throttled on its own. */
export const REQUEST_ROUTE: ApiRoute = { method: PUT, path: '/puppet-ca/v1/certificate_request/{certname}' };

/** Routes of an agent without a certificate. */
export const CERTIFICATE_ROUTES: readonly ApiRoute[] = [
  REQUEST_ROUTE,
  { method: GET, path: REQUEST_ROUTE.path },
  { method: GET, path: '/puppet-ca/v1/certificate/{certname}' },
];

/** Deploys, for callers with IAM permissions and a deploy token. */
export const DEPLOY_ROUTES: readonly ApiRoute[] = [
  { method: PUT, path: '/understudy/v1/code/{environment}' },
  { method: POST, path: '/understudy/v1/deploys/preview' },
  { method: POST, path: '/code-manager/v1/deploys' },
  { method: GET, path: '/code-manager/v1/deploys/status' },
  { method: GET, path: '/code-manager/v1/deploys/status/{id}' },
];

/** PuppetDB's API, for callers with IAM permissions. */
export const INVENTORY_ROUTES: readonly ApiRoute[] = [
  { method: ANY, path: '/pdb/{proxy+}' },
  { method: GET, path: '/status/v1/services/puppetdb-status' },
];

/** Routes of the mutual-TLS domain, where every client has a certificate. */
export const AGENT_ROUTES: readonly ApiRoute[] = [
  { method: ANY, path: '/puppet/v3/{proxy+}' },
  { method: ANY, path: '/puppet-ca/v1/{proxy+}' },
  { method: GET, path: '/status/v1/{proxy+}' },
];

/** The key of a route in API Gateway. */
export function routeKey({ method, path }: ApiRoute): string {
  return `${method} ${path}`;
}
