import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { openFrontDoor } from '../../shared/http/front-door.ts';
import { storePackage } from '../../shared/http/packages/package-store.ts';
import { openAwsStores } from '../../shared/store/aws/stores.ts';
import { AwsCalls } from '../helpers/aws-calls.ts';
import { deployNames, startEmulators } from '../helpers/aws-emulators.ts';
import { listGrants, listLeadingKeys } from '../helpers/granted.ts';
import { RolePolicies } from '../helpers/iam/policies.ts';
import { namesInTemplate } from '../helpers/iam/resource-ids.ts';
import { propertiesOf, stackOf } from '../helpers/stack-of.ts';

const KEY = 'understudy:api';
const AGENTS = {
  domain: 'agents.example.com',
  certificate: 'arn:aws:acm:us-east-1:111111111111:certificate/a',
  trustStore: 'cdk.json',
};
const OPEN = [
  'GET /packages/{proxy+}',
  'GET /puppet-ca/v1/certificate/ca',
  'GET /puppet-ca/v1/certificate_revocation_list/ca',
  'GET /status/v1/{proxy+}',
];

/** The routes with their authorization, by the description of their API. */
function routesOf(context: unknown): Readonly<Record<string, readonly string[]>> {
  const template = stackOf({ [KEY]: context });
  const apis = template.findResources('AWS::ApiGatewayV2::Api');
  const named = propertiesOf(template, 'AWS::ApiGatewayV2::Route').map(({ ApiId, RouteKey, AuthorizationType }) => {
    const { Properties } = apis[Object(ApiId).Ref] ?? {};
    const suffix = AuthorizationType === 'NONE' ? '' : ` (${AuthorizationType})`;
    return [String(Properties?.Description), `${RouteKey}${suffix}`] as const;
  });
  const groups = Map.groupBy(named, ([api]) => api);
  return Object.fromEntries([...groups].map(([api, routes]) => [api, routes.map(([, route]) => route).sort()]));
}

