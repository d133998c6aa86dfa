/**
 * Policies of a synthesized template, evaluated as AWS evaluates them: an explicit denial wins, and
 * what no statement allows is denied.
 * Source: "Policy evaluation logic" and "Creating a condition with multiple context keys or
 * values" in the IAM User Guide.
 */
import type { Template } from 'aws-cdk-lib/assertions';

/** What a request needs, in the names of the template: `arn(TablesNodes4A2B…)/index/ring`. */
export interface Need {
  readonly action: string;
  readonly resource: string;
  /** Values of condition keys, by key. */
  readonly context: Readonly<Record<string, readonly string[]>>;
}

/** One action on one resource that a statement allows. */
export interface Permission {
  readonly action: string;
  readonly resource: string;
}

interface Statement {
  readonly allows: boolean;
  readonly actions: readonly string[];
  readonly resources: readonly string[];
  readonly conditions: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
  /** Of a resource's policy: who may do it. */
  readonly principals: readonly string[];
}

interface TemplateResource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
}

/** The account itself, to which a key's policy may leave the decision. */
const ACCOUNT = /:iam::.+:root$/;
/** A statement with one of these would be read as another one. */
const UNREAD = ['NotAction', 'NotResource', 'NotPrincipal'];

/** The role of a function or a container, and the policies of the resources that it uses. */
export class RolePolicies {
  readonly #role: string;
  readonly #statements: readonly Statement[];
  readonly #boundary: readonly Statement[] | null;
  readonly #ofResources: readonly Statement[];
  readonly #used = new Set<string>();

