/**
 * A thread that runs parity cases, one per message: receives the line of a case and posts the
 * outcome as JSON text.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { describeThrown } from './outcome.ts';
import type { ParityCase, RunOptions } from './parity-case.ts';
import { runParseCase } from './parse-case.ts';

parentPort?.on('message', (line: string) => {
  answer(line, workerData).then(
    (text) => parentPort?.postMessage(text),
    (error: unknown) => parentPort?.postMessage(JSON.stringify({ status: 'error', error: describeThrown(error) })),
  );
});

async function answer(line: string, options: RunOptions): Promise<string> {
  const parityCase: ParityCase = JSON.parse(line);
  if (parityCase.kind !== 'compile') return JSON.stringify(runParseCase(parityCase, options));
  // Loaded on demand: parse cases start without the compiler.
  const { runCompileCase } = await import('./compile-case.ts');
  return runCompileCase(line, parityCase, options);
}
