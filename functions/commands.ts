/** `understudy`: commands for operators and for measurements. */
import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { CertificateRequestRejected } from '../shared/ca/certificate-request.ts';
import { UnusableKey } from '../shared/ca/keys.ts';
import { allVariables } from '../shared/environment/operator-variables.ts';
import { NoSuchCode } from '../shared/jobs/no-such-code.ts';
import { NoSuchEnvironment } from '../shared/jobs/scan-environment.ts';
import { addAuthorityCommands } from '../shared/local/authority-commands.ts';
import { addCertificateCommands, NoCertificate } from '../shared/local/certificate-commands.ts';
import { addCodeCommands } from '../shared/local/code-commands.ts';
import { addCompileCommand } from '../shared/local/compile-options.ts';
import { addDiffCommand } from '../shared/local/diff-command.ts';
import { addDoctorCommand } from '../shared/local/doctor-command.ts';
import { addLookupCommand } from '../shared/local/lookup-options.ts';
import { addMeasurementCommands } from '../shared/local/measurement-commands.ts';
import { addNodeCommands, NoSuchNode } from '../shared/local/node-commands.ts';
import { addPackageCommands } from '../shared/local/package-commands.ts';
import { addPolicyCommands } from '../shared/local/policy-commands.ts';
import { addReportCommands, NoSuchReport } from '../shared/local/report-commands.ts';
import { newProgram, runProgram, thisProcess } from '../shared/local/run-program.ts';
import { InvalidCase } from '../shared/parity/parity-command.ts';
import { StoreRefused } from '../shared/store/ports.ts';

const program = newProgram().description('A serverless stand-in for Puppet compile masters');
const { print } = thisProcess;
const compiling = { ...thisProcess, variables: allVariables(() => process.env) };

addMeasurementCommands(program, print, availableParallelism());
const ca = program.command('ca').description('the embedded certificate authority');
addCertificateCommands(program, ca, print, process.env);
addAuthorityCommands(ca, print, process.env);
addPackageCommands(program, print, process.env);
addCompileCommand(program, compiling);
addLookupCommand(program, compiling);
addDoctorCommand(program, thisProcess);
addDiffCommand(program, compiling);
addCodeCommands(program, {
  print,
  variables: process.env,
  newSecret: () => randomBytes(32).toString('base64url'),
});
addNodeCommands(program, print, process.env);
addPolicyCommands(program, print, process.env);
addReportCommands(program, print, process.env);

const expected = [
  CertificateRequestRejected,
  UnusableKey,
  InvalidCase,
  NoCertificate,
  NoSuchCode,
  NoSuchEnvironment,
  NoSuchNode,
  NoSuchReport,
  StoreRefused,
];
await runProgram(program, process.argv.slice(2), expected);
