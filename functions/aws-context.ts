import { tmpdir } from 'node:os';
import { join } from 'node:path';
import packageFile from '../package.json' with { type: 'json' };
import { compileJobSeconds } from '../shared/config/compile-limit.ts';
import { ENVIRONMENT_VARIABLES } from '../shared/config/deployment.ts';
import { readSetting, readSettings } from '../shared/config/read-setting.ts';
import { createWorkerContext } from '../shared/fleet/compiles/create-worker-context.ts';
import { exportTiming } from '../shared/fleet/compiles/export-interval.ts';
import type { WorkerContext } from '../shared/fleet/compiles/worker-context.ts';
import { createWasmRuby } from '../shared/puppet/ruby/wasm/wasm-host.ts';
import { openInventoryAnswers } from '../shared/store/aws/inventory-answers.ts';
import type { AwsNames, openAwsStores } from '../shared/store/aws/stores.ts';
import { FolderCache } from '../shared/store/embedded/folder-cache.ts';
import { delayOptimisation } from '../shared/util/delay-optimisation.ts';

/** Creates the context of compiles in AWS, from the variables of a function or container. */
export function createAwsContext(variables: AwsNames, stores: ReturnType<typeof openAwsStores>): WorkerContext {
  delayOptimisation();
  return createWorkerContext({
    stores,
    ruby: createWasmRuby(),
    strictness: readSettings(['language', 'strict', 'strictVariables', 'disableWarnings'], variables),
    processVariables: variables,
    server: { name: variables[ENVIRONMENT_VARIABLES.serverName] ?? 'puppet', ip: null, release: packageFile.version },
    // Folder that Lambda keeps for a sandbox when it starts the function anew.
    kept: new FolderCache(join(tmpdir(), 'understudy-packs')),
    timing: exportTiming(readSettings(['exportDelay', 'exportInterval'], variables)),
    inventory: openInventoryAnswers(variables, stores.blobs) ?? undefined,
    limitMs: 1000 * compileJobSeconds(readSetting('compileTimeLimit', variables)),
  });
}
