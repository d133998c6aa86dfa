/** Runs the command that the arguments of this process name. */
import { runProgram } from '../shared/cli/commands/run-program.ts';
import { createProgram } from './program.ts';

// Loaded when a command fails: most of the time it takes is that of the certificate authority.
const loadExpected = async () => (await import('../shared/cli/commands/expected-errors.ts')).EXPECTED_ERRORS;
await runProgram(createProgram(), process.argv.slice(2), loadExpected);
