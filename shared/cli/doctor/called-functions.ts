import type { Environment } from '../../puppet/environment/environment.ts';
import type { DoctorFinding } from './finding.ts';
import { plainLines } from './ruby-risks.ts';

const CALLS = /\bcall_function[ (]+['":]+([a-z][\w:]*)|\bfunction_([a-z]\w*)[ (]/g;

/**
 * Returns the findings of functions; one that runs, but calls one that does not, differs. Such a
 * call may depend on the arguments.
 */
export function followCalls(environment: Environment, findings: readonly DoctorFinding[]): readonly DoctorFinding[] {
  const failing = new Set(findings.filter(({ verdict }) => verdict === 'fails').map(({ name }) => name));
  return findings.map((finding) => {
    if (finding.verdict !== 'runs' || finding.file === null) return finding;
    const call = findCall(environment.readText(finding.file) ?? '', failing);
    if (!call) return finding;
    return { ...finding, verdict: 'differs', reason: `it calls ${call.name}, which does not run`, line: call.line };
  });
}

function findCall(text: string, failing: ReadonlySet<string>): { readonly name: string; readonly line: number } | null {
  for (const [index, line] of plainLines(text, false).entries()) {
    for (const [, named, legacy] of line.matchAll(CALLS)) {
      const name = named ?? legacy ?? '';
      if (failing.has(name)) return { name, line: index + 1 };
    }
  }
  return null;
}
