import { parseJson, toPlainJson } from '../serialization/json.ts';
import { rubyToS } from '../types/format/ruby-text.ts';
import type { ModuleMetadata } from './environment.ts';

/** Thrown by `parseModuleMetadata`. Puppet logs its message as an error and ignores the module. */
export class MetadataError extends Error {}

/** The file is no JSON: the module is ignored only where `strict` is `error`. */
export class UnparsableMetadata extends MetadataError {}

const REQUIRED = ['source', 'author', 'version', 'license', 'dependencies'] as const;

/**
 * Parses a module's metadata.json as lib/puppet/module.rb does; null when it is an empty object.
 * Throws SyntaxError when the text is not JSON, and MetadataError when a required entry is missing.
 */
export function parseModuleMetadata(text: string, moduleName: string): ModuleMetadata | null {
  const data = readJson(text);
  if (typeof data === 'string' && data !== '')
    throw new MetadataError(`No source module metadata provided for ${moduleName}`);
  if (!isObject(data) || Object.keys(data).length === 0) return null;
  for (const attribute of REQUIRED) {
    if (data[attribute] === undefined || data[attribute] === null) {
      throw new MetadataError(`No ${attribute} module metadata provided for ${moduleName}`);
    }
  }
  if (!Array.isArray(data.dependencies)) {
    throw new MetadataError(
      `The value for the key dependencies in the file metadata.json of the module ${moduleName} must be an array, not: '${printValue(data.dependencies)}'`,
    );
  }
  const dependencies = data.dependencies
    .map((dependency: unknown) => (isObject(dependency) ? String(dependency.name ?? '') : ''))
    .map((name) => name.split(/[-/]/)[1] ?? name);
  return {
    name: String(data.name ?? moduleName),
    version: String(data.version),
    dependencies: dependencies.length === 0 ? null : dependencies,
    dataProvider: typeof data.data_provider === 'string' ? data.data_provider : null,
  };
}

/**
 * Parses JSON as Ruby does, which accepts some texts that are not JSON and has its own error texts.
 */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return toPlainJson(parseJson(text));
  }
}

function printValue(value: unknown): string {
  return isObject(value) ? rubyToS(parseJson(JSON.stringify(value))) : String(value);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
