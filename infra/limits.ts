/**
 * Limits of AWS that a template can exceed, checked before an account says no: CloudFormation would
 * find them in the middle of a deploy, and roll the whole stack back.
 */

/** A template as CloudFormation gets it. */
export interface TemplateBody {
  readonly Resources: Readonly<Record<string, TemplateResource>>;
  readonly Outputs?: Readonly<Record<string, unknown>>;
}

interface TemplateResource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
}

type Resources = readonly (readonly [string, TemplateResource])[];

/** Numbers and sizes by AWS's documentation; quotas are the defaults of an account. */
export const LIMITS = {
  /** CloudFormation: bytes of a template in S3, resources and outputs of a stack. */
  templateBytes: 1_048_576,
  resources: 500,
  outputs: 200,
  /** Lambda: bytes of all variables of a function. */
  variableBytes: 4096,
  /** IAM: characters of the inline policies of a role, of a managed one; managed ones a role. */
  inlinePolicy: 10_240,
  managedPolicy: 6144,
  managedPolicies: 10,
  /** EC2: rules of a security group in one direction. */
  groupRules: 60,
  /** Elastic Load Balancing: listeners and security groups of a network load balancer. */
  listeners: 50,
  balancerGroups: 5,
  /** ECS: bytes of a task definition. */
  taskBytes: 65_536,
  /** CloudWatch: widgets of a dashboard. */
  widgets: 500,
} as const;

/** Settings that make each of these larger, for the message. */
const CAUSES = {
  variables: "'upstream', 'trustedOidMapping' and names of understudy:edge",
  rules: "'agentNetworks' and 'operatorNetworks' of understudy:edge",
} as const;

/**
 * Characters of what CloudFormation fills in: what precedes the name in an ARN, what follows the
 * logical id in a name, and the longest name of a bucket.
 */
const LENGTHS = {
  arn: 'arn:aws-us-gov:dynamodb:us-gov-west-1:123456789012:table/'.length,
  random: 14,
  bucket: 63,
} as const;

/**
 * Throws an Error with one line for each limit that the template of a stack of this name exceeds.
 */
export function assertLimits(template: TemplateBody, stackName: string): void {
  const excesses = listExcesses(template, stackName);
  if (excesses.length > 0) throw new Error(`The template exceeds limits of AWS:\n${excesses.join('\n')}`);
}

/** Lists the limits that the template exceeds, each as a sentence. */
export function listExcesses(template: TemplateBody, stackName: string): readonly string[] {
  const resources = Object.entries(template.Resources);
  const filling = new Filling(template, stackName);
  const sizeOf = (document: unknown) => filling.sizeOf(document);
  return [
    ...compare('The template', 'bytes', Buffer.byteLength(JSON.stringify(template)), LIMITS.templateBytes),
    ...compare('The stack', 'resources', resources.length, LIMITS.resources),
    ...compare('The stack', 'outputs', Object.keys(template.Outputs ?? {}).length, LIMITS.outputs),
    ...ofType(resources, 'AWS::Lambda::Function').flatMap(([id, { Environment }]) =>
      compare(
        `The function ${id}`,
        'bytes of variables',
        sizeOf(Object(Environment).Variables ?? {}),
        LIMITS.variableBytes,
        CAUSES.variables,
      ),
    ),
    ...listPolicyExcesses(resources, sizeOf),
    ...listRuleExcesses(resources),
    ...ofType(resources, 'AWS::ElasticLoadBalancingV2::LoadBalancer').flatMap(([id, { SecurityGroups }]) =>
      compare(`The load balancer ${id}`, 'security groups', listOf(SecurityGroups).length, LIMITS.balancerGroups),
    ),
    ...compare(
      'The load balancer',
      'listeners',
      ofType(resources, 'AWS::ElasticLoadBalancingV2::Listener').length,
      LIMITS.listeners,
    ),
    ...ofType(resources, 'AWS::ECS::TaskDefinition').flatMap(([id, properties]) =>
      compare(`The task definition ${id}`, 'bytes', sizeOf(properties), LIMITS.taskBytes),
    ),
    ...ofType(resources, 'AWS::CloudWatch::Dashboard').flatMap(([id, { DashboardBody }]) =>
      compare(
        `The dashboard ${id}`,
        'widgets',
        JSON.stringify(DashboardBody).split('\\"type\\":').length - 1,
        LIMITS.widgets,
      ),
    ),
  ];
}

