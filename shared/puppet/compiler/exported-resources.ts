import { parameterData } from '../catalog/catalog-json.ts';
import type { ExportedResource } from '../catalog/exported.ts';
import { toPlainJson } from '../serialization/json.ts';
import type { CompileState } from './compile-state.ts';
import { referenceText } from './references.ts';

/**
 * Returns the resources that the node exports, in the order of declaration. Sensitive parameters
 * are left out: whoever collects a resource, or asks the inventory, would have them in clear.
 * Puppet: PuppetDB's terminus, `redact_sensitive_params`
 */
export function listExportedResources(state: CompileState): ExportedResource[] {
  const { certname } = state.context.node;
  return state.catalog.resources
    .filter((resource) => resource.exported)
    .map((resource) => ({
      certname,
      type: resource.type,
      title: resource.title,
      tags: [...resource.tags].sort(),
      parameters: Object.fromEntries(
        [...parameterData(resource, referenceText)]
          .filter(([name]) => !resource.sensitiveParameters.includes(String(name)))
          .map(([name, value]) => [String(name), toPlainJson(value)]),
      ),
    }));
}
