import type { ApiSchema } from '../../../api/described-answers.ts';

export type ClassForm = ApiSchema<'ClassForm'>;
export type ClassParameter = ClassForm['parameters'][number];

/** Values by parameter, by class. */
export type ClassesOfGroup = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Reads classes that are written as JSON; null when the text is something else. */
export function readClasses(text: string): ClassesOfGroup | null {
  const value = readObject(text);
  return value !== null && Object.values(value).every(isObject) ? (value as ClassesOfGroup) : null;
}

/** Reads an object that is written as JSON; null when the text is something else. */
export function readObject(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text === '' ? '{}' : text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** Writes an object as the JSON box shows it. */
export function writeObject(value: object): string {
  return JSON.stringify(value, null, 1);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A copy without one member. */
export function withoutMember<T>(object: Readonly<Record<string, T>>, name: string): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(object).filter(([key]) => key !== name));
}

/** The text of a value in a field. A text that JSON would read as something else is quoted. */
export function printTyped(value: unknown, control: ClassParameter['control']): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  return control === 'json' && readTyped(value, control) !== value ? JSON.stringify(value) : value;
}

/** The value of what is typed in a field. What does not fit stays a text: the check says so. */
export function readTyped(text: string, control: ClassParameter['control']): unknown {
  switch (control) {
    case 'integer':
      return /^-?\d+$/.test(text) ? Number(text) : text;
    case 'number':
      return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
    case 'json':
      return readJson(text);
    default:
      return text;
  }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** The value that a parameter has when it is added: its default, if that is a literal. */
export function presetOf({ control, choices, default: written }: ClassParameter): unknown {
  const text = written?.replace(/^'([^'\\]*)'$/, '"$1"') ?? '';
  const value = readJson(text);
  if (control === 'choice') return choices.find((one) => one === value) ?? choices[0] ?? '';
  if (control === 'text') return text === value || typeof value !== 'string' ? '' : value;
  return text === value ? '' : value;
}
