import type { ResourceAttribute, ResourceTypeInfo, TitlePattern } from '../../evaluator/ports.ts';
import type { Language } from '../../levels/language.ts';

/** A compact description of a resource type: names are separated by blanks. */
export interface TypeSketch {
  /** Default: `name`. */
  readonly namevars?: readonly string[];
  /** False when two resources of the type may manage the same thing. */
  readonly isomorphic?: false;
  /** Patterns that split a title; without them the whole title is the namevar. */
  readonly titlePatterns?: readonly TitlePattern[];
  readonly properties?: string;
  readonly parameters: string;
}

/** Metaparameters of every resource, in Puppet's order. Puppet: lib/puppet/type.rb */
export const METAPARAMETERS: readonly string[] = [
  'noop',
  'schedule',
  'audit',
  'loglevel',
  'alias',
  'tag',
  'require',
  'subscribe',
  'before',
  'notify',
  'stage',
];

/** Metaparameters whose values refer to resources. */
export const RELATIONSHIP_METAPARAMETERS: ReadonlySet<string> = new Set(['require', 'subscribe', 'before', 'notify']);

const metaparameters: ReadonlySet<string> = new Set(METAPARAMETERS);

export function isMetaparameter(name: string): boolean {
  return metaparameters.has(name);
}

/**
 * The resource types that a compiler knows without modules (Puppet 8). Puppet: lib/puppet/type/*.rb
 */
const SKETCHES: Readonly<Record<string, TypeSketch>> = {
  component: {
    parameters: 'name',
  },
  exec: {
    namevars: ['command'],
    isomorphic: false,
    properties: 'returns',
    parameters:
      'command provider path user group cwd logoutput refresh environment umask timeout tries try_sleep ' +
      'refreshonly creates unless onlyif',
  },
  file: {
    namevars: ['path'],
    titlePatterns: [{ pattern: '(?m:^(/|.+:/|.*[^/])/*\\Z)', groups: ['path'] }],
    properties:
      'ensure content checksum_value target owner group mode type seluser selrole seltype selrange ' + 'ctime mtime',
    parameters:
      'path provider backup recurse recurselimit max_files replace force ignore links purge ' +
      'sourceselect show_diff staging_location validate_cmd validate_replacement checksum source ' +
      'source_permissions selinux_ignore_defaults',
  },
  filebucket: {
    parameters: 'name server port path',
  },
  group: {
    properties: 'ensure gid members attributes',
    parameters: 'name provider auth_membership allowdupe ia_load_module attribute_membership system forcelocal',
  },
  notify: {
    properties: 'message',
    parameters: 'name withpath',
  },
  package: {
    namevars: ['name', 'provider', 'command'],
    titlePatterns: [{ pattern: '(?m:(.*))', groups: ['name'] }],
    properties: 'ensure package_settings flavor mark',
    parameters:
      'name provider command source instance status adminfile responsefile configfiles category ' +
      'platform root vendor description allowcdrom enable_only install_only install_options ' +
      'uninstall_options allow_virtual reinstall_on_refresh environment',
  },
  resources: {
    parameters: 'name purge unless_system_user unless_uid',
  },
  schedule: {
    parameters: 'name range periodmatch period repeat weekday',
  },
  service: {
    properties: 'ensure enable logonaccount flags',
    parameters:
      'name provider logonpassword binary hasstatus path pattern restart start status stop control ' +
      'hasrestart manifest timeout',
  },
  stage: {
    parameters: 'name',
  },
  tidy: {
    namevars: ['path'],
    isomorphic: false,
    parameters: 'path recurse max_files matches backup age size type rmdirs',
  },
  user: {
    properties:
      'ensure home uid gid comment shell password password_min_age password_max_age password_warn_days ' +
      'groups expiry roles auths profiles keys project attributes salt iterations loginclass',
    parameters:
      'name provider membership system allowdupe managehome role_membership auth_membership ' +
      'profile_membership key_membership ia_load_module attribute_membership forcelocal purge_ssh_keys',
  },
  whit: {
    parameters: 'name',
  },
};

function attributesOf(sketch: TypeSketch): ResourceAttribute[] {
  const listAttributes = (kind: ResourceAttribute['kind'], names: string) =>
    names.split(' ').map((name): ResourceAttribute => ({ name, kind }));
  return [
    ...listAttributes('property', sketch.properties ?? '').filter(({ name }) => name !== ''),
    ...listAttributes('parameter', sketch.parameters),
  ];
}

export function typeFromSketch(name: string, sketch: TypeSketch): ResourceTypeInfo {
  return {
    name,
    attributes: attributesOf(sketch),
    namevars: sketch.namevars ?? ['name'],
    titlePatterns: sketch.titlePatterns ?? null,
    isomorphic: sketch.isomorphic ?? true,
    kind: 'compilable_type',
    hasProviders: () => false,
  };
}

const TYPES: ReadonlyMap<string, ResourceTypeInfo> = new Map(
  Object.entries(SKETCHES).map(([name, sketch]) => [name, typeFromSketch(name, sketch)]),
);

const PACKAGE_WITHOUT_ENVIRONMENT = without(TYPES.get('package'), 'environment');

/** Finds a type by its name in lower case. */
export function findBuiltinType(name: string, { packageEnvironment }: Language): ResourceTypeInfo | null {
  return (name === 'package' && !packageEnvironment ? PACKAGE_WITHOUT_ENVIRONMENT : TYPES.get(name)) ?? null;
}

function without(type: ResourceTypeInfo | undefined, attribute: string): ResourceTypeInfo | undefined {
  return type && { ...type, attributes: type.attributes.filter(({ name }) => name !== attribute) };
}

/** Whether resources of the type accept an attribute of that name. */
export function hasAttribute(type: ResourceTypeInfo, name: string): boolean {
  if (name === 'name' || isMetaparameter(name) || attributeNames(type).has(name)) return true;
  return name === 'provider' && type.hasProviders();
}

/** By a type's attribute list. All compiles of the same code share it. */
const namesByList = new WeakMap<ResourceTypeInfo['attributes'], ReadonlySet<string>>();

function attributeNames({ attributes }: ResourceTypeInfo): ReadonlySet<string> {
  let names = namesByList.get(attributes);
  if (!names) {
    names = new Set(attributes.map(({ name }) => name));
    namesByList.set(attributes, names);
  }
  return names;
}
