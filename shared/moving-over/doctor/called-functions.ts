import type { Environment } from '../../puppet/environment/environment.ts';
import type { DoctorFinding } from './finding.ts';
import { codeOfTemplate, plainLines } from './ruby-risks.ts';

const CALLS = /\bcall_function[ (]+['":]+([a-z][\w:]*)|\bfunction_([a-z]\w*)[ (]/g;

/**
 * Returns the findings; a function or template that runs, but calls a function that does not,
 * differs. Such a call may depend on the arguments.
 */
export function followCalls(environment: Environment, findings: readonly DoctorFinding[]): readonly DoctorFinding[] {
  const functions = findings.filter(({ area }) => area === 'Ruby functions');
  const failing = new Set(functions.filter(({ verdict }) => verdict === 'fails').map(({ name }) => name));
  return findings.map((finding) => {
    const { area, file } = finding;
    const isTemplate = area === 'ERB templates';
    if (finding.verdict !== 'runs' || file === null || !(isTemplate || area === 'Ruby functions')) return finding;
    const text = environment.readText(file) ?? '';
    const call = findCall(isTemplate ? codeOfTemplate(text) : text, failing);
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
