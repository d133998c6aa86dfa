import type { ApiSchema } from '../../../../api/described-answers.ts';

export type PqlEntities = ApiSchema<'QuerySchema'>['entities'];
type PqlEntity = PqlEntities[number];

/** A text that can stand at the caret, with a note. */
export interface Suggestion {
  readonly text: string;
  readonly note: string;
}

/** Texts that can stand at the caret. One replaces the text from `from` to the caret. */
export interface Completion {
  readonly from: number;
  readonly suggestions: readonly Suggestion[];
  /** The beginning of a fact's path, whose rest the inventory knows: `os.re`; null elsewhere. */
  readonly factPath: string | null;
  /** The text before a fact's path, as `facts.`; empty in quotes, as `name = "kern`. */
  readonly prefix: string;
}

const MOST_SUGGESTIONS = 50;
const NOTHING = { suggestions: [], factPath: null, prefix: '' };
const KEYWORDS: readonly string[] = [
  ...['and', 'or', 'in', 'is null', 'is not null', 'group by', 'order by', 'limit', 'offset', 'asc', 'desc'],
];
const FUNCTIONS: readonly string[] = ['count()', 'avg(', 'sum(', 'min(', 'max(', 'to_string('];
/** A string, a word with paths and `?`, or one other character; an open string goes to the end. */
const TOKEN = /"(?:[^"\\]|\\.)*("|$)|'(?:[^'\\]|\\.)*('|$)|[A-Za-z_][\w.?-]*|\S/g;

interface Place {
  /** The entity whose brackets are open at the caret; null outside of all. */
  readonly entity: string | null;
  readonly isProjection: boolean;
  /** The words before the one at the caret, the last one last. */
  readonly before: readonly string[];
  /** The beginning of the word, or of the text in quotes, at the caret. */
  readonly from: number;
  readonly word: string;
  readonly isText: boolean;
}

/** Finds what can stand at the caret of a query: entities, fields, words of PQL, or facts. */
export function complete(text: string, caret: number, entities: PqlEntities): Completion {
  const { entity, isProjection, before, from, word, isText } = findPlace(text.slice(0, caret), entities);
  const known = entities.find(({ name }) => name === entity) ?? null;
  if (isText) return { ...NOTHING, from, factPath: namesFact(known, before) ? word : null };
  const [, root = '', path = ''] = /^([a-z]+)\.(.*)$/.exec(word) ?? [];
  if (root !== '') {
    const isFacts = root === 'facts' && known?.fields.some(({ name, hasPaths }) => name === root && hasPaths) === true;
    return { ...NOTHING, from, factPath: isFacts ? path : null, prefix: 'facts.' };
  }
  const all =
    known === null
      ? before.length === 0
        ? nameEntities(entities)
        : []
      : [...nameFields(known, isProjection), ...nameWords(isProjection, before, entities)];
  const suggestions = all.filter((one) => one.text.startsWith(word) && one.text !== word).slice(0, MOST_SUGGESTIONS);
  return { ...NOTHING, from, suggestions };
}

/** The place of the caret at the end of a text. */
function findPlace(text: string, entities: PqlEntities): Place {
  const names = new Set(entities.map(({ name }) => name));
  const open: { readonly entity: string | null; readonly isProjection: boolean }[] = [];
  const before: string[] = [];
  let last: string | null = null;
  for (const found of text.matchAll(TOKEN)) {
    const [token, closed = '', otherClosed = ''] = found;
    const end = found.index + token.length;
    const isString = /^["']/.test(token);
    const isOpenString = isString && closed === '' && otherClosed === '';
    if (end === text.length && (isOpenString || /^\w/.test(token))) {
      const { entity = null, isProjection = false } = open.at(-1) ?? {};
      const from = isOpenString ? found.index + 1 : found.index;
      return { entity, isProjection, before, from, word: text.slice(from), isText: isOpenString };
    }
    if (token === '{' || token === '[') {
      // A bracket behind an operator opens a list of values or fields.
      const isOfEntity = last !== null && (names.has(before.at(-1) ?? '') || /[\]]/.test(before.at(-1) ?? ''));
      open.push(isOfEntity ? { entity: last, isProjection: token === '[' } : (open.at(-1) ?? OUTSIDE));
    }
    if (token === '}' || token === ']') {
      const closing = open.pop();
      // The entity of a projection has its conditions behind it.
      last = closing?.isProjection === true ? closing.entity : null;
    }
    if (names.has(token) && isEntityAt(text, end)) last = token;
    before.push(token);
  }
  const { entity = null, isProjection = false } = open.at(-1) ?? {};
  return { entity, isProjection, before, from: text.length, word: '', isText: false };
}

const OUTSIDE = { entity: null, isProjection: false };

/** Whether brackets follow, which fields do not have. */
function isEntityAt(text: string, end: number): boolean {
  return /^\s*[[{]/.test(text.slice(end));
}

function nameEntities(entities: PqlEntities): readonly Suggestion[] {
  return entities.map(({ name }) => ({ text: name, note: 'entity' }));
}

function nameFields({ fields }: PqlEntity, isProjection: boolean): readonly Suggestion[] {
  return fields
    .filter((field) => (isProjection ? field.isProjectable : field.isQueryable))
    .map(({ name, type, hasPaths }) => ({ text: hasPaths ? `${name}.` : name, note: type.replace('queryable-', '') }));
}

function nameWords(isProjection: boolean, before: readonly string[], entities: PqlEntities): readonly Suggestion[] {
  if (isProjection) return FUNCTIONS.map((text) => ({ text, note: 'function' }));
  if (before.at(-1) === 'in') return nameEntities(entities);
  return KEYWORDS.map((text) => ({ text, note: 'word' }));
}

/** Whether a text is compared with the name of a fact. */
function namesFact(entity: PqlEntity | null, before: readonly string[]): boolean {
  const isOfFacts = entity?.fields.some(({ name }) => name === 'value') === true;
  const field = before.findLast((token) => /^\w/.test(token));
  return isOfFacts && field === 'name' && !before.slice(before.lastIndexOf('name')).includes('}');
}
