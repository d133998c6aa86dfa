import { UNPARAMETERIZED_TYPES } from './default-types.ts';
import { INIT } from './init-type.ts';
import type { PType } from './ptype.ts';

/** Types that code can name, by their name in lower case. A resolver finds all other types. */
export const TYPES_BY_NAME: ReadonlyMap<string, PType> = new Map(
  [...UNPARAMETERIZED_TYPES, INIT]
    .filter((type) => type.kind !== 'Unit')
    .map((type) => [type.kind.toLowerCase(), type]),
);
