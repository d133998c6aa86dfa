import { defineFunction } from '../../evaluator/native-function.ts';
import type { Callable, CallSite, LookupRequest } from '../../evaluator/ports.ts';
import { PType } from '../../types/ptype.ts';
import { PuppetHash } from '../../types/values/puppet-hash.ts';
import type { Value } from '../../types/values/values.ts';

const NAME = 'NameType name';

export const lookup = defineFunction(
  'lookup',
  [
    {
      params: [NAME, '?ValueType value_type', '?MergeType merge'],
      body: (site, args) => {
        const name = args[0] ?? null;
        if (args.length === 1 && typeof name === 'string') return site.context.lookup.lookupKey(site.scope, name);
        return find(site, name, { valueType: args[1] ?? null, merge: args[2] ?? null });
      },
    },
    {
      params: [NAME, 'Optional[ValueType] value_type', 'Optional[MergeType] merge', 'DefaultValueType default_value'],
      body: (site, [name = null, valueType = null, merge = null, defaultValue = null]) =>
        find(site, name, { valueType, merge, defaultValue }),
    },
    {
      params: [NAME, '?ValueType value_type', '?MergeType merge'],
      block: 'BlockType block',
      body: (site, [name = null, valueType = null, merge = null], block) =>
        find(site, name, { valueType, merge, block }),
    },
    {
      params: ['OptionsWithName options_hash'],
      block: '?BlockType block',
      body: (site, [options = null], block) =>
        options instanceof PuppetHash
          ? find(site, options.get('name') ?? null, { ...optionsOf(options), block })
          : null,
    },
    {
      params: ['Variant[String,Array[String]] name', 'OptionsWithoutName options_hash'],
      block: '?BlockType block',
      body: (site, [name = null, options = null], block) =>
        options instanceof PuppetHash ? find(site, name, { ...optionsOf(options), block }) : null,
    },
  ],
  {
    localTypes: {
      NameType: 'Variant[String, Array[String]]',
      ValueType: 'Type',
      DefaultValueType: 'Any',
      MergeType: 'Variant[String[1], Hash[String, Scalar]]',
      BlockType: 'Callable[NameType]',
      OptionsWithName:
        'Struct[{name => NameType, value_type => Optional[ValueType], default_value => Optional[DefaultValueType], ' +
        'override => Optional[Hash[String,Any]], default_values_hash => Optional[Hash[String,Any]], ' +
        'merge => Optional[MergeType]}]',
      OptionsWithoutName:
        'Struct[{value_type => Optional[ValueType], default_value => Optional[DefaultValueType], ' +
        'override => Optional[Hash[String,Any]], default_values_hash => Optional[Hash[String,Any]], ' +
        'merge => Optional[MergeType]}]',
    },
  },
);

interface LookupOptions {
  readonly valueType: Value;
  readonly merge: Value;
  /** Absent when there is no default. */
  readonly defaultValue?: Value;
  readonly block?: Callable | null;
  readonly override?: Value;
  readonly defaultValues?: Value;
}

function optionsOf(options: PuppetHash): LookupOptions {
  const defaultValue = options.get('default_value');
  return {
    valueType: options.get('value_type') ?? null,
    merge: options.get('merge') ?? null,
    ...(defaultValue === undefined ? {} : { defaultValue }),
    override: options.get('override') ?? null,
    defaultValues: options.get('default_values_hash') ?? null,
  };
}

function find(site: CallSite, name: Value, options: LookupOptions): Value {
  const request: LookupRequest = {
    names: typeof name === 'string' ? [name] : (Array.isArray(name) ? name : [name]).map(String),
    valueType: options.valueType instanceof PType ? options.valueType : null,
    merge: options.merge,
    defaultValue: options.defaultValue,
    defaultBlock: options.block ?? null,
    defaultValues: hashOf(options.defaultValues),
    override: hashOf(options.override),
  };
  return site.context.lookup.lookup(site.scope, request);
}

const EMPTY = new PuppetHash();

function hashOf(value: Value | undefined): PuppetHash {
  return value instanceof PuppetHash ? value : EMPTY;
}