  private constructor(resources: Readonly<Record<string, TemplateResource>>, role: string) {
    this.#role = role;
    const { Policies, PermissionsBoundary } = Object(resources[role]?.Properties);
    const inline = asList(Policies).map((one) => Object(one).PolicyDocument);
    const attached = listResources(resources, ['AWS::IAM::Policy', 'AWS::IAM::ManagedPolicy'])
      .filter(({ Roles }) => asList(Roles).some((one) => Object(one).Ref === role))
      .map(({ PolicyDocument }) => PolicyDocument);
    this.#statements = [...inline, ...attached].flatMap((one) => readStatements(one));
    this.#boundary = PermissionsBoundary === undefined ? null : readBoundary(resources, PermissionsBoundary);
    const policies = listResources(resources, ['AWS::S3::BucketPolicy', 'AWS::SQS::QueuePolicy']);
    this.#ofResources = [
      ...policies.flatMap(({ PolicyDocument }) => readStatements(PolicyDocument)),
      ...Object.entries(resources)
        .filter(([, { Type }]) => Type === 'AWS::KMS::Key')
        .flatMap(([id, { Properties }]) => readStatements(Object(Properties).KeyPolicy, arnOf(id))),
    ];
  }

  static ofRole(template: Template, id: string): RolePolicies {
    return new RolePolicies(resourcesOf(template), id);
  }

  /** The role of the function with this logical id. Throws where there is none. */
  static ofFunction(template: Template, id: string): RolePolicies {
    const resources = resourcesOf(template);
    const role = Object(resources[id]?.Properties).Role;
    return new RolePolicies(resources, attributeOwner(role) ?? fail(`${id} has no role in this template`));
  }

  /** The role of the container that runs this file. Throws where there is none. */
  static ofContainer(template: Template, file: string): RolePolicies {
    const resources = resourcesOf(template);
    const task = listResources(resources, ['AWS::ECS::TaskDefinition']).find(({ ContainerDefinitions }) =>
      asList(ContainerDefinitions).some((one) => asList(Object(one).Command).includes(file)),
    );
    return new RolePolicies(resources, attributeOwner(task?.TaskRoleArn) ?? fail(`no container runs ${file}`));
  }

  /** Why AWS would deny this; null if it allows it. */
  findDenial(need: Need): string | null {
    const { action, resource } = need;
    const about = `${action} on ${resource}${describeContext(need)}`;
    const ofResource = this.#ofResources.filter((one) => this.#concernsRole(one) && isAbout(one, need));
    const own = this.#statements.filter((one) => isAbout(one, need));
    if ([...own, ...ofResource].some(({ allows }) => !allows)) return `${about} is denied explicitly`;
    const allowing = own.filter(({ allows }) => allows);
    for (const one of allowing) {
      for (const permission of permissionsOf(one)) if (covers(permission, need)) this.#used.add(keyOf(permission));
    }
    if (allowing.length === 0) return `no statement of the role allows ${about}`;
    if (this.#boundary !== null && !this.#boundary.some((one) => one.allows && isAbout(one, need))) {
      return `the permissions boundary does not allow ${about}`;
    }
    const isOfKey = action.startsWith('kms:');
    return isOfKey && ofResource.length === 0 ? `the key's own policy does not allow ${about}` : null;
  }

  /** What the statements allow and no request needed so far, sorted. */
  get unused(): readonly string[] {
    const all = this.#statements.filter(({ allows }) => allows).flatMap(permissionsOf);
    const keys = all.filter(({ action }) => !isOfPlatform(action)).map(keyOf);
    return [...new Set(keys)].filter((key) => !this.#used.has(key)).sort();
  }

  #concernsRole({ principals }: Statement): boolean {
    return principals.some((one) => one === '*' || one === arnOf(this.#role) || ACCOUNT.test(one));
  }
}

/** The name that a resource of the template has in `Need.resource`. */
export function arnOf(logicalId: string): string {
  return `arn(${logicalId})`;
}

/**
 * What Lambda, Fargate and X-Ray do in the name of the role; no line of ours calls these.
 */
function isOfPlatform(action: string): boolean {
  return /^(logs|ec2|xray|ssmmessages|ecr):/.test(action);
}

function keyOf({ action, resource }: Permission): string {
  return `${action} ${resource}`;
}

function permissionsOf({ actions, resources }: Statement): readonly Permission[] {
  return actions.flatMap((action) => resources.map((resource) => ({ action, resource })));
}

function covers(permission: Permission, { action, resource }: Need): boolean {
  return matches(permission.action, action, 'i') && matches(permission.resource, resource);
}

function isAbout(statement: Statement, need: Need): boolean {
  return permissionsOf(statement).some((one) => covers(one, need)) && holds(statement.conditions, need);
}

/** Conditions of a statement: each operator and each key must hold, one value of several does. */
function holds(conditions: Statement['conditions'], { context }: Need): boolean {
  return Object.entries(conditions).every(([operator, keys]) =>
    Object.entries(keys).every(([key, values]) => compares(operator, values, context[key])),
  );
}

function compares(operator: string, values: readonly string[], given: readonly string[] | undefined): boolean {
  const [, quantifier = '', name = '', isOptional] =
    /^(?:(ForAllValues|ForAnyValue):)?(.+?)(IfExists)?$/.exec(operator) ?? [];
  if (given === undefined) return quantifier === 'ForAllValues' || isOptional !== undefined;
  const fits = (one: string) => values.some((value) => compareOne(name, value, one));
  return quantifier === 'ForAnyValue' ? given.some(fits) : given.every(fits);
}

/** Throws for an operator that no policy of ours uses: it would be taken for another one. */
function compareOne(operator: string, expected: string, given: string): boolean {
  switch (operator) {
    case 'StringEquals':
    case 'Bool':
      return expected === given;
    case 'StringLike':
    case 'ArnLike':
      return matches(expected, given);
    default:
      return fail(`the condition operator ${operator} is not evaluated yet`);
  }
}

function matches(pattern: string, text: string, flags = ''): boolean {
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replace(/\*/g, '.*')
    .replace(/\?/g, '.');
  return new RegExp(`^${source}$`, `s${flags}`).test(text);
}

function describeContext({ context }: Need): string {
  const { 'dynamodb:LeadingKeys': keys } = context;
  return keys === undefined ? '' : ` with the partitions ${[...new Set(keys)].join(', ')}`;
}

/** `owner`: what a key's policy means by the resource `*`. */
function readStatements(document: unknown, owner: string | null = null): readonly Statement[] {
  return asList(Object(document).Statement).map((given) => {
    const { Effect, Action, Resource, Condition = {}, Principal } = Object(given);
    const unread = UNREAD.find((name) => name in Object(given));
    if (unread !== undefined) fail(`${unread} of a policy is not evaluated yet`);
    const conditions = Object.entries(Condition).map(([operator, keys]) => {
      const values = Object.entries(Object(keys)).map(([key, value]) => [key, asList(value).map(readText)] as const);
      return [operator, Object.fromEntries(values)] as const;
    });
    return {
      allows: Effect === 'Allow',
      actions: asList(Action).map(String),
      resources: asList(Resource).map((one) => (owner !== null && one === '*' ? owner : readText(one))),
      conditions: Object.fromEntries(conditions),
      principals: Principal === '*' ? ['*'] : asList(Object(Principal).AWS).map(readText),
    };
  });
}

function readBoundary(resources: Readonly<Record<string, TemplateResource>>, reference: unknown): readonly Statement[] {
  const { Ref: id } = Object(reference);
  const policy = resources[id] ?? fail('the permissions boundary is not in this template');
  return readStatements(Object(policy.Properties).PolicyDocument);
}

/** Resolves what CloudFormation would fill in. */
function readText(value: unknown): string {
  if (typeof value !== 'object') return String(value);
  const { Ref: id, 'Fn::Join': join } = Object(value);
  const owner = attributeOwner(value);
  if (owner !== null) return arnOf(owner);
  if (id !== undefined) return `<${id}>`;
  return Array.isArray(join) ? join[1].map(readText).join(join[0]) : JSON.stringify(value);
}

function attributeOwner(value: unknown): string | null {
  const { 'Fn::GetAtt': attribute } = Object(value);
  return Array.isArray(attribute) ? String(attribute[0]) : null;
}

function resourcesOf(template: Template): Readonly<Record<string, TemplateResource>> {
  return template.toJSON().Resources;
}

function listResources(resources: Readonly<Record<string, TemplateResource>>, types: readonly string[]) {
  return Object.values(resources)
    .filter(({ Type }) => types.includes(Type))
    .map(({ Properties = {} }) => Properties);
}

function asList(value: unknown): readonly unknown[] {
  return value === undefined ? [] : [value].flat();
}

function fail(message: string): never {
  throw new Error(message);
}
