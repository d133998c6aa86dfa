import { hostname } from 'node:os';
import { SETTINGS } from '../../../config/settings.ts';
import type { TrialCompiler } from '../../../fleet/previews/trial-compiler.ts';
import type { AwsNames } from '../../../store/aws/stores.ts';
import { StoreRefused } from '../../../store/ports/store-errors.ts';
import type { Stores } from '../../../store/ports/stores.ts';
import { dataDirectory, type StateLocation } from '../command-stores.ts';

/** Compiler for a preview; close it at the end. */
interface OpenTrials {
  readonly trials: TrialCompiler;
  close(): void;
}

/** A compile of the server's workers is waited for as long as a node waits. */
const HOLD_MS = 120_000;

/**
 * Opens what compiles nodes for a preview: the workers of a database's servers, of a deployment in
 * AWS, or of the server that runs; this process where no server runs. `release`: the version of
 * Understudy.
 */
export async function openTrials(
  stores: Stores,
  where: StateLocation,
  variables: AwsNames,
  release: string,
): Promise<OpenTrials> {
  const { createProcessTrials, createWorkerTrials } = await import('../../../fleet/previews/trial-compiler.ts');
  const directory = dataDirectory(where, variables);
  if (directory === null || (await isServed(directory))) {
    return { trials: createWorkerTrials(stores, HOLD_MS), close: () => {} };
  }
  const { createWorkerContext } = await import('../../../fleet/compiles/create-worker-context.ts');
  const { createRuby } = await import('../ruby-choice.ts');
  const ruby = createRuby({ host: 'wasm', user: null, memoryLimitBytes: null }, variables.PATH);
  const context = createWorkerContext({
    stores,
    limitMs: SETTINGS.compileTimeLimit.usual * 1000,
    ruby,
    processVariables: variables,
    server: { name: hostname(), ip: null, release },
  });
  return { trials: createProcessTrials(context), close: () => ruby.close() };
}

async function isServed(directory: string): Promise<boolean> {
  const { ServerLock } = await import('../../../store/embedded/server-lock.ts');
  try {
    new ServerLock(directory).release();
    return false;
  } catch (error) {
    if (error instanceof StoreRefused) return true;
    throw error;
  }
}
