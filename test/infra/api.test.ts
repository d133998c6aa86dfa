import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
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
        Variables: Match.objectLike({ UNDERSTUDY_API_PENDING_REQUESTS: '0', UNDERSTUDY_API_CHALLENGE_PASSWORD: '' }),
      },
    });
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
          UNDERSTUDY_API_CHALLENGE_PASSWORD: '{{resolve:secretsmanager:puppet/challenge:SecretString:::}}',
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
