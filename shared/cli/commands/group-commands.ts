import type { Command } from 'commander';
import type { GroupHierarchy } from '../../fleet/groups/group-hierarchy.ts';
import type { ChangedGroup, GroupService } from '../../fleet/groups/group-service.ts';
import type { NodeGroup } from '../../fleet/groups/node-group.ts';
import type { AwsNames } from '../../store/aws/stores.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { countUnits } from '../../util/count-units.ts';
import { shortenId } from '../../util/short-id.ts';
import { type Confirmed, confirm, withYes } from '../client/confirm.ts';
import { addListOptions, createListStyle, type ListOptions } from '../client/list-table.ts';
import { formatJson } from '../client/option-values.ts';
import type { Terminal } from '../client/terminal.ts';
import { DATA_OPTION, type StateLocation, withStores } from './command-stores.ts';
import {
  addFormatOptions,
  addGroupOptions,
  type GroupFormat,
  type GroupOptions,
  readGroupOptions,
} from './group-options.ts';
import { describePreviewedNodes, GROUP_COLUMNS, printGroupTable } from './group-texts.ts';
import { CommandError, readYamlFile } from './node-files.ts';

interface GroupContext {
  readonly print: (text: string) => Promise<void>;
  readonly variables: AwsNames;
  readonly terminal: Terminal;
}

interface OpenGroups {
  readonly stores: Stores;
  readonly service: GroupService;
  readonly hierarchy: GroupHierarchy;
}

/**
 * Adds `group list`, `show`, `create`, `edit`, `delete`, `pin`, `unpin`, `import`, `preview` and
 * `explain`, which work on a data directory or on the deployment that environment variables name.
 */
export function addGroupCommands(program: Command, context: GroupContext): void {
  const group = program.command('group').description('node groups: classes, variables and environments by rules');
  addReading(group, context);
  addChanging(group, context);
  addPinning(group, context);
  addExplain(group, context);
}

function addReading(group: Command, context: GroupContext): void {
  const { print } = context;
  const list = group
    .command('list')
    .description(
      'list the groups as a tree: name, environment, rule, id; `--format json` prints what `group import` reads',
    )
    .option(...DATA_OPTION);
  addListOptions(list, GROUP_COLUMNS).action((options: StateLocation & ListOptions) =>
    withGroups(options, context, async ({ hierarchy, stores }) => {
      const { printGroup } = await import('../../fleet/groups/node-group.ts');
      return print(printGroupTable(hierarchy, createListStyle(options, stores.clock.now(), ''), printGroup));
    }),
  );
  addFormatOptions(
    group
      .command('show')
      .description('print a group, its rule with those inherited, and its nodes')
      .argument('<group>'),
  ).action((name: string, options: GroupFormat) =>
    withGroups(options, context, async ({ hierarchy, stores }) => {
      const { listGroupMembers } = await import('../../fleet/nodes/grouped-nodes.ts');
      const { printGroupText } = await import('./group-texts.ts');
      const found = findGroup(hierarchy, name);
      const nodes = await listGroupMembers(found, hierarchy, stores);
      const rule = hierarchy.inheritedRuleOf(found);
      const { printGroup } = await import('../../fleet/groups/node-group.ts');
      if (options.format === 'json')
        return print(formatJson({ ...printGroup(found), rule_with_inherited: rule, nodes }));
      return print(printGroupText(found, hierarchy, nodes));
    }),
  );
}

