import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { CertificateAuthority } from '../../../../shared/access/ca/authority.ts';
import { readPreflightContext } from '../../../../shared/cli/preflight/preflight-context.ts';
import { type PreflightPorts, type ProgramEnd, runPreflight } from '../../../../shared/cli/preflight/run-preflight.ts';
import { makeRequest } from '../../../helpers/certificate-request.ts';
import { ManualClock, MemoryDocuments } from '../../../helpers/memory-stores.ts';

const CERTIFICATE = 'arn:aws:acm:us-east-1:111111111111:certificate/a';
const AGENTS = { domain: 'agents.example.com', certificate: CERTIFICATE, trustStore: 'ca.pem' };
const SETTINGS = {
  'understudy:edge': { names: ['puppet.example.com'] },
  'understudy:settings': { eyamlKeys: { KEY: 'puppet/eyaml' } },
  'understudy:api': { agents: AGENTS },
};
/** What a good account answers, by service and command, or by the code of a quota. */
const ANSWERS: Readonly<Record<string, unknown>> = {
  'sts get-caller-identity': { Arn: 'arn:aws:iam::111111111111:user/operator' },
  'ssm get-parameter': { Parameter: { Value: '28' } },
  'cloudformation describe-stacks': { Stacks: [{ StackStatus: 'UPDATE_COMPLETE' }] },
  'lambda L-B99A9384': { Quota: { Value: 1000 } },
  'fargate L-3032A538': { Quota: { Value: 140 } },
  'vpc L-F678F1CE': { Quota: { Value: 5 } },
  'ec2 L-0263D0A3': { Quota: { Value: 5 } },
  'ec2 describe-vpcs': { used: 1 },
  'ec2 describe-addresses': { used: 0 },
  'ec2 describe-availability-zones': {
    zones: [
      { name: 'ap-northeast-1a', id: 'apne1-az4' },
      { name: 'ap-northeast-1b', id: 'apne1-az1' },
      { name: 'ap-northeast-1c', id: 'apne1-az3' },
    ],
  },
  'cloudtrail describe-trails': { names: ['all'] },
  'secretsmanager describe-secret': { Name: 'puppet/eyaml' },
  'acm describe-certificate': { Certificate: { Status: 'ISSUED', DomainName: 'agents.example.com' } },
};
const OK: ProgramEnd = { code: 0, stdout: '27.1\n', stderr: '' };
let pem: string;
let leaf: string;

beforeAll(async () => {
  const clock = new ManualClock(Date.now());
  const options = { name: 'preflight', autosign: true, keyBits: 2048 };
  const authority = await CertificateAuthority.open(new MemoryDocuments(), clock, options);
  pem = authority.certificatePem;
  await authority.submit('web', (await makeRequest('web')).request);
  leaf = (await authority.findCertificate('web')) ?? '';
});

interface Situation {
  readonly context?: Readonly<Record<string, unknown>>;
  /** Other answers of the AWS CLI; a text is an error message. */
  readonly answers?: Readonly<Record<string, unknown>>;
  readonly docker?: ProgramEnd;
  readonly trustStore?: () => string;
  readonly now?: number;
}

/** The findings as `verdict text` by their check, and the calls of the AWS CLI. */
async function inspect({ context = {}, answers = {}, docker = OK, trustStore, now = Date.now() }: Situation = {}) {
  const calls: (readonly string[])[] = [];
  const ports: PreflightPorts = {
    async run(program, args) {
      if (program === 'docker') return docker;
      calls.push(args);
      const [service, command] = args;
      const code = args[args.indexOf('--quota-code') + 1];
      const name = service === 'service-quotas' ? `${args[3]} ${code}` : `${service} ${command}`;
      const answer = { ...ANSWERS, ...answers }[name];
      if (typeof answer === 'string') return { code: 254, stdout: '', stderr: `\n${answer}\n` };
      return { code: 0, stdout: JSON.stringify(answer), stderr: '' };
    },
    readText: () => (trustStore ?? (() => pem))(),
    now: () => now,
  };
  const read = readPreflightContext(JSON.stringify({ context: { ...SETTINGS, ...context } }));
  const findings = await runPreflight(read, ports);
  return {
    found: Object.fromEntries(findings.map(({ check, verdict, text }) => [check, `${verdict} ${text}`])),
    calls,
  };
}

