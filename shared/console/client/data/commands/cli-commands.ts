import { writeGroupEdit } from '../group-draft.ts';
import type { GroupSummary } from '../group-shapes.ts';
import { type JobForm, readNames } from '../job-draft.ts';

/** The words of a command line, from `understudy` on. */
export type CommandWords = readonly string[];

/** Values of an option: none for null and false, the option alone for true. */
type OptionValue = string | number | boolean | null | readonly string[];

interface CommandParts {
  readonly options?: Readonly<Record<string, OptionValue>>;
  readonly operands?: readonly string[];
}

/** Puts operands that look like options behind `--`. */
function commandOf(words: string, { options = {}, operands = [] }: CommandParts): CommandWords {
  const given = Object.entries(options).flatMap(([name, value]) => wordsOfOption(name, value));
  const head = ['understudy', ...words.split(' ')];
  if (operands.some((one) => one.startsWith('-'))) return [...head, ...given, '--', ...operands];
  return [...head, ...operands, ...given];
}

function wordsOfOption(name: string, value: OptionValue): readonly string[] {
  if (value === null || value === false || value === '') return [];
  if (value === true) return [`--${name}`];
  const values = typeof value === 'object' ? value : [String(value)];
  return values.flatMap((one) => (one.startsWith('-') ? [`--${name}=${one}`] : [`--${name}`, one]));
}

/** Null for what no command does: a job of later, a run of a whole environment. */
export function jobCommand(form: JobForm, params: Readonly<Record<string, unknown>>): CommandWords | null {
  const { command, environment, description, concurrency } = form;
  if (form.isLater) return null;
  const json = Object.keys(params).length === 0 ? null : JSON.stringify(params);
  if (command === 'plan') {
    if (form.plan === '') return null;
    return commandOf('plan run', { operands: [form.plan], options: { params: json, environment, description } });
  }
  const target = targetOf(form);
  if (target === null || (command === 'task' && form.task === '')) return null;
  const common = { ...target, environment, noop: form.isNoop, description };
  if (command === 'task') return commandOf('task run', { operands: [form.task], options: { params: json, ...common } });
  return commandOf('job run', { options: { ...common, concurrency } });
}

function targetOf({ target, nodes, query, group }: JobForm): Readonly<Record<string, string>> | null {
  const names = readNames(nodes).join(',');
  if (target === 'nodes') return names === '' ? null : { nodes: names };
  if (target === 'query') return query.trim() === '' ? null : { query: query.trim() };
  return target === 'environment' || group === '' ? null : { 'node-group': group };
}

export function stopJobCommand(kind: 'job' | 'plan', job: string, isForced = false): CommandWords {
  return commandOf(`${kind} stop`, { operands: [job], options: { force: isForced } });
}

/** For the folder that has the code. */
export function deployCommand(environment: string, canary: string | null): CommandWords {
  return commandOf('code deploy', { operands: ['.'], options: { environment, canary } });
}

export function dryRunCommand(environment: string, codeOf: string): CommandWords {
  return commandOf('code dry-run', { operands: [environment], options: { 'code-of': codeOf } });
}

export function rollBackCommand(environment: string, codeId: string): CommandWords {
  return commandOf('code rollback', { operands: [environment], options: { to: codeId.slice(0, 12) } });
}

export function endStageCommand(environment: string, end: 'promote' | 'abort'): CommandWords {
  return commandOf(`code stage ${end}`, { operands: [environment] });
}

/** A source without a key and without a webhook. */
export function addSourceCommand(name: string, url: string, prefix: string): CommandWords {
  return commandOf('code sources add', { operands: [name], options: { git: url, prefix } });
}

export function sourceCommand(name: string, action: 'sync' | 'remove'): CommandWords {
  return commandOf(`code sources ${action}`, { operands: [name] });
}

export function rotateValueCommand(environment: string, name: string): CommandWords {
  return commandOf('code values rotate', { operands: [environment, name] });
}

/** Names or extensions that a signature has to allow. */
interface SignedParts {
  readonly hasOtherNames: boolean;
  readonly hasExtensions: boolean;
}

export function signCommand(certnames: readonly string[], { hasOtherNames, hasExtensions }: SignedParts): CommandWords {
  const options = {
    'allow-subject-alt-names': hasOtherNames,
    'allow-authorization-extensions': hasExtensions,
  };
  return commandOf('ca sign', { operands: certnames, options });
}

export function certificateCommand(action: 'revoke' | 'clean', certname: string): CommandWords {
  return commandOf(`ca ${action}`, { operands: [certname] });
}

export function purgeCommand(certname: string): CommandWords {
  return commandOf('node purge', { operands: [certname] });
}

export function redriveCommand(queue: string | null, id: string | null): CommandWords {
  return commandOf('dead-letters redrive', { options: { queue, id } });
}

interface NewUser {
  readonly login: string;
  readonly email: string;
  readonly name: string;
  readonly roles: readonly string[];
}

/** It asks for the password. */
export function createUserCommand({ login, email, name, roles }: NewUser): CommandWords {
  const options = { email, 'display-name': name, role: roles };
  return commandOf('access user create', { operands: [login], options });
}

export function userCommand(action: 'revoke' | 'reinstate', login: string): CommandWords {
  return commandOf(`access user ${action}`, { operands: [login] });
}

export function createTokenCommand(login: string, lifetime: string, label: string): CommandWords {
  return commandOf('access token create', { operands: [login], options: { lifetime, label } });
}

/** The body of a group, as the classifier's API takes it. */
type GroupBody = Readonly<Record<string, unknown>>;

/** Null where configuration data changes: no option sets it. */
export function saveGroupCommand(before: GroupSummary | null, body: GroupBody): CommandWords | null {
  const name = String(body.name ?? '');
  const changed = (key: keyof GroupSummary) => !isEqual(before?.[key] ?? EMPTY[key], body[key] ?? EMPTY[key]);
  if (name === '' || changed('config_data')) return null;
  const edit = before === null ? body : writeGroupEdit(before, body);
  const options: Record<string, OptionValue> = {
    name: before !== null && changed('name') ? name : null,
    parent: changed('parent') ? String(body.parent) : null,
    description: changed('description') ? String(body.description) : null,
    environment: changed('environment') ? String(body.environment) : null,
    rule: changed('rule') ? JSON.stringify(body.rule ?? null) : null,
    ...listMembers('class', before?.classes ?? {}, edit.classes),
    ...listMembers('variable', before?.variables ?? {}, edit.variables),
  };
  if (changed('environment_trumps')) options[body.environment_trumps === true ? 'trumps' : 'no-trumps'] = true;
  return commandOf(before === null ? 'group create' : 'group edit', { operands: [before?.name ?? name], options });
}

/** The values of a group that says nothing. */
const EMPTY: Readonly<Partial<Record<keyof GroupSummary, unknown>>> = {
  description: '',
  environment_trumps: false,
  rule: null,
  config_data: {},
};

function listMembers(option: string, before: GroupBody, after: unknown): Readonly<Record<string, OptionValue>> {
  const members = Object.entries(after ?? {});
  const set = members.filter(([name, value]) => value !== null && !isEqual(value, before[name]));
  return {
    [option]: set.map(([name, value]) => `${name}=${JSON.stringify(value)}`),
    [`remove-${option}`]: members.filter(([, value]) => value === null).map(([name]) => name),
  };
}

function isEqual(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

export function deleteGroupCommand(name: string): CommandWords {
  return commandOf('group delete', { operands: [name] });
}
