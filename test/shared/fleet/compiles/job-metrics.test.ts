import { expect, it } from 'vitest';
import { createCompileJobReport } from '../../../../shared/fleet/compiles/compile-job-report.ts';
import { jobMetrics } from '../../../../shared/fleet/compiles/job-metrics.ts';

const DEFECTS = ['/code/a.erb: TypeError: x is not a function', '/code/b.erb: RangeError: Invalid count value: -1'];

it.each([
  ['compiled', [], { CompiledCatalogs: 1 }],
  ['failed', [], { FailedCatalogs: 1 }],
  ['verified', [], { VerifiedCatalogs: 1 }],
  ['superseded', [], {}],
  ['compiled', DEFECTS, { CompiledCatalogs: 1, NativeRubyDefects: 2 }],
  ['answered', DEFECTS, { NativeRubyDefects: 2 }],
] as const)('counts a job that %s with the defects %j', (outcome, nativeDefects, expected) => {
  expect(jobMetrics(createCompileJobReport('web.example.com', outcome, { nativeDefects }))).toEqual(expected);
});
