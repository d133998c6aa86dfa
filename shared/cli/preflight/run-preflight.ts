import { X509Certificate } from 'node:crypto';
import { OTHER_EXECUTIONS } from '../../config/sizes.ts';
import { countUnits } from '../../util/count-units.ts';
import type { PreflightContext } from './preflight-context.ts';

/** Result of a program. */
export interface ProgramEnd {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The machine, as the checks use it. */
export interface PreflightPorts {
  /** Runs a program; `code` is 127 when there is none of that name. */
  run(program: string, args: readonly string[]): Promise<ProgramEnd>;
  /** Reads a text file; throws the system's error. */
  readText(path: string): string;
  now(): number;
}

/**
 * `fails`: `cdk deploy` or the service would not work. `warns`: it works with less than the
 * settings say, or it could not be checked.
 */
export interface PreflightFinding {
  readonly check: string;
  readonly verdict: 'ok' | 'warns' | 'fails';
  readonly text: string;
}

type Found = Omit<PreflightFinding, 'check'>;
type Check = (context: PreflightContext, ports: PreflightPorts) => Promise<Found>;

/** The checks in the order of the output. */
const CHECKS: Readonly<Record<string, Check>> = {
  docker: checkDocker,
  credentials: checkCredentials,
  bootstrap: checkBootstrap,
  stack: checkStack,
  names: checkNames,
  lambda: checkLambda,
  fargate: checkFargate,
  zones: checkZones,
  trail: checkTrail,
  vpcs: checkVpcs,
  addresses: checkAddresses,
  secrets: checkSecrets,
  'trust store': checkTrustStore,
  certificate: checkCertificate,
};

/** Quotas of the service Service Quotas, by their codes. */
const QUOTAS = {
  executions: ['lambda', 'L-B99A9384'],
  containerCpus: ['fargate', 'L-3032A538'],
  vpcs: ['vpc', 'L-F678F1CE'],
  addresses: ['ec2', 'L-0263D0A3'],
} as const;
/**
 * The zones that have Fargate, in regions where not all have, by the parts of their ids. Source:
 * "AWS Fargate Regions" in the ECS Developer Guide.
 */
const FARGATE_ZONES: Readonly<Record<string, readonly string[]>> = {
  usw1: ['az1', 'az3'],
  apne1: ['az1', 'az2', 'az4'],
  cnn1: ['az1', 'az2'],
};
const BOOTSTRAP_VERSION = 6;
const HOST_NAME = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/;
const PEM = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Checks what `cdk deploy` and the service need of this machine and of the account. */
export async function runPreflight(
  context: PreflightContext,
  ports: PreflightPorts,
): Promise<readonly PreflightFinding[]> {
  const checks = Object.entries(CHECKS).map(async ([check, look]) => ({ check, ...(await look(context, ports)) }));
  return Promise.all(checks);
}

const ok = (text: string): Found => ({ verdict: 'ok', text });
const warns = (text: string): Found => ({ verdict: 'warns', text });
const fails = (text: string): Found => ({ verdict: 'fails', text });

async function checkDocker(_: PreflightContext, { run }: PreflightPorts): Promise<Found> {
  const { code, stdout, stderr } = await run('docker', ['info', '--format', '{{.ServerVersion}}']);
  if (code === 0 && stdout.trim() !== '') return ok(`Docker ${stdout.trim()}`);
  return fails(`Docker builds the edge's image, and does not answer: ${reasonOf(code, stdout + stderr)}`);
}

async function checkCredentials(context: PreflightContext, ports: PreflightPorts): Promise<Found> {
  const answer = await askAws(context, ports, ['sts', 'get-caller-identity']);
  return 'fault' in answer ? fails(`AWS credentials: ${answer.fault}`) : ok(String(answer.value.Arn));
}

async function checkBootstrap(context: PreflightContext, ports: PreflightPorts): Promise<Found> {
  const name = '/cdk-bootstrap/hnb659fds/version';
  const answer = await askAws(context, ports, ['ssm', 'get-parameter', '--name', name]);
  const version = 'fault' in answer ? 0 : Number(Object(answer.value.Parameter).Value);
  if (version >= BOOTSTRAP_VERSION) return ok(`bootstrapped, version ${version}`);
  const found = 'fault' in answer ? answer.fault : `version ${version}, ${BOOTSTRAP_VERSION} is needed`;
  return fails(`CDK is not bootstrapped in this account and region (${found}): npx cdk bootstrap`);
}

async function checkStack(context: PreflightContext, ports: PreflightPorts): Promise<Found> {
  const { stackName } = context;
  const answer = await askAws(context, ports, ['cloudformation', 'describe-stacks', '--stack-name', stackName]);
  if ('fault' in answer) {
    const isNew = answer.fault.includes('does not exist');
    return isNew ? ok(`${stackName} is new`) : warns(`${stackName}: ${answer.fault}`);
  }
  const [stack] = [answer.value.Stacks].flat();
  const { StackStatus: status } = Object(stack);
  if (/_COMPLETE$/.test(status) && !/^(ROLLBACK|DELETE)/.test(status)) return ok(`${stackName} is updated (${status})`);
  return fails(`${stackName} cannot be updated: ${status}`);
}

async function checkNames({ names }: PreflightContext): Promise<Found> {
  const [first] = names;
  if (first === undefined) return fails("cdk.json: 'names' of understudy:edge is empty");
  const bad = names.find((name) => !HOST_NAME.test(name));
  if (bad !== undefined) return fails(`'${bad}' is not a host name in lower case, as agents need it`);
  return ok(`agents use ${first}`);
}

async function checkLambda(context: PreflightContext, ports: PreflightPorts): Promise<Found> {
  const quota = await readQuota(context, ports, QUOTAS.executions);
  const wanted = context.concurrency + OTHER_EXECUTIONS;
  if (typeof quota === 'string') return warns(`Lambda's quota: ${quota}`);
  if (quota >= wanted) return ok(`${quota} concurrent executions, of which ${wanted} are used at most`);
  const advice = 'lower waitingConcurrency, expressConcurrency and backgroundConcurrency, or have the quota raised';
  return (quota < 10 ? fails : warns)(`${quota} concurrent executions, and the settings use ${wanted}: ${advice}`);
}

async function checkFargate(context: PreflightContext, ports: PreflightPorts): Promise<Found> {
  const quota = await readQuota(context, ports, QUOTAS.containerCpus);
  if (typeof quota === 'string') return warns(`Fargate's quota: ${quota}`);
  // While a new version starts, there are twice as many; the authority service has half a CPU.
  const wanted = Math.ceil(2 * (context.mostEdgeCpus + context.mostBrokerCpus) + 1);
  if (quota >= wanted) return ok(`${quota} vCPUs, of which ${wanted} are used at most`);
  const advice = 'lower it for the edge or the orchestrator, or have the quota raised';
  return warns(`${quota} vCPUs, and containers.max uses ${wanted} during a deploy: ${advice}`);
}

/** Fargate is not in all zones of a region, and our own VPC takes the first ones. */
async function checkZones(context: PreflightContext, ports: PreflightPorts): Promise<Found> {
  const query = '{zones: AvailabilityZones[].{name: ZoneName, id: ZoneId}}';
  const answer = await askAws(context, ports, ['ec2', 'describe-availability-zones', '--query', query]);
  if ('fault' in answer) return warns(`the zones: ${answer.fault}`);
  const all = [answer.value.zones]
    .flat()
    .map((zone) => ({ name: String(Object(zone).name), id: String(Object(zone).id) }));
  const { zones, zoneCount } = context;
  const names = zones.length > 0 ? zones : all.slice(0, zoneCount).map(({ name }) => name);
  const unknown = names.find((name) => !all.some((zone) => zone.name === name));
  if (unknown !== undefined) return fails(`there is no zone ${unknown} in this region`);
  const away = all.filter(({ name, id }) => names.includes(name) && !hasFargate(id));
  if (away.length === 0) return ok(`zones ${names.join(', ')}`);
  const texts = away.map(({ name, id }) => `${name} (${id})`).join(', ');
  return fails(`Fargate is not in ${texts}: name other zones in 'availabilityZones' of understudy:network`);
}

function hasFargate(zone: string): boolean {
  const [region = '', number = ''] = zone.split('-');
  return FARGATE_ZONES[region]?.includes(number) ?? true;
}

/** The alarm of the CA's key hears of its change by a trail of the account. */
async function checkTrail(context: PreflightContext, ports: PreflightPorts): Promise<Found> {
  const args = ['cloudtrail', 'describe-trails', '--query', '{names: trailList[].Name}'];
  const answer = await askAws(context, ports, args);
  if ('fault' in answer) return warns(`CloudTrail: ${answer.fault}`);
  const names = [answer.value.names].flat().map(String);
  if (names.length > 0) return ok(`trail ${names.join(', ')}`);
  return warns("there is no trail: nobody is notified when the CA's key is disabled or to be deleted");
}

async function checkVpcs(context: PreflightContext, ports: PreflightPorts): Promise<Found> {
  if (context.vpcs === 0) return ok('an existing VPC');
  const quota = await readQuota(context, ports, QUOTAS.vpcs);
  const found = await askAws(context, ports, ['ec2', 'describe-vpcs', '--query', '{used: length(Vpcs)}']);
  return compareRoom('VPCs', quota, found, context.vpcs);
}

async function checkAddresses(context: PreflightContext, ports: PreflightPorts): Promise<Found> {
  if (context.natGateways === 0) return ok('no NAT gateways');
  const quota = await readQuota(context, ports, QUOTAS.addresses);
  const found = await askAws(context, ports, ['ec2', 'describe-addresses', '--query', '{used: length(Addresses)}']);
  return compareRoom('elastic addresses', quota, found, context.natGateways);
}

/** Whether a quota has room for `wanted` more. An existing stack has its own already. */
function compareRoom(what: string, quota: number | string, found: AwsAnswer, wanted: number): Found {
  if (typeof quota === 'string') return warns(`the quota of ${what}: ${quota}`);
  if ('fault' in found) return warns(`the number of ${what}: ${found.fault}`);
  const used = Number(found.value.used);
  const text = `${used} of ${quota} ${what} are used, and a new stack makes ${wanted}`;
  return used + wanted <= quota ? ok(text) : warns(`${text}: have the quota raised, or see understudy:network`);
}

async function checkSecrets(context: PreflightContext, ports: PreflightPorts): Promise<Found> {
  const { secrets } = context;
  const answers = await Promise.all(
    secrets.map((id) => askAws(context, ports, ['secretsmanager', 'describe-secret', '--secret-id', id])),
  );
  const missing = answers.flatMap((answer, index) => ('fault' in answer ? [`${secrets[index]}: ${answer.fault}`] : []));
  if (missing.length > 0) return fails(missing.join('; '));
  return ok(secrets.length === 0 ? 'none' : `${secrets.length} there`);
}

async function checkTrustStore({ agents }: PreflightContext, { readText, now }: PreflightPorts): Promise<Found> {
  if (agents === null) return ok('none: the API serves no agents');
  const { trustStore: path } = agents;
  try {
    const certificates = (readText(path).match(PEM) ?? []).map((pem) => new X509Certificate(pem));
    if (certificates.length === 0) return fails(`${path} has no certificate`);
    const leaf = certificates.find(({ ca }) => !ca);
    if (leaf) return fails(`${path}: ${nameOf(leaf)} is not the certificate of a CA`);
    const expired = certificates.find(({ validToDate }) => validToDate.getTime() <= now());
    if (expired) return fails(`${path}: ${nameOf(expired)} has expired`);
    return ok(`${countUnits(certificates.length, 'certificate')} of CAs in ${path}`);
  } catch (error) {
    return fails(`${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function checkCertificate(context: PreflightContext, ports: PreflightPorts): Promise<Found> {
  if (context.agents === null) return ok('none: the API serves no agents');
  const { certificate } = context.agents;
  const answer = await askAws(context, ports, ['acm', 'describe-certificate', '--certificate-arn', certificate]);
  if ('fault' in answer) return fails(`${certificate}: ${answer.fault}`);
  const { Status: status, DomainName: domain } = Object(answer.value.Certificate);
  return status === 'ISSUED' ? ok(`issued for ${domain}`) : fails(`${certificate} is ${status}, not ISSUED`);
}

function nameOf({ subject }: X509Certificate): string {
  return subject.replaceAll('\n', ', ');
}

type AwsAnswer = { readonly value: Readonly<Record<string, unknown>> } | { readonly fault: string };

/** Asks by the AWS CLI. */
async function askAws(
  { region }: PreflightContext,
  { run }: PreflightPorts,
  args: readonly string[],
): Promise<AwsAnswer> {
  const place = region === null ? [] : ['--region', region];
  const { code, stdout, stderr } = await run('aws', [...args, ...place, '--output', 'json']);
  if (code !== 0) return { fault: reasonOf(code, stderr) };
  const value: unknown = JSON.parse(stdout);
  return typeof value === 'object' && value !== null ? { value: { ...value } } : { fault: 'no answer' };
}

/** The value of a quota, or why it is unknown. */
async function readQuota(
  context: PreflightContext,
  ports: PreflightPorts,
  [service, quota]: readonly [service: string, quota: string],
): Promise<number | string> {
  const args = ['service-quotas', 'get-service-quota', '--service-code', service, '--quota-code', quota];
  const answer = await askAws(context, ports, args);
  return 'fault' in answer ? answer.fault : Number(Object(answer.value.Quota).Value);
}

function reasonOf(code: number, output: string): string {
  if (code === 127) return 'the program is not installed';
  const [line = ''] = output.trim().split('\n').slice(-1);
  return line === '' ? `it ended with ${code}` : line;
}
