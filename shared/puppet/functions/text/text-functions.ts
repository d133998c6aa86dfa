import { defineFunction } from '../../evaluator/native-function.ts';
import type { PuppetFunction } from '../../evaluator/ports.ts';
import {
  capitalizeText,
  chompText,
  chopText,
  downcaseText,
  lstripText,
  rstripText,
  stripText,
  upcaseText,
} from '../../ruby-core/ruby-string.ts';
import { PuppetHash } from '../../types/values/puppet-hash.ts';
import type { Value } from '../../types/values/values.ts';
import { iterateElements } from '../support/iteration.ts';

/**
 * Defines a function of one text (chomp, strip, capitalize, ...). It returns numbers unchanged and
 * maps over iterables.
 */
function defineTextFunction(name: string, change: (text: string) => string): PuppetFunction {
  const apply = (value: Value): Value => (typeof value === 'string' ? change(value) : value);
  return defineFunction(name, [
    { params: ['Numeric arg'], body: (_, [arg = null]) => arg },
    { params: ['String arg'], body: (_, [arg = null]) => apply(arg) },
    {
      params: ['Iterable[Variant[String, Numeric]] arg'],
      body: (_, [arg = null]) => Array.from(iterateElements(name, arg), apply),
    },
  ]);
}

/** Defines a function that changes the case of texts, also inside arrays and hashes. */
function defineCaseFunction(name: string, change: (text: string) => string): PuppetFunction {
  const apply = (value: Value): Value => {
    if (typeof value === 'string') return change(value);
    if (Array.isArray(value)) return value.map(apply);
    if (!(value instanceof PuppetHash)) return value;
    return PuppetHash.of(Array.from(value, ([key, item]) => [apply(key), apply(item)] as const));
  };
  return defineFunction(
    name,
    ['Numeric', 'String', 'Array[StringData]', 'Hash[StringData, StringData]'].map((type) => ({
      params: [`${type} arg`],
      body: (_, [arg = null]) => apply(arg),
    })),
    {
      localTypes: { StringData: 'Variant[String, Numeric, Array[StringData], Hash[StringData, StringData]]' },
    },
  );
}

/** The functions that change one text. */
export const TEXT_FUNCTIONS: readonly PuppetFunction[] = [
  defineTextFunction('camelcase', (text) => text.split('_').map(capitalizeText).join('')),
  defineTextFunction('capitalize', capitalizeText),
  defineTextFunction('chomp', chompText),
  defineTextFunction('chop', chopText),
  defineTextFunction('lstrip', lstripText),
  defineTextFunction('rstrip', rstripText),
  defineTextFunction('strip', stripText),
  defineCaseFunction('downcase', downcaseText),
  defineCaseFunction('upcase', upcaseText),
];
