import packageFile from '../package.json' with { type: 'json' };
import { createRuby } from '../shared/cli/commands/ruby-choice.ts';
import { createWorkerContext } from '../shared/fleet/compiles/create-worker-context.ts';
import type { WorkerSettings } from '../shared/local/worker-message.ts';

type ContextParts = Parameters<typeof createWorkerContext>[0];

/** Creates the context of compiles in a thread of `npm start`, from the data that it was given. */
export function createThreadContext(
  { server, ruby, strictness, limitMs, timing }: WorkerSettings,
  others: Pick<ContextParts, 'stores' | 'inventory'>,
): ReturnType<typeof createWorkerContext> {
  return createWorkerContext({
    ...others,
    ruby: createRuby(ruby, process.env.PATH),
    processVariables: process.env,
    server: { ...server, release: packageFile.version },
    strictness,
    limitMs,
    timing,
  });
}
