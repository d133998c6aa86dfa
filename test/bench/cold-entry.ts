/**
 * `node cold-entry.ts STORE CODE_ID CERTNAME FACTS STRICTNESS`: compiles one node of stored code in
 * this new process, as a function that AWS has just started. FACTS: a file; STRICTNESS: JSON.
 */
import { readFileSync } from 'node:fs';
import { ContentMissing, SnapshotCache } from '../../shared/fleet/snapshots/snapshot-cache.ts';
import { createWasmRuby } from '../../shared/puppet/ruby/wasm/wasm-host.ts';
import { parseJson } from '../../shared/puppet/serialization/json.ts';
import { PuppetHash } from '../../shared/puppet/types/values/puppet-hash.ts';
import { EmbeddedBlobStore } from '../../shared/store/embedded/blob-store.ts';
import { compilerOf, NodeFailed } from './node-compiler.ts';

const [store = '', codeId = '', certname = '', factsFile = '', strictness = '{}'] = process.argv.slice(2);
const facts = parseJson(readFileSync(factsFile, 'utf8'));
if (!(facts instanceof PuppetHash)) throw new Error(`${factsFile} has no facts`);
const cache = new SnapshotCache(new EmbeddedBlobStore(store));
const open = await cache.open(codeId);
const compile = compilerOf(open, cache.parsed, createWasmRuby(), JSON.parse(strictness));
for (;;) {
  try {
    compile({ certname, facts });
    break;
  } catch (error) {
    if (!(error instanceof ContentMissing)) {
      if (error instanceof NodeFailed) console.error(error.message);
      process.exit(1);
    }
    await cache.fetch(open, error.sha256);
  }
}
process.exit(0);
