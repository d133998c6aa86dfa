import type { DispatchSpec } from '../../../puppet/evaluator/native-function.ts';
import type { PuppetFunction } from '../../../puppet/evaluator/ports.ts';
import { printJson } from '../../../puppet/serialization/json.ts';
import { PuppetHash } from '../../../puppet/types/values/puppet-hash.ts';
import type { Value } from '../../../puppet/types/values/values.ts';
import { BoltError, createRefusal } from '../bolt-error.ts';
import { hashFrom } from '../plan-json.ts';
import { ResultSetValue, ResultValue, TargetValue } from '../plan-objects.ts';
import type { PlanRun } from '../plan-run.ts';
import { packPlugins } from '../plugin-archive.ts';
import { createRunFailure, runAction, takeValues } from './action-results.ts';
import { definePlanFunction, findOption, isOn, type PlanFunctions } from './plan-function.ts';
import { queryInventory } from './reference-functions.ts';

const TARGETS = 'Boltlib::TargetSpec targets';

/** Functions about targets, and what the plan knows of them. */
export const targetFunctions: PlanFunctions = (run) => [
  definePlanFunction(run, 'get_targets', {
    params: ['Boltlib::TargetSpec names'],
    body: (_, [spec = null]) => run.targetsOf(spec),
  }),
  definePlanFunction(run, 'get_target', {
    params: ['Boltlib::TargetSpec name'],
    body: (_, [spec = null]) => run.targetOf(spec),
  }),
  definePlanFunction(run, 'facts', {
    params: ['Target target'],
    body: (_, [target = null]) => readState(target, 'facts'),
  }),
  definePlanFunction(run, 'vars', {
    params: ['Target target'],
    body: (_, [target = null]) => readState(target, 'vars'),
  }),
  definePlanFunction(run, 'add_facts', {
    params: ['Target target', 'Hash facts'],
    body: (_, [target = null, facts = null]) =>
      change(run, target, (name) => {
        if (facts instanceof PuppetHash) run.inventory.addFacts(name, facts);
      }),
  }),
  definePlanFunction(run, 'set_var', {
    params: ['Target target', 'String key', 'Data value'],
    body: (_, [target = null, key = '', value = null]) =>
      change(run, target, (name) => run.inventory.setVariable(name, String(key), value)),
  }),
  definePlanFunction(run, 'set_feature', {
    params: ['Target target', 'String feature', '?Boolean value'],
    body: (_, [target = null, feature = '', value = true]) =>
      change(run, target, (name) => {
        const { features } = run.inventory.get(name);
        if (value === true) features.add(String(feature));
        else features.delete(String(feature));
      }),
  }),
  definePlanFunction(run, 'set_config', {
    params: ['Target target', 'Variant[String, Array[String]] key_or_key_path', 'Any value'],
    body: () => {
      throw createRefusal(
        'set_config() cannot be used in plans on this server: targets are reached by their agents, which have no options',
      );
    },
  }),
  definePlanFunction(run, 'add_to_group', {
    params: [TARGETS, 'String[1] group'],
    body: (_, [spec = null, group = '']) => {
      const targets = run.targetsOf(spec);
      run.fibers.once(() => run.inventory.addToGroup(String(group)));
      return targets;
    },
  }),
  definePlanFunction(run, 'remove_from_group', {
    params: ['Boltlib::TargetSpec target', 'String[1] group'],
    body: (_, [spec = null, group = '']) => {
      const names = run.targetsOf(spec).map(({ name }) => name);
      run.fibers.once(() => run.inventory.removeFromGroup(names, String(group)));
      return null;
    },
  }),
  ...defineQueries(run),
  defineGetResources(run),
  defineApplyPrep(run),
];

function readState(target: Value, attribute: 'facts' | 'vars'): Value {
  return target instanceof TargetValue ? (target.get(attribute) ?? null) : null;
}

function change(run: PlanRun, target: Value, make: (name: string) => void): Value {
  if (target instanceof TargetValue) run.fibers.once(() => make(target.name));
  return target;
}

