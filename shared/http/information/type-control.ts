import { type PType, UNDEF } from '../../puppet/types/ptype.ts';
import { TypeAliasType } from '../../puppet/types/reference-types.ts';
import { BooleanType } from '../../puppet/types/scalar-types.ts';
import { EnumType } from '../../puppet/types/string-types.ts';
import { NotUndefType, OptionalType, VariantType } from '../../puppet/types/wrapper-types.ts';

/** The control that fits a type, for a form. */
export interface ControlOfType {
  /** `json`: a value that no other control can express. */
  readonly control: 'choice' | 'integer' | 'number' | 'text' | 'json';
  /** All values of a `choice`; empty for other controls. */
  readonly choices: readonly (string | boolean)[];
  /** Whether the value may be `undef`. */
  readonly isOptional: boolean;
}

const TEXTS = new Set(['String', 'Pattern']);
/** Longer lists are typed: a browser shows one as a list of all its values. */
const MOST_CHOICES = 500;
/** Aliases may lead to each other. */
const MOST_LEVELS = 20;

/** Finds the control for a type; null: the type is not known. */
export function findControl(type: PType | null): ControlOfType {
  const simple = type === null ? [] : listSimple(type, 0);
  const isOptional = simple.some((one) => one?.kind === 'Undef');
  const others = simple.filter((one) => one?.kind !== 'Undef');
  const choices = others.map(choicesOf);
  if (others.length > 0 && choices.every((one) => one !== null)) {
    const all = [...new Set(choices.flat())];
    if (all.length <= MOST_CHOICES) return { control: 'choice', choices: all, isOptional };
  }
  const hasOnly = (kinds: (kind: string) => boolean) =>
    others.length > 0 && others.every((one) => one !== null && kinds(one.kind));
  const control = hasOnly((kind) => TEXTS.has(kind) || kind === 'Enum')
    ? 'text'
    : hasOnly((kind) => kind === 'Integer')
      ? 'integer'
      : hasOnly((kind) => kind === 'Integer' || kind === 'Float' || kind === 'Numeric')
        ? 'number'
        : 'json';
  return { control, choices: [], isOptional };
}

function choicesOf(type: PType | null): readonly (string | boolean)[] | null {
  if (type instanceof BooleanType) return type.value === null ? [true, false] : [type.value];
  return type instanceof EnumType && type.values.length > 0 && !type.caseInsensitive ? type.values : null;
}

/** The alternatives of a type without aliases, options and variants; null for what is too deep. */
function listSimple(type: PType, level: number): readonly (PType | null)[] {
  if (level > MOST_LEVELS) return [null];
  if (type instanceof TypeAliasType) return listSimple(type.resolvedType, level + 1);
  if (type instanceof VariantType) return type.types.flatMap((one) => listSimple(one, level + 1));
  if (type instanceof NotUndefType) return type.type === null ? [null] : listSimple(type.type, level + 1);
  if (type instanceof OptionalType) {
    return [UNDEF, ...(type.type === null ? [null] : listSimple(type.type, level + 1))];
  }
  return [type];
}
