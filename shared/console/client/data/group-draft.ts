import type { GroupRuleJson, GroupSummary } from './group-shapes.ts';
import { NO_RULE, type RuleForm, readRuleForm, writeRule } from './rule-form.ts';

/** Values of the form of a group; JSON as it is typed. */
export interface GroupDraft {
  readonly name: string;
  readonly parent: string;
  readonly description: string;
  readonly environment: string;
  readonly trumps: boolean;
  readonly rule: RuleForm;
  /** The rule as JSON where the form cannot show it; null otherwise. */
  readonly ruleText: string | null;
  readonly classes: string;
  readonly variables: string;
  readonly data: string;
}

/** The form of a group as it is stored, or of a new one. */
export function draftOf(group: GroupSummary | null, parent: string): GroupDraft {
  const rule = group === null ? NO_RULE : readRuleForm(group.rule);
  return {
    name: group?.name ?? '',
    parent: group?.parent ?? parent,
    description: group?.description ?? '',
    environment: group?.environment ?? 'production',
    trumps: group?.environment_trumps ?? false,
    rule: rule ?? NO_RULE,
    ruleText: rule === null ? JSON.stringify(group?.rule ?? null, null, 1) : null,
    classes: JSON.stringify(group?.classes ?? {}, null, 1),
    variables: JSON.stringify(group?.variables ?? {}, null, 1),
    data: JSON.stringify(group?.config_data ?? {}, null, 1),
  };
}

/** The body that a draft stands for, or what cannot be read of it, by field. */
interface ReadDraft {
  readonly body: Readonly<Record<string, unknown>>;
  readonly rule: GroupRuleJson | null;
  readonly faults: Readonly<Record<string, string>>;
}

/** Reads a draft. */
export function readGroupDraft(draft: GroupDraft): ReadDraft {
  const faults: Record<string, string> = {};
  const readObject = (field: 'classes' | 'variables' | 'data'): unknown => {
    const value = parseJson(draft[field]);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
    faults[field] = 'Write an object as JSON.';
    return {};
  };
  if (draft.name.trim() === '') faults.name = 'A group needs a name.';
  const rule = draft.ruleText === null ? writeRule(draft.rule) : readRuleText(draft.ruleText, faults);
  const body = {
    name: draft.name.trim(),
    parent: draft.parent,
    description: draft.description,
    environment: draft.environment,
    environment_trumps: draft.trumps,
    rule,
    classes: readObject('classes'),
    variables: readObject('variables'),
    config_data: readObject('data'),
  };
  return { body, rule, faults };
}

function readRuleText(text: string, faults: Record<string, string>): GroupRuleJson | null {
  const value = text.trim() === '' ? null : parseJson(text);
  if (value === null || Array.isArray(value)) return value;
  faults.rule = 'Write a rule as JSON, such as ["=", ["fact", "kernel"], "Linux"].';
  return null;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text === '' ? '{}' : text) as unknown;
  } catch {
    return undefined;
  }
}

/** The parts of a group in which two stored versions differ, in words. */
export function listGroupChanges(before: GroupSummary, after: GroupSummary): readonly string[] {
  const parts: readonly (readonly [string, (group: GroupSummary) => unknown])[] = [
    ['name', ({ name }) => name],
    ['parent', ({ parent }) => parent],
    ['description', ({ description }) => description],
    ['environment', ({ environment }) => environment],
    ['whether it trumps', ({ environment_trumps }) => environment_trumps],
    ['rule', ({ rule }) => rule],
    ['classes', ({ classes }) => classes],
    ['variables', ({ variables }) => variables],
    ['configuration data', ({ config_data }) => config_data],
  ];
  return parts.flatMap(([name, read]) => (JSON.stringify(read(before)) === JSON.stringify(read(after)) ? [] : [name]));
}

type Members = Readonly<Record<string, unknown>>;

/**
 * The body of an edit: the server merges it into the stored group, so what the draft left out is
 * null in it.
 */
export function writeGroupEdit(before: GroupSummary, body: Members): Members {
  return {
    ...body,
    classes: removeClasses(before.classes, body.classes as Readonly<Record<string, Members>>),
    config_data: removeClasses(before.config_data ?? {}, body.config_data as Readonly<Record<string, Members>>),
    variables: removeMembers(before.variables, body.variables as Members),
  };
}

function removeClasses(before: Readonly<Record<string, Members>>, after: Readonly<Record<string, Members>>): Members {
  const kept = Object.entries(after).map(
    ([name, values]) => [name, removeMembers(before[name] ?? {}, values)] as const,
  );
  return removeMembers(before, Object.fromEntries(kept));
}

function removeMembers(before: Members, after: Members): Members {
  const removed = Object.keys(before).filter((name) => !Object.hasOwn(after, name));
  return { ...after, ...Object.fromEntries(removed.map((name) => [name, null])) };
}