describe('preflight', () => {
  it('finds nothing in an account that is ready', async () => {
    expect((await inspect()).found).toEqual({
      docker: 'ok Docker 27.1',
      credentials: 'ok arn:aws:iam::111111111111:user/operator',
      bootstrap: 'ok bootstrapped, version 28',
      stack: 'ok Understudy is updated (UPDATE_COMPLETE)',
      names: 'ok agents use puppet.example.com',
      lambda: 'ok 1000 concurrent executions, of which 224 are used at most',
      fargate: 'ok 140 vCPUs, of which 31 are used at most',
      zones: 'ok zones ap-northeast-1a, ap-northeast-1b',
      trail: 'ok trail all',
      vpcs: 'ok 1 of 5 VPCs are used, and a new stack makes 1',
      addresses: 'ok 0 of 5 elastic addresses are used, and a new stack makes 2',
      secrets: 'ok 1 there',
      'trust store': 'ok 2 certificates of CAs in ca.pem',
      certificate: 'ok issued for agents.example.com',
    });
  });

  it.each<[string, Situation, string]>([
    [
      'docker',
      { docker: { code: 127, stdout: '', stderr: '' } },
      "fails Docker builds the edge's image, and does not answer: the program is not installed",
    ],
    [
      'docker',
      { docker: { code: 1, stdout: '', stderr: 'Cannot connect to the Docker daemon' } },
      "fails Docker builds the edge's image, and does not answer: Cannot connect to the Docker daemon",
    ],
    [
      'credentials',
      { answers: { 'sts get-caller-identity': 'Unable to locate credentials' } },
      'fails AWS credentials: Unable to locate credentials',
    ],
    [
      'bootstrap',
      { answers: { 'ssm get-parameter': { Parameter: { Value: '5' } } } },
      'fails CDK is not bootstrapped in this account and region (version 5, 6 is needed): npx cdk bootstrap',
    ],
    [
      'stack',
      { answers: { 'cloudformation describe-stacks': 'Stack with id Understudy does not exist' } },
      'ok Understudy is new',
    ],
    [
      'stack',
      { answers: { 'cloudformation describe-stacks': { Stacks: [{ StackStatus: 'ROLLBACK_COMPLETE' }] } } },
      'fails Understudy cannot be updated: ROLLBACK_COMPLETE',
    ],
    [
      'names',
      { context: { 'understudy:edge': { names: ['Puppet'] } } },
      "fails 'Puppet' is not a host name in lower case, as agents need it",
    ],
    [
      'lambda',
      { answers: { 'lambda L-B99A9384': { Quota: { Value: 10 } } } },
      'warns 10 concurrent executions, and the settings use 224: lower waitingConcurrency, expressConcurrency and ' +
        'backgroundConcurrency, or have the quota raised',
    ],
    [
      'lambda',
      {
        answers: { 'lambda L-B99A9384': { Quota: { Value: 10 } } },
        context: {
          'understudy:settings': { waitingConcurrency: 2, expressConcurrency: 2, backgroundConcurrency: 2 },
        },
      },
      'ok 10 concurrent executions, of which 10 are used at most',
    ],
    ['lambda', { answers: { 'lambda L-B99A9384': 'AccessDenied' } }, "warns Lambda's quota: AccessDenied"],
    [
      'fargate',
      { answers: { 'fargate L-3032A538': { Quota: { Value: 6 } } } },
      'warns 6 vCPUs, and containers.max uses 31 during a deploy: lower it for the edge or the orchestrator, or have the quota raised',
    ],
    [
      'fargate',
      { context: { 'understudy:orchestrator': { cpu: 1024, containers: { max: 60 } } } },
      'warns 140 vCPUs, and containers.max uses 141 during a deploy: lower it for the edge or the orchestrator, or have the quota raised',
    ],
    ['fargate', { context: { 'understudy:orchestrator': false } }, 'ok 140 vCPUs, of which 21 are used at most'],
    [
      'vpcs',
      { answers: { 'ec2 describe-vpcs': { used: 5 } } },
      'warns 5 of 5 VPCs are used, and a new stack makes 1: have the quota raised, or see understudy:network',
    ],
    ['vpcs', { context: { 'understudy:network': { vpc: { id: 'vpc-1' } } } }, 'ok an existing VPC'],
    ['addresses', { context: { 'understudy:network': { endpoints: true } } }, 'ok no NAT gateways'],
    [
      'zones',
      { context: { 'understudy:network': { zones: 3 } } },
      "fails Fargate is not in ap-northeast-1c (apne1-az3): name other zones in 'availabilityZones' of understudy:network",
    ],
    [
      'zones',
      { context: { 'understudy:network': { availabilityZones: ['ap-northeast-1a', 'us-west-2a'] } } },
      'fails there is no zone us-west-2a in this region',
    ],
    ['zones', { answers: { 'ec2 describe-availability-zones': 'AccessDenied' } }, 'warns the zones: AccessDenied'],
    [
      'trail',
      { answers: { 'cloudtrail describe-trails': { names: [] } } },
      "warns there is no trail: nobody is notified when the CA's key is disabled or to be deleted",
    ],
    [
      'secrets',
      { answers: { 'secretsmanager describe-secret': "Secrets Manager can't find the specified secret." } },
      "fails puppet/eyaml: Secrets Manager can't find the specified secret.",
    ],
    ['trust store', { trustStore: () => 'x' }, 'fails ca.pem has no certificate'],
    ['trust store', { trustStore: () => leaf }, 'fails ca.pem: CN=web is not the certificate of a CA'],
    ['trust store', { now: Date.UTC(2090, 0) }, 'fails ca.pem: CN=Puppet CA: preflight has expired'],
    ['trust store', { context: { 'understudy:api': {} } }, 'ok none: the API serves no agents'],
    [
      'certificate',
      { answers: { 'acm describe-certificate': { Certificate: { Status: 'PENDING_VALIDATION' } } } },
      `fails ${CERTIFICATE} is PENDING_VALIDATION, not ISSUED`,
    ],
  ])('tells what %s lacks in %j', async (check, situation, expected) => {
    expect((await inspect(situation)).found[check]).toBe(expected);
  });

  it('asks in the region, and for the stack of the stage', async () => {
    const { calls } = await inspect({ context: { 'understudy:stage': 'staging', 'understudy:region': 'eu-west-1' } });
    for (const args of calls)
      expect(args.slice(args.indexOf('--region'))).toEqual(['--region', 'eu-west-1', '--output', 'json']);
    expect(calls.find(([service]) => service === 'cloudformation')).toContain('Understudy-staging');
  });

  it('needs no permission that infra/README.md does not list', async () => {
    const readme = readFileSync('infra/README.md', 'utf8');
    const { calls } = await inspect();
    const actions = calls.map(([service = '', command = '']) => {
      const pascal = command.replace(/(^|-)([a-z])/g, (_, __, letter: string) => letter.toUpperCase());
      return `${service === 'service-quotas' ? 'servicequotas' : service}:${pascal}`;
    });
    expect([...new Set(actions)].filter((action) => !readme.includes(`\`${action}\``))).toEqual([]);
  });
});
