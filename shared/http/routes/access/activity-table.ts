import type { Activity, ActivityObject } from '../../../access/accounts/activity-log.ts';

const HEAD =
  'Submit Time,Subject Type,Subject Id,Subject Name,Object Type,Object Id,Object Name,Type,What,Description,Message';
/** The name of one object, by type. */
const SINGULAR: Readonly<Record<ActivityObject['type'], string>> = {
  users: 'user',
  user_groups: 'user_group',
  roles: 'role',
  directory_server_settings: 'directory_server_settings',
  node_groups: 'node_group',
};

/**
 * Activities as comma-separated values with a head, a line for each changed object. Version 2 has a
 * column for the address of the client, which is empty.
 */
export function writeActivityTable(activities: readonly Activity[], hasAddress: boolean): string {
  const lines = activities.flatMap((one) => one.objects.map((object) => writeLine(one, object, hasAddress)));
  return [`${HEAD}${hasAddress ? ',Ip Address' : ''}`, ...lines, ''].join('\n');
}

function writeLine({ at, subject, action, message }: Activity, object: ActivityObject, hasAddress: boolean): string {
  const time = new Date(at).toISOString().replace('T', ' ').replace('Z', '');
  const what = SINGULAR[object.type] ?? object.type;
  const by = ['users', subject.id, subject.name];
  const to = [object.type, object.id, object.name];
  const cells = [time, ...by, ...to, action, what, `${action}_${what}`, message, ...(hasAddress ? [''] : [])];
  return cells.map(quote).join(',');
}

/** Quotes what has a comma, a quote or a line break, and what a spreadsheet would compute. */
function quote(cell: string): string {
  const text = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
