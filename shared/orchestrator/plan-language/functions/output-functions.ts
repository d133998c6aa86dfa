import type { DispatchSpec } from '../../../puppet/evaluator/native-function.ts';
import type { PuppetFunction } from '../../../puppet/evaluator/ports.ts';
import { rubyEquals } from '../../../puppet/types/equality.ts';
import { PuppetHash } from '../../../puppet/types/values/puppet-hash.ts';
import { Sensitive, type Value } from '../../../puppet/types/values/values.ts';
import { createRefusal, createValidationError } from '../bolt-error.ts';
import type { PlanNote } from '../plan-effects.ts';
import { stringify } from '../plan-json.ts';
import type { PlanRun } from '../plan-run.ts';
import { definePlanFunction, findOption, isOn, type PlanFunctions } from './plan-function.ts';

const LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;

/** Functions that say something, and those that would ask somebody. */
export const outputFunctions: PlanFunctions = (run) => [
  defineNote(run, 'out::message', (message) => ({ type: 'message', message })),
  defineNote(run, 'out::verbose', (message) => ({ type: 'verbose', message })),
  ...LEVELS.map((level) => defineNote(run, `log::${level}`, (message) => ({ type: 'log', level, message }))),
  definePrompt(run),
  defineMenu(run),
  refuse(run, 'run_container', 'the server runs no containers'),
];

function defineNote(run: PlanRun, name: string, make: (message: string) => PlanNote): PuppetFunction {
  return definePlanFunction(run, name, {
    params: ['Any message'],
    returns: 'Undef',
    body: (_, [message = null]) => {
      run.note(make(stringify(message)));
      return null;
    },
  });
}

function refuse(run: PlanRun, name: string, reason: string): PuppetFunction {
  return definePlanFunction(run, name, {
    params: ['*Any arguments'],
    block: '?Callable block',
    body: () => {
      throw createRefusal(`${name}() cannot be used in plans on this server: ${reason}`);
    },
  });
}

// Bolt: without a terminal, lib/bolt/executor.rb (prompt) takes the default.
function definePrompt(run: PlanRun): PuppetFunction {
  return definePlanFunction(run, 'prompt', {
    params: ['String prompt', '?Hash[String[1], Any] options'],
    returns: 'Variant[String, Sensitive]',
    body: (_, [, options]) => {
      const usual = findDefault(options, 'prompt');
      if (typeof usual !== 'string') throw createValidationError("Option 'default' must be a string");
      return isOn(findOption(options, 'sensitive')) ? new Sensitive(usual) : usual;
    },
  });
}

function defineMenu(run: PlanRun): PuppetFunction {
  const define = (menu: string, toHash: (menu: Value) => PuppetHash): DispatchSpec => ({
    params: ['String prompt', `${menu} menu`, '?Hash[String[1], Variant[Target, Data]] options'],
    body: (_, [, given = null, options]) => {
      const choices = toHash(given);
      if (choices.size === 0) throw createValidationError('Menu cannot be empty');
      const usual = findDefault(options, 'prompt::menu');
      if (!Array.from(choices, ([, value]) => value).some((value) => rubyEquals(value, usual))) {
        const shown = stringify(usual);
        throw createValidationError(`Default value '${shown}' is not one of the provided menu options`);
      }
      return choices.get(usual) ?? usual;
    },
  });
  const numbered = (menu: Value) =>
    PuppetHash.of([menu].flat().map((value, index) => [String(index + 1), value] as const));
  return definePlanFunction(run, 'prompt::menu', [
    define('Array[Variant[Target, Data]]', numbered),
    define('Hash[String[1], Variant[Target, Data]]', (menu) => (menu instanceof PuppetHash ? menu : new PuppetHash())),
  ]);
}

function findDefault(options: Value | undefined, name: string): Value {
  if (options instanceof PuppetHash && options.has('default')) return options.get('default') ?? null;
  throw createRefusal(
    `${name}() cannot be used in plans on this server without a default: nobody is there to answer, so give the plan a parameter`,
  );
}