function addChanging(group: Command, context: GroupContext): void {
  const { print } = context;
  addGroupOptions(group.command('create').description('create a group').argument('<name>')).action(
    (name: string, options: GroupOptions) =>
      withGroups(options, context, async (open) => {
        const delta = await readNew(name, options, open);
        await report(await open.service.create(delta), options, open, print);
      }),
  );
  addGroupOptions(group.command('edit').description('change a group').argument('<group>')).action(
    (name: string, options: GroupOptions) =>
      withGroups(options, context, async (open) => {
        const { id } = findGroup(open.hierarchy, name);
        const delta = await readGroupOptions(options, finderOf(open), false);
        await report(await open.service.edit(id, delta), options, open, print);
      }),
  );
  addGroupOptions(
    group
      .command('preview')
      .description(
        'print how `edit`, or `create` for an unknown group, would classify nodes differently; change nothing',
      )
      .argument('<group>'),
  ).action((name: string, options: GroupOptions) =>
    withGroups(options, context, async (open) => {
      const { previewGroups } = await import('../../fleet/nodes/preview-groups.ts');
      const known = findGroups(open.hierarchy, name)[0] ?? null;
      const delta =
        known === null ? await readNew(name, options, open) : await readGroupOptions(options, finderOf(open), false);
      const { before, after } = await open.service.plan(delta, known?.id ?? null);
      const changes = await previewGroups(before, after, open.stores);
      await print(options.format === 'json' ? formatJson(changes) : describePreviewedNodes(changes));
    }),
  );
  withYes(
    group
      .command('delete')
      .description('delete a group without children')
      .argument('<group>')
      .option(...DATA_OPTION),
  ).action((name: string, options: StateLocation & Confirmed) =>
    withGroups(options, context, async (open) => {
      const found = findGroup(open.hierarchy, name);
      const { listGroupMembers } = await import('../../fleet/nodes/grouped-nodes.ts');
      const members = await listGroupMembers(found, open.hierarchy, open.stores);
      const nodes = countUnits(members.length, 'node');
      await confirm(`the group ${found.name} would be deleted, which has ${nodes}`, options, context.terminal);
      await open.service.delete(found.id);
      await print(`${name} deleted\n${await invalidateNodes(open.stores, `node group deleted: ${name}`)}`);
    }),
  );
  withYes(
    group
      .command('import')
      .description('replace all groups by those of `group list --format json`')
      .argument('<file>')
      .option(...DATA_OPTION),
  ).action((file: string, options: StateLocation & Confirmed) =>
    withGroups(options, context, async (open) => {
      const { readGroupBody } = await import('../../fleet/groups/node-group.ts');
      const body = await readYamlFile(file, 'groups');
      if (!Array.isArray(body)) throw new CommandError(`${file}: the file must have a list of groups`);
      const groups = body.map((one: unknown) => {
        const { id, ...delta } = readGroupBody(one, false);
        if (id === undefined) throw new CommandError(`${file}: the group '${delta.name ?? ''}' has no id`);
        return { ...delta, id };
      });
      const present = countUnits(open.hierarchy.groups.length, 'group');
      await confirm(`${present} would be replaced by ${groups.length} of ${file}`, options, context.terminal);
      await open.service.replaceAll(groups);
      await print(
        `${countUnits(groups.length, 'group')} imported\n${await invalidateNodes(open.stores, `node groups imported: ${groups.length}`)}`,
      );
    }),
  );
}

function addPinning(group: Command, context: GroupContext): void {
  const pinning = (name: 'pin' | 'unpin', description: string) =>
    group
      .command(name)
      .description(description)
      .argument('<group>')
      .argument('<node...>')
      .option(...DATA_OPTION)
      .action((groupName: string, nodes: readonly string[], options: StateLocation) =>
        withGroups(options, context, async (open) => {
          const { id } = findGroup(open.hierarchy, groupName);
          const changed = await open.service.pin(id, nodes, name === 'pin');
          await context.print(
            changed
              ? `${groupName} changed\n${await invalidateNodes(open.stores, `node group ${name}: ${groupName}`)}`
              : `${groupName} unchanged\n`,
          );
        }),
      );
  pinning('pin', 'pin nodes to a group: they belong to it whatever its rule says');
  pinning('unpin', 'remove pins');
}

function addExplain(group: Command, context: GroupContext): void {
  addFormatOptions(
    group
      .command('explain')
      .description('print what classifies a node, its groups with the rules that match, and conflicts')
      .argument('<certname>'),
  ).action((certname: string, options: GroupFormat) =>
    withGroups(options, context, async ({ hierarchy, stores }) => {
      const { explainGroups, printExplainedGroups } = await import('./explain-groups.ts');
      const explained = await explainGroups(certname, hierarchy, stores);
      if (explained === null) throw new CommandError(`there is no node '${certname}'`);
      await context.print(options.format === 'json' ? formatJson(explained) : printExplainedGroups(explained));
    }),
  );
}

