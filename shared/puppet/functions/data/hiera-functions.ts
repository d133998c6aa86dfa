import { ISSUES } from '../../errors/issues/catalogue.ts';
import { PuppetError } from '../../errors/puppet-error.ts';
import type { PuppetFunction } from '../../evaluator/ports.ts';
import type { Value } from '../../types/values/values.ts';
import { classNames, runUntilJump } from '../support/catalog-function.ts';
import { defineHieraFunction } from '../support/hiera-function.ts';

/** The functions of Hiera 3. */
export const HIERA_FUNCTIONS: readonly PuppetFunction[] = [
  defineHieraFunction('hiera', { merge: 'first' }),
  defineHieraFunction('hiera_array', { merge: 'unique' }),
  defineHieraFunction('hiera_hash', { merge: 'hash' }),
  /** Includes the classes listed under a key. */
  defineHieraFunction('hiera_include', {
    merge: 'unique',
    afterwards: (site, key, value): Value => {
      if (value === null) throw new PuppetError(ISSUES.DATA_ITEM_NOT_FOUND({ key }));
      const names = Array.isArray(value) ? value : [value];
      if (names.length === 0 || value === '') return null;
      return runUntilJump(() => site.context.catalog.includeClasses(site.scope, classNames(names)));
    },
  }),
];