describe('the HTTP API', () => {
  it('is open for status, packages and what agents must know of the CA, and for nothing else', () => {
    expect(routesOf({})).toEqual({ Understudy: OPEN });
    stackOf().hasResourceProperties('AWS::Lambda::Function', {
      Environment: {
        Variables: Match.objectLike({
          UNDERSTUDY_API_PENDING_REQUESTS: '0',
          UNDERSTUDY_API_CHALLENGE_PASSWORD: '',
        }),
      },
    });
  });

  it('takes fewer requests of strangers than of agents, which have certificates', () => {
    const stages = propertiesOf(stackOf({ [KEY]: { agents: AGENTS } }), 'AWS::ApiGatewayV2::Stage');
    const limits = stages.map(({ DefaultRouteSettings }) => {
      const { ThrottlingRateLimit, ThrottlingBurstLimit } = Object(DefaultRouteSettings);
      return [ThrottlingRateLimit, ThrottlingBurstLimit];
    });
    expect(limits).toEqual([
      [200, 400],
      [2000, 4000],
    ]);
  });

  it('reads what it tells to everybody, and no node, catalog, report or token', async () => {
    const emulators = await startEmulators();
    const names = await deployNames(emulators.clients, { visibilityMs: 60_000, maxReceives: 5 });
    const template = stackOf();
    const [id = ''] = Object.keys(template.findResources('AWS::Lambda::Function')).filter((one) =>
      one.startsWith('FrontDoorApp'),
    );
    const roles = { Api: RolePolicies.ofFunction(template, id) };
    const calls = new AwsCalls(emulators.clients, namesInTemplate(template, names), roles);
    const stores = openAwsStores(names, emulators.clients);
    const log = { logError: (message: string, cause: unknown) => expect.fail(`${message}: ${cause}`) };
    const common = { authorityName: 'understudy.example.com', autosign: false, log };
    await openFrontDoor(stores, { ...common, authority: { keyBits: 2048 } });
    await storePackage(stores, '8.10.0', 'debian-12-amd64/puppet-agent.deb', new Uint8Array(1));
    await calls.recordDuring('Api', async () => {
      const { app } = await openFrontDoor(stores, { ...common, keyHolder: { url: null } });
      for (const path of [
        ...[
          '/status/v1/simple',
          '/status/v1/services?level=debug',
          '/packages/8.10.0/debian-12-amd64/puppet-agent.deb',
        ],
        ...[
          '/packages/current/install.bash',
          '/puppet-ca/v1/certificate/ca',
          '/puppet-ca/v1/certificate_revocation_list/ca',
        ],
      ]) {
        const answer = await app.request(path, { headers: { Host: 'api.example.com' } }, { peer: null });
        expect([path, answer.status, (await answer.arrayBuffer()).byteLength > 0]).toEqual([path, 200, true]);
      }
    });
    await emulators.close();
    const granted = listGrants(template, 'FrontDoorApp');
    expect(calls.getCalls('Api').length).toBeGreaterThan(5);
    expect(calls.getDenials('Api')).toEqual([]);
    expect(granted.filter((one) => /s3:GetObject|dynamodb/.test(one)).sort()).toEqual([
      'dynamodb:DescribeTable:table/nodes',
      'dynamodb:GetItem:table/documents',
      'dynamodb:GetItem:table/environments',
      'dynamodb:GetItem:table/nodes',
      'dynamodb:Query:table/documents',
      'dynamodb:Query:table/nodes/index/outstanding',
      'dynamodb:Scan:table/environments',
      's3:GetObject:bucket/files/health-check*',
      's3:GetObject:bucket/packages/*',
    ]);
    const keys = new Set(listLeadingKeys(stackOf(), 'FrontDoorApp'));
    expect([...keys]).toEqual(['health-check', 'ca', 'packages']);
  });

  it('takes certificate requests when the operator says so: throttled, and bounded in number', () => {
    const requests = { rate: 3, burst: 7, mostPending: 50, challengeSecret: 'puppet/challenge' };
    expect(routesOf({ certificateRequests: requests })).toEqual({
      Understudy: [
        ...OPEN,
        'GET /puppet-ca/v1/certificate/{certname}',
        'GET /puppet-ca/v1/certificate_request/{certname}',
        'PUT /puppet-ca/v1/certificate_request/{certname}',
      ].sort(),
    });
    const template = stackOf({ [KEY]: { certificateRequests: requests } });
    template.hasResource('AWS::ApiGatewayV2::Stage', {
      Properties: {
        RouteSettings: {
          'PUT /puppet-ca/v1/certificate_request/{certname}': { ThrottlingRateLimit: 3, ThrottlingBurstLimit: 7 },
        },
      },
      DependsOn: Match.arrayWith([Match.stringLikeRegexp('^FrontDoorApiPUTpuppet')]),
    });
    template.hasResourceProperties('AWS::Lambda::Function', {
      Environment: {
        Variables: Match.objectLike({
          UNDERSTUDY_API_PENDING_REQUESTS: '50',
          UNDERSTUDY_API_CHALLENGE_PASSWORD: 'secret:puppet/challenge',
        }),
      },
    });
  });

  it('serves agents only on a domain with mutual TLS', () => {
    expect(routesOf({ agents: AGENTS })).toEqual({
      Understudy: OPEN,
      'Understudy: agents with a client certificate': [
        'ANY /puppet-ca/v1/{proxy+}',
        'ANY /puppet/v3/{proxy+}',
        'GET /status/v1/{proxy+}',
      ],
    });
    const template = stackOf({ [KEY]: { agents: AGENTS } });
    template.hasResourceProperties('AWS::ApiGatewayV2::DomainName', {
      DomainName: AGENTS.domain,
      DomainNameConfigurations: [Match.objectLike({ CertificateArn: AGENTS.certificate })],
      MutualTlsAuthentication: { TruststoreUri: Match.anyValue() },
    });
    const [api] = propertiesOf(template, 'AWS::ApiGatewayV2::Api').filter(({ Description }) =>
      String(Description).includes('agents'),
    );
    expect(api?.DisableExecuteApiEndpoint).toBe(true);
    template.resourceCountIs('AWS::ApiGatewayV2::ApiMapping', 1);
  });

  it('takes code only from callers with IAM permissions, if at all', () => {
    const routes = routesOf({ deploys: true }).Understudy ?? [];
    expect(routes.filter((route) => !OPEN.includes(route))).toEqual([
      'GET /code-manager/v1/deploys/status (AWS_IAM)',
      'GET /code-manager/v1/deploys/status/{id} (AWS_IAM)',
      'POST /code-manager/v1/deploys (AWS_IAM)',
      'POST /understudy/v1/deploys/preview (AWS_IAM)',
      'PUT /understudy/v1/code/{environment} (AWS_IAM)',
    ]);
  });

  it.each<[unknown, string]>([
    [{ certificateRequests: true }, "'certificateRequests' must be an object"],
    [{ certificateRequests: { rate: 0 } }, "'certificateRequests.rate' must be a whole number from 1 to 1000"],
    [{ agents: { domain: 'a' } }, "'agents.certificate' must be a non-empty string"],
    [{ agents: { ...AGENTS, certificate: 'x' } }, "'agents.certificate' must be the ARN of a certificate"],
    [{ agents: { ...AGENTS, trustStore: 'no/such' } }, "'agents.trustStore' is not a file: "],
    [{ deploys: 'iam' }, "'deploys' must be true or false"],
    [{ open: true }, "'open' is not a setting"],
  ])('refuses the context %j', (context, message) => {
    expect(() => stackOf({ [KEY]: context })).toThrow(`Context ${KEY}: ${message}`);
  });

  it('takes no certificate requests for an upstream CA, whose rules it does not know', () => {
    const upstream = { url: 'https://ca:8140', certificate: 'cdk.json', trusted: 'cdk.json', keySecret: 'tls' };
    expect(() => stackOf({ [KEY]: { certificateRequests: {} }, 'understudy:settings': { upstream } })).toThrow(
      "Context understudy:api: 'certificateRequests' needs the stack's own certificate authority",
    );
  });
});
