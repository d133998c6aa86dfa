import type { Permission } from './access-control.ts';

interface PermissionAction {
  readonly name: string;
  readonly displayName: string;
  readonly description: string;
  /** Whether it is about single instances; otherwise `*` is the only one. */
  readonly hasInstances: boolean;
}

interface PermissionType {
  readonly objectType: string;
  readonly displayName: string;
  readonly description: string;
  readonly actions: readonly PermissionAction[];
}

const EACH = true;
const ALL = false;

function action(name: string, displayName: string, hasInstances: boolean, description: string): PermissionAction {
  return { name, displayName, description, hasInstances };
}

/** The object types: name, name to show, description. */
const OBJECT_TYPES: readonly (readonly [string, string, string])[] = [
  ['cert_requests', 'Certificate requests', 'Requests of nodes for certificates.'],
  ['console_page', 'Console', 'The web console.'],
  ['configuration', 'Configuration', 'Settings of the console.'],
  ['directory_service', 'Directory service', 'The connection to a directory of users.'],
  ['environment', 'Puppet environment', 'Deployed code.'],
  [
    'node_groups',
    'Node groups',
    'The groups that classify nodes; permission for a group is permission for those below it.',
  ],
  ['nodes', 'Nodes', 'Facts, catalogs and reports of nodes.'],
  ['orchestrator', 'Orchestrator', 'Jobs on nodes.'],
  ['plans', 'Plans', 'Plans of the deployed code.'],
  ['puppet_agent', 'Puppet agent', 'The Puppet agents of nodes.'],
  ['puppetserver', 'Puppet server', 'The compiler.'],
  ['scheduled_jobs', 'Scheduled jobs', 'Jobs that start later.'],
  ['tasks', 'Tasks', 'Tasks of the deployed code.'],
  ['user_groups', 'User groups', 'Groups of a directory.'],
  ['user_roles', 'User roles', 'Roles and their permissions.'],
  ['users', 'Users', 'Accounts of users.'],
];

const ACTIONS: Readonly<Record<string, readonly PermissionAction[]>> = {
  cert_requests: [action('accept_reject', 'Accept and reject', ALL, 'Sign and refuse certificate requests.')],
  console_page: [action('view', 'View', ALL, 'Open the console.')],
  configuration: [
    action('view', 'View', ALL, 'Read the settings.'),
    action('edit', 'Edit', ALL, 'Change the settings.'),
  ],
  directory_service: [action('edit', 'Edit', ALL, 'Change the connection.')],
  environment: [
    action('deploy_code', 'Deploy code', EACH, 'Deploy the code of an environment.'),
    action('view_code', 'View code', EACH, 'Read the files of an environment, with what secrets they have.'),
  ],
  node_groups: [
    action('view', 'View', EACH, 'Read a group.'),
    action('edit_classification', 'Edit classes, parameters and variables', EACH, 'Change what a group declares.'),
    action('edit_config_data', 'Edit configuration data', EACH, 'Change the data of a group.'),
    action('edit_params_and_vars', 'Edit parameters and variables', EACH, 'Change values, not classes, of a group.'),
    action('set_environment', 'Set environment', EACH, 'Change the environment of a group.'),
    action('edit_child_rules', 'Edit rules of child groups', EACH, 'Change the rules of all groups below a group.'),
    action('modify_children', 'Create, edit and delete child groups', EACH, 'Change the groups below a group.'),
  ],
  nodes: [
    action('view_data', 'View data', ALL, 'Read data of nodes, and use queries as targets.'),
    action('view_inventory_sensitive', 'View sensitive data', ALL, 'Read the connection data of nodes.'),
    action('edit_data', 'Edit data', ALL, 'Change and delete data of nodes.'),
    action('add_inventory', 'Add nodes', ALL, 'Add nodes to the inventory.'),
    action('delete_inventory', 'Delete nodes', ALL, 'Delete nodes from the inventory.'),
  ],
  orchestrator: [action('view', 'View', ALL, 'Start, stop and read jobs, and read which nodes are connected.')],
  plans: [action('run', 'Run', EACH, 'Run a plan.')],
  puppet_agent: [action('run', 'Run', ALL, 'Run Puppet on nodes.')],
  puppetserver: [action('compile_catalogs', 'Compile catalogs', ALL, 'Compile the catalog of any node.')],
  scheduled_jobs: [action('delete', 'Delete', EACH, 'Delete the scheduled jobs of another user.')],
  tasks: [
    action('run', 'Run', EACH, 'Run a task on all nodes.'),
    action('run_with_constraints', 'Run on targets', EACH, 'Run the tasks of a task target on its nodes.'),
  ],
  user_groups: [action('import', 'Import', ALL, 'Add, change and delete groups.')],
  user_roles: [
    action('create', 'Create', ALL, 'Create a role.'),
    action('edit', 'Edit', EACH, 'Change and delete a role.'),
    action('edit_members', 'Edit members', EACH, 'Change who has a role.'),
  ],
  users: [
    action('create', 'Create', ALL, 'Create a user.'),
    action('edit', 'Edit', EACH, "Change a user's data."),
    action('reset_password', 'Reset password', EACH, "Change a user's password."),
    action('disable', 'Revoke', EACH, 'Revoke, reinstate and delete a user, and revoke his tokens.'),
  ],
};

/** The object types and actions of Puppet Enterprise that have a use here, and `view_code`. */
export const PERMISSION_TYPES: readonly PermissionType[] = OBJECT_TYPES.map(
  ([objectType, displayName, description]) => ({
    objectType,
    displayName,
    description,
    actions: ACTIONS[objectType] ?? [],
  }),
);

/** Finds an action; null when there is none of the name. */
export function findAction(objectType: string, name: string): PermissionAction | null {
  const found = PERMISSION_TYPES.find((one) => one.objectType === objectType);
  return found?.actions.find((one) => one.name === name) ?? null;
}

/** Why a role cannot have a permission; null when it can. */
export function describeInvalidPermission({ objectType, action: name, instance }: Permission): string | null {
  if (objectType === '*' && name === '*' && instance === '*') return null;
  const found = findAction(objectType, name);
  if (found === null) return `There is no action '${name}' of object type '${objectType}'`;
  if (instance === '') return `The instance of ${objectType}:${name} is empty`;
  return found.hasInstances || instance === '*' ? null : `The only instance of ${objectType}:${name} is '*'`;
}

export const EVERYTHING: Permission = { objectType: '*', action: '*', instance: '*' };

/** The first of the wanted permissions that none of those had covers; null when all are covered. */
export function findLacking(had: readonly Permission[], wanted: readonly Permission[]): Permission | null {
  return wanted.find((one) => !had.some((other) => coversPermission(other, one))) ?? null;
}

/** Whether a permission that somebody has covers the wanted one. */
export function coversPermission(had: Permission, { objectType, action: name, instance }: Permission): boolean {
  const covers = (pattern: string, text: string) => pattern === '*' || pattern === text;
  return covers(had.objectType, objectType) && covers(had.action, name) && covers(had.instance, instance);
}
