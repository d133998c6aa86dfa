import type { Reporter, TestCase } from 'vitest/node';

/**
 * Reporter of vitest: prints why a test failed before it passed. Vitest's own reporters only say
 * that it was tried again.
 */
export default class ReportRetries implements Reporter {
  onTestCaseResult(test: TestCase): void {
    const { state, errors = [] } = test.result();
    if (state !== 'passed' || errors.length === 0) return;
    const reasons = errors.map(({ message, stack = '' }) => `${message}\n${stack}`);
    console.log(`Passed in a further try only: ${test.module.moduleId} > ${test.fullName}\n${reasons.join('\n')}`);
  }
}