/** Runs `work` on the groups in force. A refused change is an error of the command. */
function withGroups(
  where: StateLocation,
  { variables }: GroupContext,
  work: (open: OpenGroups) => Promise<void>,
): Promise<void> {
  return withStores(where, variables, async (stores) => {
    const { GroupRefused } = await import('../../fleet/groups/group-refused.ts');
    try {
      const service = await openService(stores);
      await work({ stores, service, hierarchy: (await service.read()).hierarchy });
    } catch (error) {
      throw error instanceof GroupRefused ? new CommandError(error.message) : error;
    }
  });
}

async function openService(stores: Stores): Promise<GroupService> {
  const { GroupService } = await import('../../fleet/groups/group-service.ts');
  const { FileServer } = await import('../../http/files/file-server.ts');
  const { DeployedClasses, EnvironmentClasses } = await import('../../http/information/deployed-classes.ts');
  const { systemSecrets } = await import('../../store/system-secrets.ts');
  const files = new FileServer(stores.environments, stores.blobs);
  const classes = new DeployedClasses(stores.environments, files, new EnvironmentClasses(files));
  return new GroupService({ ...stores, secrets: systemSecrets }, classes);
}

/** Reads a new group: below the root, and without classes, unless the options say more. */
async function readNew(name: string, options: GroupOptions, open: OpenGroups) {
  const { ROOT_ID } = await import('../../fleet/groups/node-group.ts');
  const usual = { name, parent: ROOT_ID, classes: {} };
  return { ...usual, ...(await readGroupOptions(options, finderOf(open), true)) };
}

function finderOf({ hierarchy }: OpenGroups): (nameOrId: string) => string {
  return (nameOrId) => findGroup(hierarchy, nameOrId).id;
}

/** The group of a name or id. Throws CommandError when there is none, or several. */
function findGroup(hierarchy: GroupHierarchy, nameOrId: string): NodeGroup {
  const [only, ...others] = findGroups(hierarchy, nameOrId);
  if (only === undefined) throw new CommandError(`there is no group '${nameOrId}'`);
  if (others.length === 0) return only;
  const ids = [only, ...others].map(({ id, environment }) => `${shortenId(id)} (${environment})`);
  const what = only.name === nameOrId ? 'are called' : 'have ids that begin with';
  throw new CommandError(`several groups ${what} '${nameOrId}': give one of ${ids.join(', ')}`);
}

/** An id may be cut to its first digits, 4 at least; names come first. */
function findGroups(hierarchy: GroupHierarchy, nameOrId: string): readonly NodeGroup[] {
  const byId = hierarchy.get(nameOrId.toLowerCase());
  if (byId !== null) return [byId];
  const named = hierarchy.groups.filter(({ name }) => name === nameOrId);
  if (named.length > 0 || !/^[0-9a-f][0-9a-f-]{3,}$/i.test(nameOrId)) return named;
  return hierarchy.groups.filter(({ id }) => id.startsWith(nameOrId.toLowerCase()));
}

async function report(
  { group, changed, isNew }: ChangedGroup,
  { format }: GroupFormat,
  { stores }: OpenGroups,
  print: GroupContext['print'],
): Promise<void> {
  const invalidated = changed
    ? await invalidateNodes(stores, `node group ${isNew ? 'created' : 'changed'}: ${group.name}`)
    : '';
  const { printGroup } = await import('../../fleet/groups/node-group.ts');
  if (format === 'json') return print(formatJson(printGroup(group)));
  const outcome = isNew ? 'created' : changed ? `changed (serial number ${group.serialNumber})` : 'unchanged';
  return print(`${group.name} ${shortenId(group.id)} ${outcome}\n${invalidated}`);
}

/** Invalidates the nodes of changed groups, and notes the change; returns a line about it. */
async function invalidateNodes(stores: Stores, summary: string): Promise<string> {
  const { settleGroups } = await import('../../fleet/nodes/settle-groups.ts');
  const { changed, isSettled } = await settleGroups(stores, undefined, undefined, { summary, user: 'command line' });
  const more = isSettled ? '' : '; the server invalidates further nodes';
  return `nodes to compile: ${changed.length}${more}\n`;
}