function compare(owner: string, unit: string, found: number, most: number, causes?: string): readonly string[] {
  if (found <= most) return [];
  const hint = causes === undefined ? '' : `; they follow from ${causes}`;
  return [`${owner} has ${found} ${unit}, and ${most} are allowed${hint}`];
}

function listPolicyExcesses(resources: Resources, sizeOf: (document: unknown) => number): readonly string[] {
  const inline = new Map<string, number>();
  const attached = new Map<string, number>();
  const add = (sums: Map<string, number>, roles: unknown, size: number) => {
    for (const role of listOf(roles)) {
      const id = String(Object(role).Ref);
      sums.set(id, (sums.get(id) ?? 0) + size);
    }
  };
  const managed = ofType(resources, 'AWS::IAM::ManagedPolicy');
  for (const [, { Roles, PolicyDocument }] of ofType(resources, 'AWS::IAM::Policy')) {
    add(inline, Roles, sizeOf(PolicyDocument));
  }
  for (const [, { Roles }] of managed) add(attached, Roles, 1);
  return [
    ...[...inline].flatMap(([id, size]) =>
      compare(`The role ${id}`, 'characters of inline policies', size, LIMITS.inlinePolicy),
    ),
    ...managed.flatMap(([id, { PolicyDocument }]) =>
      compare(`The policy ${id}`, 'characters', sizeOf(PolicyDocument), LIMITS.managedPolicy),
    ),
    ...[...attached].flatMap(([id, count]) =>
      compare(`The role ${id}`, 'managed policies', count, LIMITS.managedPolicies),
    ),
  ];
}

/** Rules are part of a group, or resources of their own that name it. */
function listRuleExcesses(resources: Resources): readonly string[] {
  return ['Ingress', 'Egress'].flatMap((direction) =>
    ofType(resources, 'AWS::EC2::SecurityGroup').flatMap(([id, properties]) => {
      const own = listOf(properties[`SecurityGroup${direction}`]).length;
      const others = ofType(resources, `AWS::EC2::SecurityGroup${direction}`).filter(([, { GroupId }]) =>
        JSON.stringify(GroupId).includes(`"${id}"`),
      );
      const unit = `${direction.toLowerCase()} rules`;
      return compare(`The security group ${id}`, unit, own + others.length, LIMITS.groupRules, CAUSES.rules);
    }),
  );
}

function ofType(resources: Resources, type: string) {
  return resources
    .filter(([, { Type }]) => Type === type)
    .map(([id, { Properties = {} }]) => [id, Properties] as const);
}

function listOf(value: unknown): readonly unknown[] {
  return value === undefined ? [] : [value].flat();
}

/** The references of a template, with texts as long as CloudFormation's in their place. */
class Filling {
  readonly #template: TemplateBody;
  readonly #stackName: string;

  constructor(template: TemplateBody, stackName: string) {
    this.#template = template;
    this.#stackName = stackName;
  }

  /** Bytes of a JSON document once its references are filled in. */
  sizeOf(document: unknown): number {
    return Buffer.byteLength(JSON.stringify(this.#fill(document)));
  }

  #fill(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((one) => this.#fill(one));
    if (typeof value !== 'object' || value === null) return value;
    const [key = '', ...others] = Object.keys(value);
    if (others.length === 0 && (key === 'Ref' || key.startsWith('Fn::'))) return this.#resolve(value);
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, this.#fill(one)]));
  }

  #resolve(value: unknown): string {
    if (typeof value !== 'object' || value === null) return String(value ?? '');
    const { Ref: id, 'Fn::GetAtt': attribute, 'Fn::Join': join } = Object(value);
    if (Array.isArray(join)) return join[1].map((one: unknown) => this.#resolve(one)).join(join[0]);
    if (Array.isArray(attribute)) return '-'.repeat(LENGTHS.arn + this.#nameLength(String(attribute[0])));
    return '-'.repeat(typeof id === 'string' ? this.#nameLength(id) : JSON.stringify(value).length);
  }

  #nameLength(id: string): number {
    if (this.#template.Resources[id]?.Type === 'AWS::S3::Bucket') return LENGTHS.bucket;
    return `${this.#stackName}-${id}`.length + LENGTHS.random;
  }
}
