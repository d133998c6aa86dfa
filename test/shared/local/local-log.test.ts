import { expect, it } from 'vitest';
import { createCompileJobReport } from '../../../shared/fleet/compiles/compile-job-report.ts';
import type { RequestLogEntry } from '../../../shared/http/access-log.ts';
import { LocalLog } from '../../../shared/local/local-log.ts';
import { StoreRefused } from '../../../shared/store/ports/store-errors.ts';
import { systemClock } from '../../../shared/store/system-clock.ts';
import { ListenFailed } from '../../../shared/util/listening.ts';

const REQUEST: RequestLogEntry = {
  kind: 'request',
  time: '2026-01-01T00:00:00.000Z',
  requestId: 'a-1',
  method: 'GET',
  path: '/metrics',
  environment: null,
  status: 403,
  bytes: 0,
  durationMs: 1,
  certname: 'web01.example.com',
  rule: null,
  reason: null,
  codeId: null,
};

function heard(tell: (log: LocalLog) => void): { readonly lines: readonly string[]; readonly entries: object[] } {
  const [lines, entries]: [string[], object[]] = [[], []];
  const clock = { ...systemClock, now: () => Date.UTC(2026, 0, 1) };
  tell(
    new LocalLog(
      (line) => lines.push(line.replace('2026-01-01T00:00:00.000Z ', '')),
      clock,
      (entry) => entries.push(entry),
    ),
  );
  return { lines, entries };
}

it('says where a failure lies, and what warned before it', () => {
  const report = createCompileJobReport('web01.example.com', 'failed', {
    durationMs: 7,
    reasons: ['first catalog'],
    log: [
      { level: 'debug', message: 'not of interest' },
      { level: 'warning', source: 'Scope(Class[main])', message: 'take care' },
      { level: 'err', message: 'Syntax error at end of input', file: '/code/site.pp', issueCode: 'SYNTAX_ERROR' },
    ],
  });
  const { lines, entries } = heard((log) => log.logWorkerMessage({ kind: 'report', report }));
  expect(lines).toEqual([
    'Warning: Scope(Class[main]): take care [web01.example.com]',
    'Error: Syntax error at end of input (file: /code/site.pp) [web01.example.com]',
    'failed web01.example.com in 7 ms (first catalog)',
  ]);
  expect(entries).toMatchObject([{ kind: 'compile', certname: 'web01.example.com', outcome: 'failed' }]);
});

it('names what native code failed at', () => {
  const nativeDefects = ['/code/a.erb: TypeError: x is not a function'];
  const report = createCompileJobReport('web01.example.com', 'compiled', { durationMs: 7, nativeDefects });
  const { lines, entries } = heard((log) => log.logWorkerMessage({ kind: 'report', report }));
  expect(lines).toEqual([
    'native code failed, so Ruby ran instead: /code/a.erb: TypeError: x is not a function [web01.example.com]',
    'compiled web01.example.com in 7 ms',
  ]);
  expect(entries).toMatchObject([{ kind: 'compile', certname: 'web01.example.com', nativeDefects }]);
});

it.each([
  [{ reason: 'forbidden' }, 'denied web01.example.com: GET /metrics'],
  [{ reason: 'forbidden', rule: 'metrics' }, "denied web01.example.com: GET /metrics (rule 'metrics')"],
  [{ reason: 'revoked' }, 'denied web01.example.com (revoked): GET /metrics'],
  [{ reason: 'forbidden', certname: null }, 'denied a client without certificate: GET /metrics'],
])('says who was denied what: %j', (more, line) => {
  const entry = { ...REQUEST, ...more };
  expect(heard(({ access }) => access(entry))).toEqual({ lines: [line], entries: [entry] });
});

it('is silent about what is served', () => {
  expect(heard(({ access }) => access({ ...REQUEST, status: 200, reason: 'current' })).lines).toEqual([]);
});

it('tells what can be mended by its message, and bugs with their stack', () => {
  const { lines } = heard((log) => {
    log.logError('The request GET /a failed', new StoreRefused("data directory '/d': database or disk is full"));
    log.logError('The request GET /b failed', new TypeError('x is not a function'));
    const taken = Object.assign(new Error('x'), { code: 'EADDRINUSE' });
    log.logError('There is no console (--console-port)', new ListenFailed('127.0.0.1', 8443, taken));
  });
  expect(lines[2]).toBe(
    'There is no console (--console-port): Cannot listen on 127.0.0.1:8443: the port is in use by another program',
  );
  expect(lines[0]).toBe("The request GET /a failed: data directory '/d': database or disk is full");
  expect(lines[1]).toMatch(/^The request GET \/b failed: TypeError: x is not a function\n {4}at /);
});
