import { trustedFacts } from '../../shared/access/ca/trusted-facts.ts';
import { compile } from '../../shared/puppet/compiler/compile.ts';
import { DEFAULT_COMPILE_SETTINGS } from '../../shared/puppet/compiler/default-settings.ts';
import { openDirectoryEnvironment } from '../../shared/puppet/environment/directory-environment.ts';
import { NO_RECORDER, withoutRecording } from '../../shared/puppet/environment/inputs.ts';
import { SERVED_CODE_DIRECTORY } from '../../shared/puppet/environment/snapshot.ts';
import { createWasmRuby } from '../../shared/puppet/ruby/wasm/wasm-host.ts';
import { PuppetHash } from '../../shared/puppet/types/values/puppet-hash.ts';
import type { Stores } from '../../shared/store/ports/stores.ts';
import type { NodeModel } from './node-model.ts';

/**
 * Compiles a node from the files on disk, with the facts and the group of the model and the exports
 * in the stores, as nothing was ever compiled before. Returns the catalog as JSON without the
 * fields that tell compiles apart. Throws when the compile fails.
 */
export async function compileFresh(node: NodeModel, controlRepo: string, { exports }: Stores): Promise<unknown> {
  const { certname } = node;
  const others = await exports.collect([{ type: 'Chaos::Export', query: null }], certname);
  const result = compile({
    node: {
      certname,
      environment: 'production',
      facts: withoutRecording(PuppetHash.of(Object.entries(node.facts.accepted))),
      trusted: withoutRecording(trustedFacts(certname, new Map())),
      serverFacts: null,
      parameters: PuppetHash.of([['group', node.group.accepted]]),
      classes: [],
    },
    environment: openDirectoryEnvironment(controlRepo, 'production', NO_RECORDER),
    settings: DEFAULT_COMPILE_SETTINGS,
    inputs: NO_RECORDER,
    exportsOf: () => others,
    ruby: createWasmRuby(),
  });
  if (result.status !== 'ok') throw new Error(`${certname} does not compile: ${JSON.stringify(result)}`);
  return comparableCatalog(result.catalog.replaceAll(controlRepo, SERVED_CODE_DIRECTORY));
}

/** A catalog without what names its compile and its code. */
export function comparableCatalog(text: string): unknown {
  const {
    version: _version,
    code_id: _code,
    catalog_uuid: _uuid,
    catalog_format: _format,
    ...catalog
  } = JSON.parse(text);
  return catalog;
}
