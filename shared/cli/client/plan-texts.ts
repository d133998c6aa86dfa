import { isJsonRecord, type JsonRecord } from './orchestrator-client.ts';

/** The end of a plan job: its result, or its error. */
export function describePlanEnd(job: JsonRecord): string {
  const duration = `Duration: ${Math.round(Number(job.duration ?? 0))} sec\n`;
  const { result = null } = job;
  if (job.state === 'success') {
    return `Plan completed${result === null ? ' with no result' : ''}.\n${printResult(result)}${duration}`;
  }
  const error = isJsonRecord(result) ? result : {};
  return `Plan failed: ${String(error.msg ?? 'there is no message')}\n${printResult(result)}${duration}`;
}

/** A plan job: rows of its facts, and its end when it has ended. */
export function describePlanJob(job: JsonRecord): string {
  const options = isJsonRecord(job.options) ? job.options : {};
  const owner = isJsonRecord(job.owner) ? String(job.owner.login ?? '') : '';
  const jobs = Object.keys(isJsonRecord(job.status) ? job.status : {});
  const rows = [
    ['Plan', options.plan_name],
    ['Status', job.state],
    ['Start', job.created_timestamp],
    ['Finish', job.finished_timestamp],
    ['User', owner],
    ['Environment', options.environment],
    ['Parameters', JSON.stringify(options.parameters ?? {})],
    ['Jobs', jobs.join(', ')],
  ];
  const shown = rows.filter(([, value]) => value !== undefined && value !== null && value !== '');
  const text = shown.map(([name, value]) => `${`${name}:`.padEnd(13)}${String(value)}\n`).join('');
  return job.state === 'running' ? text : `${text}\n${describePlanEnd(job)}`;
}

function printResult(result: unknown): string {
  if (result === null) return '';
  return `${typeof result === 'string' ? result : JSON.stringify(result, null, 2)}\n`;
}
