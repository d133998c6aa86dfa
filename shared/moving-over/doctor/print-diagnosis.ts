import { processWeaknesses } from '../../puppet/ruby/process/process-host.ts';
import { countUnits } from '../../util/count-units.ts';
import { AREAS, type Diagnosis, type DoctorFinding, type FindingVerdict } from './finding.ts';

const WIDTH = 80;
/** Findings of a group that are printed without `verbose`. */
const MOST_FINDINGS = 12;
/** Findings of one module in a group that are printed without `verbose`. */
const MOST_OF_MODULE = 3;

const GROUPS: readonly (readonly [FindingVerdict, string])[] = [
  ['fails', 'Does not run'],
  ['differs', 'Runs with a difference'],
  ['invalid', 'Not valid, in Puppet either'],
  ['note', 'Worth knowing'],
];

/** Weaknesses of the isolation with the host `process` at its defaults. */
export const PROCESS_WEAKNESSES = processWeaknesses({}, 0);

/** Describes how the Ruby of modules is confined, and what is less isolated outside WebAssembly. */
export function printRubyHost(): string {
  return `Ruby of modules runs in WebAssembly: it sees the files of the control repo and
no others, no environment variables, processes or network, and is bounded in
time and memory. A native Ruby (the host "process") finds the C extensions of
its standard library and is faster, but:
${PROCESS_WEAKNESSES.flatMap((text) => wrapText(`- ${text}`, 2)).join('\n')}
Run it as a separate user, and only with modules that you trust.`;
}

/** Formats a diagnosis for a terminal: counts, then what does not run, by module. */
export function printDiagnosis(diagnosis: Diagnosis, verbose: boolean): string {
  const { environment, root, modules, findings } = diagnosis;
  const parts = [
    `Environment ${environment}: ${root}`,
    countsOf(findings),
    ...GROUPS.map(([verdict, title]) => group(findings, verdict, title, root, verbose)),
    verbose ? allModules(diagnosis) : '',
    wrapText(`${countUnits(modules.length, 'module')}. ${summaryOf(findings)}`, 0).join('\n'),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

/** Returns one line that says whether an operator may switch. */
export function summaryOf(findings: readonly DoctorFinding[]): string {
  const count = (verdict: FindingVerdict) => findings.filter((one) => one.verdict === verdict).length;
  const [runs, differs, fails, invalid] = [count('runs'), count('differs'), count('fails'), count('invalid')];
  if (differs + fails + invalid === 0)
    return runs === 1 ? 'The one thing runs.' : `All ${countUnits(runs, 'thing')} run.`;
  return `${countUnits(runs, 'thing')} ${runs === 1 ? 'runs' : 'run'}, ${differs} with a difference besides; ${fails} ${fails === 1 ? 'does' : 'do'} not, ${invalid} ${invalid === 1 ? 'is' : 'are'} not valid.`;
}

function countsOf(findings: readonly DoctorFinding[]): string {
  const rows = AREAS.flatMap((area) => {
    const own = findings.filter((one) => one.area === area);
    const count = (verdict: FindingVerdict) => String(own.filter((one) => one.verdict === verdict).length);
    return own.length === 0
      ? []
      : [printRow(area, count('runs'), count('differs'), count('fails'), count('invalid'), count('note'))];
  });
  return [printRow('', 'runs', 'differs', 'fails', 'invalid', 'notes'), ...rows].join('\n');
}

function printRow(area: string, ...cells: readonly string[]): string {
  return `  ${area.padEnd(16)}${cells.map((cell) => (cell === '0' ? '-' : cell).padStart(12)).join('')}`.trimEnd();
}

function group(
  findings: readonly DoctorFinding[],
  verdict: FindingVerdict,
  title: string,
  root: string,
  verbose: boolean,
): string {
  const own = findings.filter((one) => one.verdict === verdict);
  if (own.length === 0) return '';
  const byModule = [...Map.groupBy(own, (one) => one.module ?? 'the environment')];
  const lines = [`${title}:`];
  let printed = 0;
  for (const [module, inModule] of byModule) {
    if (!verbose && printed >= MOST_FINDINGS) break;
    const shown = verbose ? inModule : inModule.slice(0, MOST_OF_MODULE);
    printed += shown.length;
    lines.push(`  ${module}`, ...shown.flatMap((one) => linesOf(one, root, verbose)));
    if (shown.length < inModule.length) lines.push(`    … and ${inModule.length - shown.length} more of ${module}`);
  }
  if (printed < own.length) lines.push(`  ${printed} of ${own.length}: --verbose prints all`);
  return lines.join('\n');
}

function linesOf(finding: DoctorFinding, root: string, verbose: boolean): readonly string[] {
  const { area, name, reason, file, line, backtrace = [] } = finding;
  const what = area === 'modules' ? '' : `${toSingular(area)} ${name}: `;
  const lines = wrapText(`${what}${reason ?? ''}`, 4);
  const place =
    file === null || (!verbose && line === null)
      ? []
      : [`      at ${toRelative(file, root)}${line === null ? '' : `:${line}`}`];
  return [...lines, ...place, ...backtrace.slice(1).map((frame) => `      from ${frame}`)];
}

function toSingular(area: DoctorFinding['area']): string {
  const words = { Hiera: 'Hiera', settings: 'setting' } as const;
  return area === 'Hiera' || area === 'settings' ? words[area] : area.replace(/s$/, '');
}

function toRelative(file: string, root: string): string {
  return file.startsWith(`${root}/`) ? file.slice(root.length + 1) : file;
}

/**
 * Breaks text into lines of at most 80 columns. Lines after the first have a deeper indent. A
 * longer word stays whole.
 */
function wrapText(text: string, indent: number): readonly string[] {
  const lines: string[] = [];
  let line = ' '.repeat(indent);
  for (const word of text.split(/\s+/)) {
    const isFirst = line.trim() === '';
    if (!isFirst && line.length + 1 + word.length > WIDTH) {
      lines.push(line);
      line = ' '.repeat(indent + 2) + word;
    } else line += isFirst ? word : ` ${word}`;
  }
  return [...lines, line];
}

function allModules({ modules, findings }: Diagnosis): string {
  const lines = modules.map(({ name, version }) => {
    const own = findings.filter((one) => one.module === name && one.area !== 'modules');
    const areas = Map.groupBy(own, (one) => one.area);
    const counts = [...areas].map(([area, list]) => `${list.length} ${list.length === 1 ? toSingular(area) : area}`);
    return wrapText(`${name} ${version ?? '(no version)'}: ${counts.join(', ') || 'nothing that runs here'}`, 2).join(
      '\n',
    );
  });
  return ['Modules:', ...lines].join('\n');
}
