import type { PreflightFinding } from './run-preflight.ts';

/** One line for each finding, and their counts. */
export function printFindings(findings: readonly PreflightFinding[]): string {
  const lines = findings.map(({ check, verdict, text }) => `${verdict.padEnd(6)} ${check.padEnd(12)} ${text}`);
  const count = (verdict: PreflightFinding['verdict']) => findings.filter((one) => one.verdict === verdict).length;
  return `${lines.join('\n')}\n\n${count('fails')} fail, ${count('warns')} warn, ${count('ok')} are ok.\n`;
}
