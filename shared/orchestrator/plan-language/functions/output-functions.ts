import type { PuppetFunction } from '../../../puppet/evaluator/ports.ts';
import { createRefusal } from '../bolt-error.ts';
import type { PlanNote } from '../plan-effects.ts';
import { stringify } from '../plan-json.ts';
import type { PlanRun } from '../plan-run.ts';
import { definePlanFunction, type PlanFunctions } from './plan-function.ts';

const LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;

/** Functions that say something, and those that would ask somebody. */
export const outputFunctions: PlanFunctions = (run) => [
  defineNote(run, 'out::message', (message) => ({ type: 'message', message })),
  defineNote(run, 'out::verbose', (message) => ({ type: 'verbose', message })),
  ...LEVELS.map((level) => defineNote(run, `log::${level}`, (message) => ({ type: 'log', level, message }))),
  ...['prompt', 'prompt::menu'].map((name) =>
    refuse(run, name, 'nobody is there to answer, so give the plan a parameter'),
  ),
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