function defineQueries(run: PlanRun) {
  const ask = (query: string) => queryInventory(run, query);
  return [
    defineQuestion(run, 'puppetdb_query', 'Variant[String, Array[Data]] query', (query) =>
      ask(typeof query === 'string' ? query : printJson(query)),
    ),
    defineQuestion(run, 'puppetdb_fact', 'Array[String] certnames', (names) => factsByNode(names, ask)),
  ];
}

/** Bolt has a signature with the name of an instance, which is ours here, and one without. */
function defineQuestion(run: PlanRun, name: string, param: string, answer: (asked: Value) => Value): PuppetFunction {
  const body: DispatchSpec['body'] = (_, [asked = null]) => answer(asked);
  return definePlanFunction(run, name, [
    { params: [param], body },
    { params: [param, 'String instance'], body },
  ]);
}

// Bolt: lib/bolt/puppetdb/instance.rb (facts_for_node)
function factsByNode(names: Value, ask: (query: string) => Value): Value {
  const wanted = Array.isArray(names) ? names : [];
  if (wanted.length === 0) return new PuppetHash();
  const query = ['or', ...wanted.map((name) => ['=', 'certname', String(name)])];
  const rows = ask(JSON.stringify(['from', 'inventory', query]));
  const found = PuppetHash.of(wanted.map((name) => [name, new PuppetHash()] as const));
  for (const row of Array.isArray(rows) ? rows : []) {
    if (row instanceof PuppetHash) found.set(row.get('certname') ?? null, row.get('facts') ?? null);
  }
  return found;
}

// Bolt: bolt-modules/boltlib, get_resources
function defineGetResources(run: PlanRun) {
  return definePlanFunction(run, 'get_resources', {
    params: [TARGETS, 'Variant[String, Type[Resource], Array[Variant[String, Type[Resource]]]] resources'],
    body: (_, [spec = null, given = null]) => {
      const resources = [given].flat().map(String);
      for (const one of resources) {
        if (/^\w+$/.test(one) || /^\w+\[.+\]$/.test(one)) continue;
        throw new BoltError(`${one} is not a valid resource type or type instance name`, 'bolt/get-resources');
      }
      return runAction(run, () => ({
        kind: 'task',
        task: 'apply_helpers::query_resources',
        targets: run.targetsOf(spec),
        description: 'gather resources',
        params: { resources, plugins: packPlugins(run.environment) },
        catchesErrors: false,
        name: 'run_task',
        object: 'apply_helpers::query_resources',
        resultAction: 'task',
      }));
    },
  });
}

/** Every node has an agent, so that only its facts are gathered. */
function defineApplyPrep(run: PlanRun) {
  return definePlanFunction(run, 'apply_prep', {
    params: [TARGETS, '?Hash[String, Data] options'],
    body: (_, [spec = null, options]) =>
      run.fibers.run<ResultSetValue, readonly TargetValue[]>(
        () => {
          const targets = run.targetsOf(spec);
          if (targets.length === 0) return { done: new ResultSetValue(run.types, []) };
          const action = {
            kind: 'facts' as const,
            targets: targets.map(({ name }) => name),
            description: 'install puppet and gather facts',
            task: null,
            params: { plugins: packPlugins(run.environment) },
            noop: false,
          };
          return { effect: { kind: 'action', action }, prepared: targets };
        },
        (outcome, targets) => {
          const values = takeValues(outcome).map(hashFrom);
          const name = 'apply_helpers::custom_facts';
          const results = targets.map((target, index) => {
            const value = values[index] ?? new PuppetHash();
            if (!value.has('_error')) run.inventory.addFacts(target.name, value);
            return new ResultValue(run.types, target, value, 'task', name);
          });
          const set = new ResultSetValue(run.types, results);
          if (!set.isOk && !isOn(findOption(options, '_catch_errors'))) throw createRunFailure(set, 'run_task', name);
          return set;
        },
      ),
  });
}
