import { expect, it } from 'vitest';
import { nameChangedExports } from '../../../../shared/fleet/compiles/changed-exports.ts';
import type { CompileNote } from '../../../../shared/store/ports/node-record.ts';
import { NO_INPUTS } from '../../../helpers/no-inputs.ts';

const [HOST, SSH] = ['export Host[db] of db.example.com changed', 'export Sshkey[db] of db.example.com changed'];
const CHANGED = 'collected exports changed';

function nodeOf(reasons: readonly string[], named: readonly string[] = []) {
  const compile: CompileNote = { at: 1, outcome: 'compiled', reasons: named, durationMs: 1, codeId: null, hash: 'a' };
  return { reasons, inputs: { ...NO_INPUTS, compiles: [compile] } };
}

it.each([
  ['those since the last compile', ['first', HOST, SSH], ['first'], [CHANGED], [CHANGED, HOST, SSH]],
  ['each once', [HOST, HOST], [], [CHANGED], [CHANGED, HOST]],
  ['none that the last compile named', [HOST, SSH], [CHANGED, HOST], [CHANGED], [CHANGED, SSH]],
  ['the last one when it changed again', ['first', HOST], [CHANGED, HOST], [CHANGED], [CHANGED, HOST]],
  ['nothing when the record names none', ['ring'], [], [CHANGED], [CHANGED]],
  ['nothing to other reasons', [HOST], [], ['fact os.family'], ['fact os.family']],
  ['them among others', [HOST], [], ['fact os.family', CHANGED], ['fact os.family', CHANGED, HOST]],
])('adds %s', (_, asked, named, reasons, expected) => {
  expect(nameChangedExports(nodeOf(asked, named), reasons)).toEqual(expected);
});
