import { ISSUES } from '../errors/issues/catalogue.ts';
import { LookupError } from '../errors/lookup-error.ts';
import { defineFunction } from '../evaluator/native-function.ts';
import type { CallSite, PuppetFunction } from '../evaluator/ports.ts';
import { PuppetHash } from '../types/values/puppet-hash.ts';
import type { Value } from '../types/values/values.ts';
import { type FileReader, readHoconHash, readJsonHash, readYamlHash } from './data-files.ts';
import { lookupEyaml } from './eyaml-data.ts';
import { LookupContext } from './lookup-context.ts';

const MISSING_PATH =
  "one of 'path', 'paths' 'glob', 'globs' or 'mapped_paths' must be declared in hiera.yaml when using this data_hash function";

/** Creates a data_hash function that reads the file named in its options. */
function fileFunction(name: string, read: (path: string, reader: FileReader) => Value): PuppetFunction {
  return defineFunction(
    name,
    {
      params: ['Struct[{path=>String[1]}] options', 'Puppet::LookupContext context'],
      body: (site, [options, context]) => read(pathOf(options), readerOf(site, context)),
    },
    {
      mismatches: [{ params: ['Hash options', 'Puppet::LookupContext context'], message: () => MISSING_PATH }],
    },
  );
}

function pathOf(options: Value | undefined): string {
  return options instanceof PuppetHash ? String(options.get('path')) : '';
}

function readerOf(site: CallSite, context: Value | undefined): FileReader {
  if (context instanceof LookupContext) return context.invocation.session;
  throw new LookupError(ISSUES.NO_LOOKUP_GOING_ON({ environment: site.context.environment.name }));
}

/** Puppet's built-in data functions for Hiera. */
export const DATA_FUNCTIONS: ReadonlyMap<string, PuppetFunction> = new Map(
  [
    fileFunction('yaml_data', readYamlHash),
    fileFunction('json_data', readJsonHash),
    fileFunction('hocon_data', readHoconHash),
    // Puppet Enterprise: the configuration data of the node's groups.
    defineFunction('classifier_data', {
      params: ['Hash[String[1],Any] options', 'Puppet::LookupContext context'],
      body: (site) => site.context.node.configData ?? new PuppetHash(),
    }),
    defineFunction('eyaml_lookup_key', {
      params: ['String[1] key', 'Hash[String[1],Any] options', 'Puppet::LookupContext context'],
      body: (_, [key, options, context]) => lookupEyaml(key, options, context),
    }),
  ].map((each) => [each.name, each]),
);
