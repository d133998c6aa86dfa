import type { ShownPlan, ShownTaskParameter } from './job-shapes.ts';

/** The control that fits the type of a parameter. */
export interface TaskField {
  readonly name: string;
  readonly kind: 'text' | 'password' | 'number' | 'integer' | 'boolean' | 'choice' | 'json';
  readonly isRequired: boolean;
  readonly choices: readonly string[];
  readonly type: string;
  readonly description: string;
  /** The default as text; empty for none. */
  readonly preset: string;
}

/** The fields of a task's parameters. */
export function describeTaskFields(parameters: Readonly<Record<string, ShownTaskParameter>>): readonly TaskField[] {
  return Object.entries(parameters).map(([name, parameter]) => {
    const { type = 'Data', description = '', sensitive = false } = parameter;
    const inner = stripOptional(type);
    const kind = kindOf(inner, sensitive || /^Sensitive\b/.test(inner));
    const hasDefault = parameter.default !== undefined && parameter.default !== null;
    return {
      name,
      kind,
      isRequired: inner === type && !hasDefault && !/\bUndef\b/.test(type),
      choices: kind === 'choice' ? readChoices(inner) : [],
      type,
      description,
      preset: hasDefault ? printPreset(parameter.default) : '',
    };
  });
}

/** The fields of a plan's parameters. */
export function describePlanFields(plan: ShownPlan | null): readonly TaskField[] {
  const parameters = Object.entries(plan?.metadata.parameters ?? {});
  const known = parameters.map(([name, { default_value: value, ...rest }]) => {
    return [name, value === undefined ? rest : { ...rest, default: value }] as const;
  });
  return describeTaskFields(Object.fromEntries(known));
}

function stripOptional(type: string): string {
  return /^Optional\[(.*)\]$/s.exec(type.trim())?.[1]?.trim() ?? type;
}

function kindOf(type: string, isSensitive: boolean): TaskField['kind'] {
  if (isSensitive) return 'password';
  if (/^Enum\[/.test(type)) return 'choice';
  if (/^Boolean\b/.test(type)) return 'boolean';
  if (/^Integer\b/.test(type)) return 'integer';
  if (/^(?:Float|Numeric)\b/.test(type)) return 'number';
  return /^(?:String|Pattern|Stdlib::(?:\w*path|Host|HTTPUrl|Ensure|IP))/i.test(type) ? 'text' : 'json';
}

function readChoices(type: string): readonly string[] {
  return [...type.matchAll(/'([^']*)'|"([^"]*)"|([\w:-]+)(?=\s*[,\]])/g)].map(
    ([, single, double, bare]) => single ?? double ?? bare ?? '',
  );
}

function printPreset(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The values of the fields, or what is wrong with each that cannot be read. */
export interface ReadFields {
  readonly params: Readonly<Record<string, unknown>>;
  readonly faults: Readonly<Record<string, string>>;
}

/** Reads what was typed. Empty fields are left out. */
export function readTaskFields(fields: readonly TaskField[], typed: Readonly<Record<string, string>>): ReadFields {
  const params: Record<string, unknown> = {};
  const faults: Record<string, string> = {};
  for (const field of fields) {
    const text = typed[field.name] ?? '';
    if (text === '') {
      if (field.isRequired) faults[field.name] = 'A value is required.';
      continue;
    }
    const { value, fault } = readField(field, text);
    if (fault === null) params[field.name] = value;
    else faults[field.name] = fault;
  }
  return { params, faults };
}

function readField(
  { kind, type }: TaskField,
  text: string,
): { readonly value: unknown; readonly fault: string | null } {
  switch (kind) {
    case 'boolean':
      return { value: text === 'true', fault: null };
    case 'integer':
      return /^-?\d+$/.test(text)
        ? { value: Number(text), fault: null }
        : { value: null, fault: 'This is no whole number.' };
    case 'number':
      return Number.isFinite(Number(text))
        ? { value: Number(text), fault: null }
        : { value: null, fault: 'This is no number.' };
    case 'json':
      return readJson(text, type);
    default:
      return { value: text, fault: null };
  }
}

/** JSON; anything else is a text, unless it begins as a list or an object does. */
function readJson(text: string, type: string): { readonly value: unknown; readonly fault: string | null } {
  try {
    return { value: JSON.parse(text) as unknown, fault: null };
  } catch {
    if (/^\s*[[{"]/.test(text) || /^(?:Array|Hash|Struct|Tuple)\b/.test(stripOptional(type))) {
      return { value: null, fault: `Write a ${type} as JSON.` };
    }
    return { value: text, fault: null };
  }
}
