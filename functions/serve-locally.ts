/** `npm start`: front door, certificate authority, queue, compilers and stores in one process. */
import { availableParallelism, hostname, loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import packageFile from '../package.json' with { type: 'json' };
import { Progress } from '../shared/cli/client/progress.ts';
import { writeCompiledCode } from '../shared/cli/start-image/compile-cache.ts';
import { startLocalServer } from '../shared/local/local-server.ts';
import { listUnknownVariables, readLocalOptions, UsageExit } from '../shared/local/options.ts';
import { describeStartFault, dropPrivileges, handleSignals } from '../shared/local/server-process.ts';
import { afterTime, StartSteps } from '../shared/local/start-steps.ts';
import { guardMemory } from '../shared/util/guard-memory.ts';

async function main(): Promise<void> {
  guardMemory(fail);
  // The data directory contains the certificate authority's key.
  process.umask(0o077);
  // `npm start` of a package that runs `understudy server` has no sources: it is no trial.
  const isTrial = process.env.npm_lifecycle_event === 'start' && import.meta.url.endsWith('.ts');
  const defaults = {
    workers: Math.max(1, availableParallelism() - 1),
    name: isTrial ? 'npm start --' : 'understudy server',
  };
  const options = readLocalOptions(process.argv.slice(2), defaults, process.env);
  for (const one of listUnknownVariables(process.env, defaults)) process.stderr.write(`warning: ${one}\n`);
  if (options.user !== undefined) dropPrivileges(options.user, options.data);
  const progress = new Progress();
  const print = (line: string) => {
    progress.end();
    process.stdout.write(`${line}\n`);
  };
  const steps = new StartSteps({ print, now: Date.now, later: afterTime });
  const server = await startLocalServer(options, {
    hostname: hostname(),
    release: packageFile.version,
    uid: process.getuid?.() ?? 0,
    example: { directory: fileURLToPath(new URL('../examples/control-repo', import.meta.url)), isOffered: isTrial },
    searchPath: process.env.PATH,
    workerModule: new URL('./local-worker.ts', import.meta.url),
    planModule: new URL('./local-plan-worker.ts', import.meta.url),
    print,
    showStep: (step) => {
      if (!progress.isBar) steps.show(step);
      else if (step === null) progress.end();
      else progress.show(step);
    },
    onFailure: fail,
    readLoad: () => loadavg()[0] ?? 0,
    loadConsole,
  });
  handleSignals(server, fail, (what) => print(`${new Date().toISOString()} ${what}`));
  print(server.greeting);
  writeCompiledCode();
}

/** The client of the console, which is bundled at the first request; none without esbuild. */
async function loadConsole() {
  const { buildConsole } = await import('../shared/console/build/build-console.ts');
  const root = fileURLToPath(new URL('..', import.meta.url));
  return buildConsole({ root }).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND')) throw error;
    process.stdout.write('There is no page of the console: this release has no bundle, and esbuild is not installed\n');
    return [];
  });
}

function fail(error: unknown): void {
  if (error instanceof UsageExit) {
    process[error.exitCode === 0 ? 'stdout' : 'stderr'].write(`${error.message}\n`);
    process.exit(error.exitCode);
  }
  process.stderr.write(`understudy: ${describeStartFault(error)}\n`);
  process.exit(1);
}

main().catch(fail);
