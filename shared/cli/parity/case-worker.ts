/**
 * A thread that runs parity cases, one message each: the case's line in, the outcome's JSON text
 * out.
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
  if (parityCase.kind !== 'compile') return JSON.stringify(runParseCase(parityCase));
  // The compiler is loaded by those who need it: parsing starts without.
  const { runCompileCase } = await import('./compile-case.ts');
  return runCompileCase(line, parityCase, options);
}
